"""Raw values to one number, by the challenge's rules.

A measure's lists make a number by its combination: alike or weighted, pooled, or group by group.
A composite is a formula of such numbers, or of each list's.
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

Ruled = Rules | Mapping[str, Rules]  # of one measure; of a composite also of its parts, by id
States = NDArray[np.uint8]
Figure = Callable[[Mask], float]  # of some of the lists


def aggregate_values(
    card: Scorecard, measure: Measure, rules: Ruled, keep: Mask | None = None
) -> Value:
    """The value of a measure over a scorecard's lists, after the rules.

    `rules` is of one measure, or by measure id; `keep`, (lists,), is the lists that count.
    """
    kept = np.ones(len(card.lists), dtype=bool) if keep is None else keep
    if measure.parts and not measure.of_lists:
        return _formula(card, measure, rules, kept)
    kept = kept & belonging(card, measure)
    if (pooled := card.figures.get(measure.id)) is not None:
        used = _counting(card, measure, own_rules(rules, measure).missing == "skip")
        counts = card.answered & kept if own_rules(rules, measure).missing == "skip" else kept
        absent = int((~card.answered & kept).sum())

        def figure(chosen: Mask) -> float:
            return pooled.subset(chosen & used).pooled()

        nowhere = measure.combination.limited and not kept.any()
        mean = float("nan") if nowhere else _of_groups(card, measure, rules, kept, figure)
        return Value(mean, int(counts.sum()), absent, 0, None, whole=True)
    values, states = values_of_lists(card, measure, rules)
    values[~kept | lists_without_value(values, states, kept).any()] = np.nan
    combination, counted = measure.combination, ~np.isnan(values)
    if measure.metric.aggregate == "sum" and combination.plain:
        mean = exact_sum(values[counted]) if counted.any() else np.nan
    else:
        weights = card.columns.weights.get(combination.list_weights or "")

        def figure(chosen: Mask) -> float:
            rows = chosen & counted
            return combination.lists.of(values[rows], None if weights is None else weights[rows])

        mean = _of_groups(card, measure, rules, counted, figure)
    return Value(
        mean,
        int(counted.sum()),
        int(((states == MISSING) & kept).sum()),
        int(((states >= UNDEFINED) & kept).sum()),
        values,
        whole=not combination.of_lists,
    )


def own_rules(rules: Ruled, measure: Measure) -> Rules:
    """A measure's own rules."""
    return rules if isinstance(rules, Rules) else rules[measure.id]


def _counting(card: Scorecard, measure: Measure, skip: bool) -> Mask:
    """The lists whose rows a figure is made of.

    Missing lists add no rows to a pooled figure; some figures (ListCoverage) count them. The
    rows of a table are always there.
    """
    if skip and "labels" in measure.metric.kinds:
        return card.answered
    return np.ones(len(card.lists), dtype=bool)


def values_of_lists(card: Scorecard, measure: Measure, rules: Ruled) -> tuple[Floats, States]:
    """The value of each list after the rules, NaN where it does not count, and its state.

    The lists that a composite's parts skip, it skips; where its formula has no value for a list,
    or a part has none because of the submission, the list is withheld. `rules` is of one measure,
    or by measure id. Gives two arrays of shape (lists,): values, and SCORED, MISSING, UNDEFINED or
    WITHHELD.
    """
    own = own_rules(rules, measure)
    outside = ~belonging(card, measure)
    if measure.parts:
        parts = {part.id: values_of_lists(card, part, rules) for part in measure.parts}
        values = formula_of(measure.params["score"]).value({k: v for k, (v, _) in parts.items()})
        skipped = np.any([np.isnan(values_of_part) for values_of_part, _ in parts.values()], axis=0)
        held = [
            lists_without_value(values_of_part, state) for values_of_part, state in parts.values()
        ]
        lost = np.any(held, axis=0) | ~skipped
        states = np.where(np.isnan(values) & lost, WITHHELD, SCORED).astype(np.uint8)
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


def lists_without_value(values: Floats, states: States, keep: Mask | None = None) -> Mask:
    """The lists, of those in `keep`, for which a submission has to have a value and has none."""
    lost: Mask = (states == WITHHELD) & np.isnan(values)
    return lost if keep is None else lost & keep


def group_figures(
    card: Scorecard, measure: Measure, rules: Ruled, groups: Grouped, figure: Figure
) -> Floats:
    """The figure of each innermost group; where it has none, what the rules say.

    `figure` makes a figure of a mask of lists. The result has shape (groups,).
    """
    masks = (groups.codes == group for group in range(len(groups.names)))
    figures = np.array([figure(mask) for mask in masks])
    if (lost := np.isnan(figures)).any():
        figures[lost] = fillers(card, measure, own_rules(rules, measure), groups)[lost]
    return figures


def _of_groups(
    card: Scorecard, measure: Measure, rules: Ruled, lists: Mask, figure: Figure
) -> float:
    """The figure of lists, or the one that their groups' figures make."""
    groups = grouped(card.columns, measure, lists)
    if groups is None:
        return float(figure(lists))
    if not groups.names:
        return float("nan")
    figures = group_figures(card, measure, rules, groups, figure)
    if (lost := np.isnan(figures)).any() and (lost & owed(card, measure, groups)).any():
        return float("nan")
    sizes = np.bincount(groups.codes[lists], minlength=figures.size).astype(np.float64)
    return float(combined(figures[None], sizes[None], groups.levels)[0])


def _lacking(card: Scorecard, measure: Measure, rules: Ruled) -> bool:
    """Whether a measure has no value because of the submission, not of the truth."""
    if lacking(card, measure):
        return True
    if not measure.of_lists:
        return any(_lacking(card, part, rules) for part in measure.parts)
    return bool(lists_without_value(*values_of_lists(card, measure, rules)).any())


def _formula(card: Scorecard, measure: Measure, rules: Ruled, kept: Mask) -> Value:
    """A composite of the parts' numbers; where it is a mean of lists, with each list's value."""
    parts = {part.id: aggregate_values(card, part, rules, kept) for part in measure.parts}
    tree = formula_of(measure.params["score"])
    mean = tree.value({key: np.array([value.mean]) for key, value in parts.items()})
    list_values: Floats | None = None
    counts = [
        value.per_list for value in parts.values() if value.plain and value.per_list is not None
    ]
    alike = len(counts) == len(parts) and all(
        (np.isnan(values) == np.isnan(counts[0])).all() for values in counts
    )
    if alike and tree.is_affine() and all(p.metric.aggregate != "sum" for p in measure.parts):
        list_values = tree.value(dict(zip(parts, counts, strict=True)))
    about = [_list_masks(card, part, rules, kept) for part in measure.parts]
    lists, missing, undefined = (
        int(np.any(masks, axis=0).sum()) for masks in zip(*about, strict=True)
    )
    return Value(float(mean[0]), lists, missing, undefined, list_values, whole=list_values is None)


def _list_masks(
    card: Scorecard, measure: Measure, rules: Ruled, kept: Mask
) -> tuple[Mask, Mask, Mask]:
    """The lists that a measure counts, those that are missing, and those it is undefined for."""
    members = kept & belonging(card, measure)
    if measure.parts and not measure.of_lists:
        parts = [_list_masks(card, part, rules, kept) for part in measure.parts]
        counted, missing, undefined = (np.any(masks, axis=0) for masks in zip(*parts, strict=True))
        return counted, missing, undefined
    if measure.id in card.figures:
        skip = own_rules(rules, measure).missing == "skip"
        counted = members & card.answered if skip else members
        return counted, members & ~card.answered, np.zeros_like(members)
    values, states = values_of_lists(card, measure, rules)
    return (
        ~np.isnan(values) & members,
        (states == MISSING) & members,
        (states >= UNDEFINED) & members,
    )


def aggregate_folds(
    cards: Mapping[str, Scorecard], lists: Sequence[str], measure: Measure, rules: Ruled
) -> Value:
    """The mean over folds, each settled as a truth of its own, and how much they differ.

    The deviation is the sample's (n - 1). A fold that has no value because of its truth counts in
    neither; of one that has none because of the submission, neither has a value. A list's value
    is its mean over the folds that it is in. `cards` has the raw values of the lists of each fold;
    `lists` is all lists, in order.
    """
    by_fold = {fold: aggregate_values(card, measure, rules) for fold, card in cards.items()}
    means = np.array([value.mean for value in by_fold.values()])
    lost = [fold for fold, value in by_fold.items() if math.isnan(value.mean)]
    if not any(_lacking(cards[fold], measure, rules) for fold in lost):
        means = means[~np.isnan(means)]
    total, times = np.zeros(len(lists)), np.zeros(len(lists))
    missing, undefined = np.zeros(len(lists), dtype=bool), np.zeros(len(lists), dtype=bool)
    place = {name: n for n, name in enumerate(lists)}
    for fold, value in by_fold.items():
        card = cards[fold]
        rows = np.array([place[name] for name in card.lists], dtype=np.int64)
        if value.per_list is None or not measure.of_lists:
            missing[rows] |= ~card.answered
            continue
        states, defined = values_of_lists(card, measure, rules)[1], ~np.isnan(value.per_list)
        missing[rows] |= states == MISSING
        undefined[rows] |= states >= UNDEFINED
        total[rows[defined]] += value.per_list[defined]
        times[rows[defined]] += 1
    whole = any(value.per_list is None for value in by_fold.values()) or not measure.of_lists
    return Value(
        exact_mean(means),
        int((~missing).sum() if own_rules(rules, measure).missing == "skip" else len(lists))
        if whole
        else int((times > 0).sum()),
        int(missing.sum()),
        int(undefined.sum()),
        None if whole else divide(total, times),
        {fold: value.mean for fold, value in by_fold.items()},
        float(means.std(ddof=1)) if means.size > 1 else np.nan,
        whole or not all(value.plain for value in by_fold.values()),
    )
