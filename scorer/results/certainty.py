"""Intervals and tests of a board, as data."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Annotated, Any

from scorer.core.arrays import Floats
from scorer.results.json import CountRows, Counts, Internal, Number, NumberRows, Numbers, shown_as


@dataclass(frozen=True, slots=True)
class How:
    """How intervals and tests were made; results with an equal one can be compared."""

    test: str  # permutation or skew-corrected t; for runs t, for folds corrected t
    adjust: str  # max or holm
    alpha: float
    level: float | None  # of the intervals; None: no intervals
    draws: int  # of the permutation test; 0: another test
    seed: int
    over: str  # lists, clusters or folds
    lists: int  # how many most pairs have in common
    units: int  # how many units these lists are

    @property
    def signature(self) -> str:
        """All fields in one line, in the form of a measure's signature."""
        return "|".join(f"{key}:{value}" for key, value in asdict(self).items())


@dataclass(frozen=True, slots=True, eq=False)
class BaselineTests:
    """The tests of a baseline against each ranked submission."""

    name: str
    difference: Numbers  # (names,): the mean of the ranked one minus the baseline's
    p: Numbers  # (names,): corrected for the number of pairs with this baseline
    lists: Counts  # (names,): how many lists both have


@dataclass(frozen=True, slots=True)
class ShakeUp:
    """How far ranks by two groups of lists differ, compared with random groups."""

    groups: tuple[str, str]
    moved: float  # the mean change of rank
    expected: float  # the mean over random groups of the same sizes
    most: float  # the 95 % quantile over random groups


@dataclass(frozen=True, slots=True, eq=False)
class Certainty:
    """The tests of all pairs of ranked submissions by the primary measure."""

    measure: str  # its id
    names: Sequence[str]  # the ranked, in the order of the board
    difference: NumberRows  # (names, names): mean of the row minus mean of the column
    p: NumberRows  # (names, names), corrected for the number of pairs; NaN: no test is possible
    lists: int  # how many lists most pairs have in common
    detectable: Number  # the difference found with a power of 80 %; NaN: no difference can be
    how: Annotated[How, shown_as(Mapping[str, Any])]
    signature: str
    common_lists: CountRows  # (names, names): how many lists both have
    pairs: int  # how many pairs the correction is for
    least_p: Number  # the smallest p that any difference can have
    fewest_lists: int  # the number of lists from which a difference can be significant
    baselines: tuple[BaselineTests, ...]
    shake_up: Annotated[ShakeUp, shown_as(Mapping[str, Any])] | None
    # (names, names): the sign of the difference as the test ranks or sums it, significant or not.
    lead: Internal[Floats]
