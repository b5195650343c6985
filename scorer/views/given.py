"""Values of each list that were computed elsewhere."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import ClassVar

import numpy as np

from scorer.core.arrays import Floats, Ints, Mask
from scorer.views.extras import NO_EXTRAS, Extras, WithColumns


@dataclass(frozen=True)
class Given(WithColumns):
    """The values that a submission gives of each list. All arrays have one element a list."""

    kinds: ClassVar[frozenset[str]] = frozenset({"values"})

    names: Sequence[str]
    answered: Mask
    # name of a value -> (lists,), or the parts and wholes (lists, 2); NaN where there is none
    values: Mapping[str, Floats]
    extras: Extras = NO_EXTRAS
    void: Mapping[str, Mask] = field(default_factory=dict)  # the lists that no submission values

    @property
    def lists(self) -> int:
        """How many lists there are."""
        return len(self.names)

    def only(self, lists: Ints) -> Given:
        """Some lists alone."""
        values = {name: column[lists] for name, column in self.values.items()}
        void = {name: nowhere[lists] for name, nowhere in self.void.items()}
        names = tuple(self.names[at] for at in lists.tolist())
        return Given(names, self.answered[lists], values, self.extras.at(list=lists), void)

    def perfect(self) -> Given:
        """With a value, whichever, wherever a submission can have one."""
        values = {name: np.ones_like(column) for name, column in self.values.items()}
        for name, nowhere in self.void.items():
            values[name][nowhere] = np.nan
        return replace(self, values=values)
