"""Comparisons of pairs of submissions, as data."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

import numpy as np

from scorer.core.arrays import Floats
from scorer.stats.units import NOISE


@dataclass(frozen=True, slots=True)
class WinTally:
    """In how many lists the first of a pair wins, ties and loses."""

    wins: int
    ties: int
    losses: int

    @classmethod
    def of(cls, values: Floats) -> WinTally:
        """Counted from one number a list, above 0 where the first wins; NaN does not count."""
        noise = NOISE * float(np.nanmax(np.abs(values), initial=0.0))
        wins, losses = int((values > noise).sum()), int((values < -noise).sum())
        return cls(wins, int((~np.isnan(values)).sum()) - wins - losses, losses)


@dataclass(frozen=True, slots=True)
class ListPreferences:
    """The outcome of a preference for a pair."""

    mean: float  # over the lists where it is defined
    tally: WinTally
    per_list: Floats  # NaN where undefined


@dataclass(frozen=True, slots=True)
class Differing:
    """How a measure differs between a pair; positive where the first has more of it."""

    difference: float  # mean of the first less mean of the second, over the lists both have
    tally: WinTally  # from the first's side: a smaller error wins
    interval: tuple[float, float] | None
    effect: float  # Cohen's d_z, of a figure by what each list adds to it
    p: float  # corrected for the number of pairs; NaN: cannot be had
    per_list: Floats  # all NaN for whole-challenge measures
    most: tuple[str, ...]  # the lists that differ most
    lists: int  # how many both have, or folds of them
    together: tuple[float, float] | None  # an interval that holds for all pairs at once
    lead: float  # the sign of the difference as the test sees it, whatever its p
    equivalent: float | None = None  # corrected p that they differ by less than a margin


@dataclass(frozen=True, slots=True)
class Tested:
    """How all pairs were tested by a measure."""

    test: str
    adjust: str
    draws: int
    pairs: int  # how many the correction is for
    over: str  # lists, clusters or folds
    lists: tuple[int, int]  # the fewest and the most that a pair has in common


@dataclass(frozen=True, slots=True)
class ComparedPair:
    """Two submissions."""

    a: str
    b: str
    preferences: Mapping[str, ListPreferences]
    measures: Mapping[str, Differing]


@dataclass(frozen=True, slots=True)
class Pairing:
    """Every pair, and the orders that the preferences make."""

    names: tuple[str, ...]
    lists: tuple[str, ...]
    pairs: tuple[ComparedPair, ...]
    orders: Mapping[str, Mapping[str, tuple[tuple[str, ...], ...]]]  # preference -> aggregation
    cycles: Mapping[str, tuple[tuple[str, ...], ...]]  # preference -> groups that contradict
    tests: Mapping[str, Tested] = field(default_factory=dict)  # measure -> how it was tested
    untested: Mapping[str, str] = field(default_factory=dict)  # measure -> why it was not
    margin: float | None = None  # the difference in the primary measure that does not matter
    asked: bool = True  # whether its preferences were asked for, rather than all there are

    @property
    def of_measures(self) -> Pairing:
        """The comparison without preferences between rankings."""
        pairs = tuple(replace(pair, preferences={}) for pair in self.pairs)
        return replace(self, pairs=pairs, orders={}, cycles={})
