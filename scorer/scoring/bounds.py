"""The lowest and the highest value that unjudged items leave possible."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from scorer.core.arrays import Floats
from scorer.metrics.measure import Measure
from scorer.metrics.params import MOST
from scorer.results.report import Value, ValueBounds
from scorer.results.scorecard import HIGHEST, JUDGED, LOWEST, Scorecard
from scorer.scoring.evaluate import evaluate
from scorer.scoring.settle import Ruled, own_rules, settle
from scorer.views.hits import Judged
from scorer.views.meeting import Views
from scorer.views.unjudged import Unjudged


def bounded(measure: Measure) -> bool:
    """Whether the bounds of a measure are known: of the metric, and of what its lists make."""
    combination = measure.combination
    names = {each.name for each in (combination.lists, *combination.aggregates)}
    return (
        measure.metric.unjudged is not None
        and measure.of_lists
        and combination.where is None
        and not names & {"stability", "dispersion"}
    )


def with_bounds(
    card: Scorecard, views: Views, measures: Sequence[Measure], grades: Floats
) -> Scorecard:
    """The scorecard with the lowest and highest value of each list, and the share judged.

    `grades` are those that an item can get: 0, then the truth's above it, ascending.
    """
    every = {part.id: part for whole in measures for part in whole.all_parts if bounded(part)}
    if not every:
        return card
    from scorer.metrics.judged import judged as share_of_judged  # no other run needs it

    unjudged = Unjudged.of(views.views[Judged])
    values = dict(card.values)
    for key, measure in every.items():
        if (found := extremes(measure, unjudged, grades)) is not None:
            # the value is that of one assignment, too: so no rounding leaves it outside
            own = np.nan if measure.params.get("judged_only") else card.values[key]
            values[key + LOWEST] = np.fmin(found[0], own)
            values[key + HIGHEST] = np.fmax(found[1], own)
            k = measure.params.get("k") or MOST
            values[key + JUDGED] = share_of_judged(unjudged.judged, k=k).values
    return card._replace(values=values)


def extremes(measure: Measure, unjudged: Unjudged, grades: Floats) -> tuple[Floats, Floats] | None:
    """The least and the greatest value of each list, NaN where it has none."""
    assert measure.metric.unjudged is not None
    params = measure.params
    if "judged_only" in params:  # all will be judged
        params = {**params, "judged_only": False}
    chosen = [measure.metric.unjudged(each, grades, params) for each in unjudged.each()]
    if any(each is None for each in chosen):
        return None
    complete = replace(measure, params=params)
    low, high = (
        evaluate(complete, {Judged: unjudged.graded(np.concatenate([np.empty(0), *each]))})
        for each in zip(*chosen, strict=True)
    )
    assert isinstance(low, np.ndarray)
    assert isinstance(high, np.ndarray)
    return low, high


def settled_bounds(
    card: Scorecard, measure: Measure, rules: Ruled, value: Value
) -> ValueBounds | None:
    """The bounds of a submission's value after the rules; None where they are not known.

    A list that the rules leave out, since its truth makes the measure undefined, stays out.
    """
    if measure.id + LOWEST not in card.values:
        return None
    raw = card.values[measure.id]
    left_out = own_rules(rules, measure).undefined != "zero"

    def end(suffix: str) -> float:
        as_ruled = np.isnan(raw) & (left_out or suffix == LOWEST)  # zero is the lowest
        values = np.where(as_ruled, np.nan, card.values[measure.id + suffix])
        changed = card._replace(values={**card.values, measure.id: values})
        return settle(changed, measure, rules).mean

    shares = card.values[measure.id + JUDGED]
    if value.per_list is not None:
        shares = shares[~np.isnan(value.per_list)]
    shares = shares[~np.isnan(shares)]
    return ValueBounds(end(LOWEST), end(HIGHEST), float(shares.mean()) if shares.size else np.nan)
