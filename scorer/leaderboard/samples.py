"""The sample of a measure, from which its intervals, its tests and its ranges of ranks are made.

A `Sample` holds what each unit (a list, a cluster of lists, a group, a fold) adds to the value of
each submission. A board has one for a measure, so that its intervals, tests and ranges of ranks
cannot disagree.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import partial

import numpy as np

from scorer.challenge.leaderboard import Leaderboard, Tiers
from scorer.challenge.model import Challenge
from scorer.core.arrays import Floats, Ints, Mask
from scorer.leaderboard.figures import Figures, Sums, figures_of, group_codes
from scorer.metrics.notation import Measure
from scorer.results.groups import grouped, lists_of
from scorer.results.json import ABSENT
from scorer.results.report import Scored, Varies
from scorer.results.scorecard import Rules, Scorecard
from scorer.stats.aggregate import MEAN
from scorer.stats.intervals import MEANS, Scale, clip_interval, intervals
from scorer.stats.jackknife import (
    degrees,
    fisher,
    pseudo_values,
    swapped_differences,
    weighted_pseudo_values,
)
from scorer.stats.paired import Test, paired_tests
from scorer.stats.pairs import PairedTests
from scorer.stats.repeats import (
    RunsVariance,
    analyse_runs,
    fold_interval,
    paired_folds,
    paired_runs,
    runs_interval,
    with_common_run_variance,
)
from scorer.stats.units import NOISE, kish, rows_by_mask, units

# A figure that is not made of sums is computed again without each unit: one by one for up to
# MAX_SINGLE_UNITS, else without each of UNIT_BLOCKS blocks of units.
MAX_SINGLE_UNITS = 400
UNIT_BLOCKS = 200
CORRELATION = (-1, 1)  # the bounds of a correlation


@dataclass(frozen=True, slots=True, eq=False)
class Sample:
    """What each unit adds to the value of each submission by a measure.

    Attributes:
        values: (submissions, units), NaN where a submission lacks one: the values of lists, groups
            or folds; of a figure of all lists, pseudo-values, whose mean is the figure.
        over: What is drawn: lists, clusters, groups, folds, or lists in runs.
        clusters: (units,), equal numbers for units that are drawn together.
        scale: The bounds of the values, and whether they are pseudo-values.
        runs: Of each system of several runs the values, (runs, lists); `values` has their means.
        figures: How values follow from lists, where they depend on which lists there are.
        rows: (submissions,): the row of each in `figures`.
        swaps: Whether tests also use the spread that differences would have if the two figures
            were equal, from lists whose sums are swapped between the two submissions.
        on_fishers_scale: The same sample of correlations on Fisher's scale, where tests find more.
    """

    values: Floats
    over: str = "lists"
    clusters: Ints | None = None
    scale: Scale = MEANS
    runs: tuple[Floats, ...] = ()
    figures: Figures | None = None
    rows: Ints | None = None
    swaps: bool = False
    on_fishers_scale: Sample | None = None

    def select(self, rows: Ints) -> Sample:
        """Return the sample of some submissions."""
        scale, fishers = self.scale, self.on_fishers_scale
        numbers = rows.tolist()
        return replace(
            self,
            values=self.values[rows],
            scale=scale._replace(
                rarest_class=tuple(scale.rarest_class[n] for n in numbers if scale.rarest_class),
                degrees=tuple(scale.degrees[n] for n in numbers if scale.degrees),
            ),
            runs=tuple(self.runs[n] for n in numbers if self.runs),
            rows=None if self.rows is None else self.rows[rows],
            on_fishers_scale=None if fishers is None else fishers.select(rows),
        )

    def count_units(self) -> Ints:
        """Return how many units each submission has: (submissions,)."""
        codes = np.arange(self.values.shape[1]) if self.clusters is None else self.clusters
        return np.array([np.unique(codes[~np.isnan(row)]).size for row in self.values])

    def intervals(self, level: float) -> list[tuple[float, float] | None]:
        """Return the interval of the value of each submission; None for one with too few units."""
        if self.over == "folds":
            return [fold_interval(row, level) for row in self.values]
        if self.runs:
            return [self._interval_of_runs(variance, level) for variance in _analyse_each(self)]
        ends = intervals(self.values, level, self.clusters, self.scale)
        return [None if np.isnan(each.low) else (each.low, each.high) for each in ends]

    def _interval_of_runs(
        self, variance: RunsVariance | None, level: float
    ) -> tuple[float, float] | None:
        ends = None if variance is None else runs_interval(variance, level)
        return None if ends is None else clip_interval(ends, self.scale.bounds)

    def tests(
        self,
        rules: Leaderboard,
        *,
        control: bool = False,
        own_level: float | None = None,
        test: Test = "permutation",
    ) -> PairedTests:
        """Return the tests of all pairs of submissions.

        Args:
            rules: The level, the draws and the seed.
            control: Whether only the pairs with the first submission are tested.
            own_level: The level of the interval of each difference by itself; None for no interval.
            test: The test of means over lists; figures, folds and runs have one of their own.
        """
        level = 1 - (rules.tiers or Tiers()).alpha
        if self.over == "folds":
            return paired_folds(self.values, level=level, control=control, own_level=own_level)
        if self.runs:
            common: Mask = np.all(~np.isnan(self.values), axis=0)
            systems = _analyse_systems(self.runs, self.clusters, common)
            return paired_runs(
                with_common_run_variance(systems),
                len(self.runs),
                int(common.sum()),
                level=level,
                control=control,
                own_level=own_level,
            )
        fishers = self.on_fishers_scale
        if fishers is not None and not np.isnan(self.values).any():
            return _unscale(self, fishers.tests(rules, control=control, own_level=own_level))
        return paired_tests(
            self.values,
            test="permutation" if self.scale.figure else test,
            draws=rules.draws,
            seed=rules.seed,
            level=level,
            clusters=self.clusters,
            control=control,
            recompute=None if self.figures is None else partial(_recomputed_values, self),
            swap=partial(_swapped_values, self) if self.swaps else None,
            scale=self.scale,
            own_level=own_level,
        )

    def variances_of_runs(self) -> list[Varies]:
        """Return the variances of each system over cases and over runs; empty without runs.

        It is ABSENT for a system of a single run.
        """
        return [
            ABSENT
            if variance is None or variance.runs is None
            else Varies(variance.cases.variance, variance.runs.variance)
            for variance in _analyse_each(self)
        ]


def sample_of(
    measure: Measure,
    scored: Sequence[Scored],
    *,
    challenge: Challenge,
    clusters: Ints | None = None,
) -> Sample | str:
    """Return the sample of a measure, or the reason why it has neither intervals nor tests.

    Args:
        measure: A measure of the challenge.
        scored: The submissions, all valid.
        challenge: Their challenge, whose rules say how lists without a value count.
        clusters: (lists,), equal numbers for lists that are not independent of each other.
    """
    if any(measure.id in run.values for each in scored for run in each.runs):
        return _sample_of_runs(measure, scored, challenge, clusters)
    values = [each.values[measure.id] for each in scored]
    folds = sorted({name for value in values for name in value.folds or ()})
    if len(folds) == 1:
        return "there is one fold only"
    if folds:
        rows = [[(value.folds or {}).get(fold, np.nan) for fold in folds] for value in values]
        return Sample(np.array(rows), "folds")
    groups = [value.groups for value in values if value.groups is not None]
    if len(groups) == len(values):
        return Sample(np.array(groups), "groups", scale=Scale(measure.range))
    how = measure.combination
    sums_metric = measure.metric.aggregate == "sum" and not measure.parts
    sums_lists = how.lists.name == "sum" and measure.of_lists
    if how.grouped_by is None and (sums_metric or sums_lists):
        return "it is a sum over the lists, which says how many there are"
    card = next(each.card for each in scored if each.card is not None)
    draws_groups = how.unit == "group"
    over = "groups" if draws_groups else "lists" if clusters is None else "clusters"
    if draws_groups:
        clusters = None
    # The mean over a single group of lists is the mean over these lists.
    is_mean = how.lists == MEAN and how.list_weights is None and _has_one_group(measure, card)
    if all(value.plain or (is_mean and value.per_list is not None) for value in values):
        table = np.array([value.per_list for value in values])
        drawn_together = group_codes(measure, card)[0] if draws_groups else clusters
        return Sample(table, over, drawn_together, Scale(measure.metric.range))
    rules = {each.id: Rules.of(challenge, each.metric.zero_is_bad) for each in measure.all_parts}
    figures = figures_of(measure, scored, rules, by_group=draws_groups)
    if isinstance(figures, str):
        return figures
    if figures.valued.shape[1] < 2:
        return f"of a single {how.unit} nothing is known about others"
    pooled = not draws_groups and figures.smooth
    scale = Scale(measure.range, pooled, figures.rarest_class, figure=True)
    return _sample_of_figures(figures, clusters, over, scale)


def _has_one_group(measure: Measure, card: Scorecard) -> bool:
    """Return whether all lists of a measure are in one group."""
    groups = grouped(card.columns, measure, lists_of(card, measure))
    return groups is not None and len(groups.names) == 1 and groups.how.trivial


def _sample_of_runs(
    measure: Measure, scored: Sequence[Scored], challenge: Challenge, clusters: Ints | None
) -> Sample | str:
    """Return the sample of systems of several runs, made of the sample of their runs."""
    runs = [run for each in scored for run in each.runs or (each,)]
    sample = sample_of(measure, runs, challenge=challenge, clusters=clusters)
    if isinstance(sample, str):
        return sample
    if sample.over == "folds":
        return f"there are several runs of a submission, and what is drawn is {sample.over}"
    ends = np.cumsum([len(each.runs) or 1 for each in scored])[:-1]
    systems = tuple(np.split(sample.values, ends))
    means = np.array([values.mean(axis=0) for values in systems])
    return Sample(means, "lists in runs", sample.clusters, Scale(measure.range), systems)


def _analyse_each(sample: Sample) -> list[RunsVariance | None]:
    """Return the variances of each system over its own lists; None for fewer than two units."""
    variances: list[RunsVariance | None] = []
    for means, values in zip(sample.values, sample.runs, strict=False):  # no runs: nothing
        found = _analyse_systems([values], sample.clusters, ~np.isnan(means))
        variances.append(found[0] if found else None)
    return variances


def _analyse_systems(
    systems: Sequence[Floats], clusters: Ints | None, lists: Mask
) -> list[RunsVariance]:
    """Return the variances of systems over some lists; none for fewer than two units."""
    own = None if clusters is None else clusters[lists]
    count = int(lists.sum()) if own is None else np.unique(own).size
    return [analyse_runs(values[:, lists], own) for values in systems] if count > 1 else []


# Figures of all lists


def _sample_of_figures(figures: Figures, clusters: Ints | None, over: str, scale: Scale) -> Sample:
    """Return the sample of figures, whose values are pseudo-values: what each list adds."""
    lists = figures.valued.shape[1]
    if scale.bounds == CORRELATION and figures.sums is None:
        figures = _remember_values(figures)
    strata = figures.strata if clusters is None else None
    if figures.sums is None or not figures.smooth:
        most = MAX_SINGLE_UNITS if lists <= MAX_SINGLE_UNITS else UNIT_BLOCKS
        clusters = units(lists, clusters, most, seed=1)
        strata = strata if clusters is None else None
    figures = figures._replace(strata=strata)
    table = np.full(figures.valued.shape, np.nan)
    for rows in rows_by_mask(figures.valued):
        common = figures.valued[rows[0]]
        if common.any():
            table[np.ix_(rows, common)] = _pseudo_values(figures, clusters, rows, common)
    known = ~np.isnan(table)
    freedom: tuple[float, ...] = ()
    if strata is not None:
        rows_known = zip(table, known, strict=True)
        freedom = tuple(degrees(row[mask], strata[mask]) for row, mask in rows_known)
    elif figures.weights is not None and figures.weights.size == lists:
        freedom = tuple(kish(figures.weights[mask]) - 1 for mask in known)
    return Sample(
        table,
        over,
        clusters,
        scale._replace(degrees=freedom),
        figures=figures,
        rows=np.arange(len(table)),
        swaps=figures.sums is not None and figures.smooth,
        on_fishers_scale=_sample_on_fishers_scale(figures, clusters, over, scale),
    )


def _pseudo_values(figures: Figures, clusters: Ints | None, rows: Ints, lists: Mask) -> Floats:
    """Return the pseudo-values of some submissions, (rows, lists), if there were only these lists.

    Args:
        figures: The values as functions of the lists.
        clusters: (all lists,), equal numbers for lists that are left out together.
        rows: The submissions.
        lists: Which lists there are.
    """
    strata = None if figures.strata is None else figures.strata[lists]
    if figures.sums is not None and figures.smooth:
        table = figures.sums.table[np.ix_(rows, lists)]
        return pseudo_values(table, figures.sums.value, strata)

    def value(row: int, weights: Floats) -> float:
        weights_of_all = np.zeros(lists.size)
        weights_of_all[lists] = weights
        return figures.value(row, weights_of_all)

    return weighted_pseudo_values(
        [partial(value, row) for row in rows.tolist()],
        int(lists.sum()),
        None if clusters is None else clusters[lists],
        smooth=figures.smooth,
        strata=strata,
    )


def _recomputed_values(sample: Sample, rows: Ints, lists: Mask) -> Floats:
    """Return the pseudo-values of some submissions, (rows, lists), if there were only `lists`."""
    assert sample.figures is not None
    assert sample.rows is not None
    return _pseudo_values(sample.figures, sample.clusters, sample.rows[rows], lists)


def _swapped_values(sample: Sample, row: int, others: Ints, lists: Mask) -> Floats:
    """Return what lists would add to differences if the figures were equal, (others, lists).

    The differences are between the submission `row` and each of `others`.
    """
    figures, rows = sample.figures, sample.rows
    assert figures is not None
    assert figures.sums is not None
    assert rows is not None
    table, strata = figures.sums.table, figures.strata
    return swapped_differences(
        table[rows[row], lists],
        table[np.ix_(rows[others], lists)],
        figures.sums.value,
        None if strata is None else strata[lists],
    )


def _sample_on_fishers_scale(
    figures: Figures, clusters: Ints | None, over: str, scale: Scale
) -> Sample | None:
    """Return the sample of correlations on Fisher's scale, where their spread is even.

    It is None for other values, and if submissions have different lists or a class is rare.
    """
    if scale.bounds != CORRELATION or not figures.smooth or not figures.valued.all():
        return None
    if any(size < figures.valued.shape[1] for size in scale.rarest_class):
        return None

    def compute(row: int, weights: Floats) -> float:
        return float(fisher(figures.value(row, weights)))

    scaled = figures._replace(compute=compute)
    if (sums := figures.sums) is not None:
        scaled = scaled._replace(sums=Sums(sums.table, lambda totals: fisher(sums.value(totals))))
    # On this scale the spread does not depend on the figures: swapping would change nothing.
    return replace(_sample_of_figures(scaled, clusters, over, Scale(figure=True)), swaps=False)


def _remember_values(figures: Figures) -> Figures:
    """Return the same figures, each computed once for both scales; weights are 0 or 1."""
    cache: dict[tuple[int, bytes], float] = {}

    def value(row: int, weights: Floats) -> float:
        key = row, np.packbits(weights > 0).tobytes()
        if key not in cache:
            cache[key] = figures.value(row, weights)
        return cache[key]

    return figures._replace(compute=value)


def _unscale(sample: Sample, tested: PairedTests) -> PairedTests:
    """Return tests on Fisher's scale with differences of the correlations themselves.

    Deviations and margins are scaled as the differences are. Margins are wider by NOISE, so that
    rounding takes no difference out of its interval.
    """
    means = sample.values.mean(axis=1)
    difference = np.subtract.outer(means, means)
    slope = np.divide(
        difference,
        tested.difference,
        out=np.ones_like(difference),
        where=np.abs(tested.difference) > NOISE,
    )
    return tested._replace(
        difference=np.where(np.isnan(tested.difference), np.nan, difference),
        deviation=tested.deviation * slope,
        joint_margin=tested.joint_margin * slope * (1 + NOISE),
        margin=tested.margin * slope * (1 + NOISE),
    )
