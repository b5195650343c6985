"""Samples whose tests are by t: folds and runs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property

import numpy as np

from scorer.challenge.leaderboard import Leaderboard, Tiers
from scorer.core.arrays import Floats, Ints, Mask
from scorer.results.json import ABSENT
from scorer.results.report import Varies
from scorer.stats.intervals import Bounds
from scorer.stats.pairs import PairedTests
from scorer.stats.repeats import (
    RunsVariance,
    analyse_runs,
    paired_runs,
    runs_interval,
    with_common_run_variance,
)

Ends = tuple[float, float] | None


def tested_level(rules: Leaderboard) -> float:
    """Of intervals that hold for all pairs at once: that of the tests."""
    return 1 - (rules.tiers or Tiers()).alpha


@dataclass(slots=True, eq=False)
class _OfFolds:
    """Means over folds, which share training data."""

    values: Floats  # (submissions, folds), NaN where a fold has no value
    over: str = field(default="folds", init=False)

    @property
    def valued(self) -> Mask:
        return ~np.isnan(self.values)

    def of(self, rows: Ints) -> _OfFolds:
        return _OfFolds(self.values[rows])

    def intervals(self, level: float) -> list[Ends]:
        from scorer.stats.repeats import fold_interval

        return [fold_interval(row, level) for row in self.values]

    def tests(
        self,
        rules: Leaderboard,
        control: bool = False,
        own_level: float | None = None,
        test: str = "permutation",
    ) -> PairedTests:
        from scorer.stats.repeats import paired_folds

        return paired_folds(
            self.values, level=tested_level(rules), control=control, own_level=own_level
        )

    @property
    def rests_on(self) -> float:
        return np.inf


def of_folds(values: Floats) -> _OfFolds:
    """Means over folds; `values` is (submissions, folds), NaN where a fold has no value."""
    return _OfFolds(values)


@dataclass(eq=False)
class _OfRuns:
    """Means over lists and over runs of systems; of figures, of what each list adds to them."""

    systems: tuple[Floats, ...]  # (runs, lists) of each, NaN where skipped
    clusters: Ints | None
    bounds: Bounds = (None, None)
    over: str = field(default="lists in runs", init=False)
    rests_on: float = field(default=np.inf, init=False)

    @cached_property
    def means(self) -> Floats:
        return np.array([values.mean(axis=0) for values in self.systems])

    @property
    def valued(self) -> Mask:
        return ~np.isnan(self.means)

    def of(self, rows: Ints) -> _OfRuns:
        return replace(self, systems=tuple(self.systems[row] for row in rows.tolist()))

    def _spreads(self, lists: Mask) -> list[RunsVariance]:
        own = None if self.clusters is None else self.clusters[lists]
        return [analyse_runs(values[:, lists], own) for values in self.systems]

    @cached_property
    def _alone(self) -> list[RunsVariance | None]:
        """Each over its own lists; None of fewer than two."""
        return [
            self.of(np.array([row]))._spreads(lists)[0] if self._several(lists) else None
            for row, lists in enumerate(self.valued)
        ]

    def _several(self, lists: Mask) -> bool:
        own = None if self.clusters is None else np.unique(self.clusters[lists])
        return (int(lists.sum()) if own is None else own.size) > 1

    @property
    def varies(self) -> list[Varies]:
        """What the mean of each varies by; ABSENT of a single run."""
        return [
            ABSENT if each is None or each.runs is None
            else Varies(each.cases.variance, each.runs.variance)
            for each in self._alone
        ]  # fmt: skip

    def intervals(self, level: float) -> list[Ends]:
        ends = [None if each is None else runs_interval(each, level) for each in self._alone]
        return [each and _within(each, self.bounds) for each in ends]

    def tests(
        self,
        rules: Leaderboard,
        control: bool = False,
        own_level: float | None = None,
        test: str = "permutation",
    ) -> PairedTests:
        common: Mask = np.all(self.valued, axis=0)
        spreads = with_common_run_variance(self._spreads(common)) if self._several(common) else []
        return paired_runs(
            spreads, len(self.systems), int(common.sum()), level=tested_level(rules),
            control=control, own_level=own_level,
        )  # fmt: skip


def of_runs(values: Floats, sizes: Sequence[int], clusters: Ints | None, bounds: Bounds) -> _OfRuns:
    """Systems of several runs; `values` is (runs of all, lists), of which each has so many."""
    parts = np.split(values, np.cumsum(sizes)[:-1])
    return _OfRuns(tuple(parts), clusters, bounds)


def varies_of(sample: object) -> list[Varies]:
    """What the values of systems vary by, where they have several runs; else nothing."""
    return sample.varies if isinstance(sample, _OfRuns) else []


def _within(ends: tuple[float, float], bounds: Bounds) -> tuple[float, float]:
    """An interval no end of which lies beyond a bound."""
    low, high = bounds
    return (
        max(ends[0], -np.inf if low is None else low),
        min(ends[1], np.inf if high is None else high),
    )
