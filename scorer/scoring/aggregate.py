"""Makes one number of the raw values of a measure, by the challenge's rules.

The measure's combination says how: as a mean over lists, which may be weighted, from the pooled
rows of all lists, or group by group. A composite is a formula of such numbers, or of list values.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from scorer.core.arrays import Floats, Mask
from scorer.metrics.aggregate import formula_of
from scorer.metrics.notation import Measure
from scorer.metrics.ratios import divide
from scorer.results.groups import (
    default_value,
    group_defaults,
    grouped,
    groups_with_truth,
    lacks_value,
    lists_of,
)
from scorer.results.report import Value
from scorer.results.scorecard import MISSING, SCORED, UNDEFINED, WITHHELD, Rules, Scorecard
from scorer.stats.aggregate import aggregate_groups
from scorer.stats.units import exact_mean, exact_sum

RulesById = Mapping[str, Rules]  # measure id -> how lists without a value count
States = NDArray[np.uint8]
FigureOf = Callable[[Mask], float]  # from a mask of lists to the figure of these lists


def aggregate_values(
    card: Scorecard, measure: Measure, rules: RulesById, keep: Mask | None = None
) -> Value:
    """Return the value of a measure over the lists of a scorecard, with the rules applied.

    Args:
        card: The raw values of a submission.
        measure: The measure.
        rules: The rules of the measure and, for a composite, of its parts.
        keep: The lists that may count, shape (lists,); None for all.
    """
    kept = np.ones(len(card.lists), dtype=bool) if keep is None else keep
    return _aggregate(card, measure, rules, kept).value


class _Aggregate(NamedTuple):
    """A value, and the lists that it is made of.

    Attributes:
        value: The value.
        masks: Which lists have a value, are missing, and are undefined: shape (3, lists).
    """

    value: Value
    masks: Mask


def _aggregate(card: Scorecard, measure: Measure, rules: RulesById, kept: Mask) -> _Aggregate:
    """Return the aggregate of the lists that are `kept`, as far as the measure is about them."""
    if measure.parts:
        return _aggregate_composite(card, measure, rules, kept)
    kept = kept & lists_of(card, measure)
    if measure.id in card.figures:
        return _aggregate_figure(card, measure, rules, kept)
    return _aggregate_lists(card, measure, rules, kept)


def _aggregate_figure(
    card: Scorecard, measure: Measure, rules: RulesById, kept: Mask
) -> _Aggregate:
    """Return the figure of a measure that pools the rows of all lists."""
    pooled = card.figures[measure.id]
    skips_missing = rules[measure.id].missing == "skip"
    counted = kept & card.answered if skips_missing else kept
    # A table has a row for each list, which is left out if missing lists are skipped. Elsewhere
    # missing lists have no rows; they stay, since some figures (ListCoverage) count lists.
    leaves_out = skips_missing and "labels" in measure.metric.kinds
    # A figure of no rows may be a number.
    has_no_list = measure.combination.limited and not kept.any()

    def figure(lists: Mask) -> float:
        return pooled.subset(lists & card.answered if leaves_out else lists).pooled()

    mean = math.nan if has_no_list else _combine_groups(card, measure, rules, kept, figure)
    masks = np.array([counted, kept & ~card.answered, np.zeros_like(kept)])
    lists, missing, undefined = masks.sum(axis=1).tolist()
    return _Aggregate(Value(mean, lists, missing, undefined, per_list=None, combined=True), masks)


def _aggregate_lists(card: Scorecard, measure: Measure, rules: RulesById, kept: Mask) -> _Aggregate:
    """Return the value that the values of lists make."""
    values, states = values_of_lists(card, measure, rules)
    counted = kept & ~np.isnan(values)
    masks = np.array([counted, kept & (states == MISSING), kept & (states >= UNDEFINED)])
    # One list that is withheld leaves the whole undefined.
    if (kept & _are_withheld(values, states)).any():
        counted = np.zeros_like(kept)
    values[~counted] = np.nan
    combination = measure.combination
    if measure.metric.aggregate == "sum" and combination.plain:
        mean = exact_sum(values[counted]) if counted.any() else math.nan
    else:
        weights = card.columns.weights.get(combination.list_weights or "")

        def figure(lists: Mask) -> float:
            rows = lists & counted
            return combination.lists.of(values[rows], None if weights is None else weights[rows])

        mean = _combine_groups(card, measure, rules, counted, figure)
    _, missing, undefined = masks.sum(axis=1).tolist()
    combined = not combination.of_lists
    return _Aggregate(
        Value(mean, int(counted.sum()), missing, undefined, per_list=values, combined=combined),
        masks,
    )


def _aggregate_composite(
    card: Scorecard, measure: Measure, rules: RulesById, kept: Mask
) -> _Aggregate:
    """Return a composite of the numbers of its parts.

    It has a value for each list, too, if its number is the mean of these.
    """
    parts = {part.id: _aggregate(card, part, rules, kept) for part in measure.parts}
    tree = formula_of(measure.params["score"])
    mean = tree.evaluate({key: np.array([part.value.mean]) for key, part in parts.items()})
    masks = np.any([part.masks for part in parts.values()], axis=0)
    list_values = {
        key: part.value.per_list
        for key, part in parts.items()
        if part.value.plain and part.value.per_list is not None
    }
    are_undefined = [np.isnan(values) for values in list_values.values()]
    count_same_lists = len(list_values) == len(parts) and all(
        (undefined == are_undefined[0]).all() for undefined in are_undefined
    )
    is_mean = tree.is_affine() and all(part.metric.aggregate != "sum" for part in measure.parts)
    per_list = tree.evaluate(list_values) if count_same_lists and is_mean else None
    lists, missing, undefined = masks.sum(axis=1).tolist()
    combined = per_list is None
    return _Aggregate(
        Value(float(mean[0]), lists, missing, undefined, per_list, combined=combined), masks
    )


def _combine_groups(
    card: Scorecard, measure: Measure, rules: RulesById, lists: Mask, figure: FigureOf
) -> float:
    """Return the figure of some lists; if the measure has groups, the combination of theirs."""
    groups = grouped(card.columns, measure, lists)
    if groups is None:
        return float(figure(lists))
    if not groups.names:
        return math.nan
    figures = np.array([figure(groups.codes == group) for group in range(len(groups.names))])
    if np.isnan(figures).any():
        defaults = group_defaults(card, measure, rules[measure.id], groups)
        figures = np.where(np.isnan(figures), defaults, figures)
        if (np.isnan(figures) & groups_with_truth(card, measure, groups)).any():
            return math.nan  # the submission leaves out a figure that the truth has
    sizes = np.bincount(groups.codes[lists], minlength=figures.size).astype(np.float64)
    return float(aggregate_groups(figures[None], sizes[None], groups.how)[0])


def values_of_lists(card: Scorecard, measure: Measure, rules: RulesById) -> tuple[Floats, States]:
    """Return the value of each list, with the rules applied, and its state.

    Returns:
        Two arrays of shape (lists,): the values, NaN if a list does not count; and SCORED, MISSING,
        UNDEFINED or WITHHELD.
    """
    own = rules[measure.id]
    values = card.values[measure.id].copy()
    states = card.states(measure.id, own)
    values[states == UNDEFINED] = 0.0 if own.undefined == "zero" else np.nan
    values[states == WITHHELD] = default_value(measure, own)
    if own.missing == "skip":
        values[states == MISSING] = np.nan
    outside = ~lists_of(card, measure)
    values[outside] = np.nan
    states[outside] = SCORED
    return values, states


def _are_withheld(values: Floats, states: States) -> Mask:
    """Return which lists have no value because of the submission, and get none by a rule."""
    withheld: Mask = (states == WITHHELD) & np.isnan(values)
    return withheld


def _is_withheld(card: Scorecard, measure: Measure, rules: RulesById) -> bool:
    """Return whether a measure is undefined because of the submission, not of the truth."""
    if lacks_value(card, measure):
        return True
    if not measure.of_lists:
        return any(_is_withheld(card, part, rules) for part in measure.parts)
    return bool(_are_withheld(*values_of_lists(card, measure, rules)).any())


def aggregate_folds(
    cards: Mapping[str, Scorecard], lists: Sequence[str], measure: Measure, rules: RulesById
) -> Value:
    """Return the mean and the sample deviation (n - 1) of the values of folds with own truths.

    A fold that is undefined because of its truth is left out; one that is undefined because of the
    submission makes both NaN. A list's value is its mean over the folds that it is in.

    Args:
        cards: fold -> the raw values of its lists.
        lists: All lists, in order.
        measure: The measure.
        rules: The rules of the measure and, for a composite, of its parts.
    """
    total, times = np.zeros((2, len(lists)))  # of each list: the sum of its values, their number
    missing, undefined = np.zeros((2, len(lists)), dtype=bool)
    position = {name: n for n, name in enumerate(lists)}
    folds = dict[str, float]()
    for fold, card in cards.items():
        value, masks = _aggregate(card, measure, rules, np.ones(len(card.lists), dtype=bool))
        folds[fold] = value.mean
        rows = np.array([position[name] for name in card.lists], dtype=np.int64)
        if not measure.of_lists or value.per_list is None:
            missing[rows] |= ~card.answered
            continue
        missing[rows] |= masks[1]
        undefined[rows] |= masks[2]
        defined = ~np.isnan(value.per_list)
        total[rows[defined]] += value.per_list[defined]
        times[rows[defined]] += 1
    means = np.array(list(folds.values()))
    undefined_folds = [fold for fold, mean in folds.items() if math.isnan(mean)]
    if not any(_is_withheld(cards[fold], measure, rules) for fold in undefined_folds):
        means = means[~np.isnan(means)]
    if measure.of_lists:
        counted = times > 0
    else:
        counted = ~missing if rules[measure.id].missing == "skip" else np.ones_like(missing)
    return Value(
        mean=exact_mean(means),
        lists=int(counted.sum()),
        missing=int(missing.sum()),
        undefined=int(undefined.sum()),
        per_list=divide(total, times) if measure.of_lists else None,
        folds=folds,
        deviation=float(means.std(ddof=1)) if means.size > 1 else np.nan,
        combined=not (measure.of_lists and measure.combination.of_lists),
    )
