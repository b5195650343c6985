"""The value of each submission as a function of the lists that are drawn.

A bootstrap or a jackknife needs the value of a submission if each list counted a given number of
times. A mean or a pooled ratio is a function of sums over lists. Any other value, such as a median,
is a function of the weights of lists. The function of a value over groups, or of a formula, is made
of the functions of its parts.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple

import numpy as np

from scorer.core.arrays import Floats, Ints, Mask
from scorer.core.text import quoted
from scorer.metrics.aggregate import formula_of
from scorer.metrics.notation import Measure
from scorer.metrics.ratios import Figure, Ratio, divide
from scorer.results.groups import (
    Grouped,
    default_value,
    group_defaults,
    grouped,
    groups_without_value,
    lists_in_group,
    lists_of,
)
from scorer.results.report import Scored
from scorer.results.scorecard import Rules, Scorecard
from scorer.scoring.aggregate import aggregate_values
from scorer.stats.aggregate import Aggregate, aggregate_groups
from scorer.stats.units import unit_sums

# The largest table of sums (submissions, lists, groups, width): 256 MB, of which draws make copies.
MOST_GROUPED = 1 << 25

RulesById = Mapping[str, Rules]


class Sums(NamedTuple):
    """What is summed over units, and the value that sums make."""

    table: Floats  # (submissions, units, width)
    value: Callable[[Floats], Floats]  # sums (draws, width) to values (draws,)


class Figures(NamedTuple):
    """The value of each submission, as a function of the units that are drawn."""

    valued: Mask  # (submissions, units): which units each submission has
    sums: Sums | None = None  # None: the value is not made of sums, but by `compute`
    compute: Callable[[int, Floats], float] | None = None  # row, weights of units -> value
    smooth: bool = True  # whether a unit can be left out to see what it adds: not for a median
    strata: Ints | None = None  # (units,): the group of each, if units are drawn within groups
    rarest_class: tuple[float, ...] = ()  # (submissions,): how many rows the rarest class has
    weights: Floats | None = None  # (units,), if they are not all the same

    def value(self, row: int, weights: Floats) -> float:
        """Return the value of a submission if units had these weights, (units,)."""
        if self.sums is not None:
            return float(self.sums.value((weights @ self.sums.table[row])[None])[0])
        assert self.compute is not None
        return self.compute(row, weights)


def figures_of(
    measure: Measure, scored: Sequence[Scored], rules: RulesById, by_group: bool = False
) -> Figures | str:
    """Return the values of submissions by a measure, or the reason why lists cannot be drawn.

    Args:
        measure: The measure.
        scored: The submissions.
        rules: measure id -> how lists without a value count.
        by_group: Whether whole groups of lists are the units, instead of lists.
    """
    if measure.parts:
        return _formula_figures(measure, scored, rules, by_group)
    cards = [submission.card for submission in scored if submission.card is not None]
    card, own_rules = cards[0], rules[measure.id]
    if measure.id in card.figures:
        inner = _pooled_figures(measure, cards, own_rules)
    else:
        inner = _list_figures(measure, scored, rules, card)
    if isinstance(inner, str):
        return inner
    groups = grouped(card.columns, measure, np.any(inner.valued, axis=0))
    if groups is not None and len(groups.names) == 1 and groups.how.trivial:
        groups = None
    if by_group:
        return _figures_by_group(measure, inner, groups, card, own_rules)
    if groups is None:
        return inner
    return _grouped_figures(inner, groups, group_defaults(card, measure, own_rules, groups))


def _list_figures(
    measure: Measure, scored: Sequence[Scored], rules: RulesById, card: Scorecard
) -> Figures:
    """Return the figures of a mean, a median or another aggregate of the values of lists."""
    how = measure.combination
    rows = []
    for submission in scored:
        value = submission.values.get(measure.id)
        if value is None:  # the measure is only used as a part of another one
            assert submission.card is not None
            value = aggregate_values(submission.card, measure, rules)
        rows.append(value.per_list)
    weights = card.columns.weights.get(how.list_weights or "")
    aggregate = Aggregate("sum") if measure.metric.aggregate == "sum" else how.lists
    figures = _aggregate_units(aggregate, np.array(rows, dtype=np.float64), weights)
    return figures._replace(weights=weights)


def _aggregate_units(aggregate: Aggregate, table: Floats, weights: Floats | None) -> Figures:
    """Return the aggregate of each row of a table, (submissions, units), by weights of units."""
    valued = ~np.isnan(table)
    if aggregate.of_sums:
        return Figures(valued, Sums(aggregate.columns(table, weights), aggregate.value))
    unit_weights = np.ones(table.shape[1]) if weights is None else weights

    def compute(row: int, times: Floats) -> float:
        used = times * unit_weights
        return aggregate.of(np.where(used > 0, table[row], np.nan), used)

    return Figures(valued, compute=compute, smooth=False)


def _pooled_figures(measure: Measure, cards: Sequence[Scorecard], rules: Rules) -> Figures | str:
    """Return the figures of a measure that pools the rows of all lists."""
    pooled = [card.figures[measure.id] for card in cards]
    figures = [figure for figure in pooled if isinstance(figure, Figure)]
    for figure in figures:
        if figure.no_bootstrap:
            return figure.no_bootstrap
    members = lists_of(cards[0], measure)
    # A group without a value and without a default leaves the submission without a value, whatever
    # lists are drawn.
    has_default = not math.isnan(default_value(measure, rules))
    has_no_value = [
        not has_default and any(groups_without_value(card, measure, members)) for card in cards
    ]
    valued = np.tile(members, (len(cards), 1))
    if rules.missing == "skip":
        for row, (card, figure_of_card) in enumerate(zip(cards, pooled, strict=True)):
            # A list that a submission lacks may still have rows in the figure.
            valued[row] &= card.answered | _has_rows(figure_of_card, len(card.lists))
    if not figures:
        ratios = [ratio for ratio in pooled if isinstance(ratio, Ratio)]
        table = np.stack([_fraction_of(ratio) for ratio in ratios]) * members[:, None]
        table[has_no_value] = np.nan
        transform = ratios[0].transform

        def quotient(sums: Floats) -> Floats:
            values = divide(sums[:, 0], sums[:, 1])
            return values if transform is None else transform(values)

        return Figures(valued, Sums(table, quotient))

    def compute(row: int, weights: Floats) -> float:
        return math.nan if has_no_value[row] else figures[row].pooled(weights * members)

    rarest_class: tuple[float, ...] = ()
    groups = grouped(cards[0].columns, measure, np.any(valued, axis=0))
    has_one_group = groups is None or bool((groups.codes[members] == 0).all())
    if figures[0].class_columns and has_one_group:
        lists = float(len(cards[0].lists))
        rarest_class = tuple(lists if f.rarest_class is None else f.rarest_class for f in figures)
    return Figures(valued, compute=compute, smooth=figures[0].smooth, rarest_class=rarest_class)


def _fraction_of(ratio: Ratio) -> Floats:
    """Return the numerator and the denominator of each list, shape (lists, 2)."""
    return np.stack(np.broadcast_arrays(ratio.numerator, ratio.denominator), axis=1)


def _has_rows(figure: Ratio | Figure, lists: int) -> Mask:
    """Return which lists a figure is computed from, (lists,)."""
    if isinstance(figure, Ratio):
        return np.asarray(_fraction_of(figure).any(axis=1))
    return np.bincount(figure.in_list, minlength=lists) > 0


def _grouped_figures(inner: Figures, groups: Grouped, defaults: Floats) -> Figures | str:
    """Return the figures of a value over groups of lists, in which lists are drawn.

    Args:
        inner: The figures of the value of a group.
        groups: The groups.
        defaults: (groups,), the values of groups that have none.
    """
    count, codes = len(groups.names), groups.codes
    submissions, lists = inner.valued.shape
    width = 1 if inner.sums is None else inner.sums.table.shape[2]
    if submissions * lists * count * (width + 1) > MOST_GROUPED:
        return (
            f"{lists:,} lists in {count:,} groups are too many to be drawn; "
            "with `unit: group` the groups are"
        )
    sizes = np.bincount(codes[codes >= 0], minlength=count)
    if (single := np.flatnonzero(sizes == 1)).size:
        return f"group {quoted(groups.names[single[0]])} has 1 list: its spread is unknown"

    def combine(figures: Floats, sizes: Floats) -> Floats:
        figures = np.where(np.isnan(figures), defaults, figures)
        return aggregate_groups(np.where(sizes > 0, figures, np.nan), sizes, groups.how)

    smooth = inner.smooth and groups.how.aggregate.of_sums
    by_group = inner._replace(smooth=smooth, strata=codes, rarest_class=())
    if inner.sums is None:
        members = [(codes == group).astype(np.float64) for group in range(count)]

        def compute(row: int, weights: Floats) -> float:
            used = weights * inner.valued[row]
            sizes = np.array([(used * mask).sum() for mask in members])
            figures = [
                inner.value(row, weights * mask) if size > 0 else np.nan
                for mask, size in zip(members, sizes, strict=True)
            ]
            return float(combine(np.array([figures]), sizes[None])[0])

        return by_group._replace(compute=compute)
    # For each group the sums of the inner figure, and last how many lists it has.
    table = np.zeros((submissions, lists, count, width + 1))
    grouped_lists = np.flatnonzero(codes >= 0)
    group_of = codes[grouped_lists]
    table[:, grouped_lists, group_of, :width] = inner.sums.table[:, grouped_lists]
    table[:, grouped_lists, group_of, width] = inner.valued[:, grouped_lists]
    inner_value = inner.sums.value

    def value(sums: Floats) -> Floats:
        flat = sums.reshape(-1, width + 1)
        figures = np.asarray(inner_value(flat[:, :width])).reshape(-1, count)
        return combine(figures, flat[:, width].reshape(-1, count))

    return by_group._replace(sums=Sums(table.reshape(submissions, lists, -1), value))


def _figures_by_group(
    measure: Measure, inner: Figures, groups: Grouped | None, card: Scorecard, rules: Rules
) -> Figures:
    """Return the figures of the same value with groups as the units that are drawn."""
    codes, names = group_codes(measure, card)
    if groups is None:
        return _sum_units(inner, codes, len(names))
    is_grouped = groups.codes >= 0
    unit_of_group = np.zeros(len(groups.names), dtype=np.int64)
    unit_of_group[groups.codes[is_grouped]] = codes[is_grouped]
    defaults = group_defaults(card, measure, rules, groups)
    table = np.full((len(inner.valued), len(names)), np.nan)
    weights = np.zeros(len(names))
    for row, valued in enumerate(inner.valued):
        sizes = np.bincount(groups.codes[is_grouped & valued], minlength=len(groups.names))
        figures = _figure_of_each_group(inner, row, groups)
        figures = np.where(np.isnan(figures), defaults, figures)
        table[row, unit_of_group] = np.where(sizes > 0, figures, np.nan)
        own_weights = 1.0 if groups.how.weights is None else groups.how.weights
        weights[unit_of_group] = sizes if groups.how.by_size else own_weights
    return _aggregate_units(groups.how.aggregate, table, weights)


def _figure_of_each_group(inner: Figures, row: int, groups: Grouped) -> Floats:
    """Return the inner figure of each group by itself, (groups,)."""
    count, codes = len(groups.names), groups.codes
    if inner.sums is None:
        return np.array([inner.value(row, (codes == n).astype(np.float64)) for n in range(count)])
    sums = np.zeros((count, inner.sums.table.shape[2]))
    np.add.at(sums, codes[codes >= 0], inner.sums.table[row, codes >= 0])
    return np.asarray(inner.sums.value(sums))


def group_codes(measure: Measure, card: Scorecard) -> tuple[Ints, tuple[str, ...]]:
    """Return the group that each list is drawn with, and the names of the groups."""
    groups = card.columns.groups[measure.combination.grouped_by or "group"]
    return groups.codes, groups.names


def _sum_units(inner: Figures, codes: Ints, count: int) -> Figures:
    """Return the same figures with the lists of a group as one unit."""
    valued = np.array([np.bincount(codes, row, minlength=count) > 0 for row in inner.valued])
    merged = inner._replace(valued=valued, rarest_class=())
    if inner.sums is None:
        return merged._replace(compute=lambda row, weights: inner.value(row, weights[codes]))
    present = np.unique(codes)
    table = np.zeros((len(valued), count, inner.sums.table.shape[2]))
    by_width = inner.sums.table.transpose(0, 2, 1)
    table[:, present] = unit_sums(by_width, np.searchsorted(present, codes)).transpose(0, 2, 1)
    return merged._replace(sums=Sums(table, inner.sums.value))


def _formula_figures(
    measure: Measure, scored: Sequence[Scored], rules: RulesById, by_group: bool
) -> Figures | str:
    """Return the figures of a formula; a draw takes the same lists for all its parts."""
    parts: list[Figures] = []
    for part in measure.parts:
        figures = figures_of(part, scored, rules, by_group)
        if isinstance(figures, str):
            return f"{part.id} is part of it, and {figures}"
        parts.append(figures)
    ids = [part.id for part in measure.parts]
    tree = formula_of(measure.params["score"])
    valued = np.any([part.valued for part in parts], axis=0)
    strata = None if by_group else _strata(measure, parts, scored)
    if strata is not None and (np.bincount(strata[valued.any(axis=0)]) == 1).any():
        return "of a group with 1 list its spread is unknown"
    formula = Figures(valued, smooth=all(part.smooth for part in parts), strata=strata)
    sums = [part.sums for part in parts if part.sums is not None]
    if len(sums) < len(parts):

        def compute(row: int, weights: Floats) -> float:
            values = [np.array([part.value(row, weights)]) for part in parts]
            return float(tree.evaluate(dict(zip(ids, values, strict=True)))[0])

        return formula._replace(compute=compute)
    edges = np.cumsum([part.table.shape[2] for part in sums])[:-1]

    def value(sums_of_draws: Floats) -> Floats:
        sums_by_part = zip(sums, np.split(sums_of_draws, edges, axis=1), strict=True)
        values = [np.asarray(part.value(own)) for part, own in sums_by_part]
        return tree.evaluate(dict(zip(ids, values, strict=True)))

    table = np.concatenate([part.table for part in sums], axis=2)
    return formula._replace(sums=Sums(table, value))


def _strata(measure: Measure, parts: Sequence[Figures], scored: Sequence[Scored]) -> Ints | None:
    """Return the group within which each list of a formula is drawn, (lists,); None without one.

    If parts are about different groups (`group:`), lists are drawn within each combination of them.
    A condition (`where:`) fixes no group: how many lists it chooses varies with the draw.
    """
    card = next(submission.card for submission in scored if submission.card is not None)
    in_group = [lists_in_group(card, part) for part in measure.parts]
    strata = [part.strata for part in parts if part.strata is not None]
    if all(np.array_equal(in_group[0], each) for each in in_group):
        is_common = all(np.array_equal(strata[0], each) for each in strata)
        return strata[0] if strata and is_common else None
    return np.unique(np.stack([*in_group, *strata]), axis=1, return_inverse=True)[1].reshape(-1)
