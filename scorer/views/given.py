"""Values of each list that were computed elsewhere."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import ClassVar

from scorer.core.arrays import Floats, Mask
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

    @property
    def lists(self) -> int:
        """How many lists there are."""
        return len(self.names)
