"""Values of each list that were computed elsewhere.

Stability: plugin.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from scorer.core.arrays import Floats, Mask
from scorer.views.extras import NO_EXTRAS, Extras, WithColumns


@dataclass(frozen=True)
class Given(WithColumns):
    """The values that a submission gives of each list. All arrays have one element a list."""

    kinds: ClassVar[frozenset[str]] = frozenset({"values"})
    always_defined: ClassVar[bool] = True  # a list without a value lacks it by the submission

    names: tuple[str, ...]
    answered: Mask
    # name of a value -> (lists,), or the parts and wholes (lists, 2); NaN where there is none
    values: Mapping[str, Floats]
    extras: Extras = NO_EXTRAS

    @property
    def lists(self) -> int:
        """How many lists there are."""
        return len(self.names)

    def single(self, at: int) -> Given:
        """One list alone."""
        one = np.array([at])
        values = {name: column[one] for name, column in self.values.items()}
        names, extras = (self.names[at],), self.extras.at(list=one)
        return Given(names, self.answered[one], values, extras)
