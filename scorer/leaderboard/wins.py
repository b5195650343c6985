"""Ranks in each list, or group of lists, as a measure of the whole board.

It depends on who else is ranked, so that it is worked out where submissions come together: it is
put before the measures of the challenge, and is then a measure as they are, whose lists, or
groups, have values of their own.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Sequence
from dataclasses import replace

import numpy as np

from scorer.core.arrays import Floats, round_for_ranks
from scorer.core.errors import PluginError
from scorer.metrics.api import Better, Metric
from scorer.metrics.notation import Measure
from scorer.results.report import RankAggregate, Scored, Value
from scorer.stats.ranks import win_rates
from scorer.views.columns import View

Range = tuple[float | None, float | None]
# what a rate of wins over so many others is, its bounds, and whether more of it is better
WINS: dict[str, tuple[Callable[[Floats, Floats], Floats], Range, Better]] = {
    "WinRate": (lambda rates, others: rates, (0, 1), "higher"),
    "MeanRank": (lambda rates, others: 1 + (1 - rates) * others, (1, None), "lower"),
    "Borda": (lambda rates, others: rates * others, (0, None), "higher"),
}


def with_wins(
    by: RankAggregate,
    measures: Sequence[Measure],
    scored: Sequence[Scored],
    group_of: Sequence[str | None],
) -> tuple[tuple[Measure, ...], list[Scored]]:
    """The measures and the submissions with the measure that ranks, the first.

    Baselines are held against the ranked, and change nothing of them. `group_of` is the group of
    each list.
    """
    valid = [each for each in scored if each.valid]
    rivals = np.array([not each.baseline for each in valid], dtype=bool)
    made = WINS[by.aggregate.metric.name][0]
    groups = sorted({group for each in valid for of in each.groups.values() for group in of})
    looked_at = [measure for measure in measures if measure.id in by.measures]
    own_groups = groups if by.each == "group" else None
    rates = [win_rates(_values_in(each, valid, own_groups), rivals) for each in looked_at]
    others = (rivals.sum() - rivals)[:, None].astype(np.float64)
    table = made(_known_mean(np.array(rates), axis=0), others)
    metric = _metric(by.aggregate.metric, looked_at[0].metric.view)
    signature = _signature(metric, by, measures, valid)
    measure = replace(
        by.aggregate, metric=metric, id=metric.name, primary=True, board_signature=signature
    )
    each_of = dict(zip((each.name for each in valid), table, strict=True))
    return (
        (measure, *(replace(other, primary=False) for other in measures)),
        [
            _with_value(each, measure, by, each_of[each.name], groups, group_of)
            if each.valid
            else each
            for each in scored
        ],
    )


def wins(lists: View) -> Floats:
    """The ranks of submissions in lists, or in groups, as one value of each submission."""
    raise PluginError("ranks are made of the values of several submissions")


def _metric(aggregation: Metric, view: type[View]) -> Metric:
    """The metric of a measure that only a board has."""
    _, bounds, better = WINS[aggregation.name]
    return Metric(
        aggregation.name,
        title=aggregation.title,
        source=aggregation.source,
        range=bounds,
        better=better,
        view=view,
        docs=aggregation.page,
        in_catalogue=False,
    ).of(wins)


def _values_in(measure: Measure, valid: Sequence[Scored], groups: Sequence[str] | None) -> Floats:
    """Values of submissions in lists, or in these groups, higher is better."""
    rows = [
        each.values[measure.id].per_list
        if groups is None
        else np.array([each.groups[measure.id].get(group, np.nan) for group in groups])
        for each in valid
    ]
    sign = 1.0 if measure.metric.better == "higher" else -1.0
    values = np.array(rows, dtype=np.float64).reshape(len(valid), -1)
    return sign * round_for_ranks(values)


def _known_mean(values: Floats, axis: int) -> Floats:
    """Return the mean of values that are not NaN; NaN without any."""
    known = ~np.isnan(values)
    counts = known.sum(axis=axis)
    total = np.where(known, values, 0.0).sum(axis=axis)
    return np.asarray(np.where(counts > 0, total / np.maximum(counts, 1), np.nan))


def _with_value(
    scored: Scored,
    measure: Measure,
    by: RankAggregate,
    row: Floats,
    groups: Sequence[str],
    group_of: Sequence[str | None],
) -> Scored:
    """A submission with the value that ranks it, of the lists or groups in which it is ranked."""
    mean, known, first = (
        float(_known_mean(row, axis=0)),
        ~np.isnan(row),
        scored.values[by.measures[0]],
    )
    if by.each == "group":
        value = Value(mean, first.lists, first.missing, first.undefined, None, groups=row[known])
        own = dict(zip(groups, row.tolist(), strict=True))
    else:
        value = Value(mean, int(known.sum()), first.missing, first.undefined, row)
        here = np.array([each or "" for each in group_of])
        own = {group: float(_known_mean(row[here == group], axis=0)) for group in groups}
    by_group = {measure.id: own, **scored.groups} if scored.groups else scored.groups
    return replace(scored, values={measure.id: value, **scored.values}, groups=by_group)


def _signature(
    metric: Metric, by: RankAggregate, measures: Sequence[Measure], valid: Sequence[Scored]
) -> str:
    """Of the measures, and of who is ranked: the same value of other rivals says another thing."""
    rivals = sorted(f"{each.name}\0{each.sha256}" for each in valid if not each.baseline)
    digest = hashlib.blake2b("\0\0".join(rivals).encode(), digest_size=4).hexdigest()
    signatures = {measure.id: measure.board_signature for measure in measures}
    of = "|".join(f"{key}:({signatures[key]})" for key in by.measures)
    return f"{metric.name}|each:{by.each}|{of}|ranked:{len(rivals)}|rivals:{digest}"
