"""What a measure's certainty is worked out from: values of lists, of folds, or mergeable sums.

Four kinds of sample answer the same questions: the interval of each submission, the interval of
each difference, the tests of all pairs, and draws for the ranks.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING, Protocol

import numpy as np

from scorer.challenge.model import Challenge, Leaderboard, Tiers
from scorer.core.arrays import Floats, Ints, Mask
from scorer.leaderboard.figures import figures_of, group_codes
from scorer.metrics.base import Measure
from scorer.results.groups import belonging, grouped
from scorer.results.report import Scored
from scorer.results.scorecard import Rules, Scorecard
from scorer.results.sums import Sums
from scorer.stats.aggregate import MEAN
from scorer.stats.bootstrap import (
    LEFT_OUT,
    Interval,
    Resampled,
    interval_of,
    intervals,
    resampled_sums,
    resampled_weights,
)
from scorer.stats.units import units
from scorer.views.pooled import shares

# a single submission has nothing to be tested against, so tests are imported where they are made
if TYPE_CHECKING:
    from scorer.stats.family import Paired

RANKED = 2_000  # draws for the ranks: a share of them is known to about a hundredth
WEIGHTED = 1_000  # draws of a figure that is worked out anew for each
ROOM = 4_000_000  # figures drawn for the ranks of all submissions: 32 MB

Ends = tuple[float, float] | None


class Samples(Protocol):
    """What is known of every submission's primary or other measure, in one order."""

    @property
    def over(self) -> str:
        """What is drawn: lists, clusters or folds."""
        ...

    @property
    def valued(self) -> Mask:
        """(submissions, lists or folds): where each has a value."""
        ...

    def of(self, rows: Ints) -> Samples:
        """Those of some submissions."""
        ...

    def intervals(self, rules: Leaderboard) -> list[Ends]:
        """The interval of each submission's figure."""
        ...

    def difference_intervals(self, a: Ints, b: Ints, rules: Leaderboard) -> list[Ends]:
        """The interval of each pair's difference, over what both have.

        Args:
            a: (pairs,), rows of the first submissions.
            b: (pairs,), rows of the second ones.
            rules: level, draws and seed.

        Returns:
            One for each pair; None where there is none.
        """
        ...

    def tests(self, rules: Leaderboard, control: bool = False) -> Paired:
        """All pairs tested, or the first against each other one."""
        ...

    def drawn(self, rules: Leaderboard) -> Floats | None:
        """(submissions, draws): figures of the same draws for all; None where none are drawn."""
        ...

    def test(self, rules: Tiers) -> tuple[str, str]:
        """Which test and which adjustment are used."""
        ...


def _ends(interval: Interval) -> Ends:
    return None if np.isnan(interval.low) else (interval.low, interval.high)


def _level(rules: Leaderboard) -> float:
    """Of intervals that hold for all pairs at once: that of the tests."""
    return 1 - (rules.tiers or Tiers()).alpha


def _draws(submissions: int, rules: Leaderboard) -> int:
    return max(1, min(RANKED, rules.draws, ROOM // max(submissions, 1)))


@dataclass(frozen=True, eq=False)
class _OfLists:
    """Means over lists."""

    values: Floats  # (submissions, lists), NaN where skipped
    clusters: Ints | None = None
    unit: str | None = None  # what is drawn, where it is neither lists nor clusters

    @property
    def over(self) -> str:
        return self.unit or ("lists" if self.clusters is None else "clusters")

    @property
    def valued(self) -> Mask:
        return ~np.isnan(self.values)

    def of(self, rows: Ints) -> _OfLists:
        return replace(self, values=self.values[rows])

    def intervals(self, rules: Leaderboard) -> list[Ends]:
        if rules.intervals is None:
            return [None] * len(self.values)
        bounds = intervals(self.values, rules.intervals, rules.draws, rules.seed, self.clusters)
        # of a single list there is no interval, though its value is known
        several = self.valued.sum(axis=1) > 1
        return [_ends(one) if more else None for one, more in zip(bounds, several, strict=True)]

    def difference_intervals(self, a: Ints, b: Ints, rules: Leaderboard) -> list[Ends]:
        return replace(self, values=self.values[a] - self.values[b]).intervals(rules)

    def tests(self, rules: Leaderboard, control: bool = False) -> Paired:
        from scorer.stats.paired import paired

        tiers = rules.tiers or Tiers()
        return paired(
            self.values, test=tiers.test, adjust=tiers.adjust, draws=rules.draws, seed=rules.seed,
            level=_level(rules), clusters=self.clusters, control=control,
        )  # fmt: skip

    def drawn(self, rules: Leaderboard) -> Floats | None:
        sums = np.stack([np.nan_to_num(self.values), self.valued], axis=2).astype(np.float64)
        draws = _draws(len(sums), rules)
        resampled = resampled_sums(
            sums, shares, draws=draws, seed=rules.seed, clusters=self.clusters
        )
        return np.array([each.drawn for each in resampled])

    def test(self, rules: Tiers) -> tuple[str, str]:
        return rules.test, rules.adjust if rules.test == "permutation" else "holm"


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

        level = rules.intervals
        return [None if level is None else fold_interval(row, level) for row in self.values]

    def difference_intervals(self, a: Ints, b: Ints, rules: Leaderboard) -> list[Ends]:
        return _OfFolds(self.values[a] - self.values[b]).intervals(rules)

    def tests(self, rules: Leaderboard, control: bool = False) -> Paired:
        from scorer.stats.folds import paired_folds

        return paired_folds(self.values, level=_level(rules), control=control)

    def drawn(self, rules: Leaderboard) -> Floats | None:
        return None

    def test(self, rules: Tiers) -> tuple[str, str]:
        return "corrected t", "holm"


@dataclass(frozen=True, eq=False)
class _OfSums:
    """Whole-challenge figures that depend on column sums only."""

    sums: Floats  # (submissions, lists, width)
    valued: Mask  # (submissions, lists)
    figure: Callable[[Floats], Floats]
    clusters: Ints | None = None
    unit: str | None = None

    @property
    def over(self) -> str:
        return self.unit or ("lists" if self.clusters is None else "clusters")

    def of(self, rows: Ints) -> _OfSums:
        return replace(self, sums=self.sums[rows], valued=self.valued[rows])

    def _resampled(self, row: int, common: Mask, draws: int, seed: int) -> Resampled:
        own = None if self.clusters is None else self.clusters[common]
        sums = self.sums[row : row + 1, common]
        return resampled_sums(sums, self.figure, draws=draws, seed=seed, clusters=own)[0]

    def intervals(self, rules: Leaderboard) -> list[Ends]:
        if rules.intervals is None or not self.valued.all():
            return _figure_intervals(self.valued, self._resampled, rules)
        # drawing takes the time: the same lists are drawn for all
        resampled = resampled_sums(
            self.sums, self.figure, draws=rules.draws, seed=rules.seed, clusters=self.clusters
        )
        return [_ends(interval_of(each, rules.intervals)) for each in resampled]

    def difference_intervals(self, a: Ints, b: Ints, rules: Leaderboard) -> list[Ends]:
        return _figure_difference_intervals(self.valued, self._resampled, a, b, rules)

    def tests(self, rules: Leaderboard, control: bool = False) -> Paired:
        from scorer.stats.paired import paired_sums

        return paired_sums(
            self.sums, self.valued, self.figure, adjust=(rules.tiers or Tiers()).adjust,
            draws=rules.draws, seed=rules.seed, level=_level(rules), clusters=self.clusters,
            control=control,
        )  # fmt: skip

    def drawn(self, rules: Leaderboard) -> Floats | None:
        draws = _draws(len(self.sums), rules)
        sums = np.where(self.valued[:, :, None], self.sums, 0.0)
        resampled = resampled_sums(
            sums, self.figure, draws=draws, seed=rules.seed, clusters=self.clusters
        )
        return np.array([each.drawn for each in resampled])

    def test(self, rules: Tiers) -> tuple[str, str]:
        return "permutation", rules.adjust


@dataclass(frozen=True, eq=False)
class _OfWeights:
    """Whole-challenge figures that are worked out anew for each draw of lists."""

    figures: tuple[Callable[[Floats], float], ...]  # of how often each list counts
    valued: Mask  # (submissions, lists)
    clusters: Ints | None = None
    unit: str | None = None
    smooth: bool = True

    @property
    def over(self) -> str:
        return self.unit or ("lists" if self.clusters is None else "clusters")

    def of(self, rows: Ints) -> _OfWeights:
        return replace(
            self, figures=tuple(self.figures[row] for row in rows), valued=self.valued[rows]
        )

    def _over(self, row: int, common: Mask) -> Callable[[Floats], float]:
        """A figure as a function of the weights of some lists; the others have none."""

        def figure(weights: Floats) -> float:
            every = np.zeros(common.size)
            every[common] = weights
            return self.figures[row](every)

        return figure

    def _resampled(self, row: int, common: Mask, draws: int, seed: int) -> Resampled:
        own = None if self.clusters is None else self.clusters[common]
        lists, draws = int(common.sum()), min(draws, WEIGHTED)
        figures = [self._over(row, common)]
        return resampled_weights(figures, lists, draws=draws, seed=seed, clusters=own)[0]

    def intervals(self, rules: Leaderboard) -> list[Ends]:
        return _figure_intervals(self.valued, self._resampled, rules)

    def difference_intervals(self, a: Ints, b: Ints, rules: Leaderboard) -> list[Ends]:
        return _figure_difference_intervals(self.valued, self._resampled, a, b, rules)

    def tests(self, rules: Leaderboard, control: bool = False) -> Paired:
        from scorer.stats.figures import weighted_pseudo_values
        from scorer.stats.paired import paired

        tiers, lists = rules.tiers or Tiers(), self.valued.shape[1]
        unit = units(lists, self.clusters, LEFT_OUT, rules.seed)

        def values(rows: Ints, common: Mask) -> Floats:
            own = None if unit is None else unit[common]
            figures = [self._over(row, common) for row in rows.tolist()]
            return weighted_pseudo_values(figures, int(common.sum()), own, smooth=self.smooth)

        table = np.full(self.valued.shape, np.nan)
        for row, common in enumerate(self.valued):
            table[row, common] = values(np.array([row]), common)
        return paired(
            table, adjust=tiers.adjust, draws=rules.draws, seed=rules.seed, level=_level(rules),
            clusters=unit, control=control, recompute=values,
        )  # fmt: skip

    def drawn(self, rules: Leaderboard) -> Floats | None:
        draws = min(_draws(len(self.figures), rules), WEIGHTED)
        figures = [self._over(row, np.ones_like(own)) for row, own in enumerate(self.valued)]
        resampled = resampled_weights(
            figures, self.valued.shape[1], draws=draws, seed=rules.seed, clusters=self.clusters
        )
        return np.array([each.drawn for each in resampled])

    def test(self, rules: Tiers) -> tuple[str, str]:
        return "permutation", rules.adjust


@dataclass(frozen=True, eq=False)
class _OfBlocks:
    """Means over very many lists, the same for all, from their sums over blocks."""

    sums: tuple[Sums, ...]
    over: str = field(default="lists", init=False)

    @property
    def valued(self) -> Mask:
        return self._blocks.valued

    def of(self, rows: Ints) -> _OfBlocks:
        return _OfBlocks(tuple(self.sums[row] for row in rows.tolist()))

    @cached_property
    def _blocks(self) -> _OfSums:
        """Blocks are drawn, each with all of its lists: their mean is a figure of two sums."""
        table = np.array([np.stack([each.total, each.size], axis=1) for each in self.sums])
        return _OfSums(table, np.ones(table.shape[:2], dtype=bool), shares)

    def intervals(self, rules: Leaderboard) -> list[Ends]:
        bounds = self._blocks.intervals(rules)
        return [
            (each.low, each.high) if ends is not None and each.low == each.high else ends
            for each, ends in zip(self.sums, bounds, strict=True)
        ]

    def difference_intervals(self, a: Ints, b: Ints, rules: Leaderboard) -> list[Ends]:
        return self._blocks.difference_intervals(a, b, rules)

    def tests(self, rules: Leaderboard, control: bool = False) -> Paired:
        tests = self._blocks.tests(rules, control)
        return tests._replace(lists=np.where(tests.lists > 0, self.sums[0].lists, 0))

    def drawn(self, rules: Leaderboard) -> Floats | None:
        return self._blocks.drawn(rules)

    def test(self, rules: Tiers) -> tuple[str, str]:
        return self._blocks.test(rules)


Draw = Callable[[int, Mask, int, int], Resampled]  # a row, the lists, draws, seed


def _figure_intervals(valued: Mask, draw: Draw, rules: Leaderboard) -> list[Ends]:
    if rules.intervals is None:
        return [None] * len(valued)
    return [
        _ends(interval_of(draw(row, own, rules.draws, rules.seed), rules.intervals))
        if own.any()
        else None
        for row, own in enumerate(valued)
    ]


def _figure_difference_intervals(
    valued: Mask, draw: Draw, a: Ints, b: Ints, rules: Leaderboard
) -> list[Ends]:
    """Intervals of differences, from draws of the lists that both of a pair have."""
    ends: list[Ends] = []
    known: dict[tuple[int, bytes], Resampled] = {}
    for pair in zip(a.tolist(), b.tolist(), strict=True):
        common = valued[pair[0]] & valued[pair[1]]
        if rules.intervals is None or not common.any():
            ends.append(None)
            continue
        for row in pair:
            if (row, common.tobytes()) not in known:
                known[row, common.tobytes()] = draw(row, common, rules.draws, rules.seed)
        one, other = (known[row, common.tobytes()] for row in pair)
        difference = Resampled(
            one.value - other.value,
            one.drawn - other.drawn,
            one.without - other.without,
            one.units,
        )
        ends.append(_ends(interval_of(difference, rules.intervals)))
    return ends


def all_difference_intervals(
    samples: Mapping[str, Samples], a: Ints, b: Ints, rules: Leaderboard
) -> dict[str, list[Ends]]:
    """The intervals of each pair's difference by every measure.

    Measures of lists are drawn together, as drawing takes the time.

    Args:
        samples: measure id -> what is drawn from.
        a: rows of the first submissions, (pairs,).
        b: rows of the second ones.
        rules: level, draws and seed.
    """
    ends_by_measure: dict[str, list[Ends]] = {}
    of_lists = {key: each for key, each in samples.items() if isinstance(each, _OfLists)}
    if of_lists:
        first = next(iter(of_lists.values()))
        rows = np.concatenate([each.values[a] - each.values[b] for each in of_lists.values()])
        ends = replace(first, values=rows).intervals(rules)
        for n, key in enumerate(of_lists):
            ends_by_measure[key] = ends[n * a.size : (n + 1) * a.size]
    for key, each in samples.items():
        if key not in ends_by_measure:
            ends_by_measure[key] = each.difference_intervals(a, b, rules)
    return ends_by_measure


def samples_of(
    measure: Measure,
    scored: Sequence[Scored],
    *,
    challenge: Challenge,
    clusters: Ints | None = None,
) -> Samples | str:
    """What the certainty of a measure is worked out from, or why there is none.

    Args:
        measure: the measure.
        scored: the submissions, all valid.
        challenge: says how lists without a value count.
        clusters: (lists,), equal numbers for lists that are not independent.
    """
    values = [each.values[measure.id] for each in scored]
    folds = sorted({name for value in values for name in value.folds or ()})
    if folds:
        if len(folds) < 2:
            return "there is one fold only"
        return _OfFolds(np.array([[(v.folds or {}).get(n, np.nan) for n in folds] for v in values]))
    how = measure.combination
    if measure.metric.aggregate == "sum" and not how.groups and not measure.parts:
        return "it is a sum over the lists, which says how many there are"
    if how.lists.name == "sum" and not how.groups and measure.of_lists:
        return "it is a sum over the lists, which says how many there are"
    sums = [value.sums for value in values if value.sums is not None]
    if len(sums) == len(values):
        if len({each.which for each in sums}) == 1:
            return _OfBlocks(tuple(sums))
        if any(value.per_list is None for value in values):
            return "the submissions have values for different lists, of which only sums are here"
    cards = [each.card for each in scored if each.card is not None]
    of_groups, plain = how.unit == "group", how.unit != "item"
    if how.unit != "list":
        clusters = None
    one_group = how.lists == MEAN and how.list_weights is None and _one_group(measure, cards[0])
    if plain and all(value.plain or (one_group and value.per_list is not None) for value in values):
        unit = "groups" if of_groups else None
        own = group_codes(measure, cards[0])[0] if of_groups else clusters
        return _OfLists(np.array([value.per_list for value in values]), own, unit)
    rules = {m.id: Rules.of(challenge, m.metric.better) for m in measure.all_parts}
    figures = figures_of(measure, scored, rules, how.unit)
    if isinstance(figures, str):
        return figures
    if figures.valued.shape[1] < 2:
        return f"of a single {how.unit} nothing is known about others"
    over = {"group": "groups", "item": "items"}.get(how.unit)
    if figures.sums is not None and figures.of is not None and figures.smooth:
        return _OfSums(figures.sums, figures.valued, figures.of, clusters, over)
    return _OfWeights(figures.weigh, figures.valued, clusters, over, figures.smooth)


def _one_group(measure: Measure, card: Scorecard) -> bool:
    """Whether a measure's groups are one, which is then the whole."""
    every = np.ones(len(card.lists), dtype=bool)
    groups = grouped(card.columns, measure, every & belonging(card, measure))
    return groups is not None and len(groups.names) == 1 and all(
        level.trivial for level in groups.levels
    )  # fmt: skip
