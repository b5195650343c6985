"""Comparisons of pairs of submissions, as data."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np

from scorer.challenge.leaderboard import Leaderboard
from scorer.core.arrays import Floats
from scorer.core.text import unit
from scorer.metrics.notation import Measure
from scorer.results.json import (
    ABSENT,
    VERSION,
    ChallengeIdentity,
    Internal,
    Number,
    ShownListValues,
    optional,
)
from scorer.results.report import Report, Scope
from scorer.stats.units import NOISE


class WinTally(NamedTuple):
    """In how many lists the first submission of a pair wins, ties and loses."""

    wins: int
    ties: int
    losses: int

    @classmethod
    def of(cls, values: Floats) -> WinTally:
        """Return the tally of a number for each list, above 0 where the first wins.

        NaN does not count, and differences by rounding tie.
        """
        noise = NOISE * float(np.nanmax(np.abs(values), initial=0.0))
        wins = int((values > noise).sum())
        losses = int((values < -noise).sum())
        ties = int((~np.isnan(values)).sum()) - wins - losses
        return cls(wins, ties, losses)


@dataclass(frozen=True, slots=True)
class ComparedFile:
    """A submission that was compared."""

    name: str
    path: str
    sha256: str | None
    baseline: bool


@dataclass(frozen=True, slots=True, eq=False)
class ListPreferences:
    """How often a comparison of rankings prefers the first submission of a pair."""

    mean: Number  # over the lists where it is defined
    wins: int
    ties: int
    losses: int
    per_list: ShownListValues  # NaN where undefined


@dataclass(frozen=True, slots=True)
class ListDifference:
    """A list, and by how much the pair differs there."""

    list: str
    difference: float


@dataclass(frozen=True, slots=True, eq=False)
class MeasureDifference:
    """The difference of two submissions by a measure; positive if the first is higher."""

    difference: Number  # mean of the first less mean of the second, over the lists both have
    wins: int  # of the first; of an error the smaller value wins
    ties: int
    losses: int
    interval: tuple[Number, Number] | None
    effect_size: Number  # Cohen's d_z, of a figure by what each list adds to it
    p: Number  # corrected for the number of pairs; NaN: there is none
    lists: int  # how many both have, or folds of them
    interval_of_all: tuple[Number, Number] | None  # that holds for all pairs at once
    equivalence_p: Number | None  # corrected, of the test that they differ by less than a margin
    most: Sequence[ListDifference]  # the lists that differ most
    per_list: Internal[Floats]  # all NaN for whole-challenge measures
    lead: Internal[float]  # the sign of the difference as the test sees it, whatever its p


@dataclass(frozen=True, slots=True)
class PairTests:
    """The tests of all pairs by a measure."""

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
    measures: Mapping[str, MeasureDifference]


@dataclass(frozen=True, slots=True)
class ComparisonRules:
    """The rules of the challenge by which pairs were compared."""

    alpha: float | None  # None: nothing is tested
    level: float | None  # None: there are no intervals
    seed: int
    margin: float | None  # the difference in the primary measure that does not matter

    @classmethod
    def of(cls, rules: Leaderboard, margin: float | None) -> ComparisonRules:
        """Return the rules of a challenge, with a margin that was asked for."""
        alpha = rules.tiers.alpha if rules.tiers else None
        return cls(alpha, rules.intervals, rules.seed, margin)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Comparison:
    """The comparisons of all pairs, and the orders of submissions that preferences make."""

    private: str = optional()
    schema: str = "comparison/1"
    scorer: str = VERSION
    challenge: ChallengeIdentity
    submissions: Sequence[ComparedFile] = optional()
    pairs: Sequence[ComparedPair]
    orders: Mapping[str, Mapping[str, Sequence[Sequence[str]]]]  # preference -> aggregation
    tests: Mapping[str, PairTests]  # measure -> how it was tested
    how: ComparisonRules
    untested: Mapping[str, str]  # measure -> why it was not tested
    cycles: Mapping[str, Sequence[Sequence[str]]]  # preference -> groups that contradict
    scope: Scope | None = optional()
    names: Internal[Sequence[str]]
    lists: Internal[Sequence[str]]
    report: Internal[Report | None]  # None: the comparison was read from a file
    preferences_requested: Internal[bool] = True  # whether preferences were named; else it has all
    every_measure: Internal[bool] = True  # whether texts show every measure, not the primary alone

    def published(self, paths: bool = False) -> Comparison:
        """Return the part that may be published, as `Report.published` says."""
        report = None if self.report is None else self.report.published(paths)
        return replace(self, private=ABSENT, submissions=ABSENT, report=report)

    @property
    def without_preferences(self) -> Comparison:
        """The comparison without preferences between rankings."""
        pairs = [replace(pair, preferences={}) for pair in self.pairs]
        return replace(self, pairs=pairs, orders={}, cycles={}, preferences_requested=True)

    @property
    def measures(self) -> tuple[Measure, ...]:
        """The measures that were compared, the primary first."""
        if self.report is None or not self.pairs:
            return ()
        primary = self.report.primary
        compared = [m for m in self.report.measures if m.id in self.pairs[0].measures]
        return tuple(sorted(compared, key=lambda measure: measure.id != primary.id))

    @property
    def shown_measures(self) -> tuple[Measure, ...]:
        """The measures that a text shows, the primary first."""
        return self.measures if self.every_measure else self.measures[:1]

    @property
    def unit(self) -> str:
        """The challenge's word for a list."""
        return unit(self.report.called if self.report else {}, 1)

    @property
    def units(self) -> str:
        """The challenge's word for lists."""
        return unit(self.report.called if self.report else {})
