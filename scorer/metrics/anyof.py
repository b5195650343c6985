"""Metrics of a table whose rows are parts of something: any of a study's rows makes the study."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import partial, wraps
from types import SimpleNamespace
from typing import Any

import numpy as np

from scorer.core.arrays import Floats
from scorer.metrics.base import Metric
from scorer.metrics.notation import NotationError
from scorer.metrics.statistic import Weighted
from scorer.views.extras import Column
from scorer.views.labelled import Labelled, LabelledRows, Targets
from scorer.views.pooled import Statistics

# columns of the statistics; after these what is the greatest of a study
KEY, WEIGHT, ANSWERED, GIVEN = range(4)
BY_LABEL, BY_PROBABILITY, BY_SCORE = 1, 2, 4  # what a submission gives


def any_of(inner: Metric, by: str, label: str | None) -> Metric:
    """A metric of the rows of a table, of studies in their place.

    A study has the class where any of its rows has it, and is as likely as the likeliest of them;
    of numbers it has the greatest. Its weight is the greatest of its rows'.

    Args:
        inner: a metric of classes or of numbers.
        by: a further column of the truth or of lists; rows with the same value are one study.
        label: the class; None for the second of two.
    """

    @wraps(inner.function)
    def whole(rows: Any, **_: Any) -> Statistics:
        return _rows(rows, by, label)

    def figure(statistics: Statistics, weights: Floats, **params: Any) -> float:
        return _figure(inner, statistics, weights, params)

    return replace(
        inner,
        function=whole,
        aggregate="pooled",
        statistic=Weighted(figure),
        settle={name: _of_two(settle, label) for name, settle in inner.settle.items()},
        explain=None,
        again=partial(any_of, inner, by, label),
    )


def _of_two(settle: Callable[[Any], Any], label: str | None) -> Callable[[Any], Any]:
    """What the challenge settles, where a row has the class or has it not."""

    def settled(constants: Any) -> Any:
        classes = constants.classes
        named = classes[-1] if label is None and classes else label
        return settle(SimpleNamespace(classes=(f"not {named}", named), several=False))

    return settled


def _rows(rows: LabelledRows, by: str, label: str | None) -> Statistics:
    """Each row with the key of its study; NaN where a submission says nothing."""
    columns = rows.truth_columns if by in rows.truth_columns else rows.list
    named = _keys(columns[by]), rows.weights, rows.answered
    if isinstance(rows, Targets):
        return rows.pooled(*named, np.zeros(rows.lists), rows.target, rows.prediction)
    assert isinstance(rows, Labelled)
    code = _place(rows, label)
    nothing = np.full(rows.lists, np.nan)
    label_of = nothing if rows.label is None else rows.indicators(rows.label)[:, code]
    likely = nothing if rows.probability is None else rows.probability[:, code]
    score = nothing if rows.score is None else rows.score[:, code]
    given = (rows.label is not None) * BY_LABEL + (rows.probability is not None) * BY_PROBABILITY
    given += (rows.score is not None) * BY_SCORE
    answers = np.full(rows.lists, given), rows.indicators(rows.truth)[:, code]
    return rows.pooled(*named, *answers, label_of, likely, score)


def _place(rows: Labelled, label: str | None) -> int:
    if label is None and len(rows.classes) == 2 and not rows.several:
        return 1
    if label not in rows.classes:
        classes = ", ".join(rows.classes[:8])
        raise NotationError(f"any needs the class that any row has, one of {classes}", "any")
    return rows.classes.index(label)


def _keys(column: Column) -> Floats:
    """A number of each study's name, the same wherever it is worked out."""
    names, codes = np.unique(column.astype(str), return_inverse=True)
    digests = (hashlib.blake2b(name.encode(), digest_size=6).digest() for name in names.tolist())
    return np.array([int.from_bytes(digest) for digest in digests], dtype=np.float64)[codes]


def _figure(
    inner: Metric, statistics: Statistics, weights: Floats, params: Mapping[str, Any]
) -> float:
    """The figure of the studies. A study counts as often as its first row is drawn."""
    if not len(statistics.rows):
        return float("nan")
    _, first, study = np.unique(statistics.rows[:, KEY], return_index=True, return_inverse=True)
    drawn = weights[statistics.in_list[first]]
    greatest = np.full((first.size, statistics.rows.shape[1]), -np.inf)
    np.maximum.at(greatest, study.reshape(-1), np.nan_to_num(statistics.rows, nan=-np.inf))
    greatest[np.isneginf(greatest)] = np.nan
    kept = drawn > 0
    if not kept.any():
        return float("nan")
    view = _studies(inner, greatest[kept], drawn[kept], params)
    given = inner.values(view, **params)
    if isinstance(given, Statistics):
        assert inner.statistic is not None
        return inner.statistic.figure(given, **params)
    return float(np.average(given, weights=view.weights))


def _studies(
    inner: Metric, table: Floats, drawn: Floats, params: Mapping[str, Any]
) -> LabelledRows:
    """The studies as rows of a table."""
    names = tuple(map(str, range(len(table))))
    answered, weight = table[:, ANSWERED] > 0, table[:, WEIGHT] * drawn
    if inner.view is Targets:
        return Targets(names, answered, weight, table[:, 4], table[:, 5])
    positive = str(params.get("positive") or "any")
    has, label, likely, score = table[:, 4:8].T
    given = int(table[0, GIVEN])
    return Labelled(
        names, answered, weight, (f"not {positive}", positive), has.astype(np.int64),
        None if not given & BY_LABEL else np.where(np.isnan(label), -1, label).astype(np.int64),
        None if not given & BY_PROBABILITY else np.column_stack([1 - likely, likely]),
        None if not given & BY_SCORE else np.column_stack([-score, score]),
    )  # fmt: skip
