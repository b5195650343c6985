"""Makes one number of the raw values of a measure, by the challenge's rules.

The measure's combination says how: as a mean over lists, which may be weighted, from the pooled
rows of all lists, or group by group. A composite is a formula of such numbers, or of list values.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from scorer.core.arrays import Floats, Mask
from scorer.metrics.aggregate import formula_of
from scorer.metrics.api import divide
from scorer.metrics.notation import Measure
from scorer.results.groups import Grouped, belonging, filler, fillers, grouped, lacking, owed
from scorer.results.report import Value
from scorer.results.scorecard import MISSING, SCORED, UNDEFINED, WITHHELD, Rules, Scorecard
from scorer.stats.aggregate import combined
from scorer.stats.exact import exact_mean, exact_sum

AnyRules = Rules | Mapping[str, Rules]  # of one measure; or of a composite and its parts, by id
States = NDArray[np.uint8]
FigureOf = Callable[[Mask], float]  # from a mask of lists to the figure of these lists


def aggregate_values(
    card: Scorecard, measure: Measure, rules: AnyRules, keep: Mask | None = None
) -> Value:
    """Return the value of a measure over the lists of a scorecard, with the rules applied.

    Args:
        card: The raw values of a submission.
        measure: The measure.
        rules: How lists without a value count.
        keep: The lists that may count, shape (lists,); None for all.
    """
    kept = np.ones(len(card.lists), dtype=bool) if keep is None else keep
    if measure.parts and not measure.of_lists:
        return _aggregate_composite(card, measure, rules, kept)
    kept = kept & belonging(card, measure)
    if (pooled := card.figures.get(measure.id)) is not None:
        skips_missing = own_rules(rules, measure).missing == "skip"
        pooled_lists = _pooled_lists(card, measure, skips_missing)
        counts = card.answered & kept if skips_missing else kept
        missing = int((~card.answered & kept).sum())

        def figure(lists: Mask) -> float:
            return pooled.subset(lists & pooled_lists).pooled()

        has_no_list = measure.combination.limited and not kept.any()
        mean = np.nan if has_no_list else _combine_groups(card, measure, rules, kept, figure)
        return Value(mean, int(counts.sum()), missing, undefined=0, per_list=None, whole=True)
    values, states = values_of_lists(card, measure, rules)
    # One list that is withheld leaves the whole undefined.
    values[~kept | (_are_withheld(values, states) & kept).any()] = np.nan
    combination, counted = measure.combination, ~np.isnan(values)
    if measure.metric.aggregate == "sum" and combination.plain:
        mean = exact_sum(values[counted]) if counted.any() else np.nan
    else:
        weights = card.columns.weights.get(combination.list_weights or "")

        def figure(lists: Mask) -> float:
            rows = lists & counted
            return combination.lists.of(values[rows], None if weights is None else weights[rows])

        mean = _combine_groups(card, measure, rules, counted, figure)
    return Value(
        mean,
        lists=int(counted.sum()),
        missing=int(((states == MISSING) & kept).sum()),
        undefined=int(((states >= UNDEFINED) & kept).sum()),  # UNDEFINED or WITHHELD
        per_list=values,
        whole=not combination.of_lists,
    )


def own_rules(rules: AnyRules, measure: Measure) -> Rules:
    """Return the rules of a measure."""
    return rules if isinstance(rules, Rules) else rules[measure.id]


def _pooled_lists(card: Scorecard, measure: Measure, skips_missing: bool) -> Mask:
    """Return the lists whose rows make a pooled figure.

    A table has a row for each list, which is left out here if missing lists are skipped. Elsewhere
    missing lists have no rows; they stay, since some figures (ListCoverage) count lists.
    """
    if skips_missing and "labels" in measure.metric.kinds:
        return card.answered
    return np.ones(len(card.lists), dtype=bool)


def values_of_lists(card: Scorecard, measure: Measure, rules: AnyRules) -> tuple[Floats, States]:
    """Return the value of each list, with the rules applied, and its state.

    A composite skips the lists that its parts skip. A list for which its formula is undefined, or
    a part is because of the submission, is withheld.

    Returns:
        Two arrays of shape (lists,): the values, NaN if a list does not count; and SCORED, MISSING,
        UNDEFINED or WITHHELD.
    """
    own = own_rules(rules, measure)
    outside = ~belonging(card, measure)
    if measure.parts:
        parts = {part.id: values_of_lists(card, part, rules) for part in measure.parts}
        values = formula_of(measure.params["score"]).evaluate({k: v for k, (v, _) in parts.items()})
        skipped = np.any([np.isnan(part_values) for part_values, _ in parts.values()], axis=0)
        withheld = np.any([_are_withheld(*part) for part in parts.values()], axis=0)
        # A part is withheld; or none is skipped, and the formula itself has no value.
        is_withheld = np.isnan(values) & (withheld | ~skipped)
        states = np.where(is_withheld, WITHHELD, SCORED).astype(np.uint8)
        for _, state in parts.values():
            states[(state == MISSING) & (states == SCORED)] = MISSING
    else:
        values, states = card.values[measure.id].copy(), card.states(measure.id, own)
    values[states == UNDEFINED] = 0.0 if own.undefined == "zero" else np.nan
    values[states == WITHHELD] = filler(measure, own)
    if own.missing == "skip":
        values[states == MISSING] = np.nan
    values[outside], states[outside] = np.nan, SCORED
    return values, states


def _are_withheld(values: Floats, states: States) -> Mask:
    """Return which lists have no value because of the submission, and get none by a rule."""
    withheld: Mask = (states == WITHHELD) & np.isnan(values)
    return withheld


def _group_figures(
    card: Scorecard, measure: Measure, rules: AnyRules, groups: Grouped, figure: FigureOf
) -> Floats:
    """Return the figure of each innermost group, shape (groups,).

    An undefined figure is replaced by the value that the rules give it, or stays NaN.
    """
    masks = (groups.codes == group for group in range(len(groups.names)))
    figures = np.array([figure(mask) for mask in masks])
    if (undefined := np.isnan(figures)).any():
        defaults = fillers(card, measure, own_rules(rules, measure), groups)
        figures[undefined] = defaults[undefined]
    return figures


def _combine_groups(
    card: Scorecard, measure: Measure, rules: AnyRules, lists: Mask, figure: FigureOf
) -> float:
    """Return the figure of some lists; if the measure has groups, the combination of theirs."""
    groups = grouped(card.columns, measure, lists)
    if groups is None:
        return float(figure(lists))
    if not groups.names:
        return float("nan")
    figures = _group_figures(card, measure, rules, groups, figure)
    undefined = np.isnan(figures)
    if undefined.any() and (undefined & owed(card, measure, groups)).any():
        return float("nan")  # the submission leaves out a figure that the truth has
    sizes = np.bincount(groups.codes[lists], minlength=figures.size).astype(np.float64)
    return float(combined(figures[None], sizes[None], groups.levels)[0])


def _is_withheld(card: Scorecard, measure: Measure, rules: AnyRules) -> bool:
    """Return whether a measure is undefined because of the submission, not of the truth."""
    if lacking(card, measure):
        return True
    if not measure.of_lists:
        return any(_is_withheld(card, part, rules) for part in measure.parts)
    return bool(_are_withheld(*values_of_lists(card, measure, rules)).any())


def _aggregate_composite(card: Scorecard, measure: Measure, rules: AnyRules, kept: Mask) -> Value:
    """Return a composite of the numbers of its parts.

    It has a value for each list, too, if its number is the mean of these.
    """
    parts = {part.id: aggregate_values(card, part, rules, kept) for part in measure.parts}
    tree = formula_of(measure.params["score"])
    mean = tree.evaluate({key: np.array([value.mean]) for key, value in parts.items()})
    list_values: Floats | None = None
    part_values = [
        value.per_list for value in parts.values() if value.plain and value.per_list is not None
    ]
    count_same_lists = len(part_values) == len(parts) and all(
        (np.isnan(values) == np.isnan(part_values[0])).all() for values in part_values
    )
    is_mean = tree.is_affine() and all(part.metric.aggregate != "sum" for part in measure.parts)
    if count_same_lists and is_mean:
        list_values = tree.evaluate(dict(zip(parts, part_values, strict=True)))
    part_masks = [_list_masks(card, part, rules, kept) for part in measure.parts]
    lists, missing, undefined = (
        int(np.any(masks, axis=0).sum()) for masks in zip(*part_masks, strict=True)
    )
    return Value(float(mean[0]), lists, missing, undefined, list_values, whole=list_values is None)


def _list_masks(
    card: Scorecard, measure: Measure, rules: AnyRules, kept: Mask
) -> tuple[Mask, Mask, Mask]:
    """Return the lists that a measure counts, the missing ones, and those it is undefined for."""
    members = kept & belonging(card, measure)
    if measure.parts and not measure.of_lists:
        parts = [_list_masks(card, part, rules, kept) for part in measure.parts]
        counted, missing, undefined = (np.any(masks, axis=0) for masks in zip(*parts, strict=True))
        return counted, missing, undefined
    if measure.id in card.figures:
        skips_missing = own_rules(rules, measure).missing == "skip"
        counted = members & card.answered if skips_missing else members
        return counted, members & ~card.answered, np.zeros_like(members)
    values, states = values_of_lists(card, measure, rules)
    return (
        ~np.isnan(values) & members,
        (states == MISSING) & members,
        (states >= UNDEFINED) & members,
    )


def aggregate_folds(
    cards: Mapping[str, Scorecard], lists: Sequence[str], measure: Measure, rules: AnyRules
) -> Value:
    """Return the mean and the sample deviation (n - 1) of the values of folds with own truths.

    A fold that is undefined because of its truth is left out; one that is undefined because of the
    submission makes both NaN. A list's value is its mean over the folds that it is in.

    Args:
        cards: fold -> the raw values of its lists.
        lists: All lists, in order.
        measure: The measure.
        rules: How lists without a value count.
    """
    by_fold = {fold: aggregate_values(card, measure, rules) for fold, card in cards.items()}
    means = np.array([value.mean for value in by_fold.values()])
    undefined_folds = [fold for fold, value in by_fold.items() if math.isnan(value.mean)]
    if not any(_is_withheld(cards[fold], measure, rules) for fold in undefined_folds):
        means = means[~np.isnan(means)]
    total, times = np.zeros((2, len(lists)))  # of each list: the sum of its values, their number
    missing, undefined = np.zeros((2, len(lists)), dtype=bool)
    position = {name: n for n, name in enumerate(lists)}
    for fold, value in by_fold.items():
        card = cards[fold]
        rows = np.array([position[name] for name in card.lists], dtype=np.int64)
        if value.per_list is None or not measure.of_lists:
            missing[rows] |= ~card.answered
            continue
        states, defined = values_of_lists(card, measure, rules)[1], ~np.isnan(value.per_list)
        missing[rows] |= states == MISSING
        undefined[rows] |= states >= UNDEFINED
        total[rows[defined]] += value.per_list[defined]
        times[rows[defined]] += 1
    is_pooled = any(value.per_list is None for value in by_fold.values()) or not measure.of_lists
    counted = times > 0
    if is_pooled:
        skips_missing = own_rules(rules, measure).missing == "skip"
        counted = ~missing if skips_missing else np.ones(len(lists), dtype=bool)
    return Value(
        mean=exact_mean(means),
        lists=int(counted.sum()),
        missing=int(missing.sum()),
        undefined=int(undefined.sum()),
        per_list=None if is_pooled else divide(total, times),
        folds={fold: value.mean for fold, value in by_fold.items()},
        deviation=float(means.std(ddof=1)) if means.size > 1 else np.nan,
        whole=is_pooled or not all(value.plain for value in by_fold.values()),
    )
