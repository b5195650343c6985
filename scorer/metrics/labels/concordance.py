"""Concordance index of times, some of them censored."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any, Literal

import numpy as np
from pydantic import Field

from scorer.core.arrays import Floats, Ints
from scorer.metrics.base import metric
from scorer.metrics.labels.base import divided
from scorer.metrics.labels.curves import placed
from scorer.metrics.labels.further import numbers
from scorer.metrics.quotient import Rowwise
from scorer.metrics.statistic import Sums, fewest
from scorer.views.labelled import Targets
from scorer.views.pooled import Statistics

EventColumn = Annotated[
    str,
    Field(
        min_length=1,
        description="The further column of the truth that is 1 where the event was seen at the "
        "time, and 0 where nothing had happened until then. Default: it was seen in all rows.",
    ),
]
Strata = Annotated[
    str,
    Field(
        min_length=1,
        description="A further column of the truth; only rows that are equal there are compared.",
    ),
]
Predicts = Annotated[
    Literal["time", "risk"],
    Field(description="Whether a higher prediction means a later event (time) or an earlier one."),
]


def _beside(block: Ints, rank: Ints, weight: Floats, at_block: Ints, at_rank: Ints) -> Floats:
    """The weight of other rows in the same block with a lower, an equal and a higher rank.

    `block`, `rank` and `weight` are of the other rows, `at_block` and `at_rank` of those asked
    about. The result has shape (3, rows asked about).
    """
    width = int(max(rank.max(initial=0), at_rank.max(initial=0))) + 1
    code = block * width + rank
    by = np.argsort(code)
    ordered, running = code[by], np.append(0.0, np.cumsum(weight[by]))
    own = at_block * width + at_rank
    edges = (at_block * width, own, own + 1, (at_block + 1) * width)
    sums = np.array([running[np.searchsorted(ordered, edge)] for edge in edges])
    return np.diff(sums, axis=0)


def _codes(*keys: Floats) -> Ints:
    """Equal numbers for rows that are equal in all keys, in their order; the first key leads."""
    by = np.lexsort(keys[::-1])
    new = np.zeros(by.size, dtype=bool)
    for key in keys:
        new[1:] |= key[by][1:] != key[by][:-1]
    code = np.empty(by.size, dtype=np.int64)
    code[by] = np.cumsum(new)
    return code


def pairs(statistics: Statistics) -> Floats:
    """Each row's comparable pairs: those in the right order, ties as half, and all, by weight.

    A pair is compared if the event of the earlier row was seen; at equal times an event is
    earlier than what was not seen. The result has shape (rows, 2). Rows of two blocks of a binary
    tree over the times are compared at once, level by level.
    """
    time, event, prediction, weight, stratum = statistics.rows.T
    group, rank = _codes(time, 1 - event), _codes(prediction)
    tally = np.zeros((time.size, 2))
    levels = int(group.max(initial=0)).bit_length()
    layer = _codes(stratum)
    for level in range(levels):
        block = (layer << levels) + (group >> (level + 1))
        late = (group >> level & 1).astype(bool)
        early = ~late & (event > 0)
        for mine, others, right in ((early, late, 2), (late, early, 0)):
            sums = _beside(block[others], rank[others], weight[others], block[mine], rank[mine])
            tally[mine, 0] += weight[mine] * (sums[right] + sums[1] / 2)
            tally[mine, 1] += weight[mine] * sums.sum(axis=0)
    return tally


def _index(statistics: Statistics, **_: Any) -> float:
    if np.isnan(statistics.rows).any():
        return float("nan")
    right, whole = pairs(statistics).sum(axis=0)
    return float(right / whole) if whole > 0 else float("nan")


def _terms(statistics: Statistics, **_: Any) -> Floats:
    """Each row's share of the index to the first order: a pair hangs on two rows."""
    if np.isnan(statistics.rows).any():
        return np.full((statistics.lists, 3), np.nan)
    tally = pairs(statistics)
    right, whole = tally.sum(axis=0)
    index = right / whole if whole > 0 else np.nan
    event = statistics.rows[:, 1] * statistics.rows[:, 3]
    terms = np.column_stack([2 * tally[:, 0] - index * tally[:, 1], tally[:, 1], event])
    return placed(statistics, terms)


def _of_sums(sums: Floats, **_: Any) -> Floats:
    return divided(sums[:, 0], sums[:, 1], np.nan)


def _needed(params: Any) -> tuple[str, ...]:
    columns = (params["event"], params["strata"])
    return tuple(f"truth.extra.{name}" for name in columns if name is not None)


def _formula(params: Mapping[str, Any]) -> str:
    side = r"\hat{y}_i" if params["predicts"] == "time" else r"-\hat{y}_i"
    layer = "" if params["strata"] is None else "[s_i = s_j] "
    return (
        r"\frac{\sum_{i=1}^{n} \sum_{j=1}^{n} c_{i,j} ([z_i < z_j] + \frac{1}{2} [z_i = z_j])}"
        r"{\sum_{i=1}^{n} \sum_{j=1}^{n} c_{i,j}}, "
        rf"\qquad c_{{i,j}} = {layer}d_i ([y_i < y_j] + [y_i = y_j] (1 - d_j)), "
        rf"\qquad z_i = {side}, \qquad d_i = \text{{1 where the event of row }} i "
        r"\text{ was seen, else 0}" + (r", \qquad s_i = \text{stratum of row } i" if layer else "")
    )


@metric(
    "Concordance",
    title="Concordance index",
    source="Harrell et al., JAMA 247(18), 1982; lifelines, concordance_index",
    elsewhere={
        "lifelines": "concordance_index",
        "scikit-survival": "concordance_index_censored; with predicts=risk",
    },
    formula=_formula,
    undefined="no pair of rows can be compared",
    aggregate="pooled",
    aliases=("CIndex",),
    columns=("prediction",),
    needs=_needed,
    statistic=Sums(_of_sums, _terms, _index, fewest(3, 2)),
)
def concordance(
    targets: Targets,
    *,
    event: EventColumn | None = None,
    predicts: Predicts = "time",
    strata: Strata | None = None,
) -> Rowwise:
    """How many comparable pairs of rows are in the right order of their times; ties count half.

    The target is a time. Where `event` names a column, 1 says that something happened at
    that time, 0 that the row was only looked at until then: a pair is compared if the
    event of its earlier row was seen, as in lifelines. With `strata` only rows of the same
    stratum are compared; for the mean of the strata's own values write `average: group`. A
    submission without one of the predictions has no value.

    Times 1, 2, 3, the first two predicted in the wrong order:

    >>> from scorer.views.labelled import targets
    >>> rows = concordance(targets([1, 2, 3], [5, 4, 6])).given
    >>> round(concordance.__scorer__.statistic.figure(rows), 6)         # 2 / 3
    0.666667
    """
    seen = np.ones(targets.lists)
    if event is not None:
        seen = (numbers(targets.truth_columns, event, "Concordance") > 0).astype(np.float64)
    layer = np.zeros(targets.lists)
    if strata is not None:
        layer = np.unique(targets.truth_columns[strata], return_inverse=True)[1].astype(np.float64)
    prediction = targets.prediction if predicts == "time" else -targets.prediction
    given = targets.pooled(targets.target, seen, prediction, targets.weights, layer)
    return Rowwise(given, lambda: {"time": targets.target, "event": seen})
