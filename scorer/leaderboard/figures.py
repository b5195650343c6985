"""Numbers of submissions as functions of what is drawn: pooled, of groups, of formulas.

Whatever a measure makes of its lists is a function of sums over lists, or of weights of lists.
Both are built here from the inside out: a mean or a pooled ratio, of each group, of a formula's
parts. The code that draws and exchanges lists does not depend on them.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import NamedTuple

import numpy as np

from scorer.core.arrays import Floats, Ints, Mask
from scorer.core.text import quoted
from scorer.metrics.aggregate import formula_of
from scorer.metrics.notation import Measure
from scorer.metrics.ratios import Figure, Ratio, divide
from scorer.results.groups import Grouped, belonging, filler, fillers, grouped, in_group, withheld
from scorer.results.report import Scored, Value
from scorer.results.scorecard import Rules, Scorecard
from scorer.scoring.aggregate import aggregate_values
from scorer.stats.aggregate import Aggregate, aggregate_groups
from scorer.stats.units import unit_sums

MOST_GROUPED = 1 << 25  # sums of all submissions by lists and groups: 256 MB, copied by drawing

OfSums = Callable[[Floats], Floats]  # sums over units (draws, width) to figures (draws,)
Weigh = Callable[[Floats], float]  # weights of units (units,) to the figure


class Figures(NamedTuple):
    """A number of each submission, as a function of the units that are drawn."""

    valued: Mask  # (submissions, units): which it has
    weigh: tuple[Weigh, ...]  # of each submission
    sums: Floats | None = None  # (submissions, units, width); None: it is not made of sums
    of: OfSums | None = None
    smooth: bool = True  # whether leaving a unit out tells what it adds; not so of a median
    strata: Ints | None = None  # (units,): the fixed group that each is drawn within
    rests: tuple[float, ...] = ()  # of each submission: how many units its number hangs on
    weights: Floats | None = None  # (units,), where they are not alike


def figures_of(
    measure: Measure, scored: Sequence[Scored], rules: Mapping[str, Rules], by_group: bool = False
) -> Figures | str:
    """The figures of submissions by a measure, or the reason why there are none to resample.

    Lists are drawn, or whole groups of them (`by_group`); figures have a row of `valued` for each
    submission.
    """
    if measure.parts:
        return _formula_figures(measure, scored, rules, by_group)
    cards = [submission.card for submission in scored if submission.card is not None]
    inner = (
        _of_lists(
            measure, [_value_of(submission, measure, rules) for submission in scored], cards[0]
        )
        if measure.id not in cards[0].figures
        else _of_pooled(measure, cards, rules[measure.id])
    )
    if isinstance(inner, str):
        return inner
    anywhere: Mask = np.any(inner.valued, axis=0)
    groups = grouped(cards[0].columns, measure, anywhere)
    if groups is not None and len(groups.names) == 1 and groups.how.trivial:
        groups = None
    if by_group:
        return _drawn_by_group(measure, inner, groups, cards[0], rules[measure.id])
    if groups is None:
        return inner
    return _of_groups(measure, inner, groups, fillers(cards[0], measure, rules[measure.id], groups))


def _value_of(submission: Scored, measure: Measure, rules: Mapping[str, Rules]) -> Value:
    """The value of a measure, which may be part of another alone."""
    if (value := submission.values.get(measure.id)) is not None:
        return value
    assert submission.card is not None
    return aggregate_values(submission.card, measure, rules)


def _of_lists(measure: Measure, values: Sequence[Value], card: Scorecard) -> Figures:
    """The figures that the values of lists make: a mean, a median, ..."""
    how = measure.combination
    table = np.array([value.per_list for value in values], dtype=np.float64)
    weights = card.columns.weights.get(how.list_weights or "")
    lists = Aggregate("sum") if measure.metric.aggregate == "sum" else how.lists
    return _aggregated(lists, table, weights)._replace(weights=weights)


def _aggregated(aggregate: Aggregate, table: Floats, weights: Floats | None) -> Figures:
    """The figures that an aggregate makes of values, (submissions, units), by their weights."""
    unit_weights = np.ones(table.shape[1]) if weights is None else weights

    def weigh(row: Floats, drawn: Floats) -> float:
        return aggregate.of(np.where(drawn * unit_weights > 0, row, np.nan), drawn * unit_weights)

    return Figures(
        ~np.isnan(table),
        tuple(partial(weigh, row) for row in table),
        aggregate.columns(table, weights) if aggregate.of_sums else None,
        aggregate.value if aggregate.of_sums else None,
        smooth=aggregate.of_sums,
    )


def _of_pooled(measure: Measure, cards: Sequence[Scorecard], rules: Rules) -> Figures | str:
    """The figures of pooled lists, as functions of sums over lists or of their weights."""
    pooled = [card.figures[measure.id] for card in cards]
    for figure in pooled:
        if isinstance(figure, Figure) and figure.no_bootstrap:
            return figure.no_bootstrap
    belongs = belonging(cards[0], measure)
    lost = np.array(
        [
            math.isnan(filler(measure, rules)) and any(withheld(card, measure, belongs))
            for card in cards
        ]
    )  # of which no draw has a figure
    valued = np.tile(belongs, (len(cards), 1))
    if rules.missing == "skip":
        for row, (card, figure) in enumerate(zip(cards, pooled, strict=True)):
            # a figure can be about lists that are missing: those have rows
            valued[row] &= card.answered | _has_rows(figure, len(card.lists))
    if isinstance(pooled[0], Ratio):
        transform = pooled[0].transform
        sums = np.stack([_sides(figure) for figure in pooled if isinstance(figure, Ratio)])
        sums *= belongs[:, None]
        sums[lost] = np.nan

        def of(drawn: Floats) -> Floats:
            quotient = divide(drawn[:, 0], drawn[:, 1])
            return quotient if transform is None else transform(quotient)

        return Figures(valued, tuple(partial(_summed, of, each) for each in sums), sums, of)
    figures = [figure for figure in pooled if isinstance(figure, Figure)]
    rarest = tuple(
        float(len(card.lists)) if each.rarest_class is None else each.rarest_class
        for card, each in zip(cards, figures, strict=True)
    )
    alone = (_counted_together(measure, cards[0], valued)[belongs] == 0).all()
    return Figures(
        valued,
        tuple(
            _nowhere if gone else partial(_weighted, figure, belongs)
            for gone, figure in zip(lost, figures, strict=True)
        ),
        smooth=figures[0].smooth,
        rests=rarest if figures[0].class_columns and alone else (),
    )


def _sides(ratio: Ratio) -> Floats:
    """The numerator and the denominator of each list, shape (lists, 2)."""
    return np.stack(np.broadcast_arrays(ratio.numerator, ratio.denominator), axis=1)


def _has_rows(figure: Ratio | Figure, lists: int) -> Mask:
    """The lists that a figure is computed from, even where they are missing."""
    if isinstance(figure, Ratio):
        return np.asarray(_sides(figure).any(axis=1))
    return np.bincount(figure.in_list, minlength=lists) > 0


def _nowhere(weights: Floats) -> float:
    """The figure of a submission that has none, whatever is drawn."""
    return float("nan")


def _of_groups(measure: Measure, inner: Figures, groups: Grouped, fill: Floats) -> Figures | str:
    """The figures over groups of lists, each of which has the inner figure, or else `fill`."""
    count, codes = len(groups.names), groups.codes
    submissions, lists = inner.valued.shape
    width = 1 if inner.sums is None else inner.sums.shape[2]
    if submissions * lists * count * (width + 1) > MOST_GROUPED:
        return (
            f"{lists:,} lists in {count:,} groups are too many to be drawn; "
            "with `unit: group` the groups are"
        )
    sizes = np.bincount(codes[codes >= 0], minlength=count)
    if (single := np.flatnonzero(sizes == 1)).size:
        return f"group {quoted(groups.names[single[0]])} has 1 list: its spread is unknown"
    here = [(codes == group).astype(np.float64) for group in range(count)]

    def whole(figures: Floats, sizes: Floats) -> Floats:
        figures = np.where(np.isnan(figures), fill, figures)
        return aggregate_groups(np.where(sizes > 0, figures, np.nan), sizes, groups.how)

    def weigh(row: int, weights: Floats) -> float:
        valued_weights = weights * inner.valued[row]
        sizes = np.array([[(valued_weights * mask).sum() for mask in here]])
        figures = [[inner.weigh[row](weights * mask) if size > 0 else np.nan
                    for mask, size in zip(here, sizes[0], strict=True)]]  # fmt: skip
        return float(whole(np.array(figures), sizes)[0])

    weighs = tuple(partial(weigh, row) for row in range(len(inner.weigh)))
    by_group = inner._replace(weigh=weighs, strata=codes, rests=())
    smooth = groups.how.aggregate.of_sums  # not so of a median
    if inner.sums is None or inner.of is None:
        return by_group._replace(smooth=inner.smooth and smooth)
    sums = np.zeros((submissions, lists, count, width + 1))
    grouped_lists = np.flatnonzero(codes >= 0)
    sums[:, grouped_lists, codes[grouped_lists], :width] = inner.sums[:, grouped_lists]
    sums[:, grouped_lists, codes[grouped_lists], width] = inner.valued[:, grouped_lists]
    innermost = inner.of

    def of(drawn: Floats) -> Floats:
        flat = drawn.reshape(-1, width + 1)
        figures = np.asarray(innermost(flat[:, :width])).reshape(-1, count)
        return whole(figures, flat[:, width].reshape(-1, count))

    return by_group._replace(sums=sums.reshape(submissions, lists, -1), of=of, smooth=smooth)


def _drawn_by_group(
    measure: Measure, inner: Figures, groups: Grouped | None, card: Scorecard, rules: Rules
) -> Figures:
    """The same where whole groups are drawn: each is a unit, with its figure or its sums."""
    codes, names = group_codes(measure, card)
    if groups is None:
        return _gathered(inner, codes, len(names))
    unit_of = np.zeros(len(groups.names), dtype=np.int64)  # the unit of each group
    grouped_lists = groups.codes >= 0
    unit_of[groups.codes[grouped_lists]] = codes[grouped_lists]
    fill = fillers(card, measure, rules, groups)
    submissions = len(inner.weigh)
    table = np.full((submissions, len(names)), np.nan)
    weights = np.zeros(len(names))
    for row in range(submissions):
        group_of = groups.codes[grouped_lists & inner.valued[row]]
        sizes = np.bincount(group_of, minlength=len(groups.names)).astype(np.float64)[None]
        figures = _each_group(inner, row, groups)[None]
        figures = np.where(np.isnan(figures), fill, figures)
        figures = np.where(sizes > 0, figures, np.nan)
        table[row, unit_of] = figures[0]
        alike_or_given = 1.0 if groups.how.weights is None else groups.how.weights
        weights[unit_of] = sizes[0] if groups.how.by_size else alike_or_given
    return _aggregated(groups.how.aggregate, table, weights)


def _each_group(inner: Figures, row: int, groups: Grouped) -> Floats:
    """The inner figure of each group by itself."""
    count, codes = len(groups.names), groups.codes
    if inner.sums is None or inner.of is None:
        return np.array([inner.weigh[row]((codes == n).astype(np.float64)) for n in range(count)])
    sums = np.zeros((count, inner.sums.shape[2]))
    np.add.at(sums, codes[codes >= 0], inner.sums[row, codes >= 0])
    return np.asarray(inner.of(sums))


def group_codes(measure: Measure, card: Scorecard) -> tuple[Ints, tuple[str, ...]]:
    """The group that each list is drawn with, and what these are called."""
    groups = card.columns.groups[measure.combination.grouped_by or "group"]
    return groups.codes, groups.names


def _gathered(inner: Figures, codes: Ints, count: int) -> Figures:
    """Figures of lists with the lists of a group as one unit."""
    valued = np.array([np.bincount(codes, row, minlength=count) > 0 for row in inner.valued])

    def weigh(row: int, drawn: Floats) -> float:
        return inner.weigh[row](drawn[codes])

    sums = None
    if inner.sums is not None:
        present = np.unique(codes)
        sums = np.zeros((len(inner.sums), count, inner.sums.shape[2]))
        unit = np.searchsorted(present, codes)
        sums[:, present] = unit_sums(inner.sums.transpose(0, 2, 1), unit).transpose(0, 2, 1)
    weighs = tuple(partial(weigh, row) for row in range(len(inner.weigh)))
    return inner._replace(valued=valued, weigh=weighs, sums=sums, rests=())


def _formula_figures(
    measure: Measure, scored: Sequence[Scored], rules: Mapping[str, Rules], by_group: bool
) -> Figures | str:
    """The figures of a formula; its parts are drawn with the same lists."""
    parts: list[Figures] = []
    for part in measure.parts:
        figures = figures_of(part, scored, rules, by_group)
        if isinstance(figures, str):
            return f"{part.id} is part of it, and {figures}"
        parts.append(figures)
    ids = [part.id for part in measure.parts]
    tree = formula_of(measure.params["score"])
    valued = np.any([part.valued for part in parts], axis=0)
    strata = _strata(measure, parts, scored) if not by_group else None
    if strata is not None and (np.bincount(strata[valued.any(axis=0)]) == 1).any():
        return "of a group with 1 list its spread is unknown"

    def weigh(row: int, weights: Floats) -> float:
        values = [np.array([part.weigh[row](weights)]) for part in parts]
        return float(tree.evaluate(dict(zip(ids, values, strict=True)))[0])

    weighed = Figures(
        valued,
        tuple(partial(weigh, row) for row in range(len(valued))),
        smooth=all(part.smooth for part in parts),
        strata=strata,
    )
    if any(part.sums is None for part in parts):
        return weighed
    sums = [part.sums for part in parts if part.sums is not None]
    edges = np.cumsum([part_sums.shape[2] for part_sums in sums])[:-1]

    def of(drawn: Floats) -> Floats:
        pieces = np.split(drawn, edges, axis=1)
        values = [
            part.of(drawn_part)
            for part, drawn_part in zip(parts, pieces, strict=True)
            if part.of is not None
        ]
        return tree.evaluate(dict(zip(ids, map(np.asarray, values), strict=True)))

    return weighed._replace(sums=np.concatenate(sums, axis=2), of=of)


def _strata(measure: Measure, parts: Sequence[Figures], scored: Sequence[Scored]) -> Ints | None:
    """The fixed group of each list: the groups that parts are drawn within, or are limited to.

    How many lists a condition is true of is not fixed, but drawn.
    """
    card = next(submission.card for submission in scored if submission.card is not None)
    limits = [in_group(card, part) for part in measure.parts]
    drawn = [part.strata for part in parts if part.strata is not None]
    if all(np.array_equal(limits[0], each) for each in limits):
        return drawn[0] if drawn and all(np.array_equal(drawn[0], each) for each in drawn) else None
    return np.unique(np.stack([*limits, *drawn]), axis=1, return_inverse=True)[1].reshape(-1)


def _counted_together(measure: Measure, card: Scorecard, counted: Mask) -> Ints:
    """The group of each list, over which one figure is made; -1 where it is in none."""
    anywhere: Mask = np.any(counted, axis=0)
    groups = grouped(card.columns, measure, anywhere)
    belongs = belonging(card, measure)
    return np.where(belongs, 0, -1) if groups is None else np.where(belongs, groups.codes, -1)


def _summed(of: OfSums, sums: Floats, weights: Floats) -> float:
    return float(of((weights @ sums)[None])[0])


def _weighted(figure: Figure, belongs: Mask, weights: Floats) -> float:
    return figure.pooled(weights * belongs)
