"""Samples whose tests are by t: folds, and lists that groups and clusters tie together."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

import numpy as np

from scorer.challenge.leaderboard import Leaderboard, Tiers
from scorer.core.arrays import Floats, Ints, Mask
from scorer.metrics.measure import Measure
from scorer.results.report import Value
from scorer.stats.aggregate import MEAN
from scorer.stats.crossed import crossed_interval, group_weights, paired_crossed
from scorer.stats.intervals import Bounds

if TYPE_CHECKING:
    from scorer.stats.family import Paired

Ends = tuple[float, float] | None


def tested_level(rules: Leaderboard) -> float:
    """Of intervals that hold for all pairs at once: that of the tests."""
    return 1 - (rules.tiers or Tiers()).alpha


@dataclass(frozen=True, eq=False)
class _OfFolds:
    """Means over folds, which share training data."""

    values: Floats  # (submissions, folds), NaN where a fold has no value
    over: str = field(default="folds", init=False)

    @property
    def valued(self) -> Mask:
        return ~np.isnan(self.values)

    def of(self, rows: Ints) -> _OfFolds:
        return _OfFolds(self.values[rows])

    def intervals(self, rules: Leaderboard) -> list[Ends]:
        from scorer.stats.folds import fold_interval

        level = rules.level
        return [None if level is None else fold_interval(row, level) for row in self.values]

    def tests(
        self, rules: Leaderboard, control: bool = False, alone: float | None = None
    ) -> Paired:
        from scorer.stats.folds import paired_folds

        return paired_folds(self.values, level=tested_level(rules), control=control, alone=alone)

    def drawn(self, rules: Leaderboard) -> Floats | None:
        return None

    @property
    def hangs_on(self) -> float:
        return np.inf  # of few folds their spread says it

    @property
    def rests_on(self) -> float:
        return np.inf

    def test(self, rules: Tiers) -> tuple[str, str]:
        return "corrected t", "holm"


def of_folds(values: Floats) -> _OfFolds:
    """Means over folds; `values` is (submissions, folds), NaN where a fold has no value."""
    return _OfFolds(values)


@dataclass(frozen=True, eq=False)
class _OfCrossed:
    """Means over groups, whose lists are of clusters that run across them."""

    values: Floats  # (submissions, lists), NaN where skipped
    groups: Ints  # (lists,)
    clusters: Ints  # (lists,)
    by_group: bool  # whether groups count alike, else lists
    bounds: Bounds = (None, None)  # beyond which no mean is
    over: str = field(default="groups and clusters", init=False)
    hangs_on: float = field(default=np.inf, init=False)  # no number says it
    rests_on: float = field(default=np.inf, init=False)

    @property
    def valued(self) -> Mask:
        return ~np.isnan(self.values)

    def of(self, rows: Ints) -> _OfCrossed:
        return replace(self, values=self.values[rows])

    def intervals(self, rules: Leaderboard) -> list[Ends]:
        level = rules.level
        return [None if level is None else self._interval(row, level) for row in self.values]

    def _interval(self, row: Floats, level: float) -> Ends:
        known = ~np.isnan(row)
        own, clusters = self.groups[known], self.clusters[known]
        every = np.ones(own.size, dtype=bool)
        weights = group_weights(own, every) if self.by_group else every.astype(np.float64)
        ends = crossed_interval(row[known], weights, own, clusters, level)
        low, high = self.bounds
        return ends and (
            max(ends[0], -np.inf if low is None else low),
            min(ends[1], np.inf if high is None else high),
        )

    def tests(
        self, rules: Leaderboard, control: bool = False, alone: float | None = None
    ) -> Paired:
        return paired_crossed(
            self.values, self.groups, self.clusters, by_group=self.by_group,
            level=tested_level(rules), control=control, alone=alone,
        )  # fmt: skip

    def drawn(self, rules: Leaderboard) -> Floats | None:
        return None

    def test(self, rules: Tiers) -> tuple[str, str]:
        return "t", "holm"


def of_crossed(
    measure: Measure, values: Sequence[Value], groups: Ints, clusters: Ints
) -> _OfCrossed | str:
    """Means over lists of clusters that run across groups, or over the groups' means."""
    how = measure.combination
    alike = (*how.aggregates, how.lists) == (MEAN,) * (1 + len(how.aggregates))
    weighted = any((how.list_weights, *how.weights))
    if any(value.per_list is None for value in values) or not alike or weighted:
        return "clusters run across its groups, of which only means of lists, alike, are worked out"
    if len(how.groups) > 1:
        return "clusters run across its groups, which are in groups themselves"
    table = np.array([value.per_list for value in values])
    return _OfCrossed(table, groups, clusters, bool(how.groups), measure.range)
