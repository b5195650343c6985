"""What a measure's certainty is worked out from: values of lists, or of folds.

Both kinds of sample answer the same questions: the interval of each submission, the tests of all
pairs with their intervals, and draws for the ranks. A figure of all lists is what each list adds
to it.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Protocol

import numpy as np

from scorer.challenge.leaderboard import Leaderboard
from scorer.challenge.model import Challenge
from scorer.core.arrays import Floats, Ints, Mask
from scorer.leaderboard.by_t import (
    Ends,
    of_folds,
    of_runs,
    tested_level,
)
from scorer.leaderboard.figures import Figures, Weigh, figures_of, group_codes
from scorer.metrics.notation import Measure
from scorer.results.groups import belonging, grouped
from scorer.results.report import Scored
from scorer.results.scorecard import Rules, Scorecard
from scorer.stats.aggregate import MEAN
from scorer.stats.intervals import MEANS, Interval, Scale, intervals
from scorer.stats.jackknife import (
    degrees,
    fisher,
    pseudo_values,
    swapped_differences,
    weighted_pseudo_values,
)
from scorer.stats.paired import Test
from scorer.stats.pairs import PairedTests
from scorer.stats.units import NOISE, kish, rows_by_mask, units

# a single submission has nothing to be tested against, so tests are imported where they are made

ALONE = 400  # lists that are left out in turn, each alone, of a figure that is worked out anew
BLOCKS = 200  # of more lists that are left out in turn

CORRELATION = (-1, 1)  # the bounds of one

Values = Callable[[Ints, Mask], Floats]  # of some rows over some lists: (rows, lists)
Swap = Callable[[int, Ints, Mask], Floats]  # of a row and others: (others, lists)


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

    def intervals(self, level: float) -> list[Ends]:
        """The interval of each submission's figure."""
        ...

    def tests(
        self,
        rules: Leaderboard,
        control: bool = False,
        own_level: float | None = None,
        test: Test = "permutation",
    ) -> PairedTests:
        """All pairs tested, or with `control` the first against each other one.

        Args:
            rules: the level, the draws and the seed.
            control: whether the first is held against each other one.
            own_level: the level of an interval of each difference by itself.
            test: of means over lists; of figures, folds and runs there is one.
        """
        ...

    @property
    def rests_on(self) -> float:
        """How many lists of the rarest class one of them rests on; the fewest of all."""
        ...


def _ends(interval: Interval) -> Ends:
    return None if np.isnan(interval.low) else (interval.low, interval.high)


@dataclass(slots=True, eq=False)
class _OfLists:
    """Means over lists, or figures of them by what each list adds."""

    values: Floats  # (submissions, lists), NaN where skipped; of a figure its pseudo-values
    clusters: Ints | None = None
    unit: str | None = None  # what is drawn, where it is neither lists nor clusters
    scale: Scale = MEANS
    again: Values | None = None  # the values over other lists, where they depend on these
    swap: Swap | None = None  # differences of two figures if these were equal
    fisher: _OfLists | None = None  # correlations on Fisher's scale, where tests find more

    @property
    def over(self) -> str:
        return self.unit or ("lists" if self.clusters is None else "clusters")

    @property
    def valued(self) -> Mask:
        return ~np.isnan(self.values)

    def of(self, rows: Ints) -> _OfLists:
        if np.array_equal(rows, np.arange(len(self.values))):
            return self
        rests, freedom = (
            tuple(each[row] for row in rows.tolist()) if each else ()
            for each in (self.scale.rests, self.scale.freedom)
        )
        scale = self.scale._replace(rests=rests, freedom=freedom)
        again, swap, other = self.again, self.swap, self.fisher
        return replace(
            self, values=self.values[rows], scale=scale,
            again=None if again is None else lambda some, common: again(rows[some], common),
            swap=None if swap is None else (
                lambda one, others, common: swap(int(rows[one]), rows[others], common)),
            fisher=None if other is None else other.of(rows),
        )  # fmt: skip

    def intervals(self, level: float) -> list[Ends]:
        return [_ends(each) for each in intervals(self.values, level, self.clusters, self.scale)]

    def tests(
        self,
        rules: Leaderboard,
        control: bool = False,
        own_level: float | None = None,
        test: Test = "permutation",
    ) -> PairedTests:
        from scorer.stats.paired import paired_tests

        if self.fisher is not None and self.valued.all():
            return self._unscaled(self.fisher.tests(rules, control, own_level))
        return paired_tests(
            self.values, test="permutation" if self.scale.figure else test, draws=rules.draws,
            seed=rules.seed, level=tested_level(rules), clusters=self.clusters, control=control,
            recompute=self.again, swap=self.swap, scale=self.scale, own_level=own_level,
        )  # fmt: skip

    def _unscaled(self, tests: PairedTests) -> PairedTests:
        """Tests on Fisher's scale with differences of the correlations themselves."""
        means = self.values.mean(axis=1)
        difference = np.subtract.outer(means, means)
        slope = np.divide(difference, tests.difference, out=np.ones_like(difference),
                          where=np.abs(tests.difference) > NOISE)  # fmt: skip
        return tests._replace(
            difference=np.where(np.isnan(tests.difference), np.nan, difference),
            deviation=tests.deviation * slope,
            joint_margin=tests.joint_margin * slope * (1 + NOISE),
            margin=tests.margin * slope * (1 + NOISE),
        )

    @property
    def rests_on(self) -> float:
        return min(self.scale.rests, default=np.inf)


def samples_of(
    measure: Measure,
    scored: Sequence[Scored],
    *,
    challenge: Challenge,
    clusters: Ints | None = None,
) -> Samples | str:
    """What the certainty of a measure is worked out from, or why there is none.

    The submissions are all valid; `clusters`, (lists,), are equal for lists that are not
    independent.
    """
    if any(measure.id in run.values for each in scored for run in each.runs):
        return _runs_of(measure, scored, challenge, clusters)
    values = [each.values[measure.id] for each in scored]
    folds = sorted({name for value in values for name in value.folds or ()})
    if folds:
        if len(folds) < 2:
            return "there is one fold only"
        return of_folds(np.array([[(v.folds or {}).get(n, np.nan) for n in folds] for v in values]))
    groups = [value.groups for value in values if value.groups is not None]
    if len(groups) == len(values):
        return _OfLists(np.array(groups), None, "groups", Scale(measure.range))
    how = measure.combination
    if measure.metric.aggregate == "sum" and how.grouped_by is None and not measure.parts:
        return "it is a sum over the lists, which says how many there are"
    if how.lists.name == "sum" and how.grouped_by is None and measure.of_lists:
        return "it is a sum over the lists, which says how many there are"
    cards = [each.card for each in scored if each.card is not None]
    of_groups = how.unit == "group"
    if of_groups:
        clusters = None
    one_group = how.lists == MEAN and how.list_weights is None and _one_group(measure, cards[0])
    if all(value.plain or (one_group and value.per_list is not None) for value in values):
        unit = "groups" if of_groups else None
        own = group_codes(measure, cards[0])[0] if of_groups else clusters
        table = np.array([value.per_list for value in values])
        return _OfLists(table, own, unit, Scale(measure.metric.range))
    rules = {m.id: Rules.of(challenge, m.metric.zero_is_bad) for m in measure.all_parts}
    figures = figures_of(measure, scored, rules, by_group=of_groups)
    if isinstance(figures, str):
        return figures
    if figures.valued.shape[1] < 2:
        return f"of a single {how.unit} nothing is known about others"
    over = "groups" if of_groups else None
    scale = Scale(measure.range, not of_groups and figures.smooth, figures.rests, figure=True)
    return _of_figures(figures, clusters, over, scale)


def _runs_of(
    measure: Measure, scored: Sequence[Scored], challenge: Challenge, clusters: Ints | None
) -> Samples | str:
    """Systems of several runs, from what their runs' certainty is worked out from."""
    runs = [run for each in scored for run in each.runs or (each,)]
    sample = samples_of(measure, runs, challenge=challenge, clusters=clusters)
    if isinstance(sample, str):
        return sample
    if not isinstance(sample, _OfLists):
        return f"there are several runs of a submission, and what is drawn is {sample.over}"
    sizes = [len(each.runs) or 1 for each in scored]
    return of_runs(sample.values, sizes, sample.clusters, measure.range)


def _of_figures(
    figures: Figures, clusters: Ints | None, over: str | None, scale: Scale
) -> _OfLists:
    """What the lists add to figures, from sums where they are made of these."""
    lists = figures.valued.shape[1]
    strata = figures.strata if clusters is None else None
    if figures.sums is None and scale.bounds == CORRELATION:
        figures = figures._replace(weigh=tuple(map(_remembered, figures.weigh)))
    sums, of = (figures.sums, figures.of) if figures.smooth else (None, None)
    if sums is None:
        clusters = units(lists, clusters, ALONE if lists <= ALONE else BLOCKS, seed=1)
        strata = strata if clusters is None else None

    def values(rows: Ints, common: Mask) -> Floats:
        own = None if strata is None else strata[common]
        if sums is not None and of is not None:
            return pseudo_values(sums[np.ix_(rows, common)], of, own)
        weigh = [partial(_over, figures.weigh[row], common) for row in rows.tolist()]
        together = None if clusters is None else clusters[common]
        count = int(common.sum())
        return weighted_pseudo_values(weigh, count, together, smooth=figures.smooth, strata=own)

    def swap(one: int, others: Ints, common: Mask) -> Floats:
        assert sums is not None
        assert of is not None
        own = None if strata is None else strata[common]
        return swapped_differences(sums[one, common], sums[np.ix_(others, common)], of, own)

    table = np.full(figures.valued.shape, np.nan)
    for rows in rows_by_mask(figures.valued):
        common = figures.valued[rows[0]]
        if common.any():
            table[np.ix_(rows, common)] = values(rows, common)
    known = [~np.isnan(row) for row in table]
    freedom: tuple[float, ...] = ()
    if strata is not None:
        pairs = zip(table, known, strict=True)
        freedom = tuple(degrees(row[mask], strata[mask]) for row, mask in pairs)
    elif figures.weights is not None and figures.weights.size == lists:
        freedom = tuple(kish(figures.weights[mask]) - 1 for mask in known)
    scale = scale._replace(freedom=freedom)
    fishers = _on_fishers_scale(figures, clusters, over, scale)
    return _OfLists(table, clusters, over, scale, values, None if sums is None else swap, fishers)


def _on_fishers_scale(
    figures: Figures, clusters: Ints | None, over: str | None, scale: Scale
) -> _OfLists | None:
    """Correlations that all are of the same lists, and hang on no rare class."""
    if scale.bounds != CORRELATION or not figures.smooth or not figures.valued.all():
        return None
    if any(rests < figures.valued.shape[1] for rests in scale.rests):
        return None
    of = figures.of
    scaled = figures._replace(
        of=None if of is None else lambda sums: fisher(of(sums)),
        weigh=tuple(partial(_on_scale, weigh) for weigh in figures.weigh),
    )
    # The spread of values on this scale is that of equal figures.
    return replace(_of_figures(scaled, clusters, over, Scale(figure=True)), swap=None)


def _remembered(weigh: Weigh) -> Weigh:
    """A figure that is worked out once for both scales, of weights that are 0 or 1."""
    known: dict[bytes, float] = {}

    def value(weights: Floats) -> float:
        key = np.packbits(weights > 0).tobytes()
        if key not in known:
            known[key] = weigh(weights)
        return known[key]

    return value


def _on_scale(weigh: Weigh, weights: Floats) -> float:
    """A correlation of some lists on Fisher's scale."""
    return float(fisher(np.array(weigh(weights))))


def _over(figure: Weigh, common: Mask, weights: Floats) -> float:
    """A figure as a function of the weights of some lists; the others have none."""
    every = np.zeros(common.size)
    every[common] = weights
    return figure(every)


def _one_group(measure: Measure, card: Scorecard) -> bool:
    """Whether a measure's groups are one, which is then the whole."""
    every = np.ones(len(card.lists), dtype=bool)
    groups = grouped(card.columns, measure, every & belonging(card, measure))
    return groups is not None and len(groups.names) == 1 and groups.how.trivial
