"""Raw values to a mean, by the challenge's rules."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from scorer.core.arrays import Mask
from scorer.metrics.base import Measure
from scorer.results.report import Value
from scorer.results.scorecard import MISSING, UNDEFINED, Rules, Scorecard
from scorer.views.hits import ratio


def settle(card: Scorecard, measure: Measure, rules: Rules, keep: Mask | None = None) -> Value:
    """The value that the rules make of a scorecard's lists, or of those that `keep` names."""
    kept = np.ones(len(card.lists), dtype=bool) if keep is None else keep
    if (statistics := card.statistics.get(measure.id)) is not None:
        assert measure.metric.figure is not None
        counts = card.answered & kept if rules.missing == "skip" else kept
        # Missing lists add no rows to a pooled figure; some figures (ListCoverage) count them.
        # The rows of a table are always there.
        used = counts if "labels" in measure.metric.kinds else kept
        figure = measure.metric.figure(statistics.of(used), **measure.params)
        absent = int((~card.answered & kept).sum())
        return Value(float(figure), int(counts.sum()), absent, 0, None)
    values = card.values[measure.id].copy()
    states = card.states(measure.id, rules)
    values[states == UNDEFINED] = 0.0 if rules.undefined == "zero" else np.nan
    if rules.missing == "skip":
        values[states == MISSING] = np.nan
    values[~kept] = np.nan
    counted = values[~np.isnan(values)]
    # one after the other, as trec_eval adds them, to the bit
    total = float(np.cumsum(counted)[-1]) if counted.size else np.nan
    mean = total if measure.metric.aggregate == "sum" or not counted.size else total / counted.size
    return Value(
        mean,
        counted.size,
        int(((states == MISSING) & kept).sum()),
        int(((states == UNDEFINED) & kept).sum()),
        values,
    )


def over_folds(
    cards: Mapping[str, Scorecard], lists: Sequence[str], measure: Measure, rules: Rules
) -> Value:
    """The mean over folds, each settled as a truth of its own, and how much they differ.

    The deviation is the sample's (n - 1). A fold without a value counts in
    neither. A list's value is its mean over the folds that it is in.
    """
    found = {fold: settle(card, measure, rules) for fold, card in cards.items()}
    means = np.array([value.mean for value in found.values()])
    means = means[~np.isnan(means)]
    total, times = np.zeros(len(lists)), np.zeros(len(lists))
    missing, undefined = np.zeros(len(lists), dtype=bool), np.zeros(len(lists), dtype=bool)
    place = {name: n for n, name in enumerate(lists)}
    for fold, value in found.items():
        card = cards[fold]
        mine = np.array([place[name] for name in card.lists], dtype=np.int64)
        if value.per_list is None:
            missing[mine] |= ~card.answered
            continue
        states, known = card.states(measure.id, rules), ~np.isnan(value.per_list)
        missing[mine] |= states == MISSING
        undefined[mine] |= states == UNDEFINED
        total[mine[known]] += value.per_list[known]
        times[mine[known]] += 1
    whole = any(value.per_list is None for value in found.values())
    return Value(
        float(means.mean()) if means.size else np.nan,
        int((~missing).sum() if rules.missing == "skip" else len(lists))
        if whole
        else int((times > 0).sum()),
        int(missing.sum()),
        int(undefined.sum()),
        None if whole else ratio(total, times),
        {fold: value.mean for fold, value in found.items()},
        float(means.std(ddof=1)) if means.size > 1 else np.nan,
    )
