"""Kaggle's own metrics: a file with `score(solution, submission, row_id_column_name, **params)`.

The frames hold what the challenge's columns declare, under the names that its files have; rows
are in the order of their ids, which the frames give as places from 0. Such a measure is one
figure of all rows.
"""

from __future__ import annotations

import inspect
import math
import re
from collections.abc import Callable, Mapping
from contextlib import suppress
from functools import partial
from importlib import import_module
from pathlib import Path
from typing import Any, get_type_hints

import numpy as np

from scorer.challenge.model import Challenge
from scorer.core.arrays import Floats
from scorer.core.errors import PluginError, SubmissionRejected
from scorer.core.problems import Problem
from scorer.core.registry import module_of, plugin_call
from scorer.core.text import printable, quoted
from scorer.metrics.base import Better, Metric
from scorer.metrics.statistic import Unbootstrappable
from scorer.tables.table import number
from scorer.views.labelled import Labelled, LabelledRows, Targets
from scorer.views.pooled import Statistics

GIVEN = 3  # parameters of `score` that are not the metric's own
VISIBLE = "ParticipantVisibleError"  # what such a file raises when a submission is at fault
PROBABILITY = "probability"


def kaggle_metric(path: Path, name: str, better: Better, challenge: Challenge) -> Metric:
    """The metric that a file's `score` is; it does not say which direction is `better`.

    `PluginError` if the file cannot be run, or has no such function.
    """
    function = getattr(module_of(path), "score", None)
    if not callable(function):
        raise PluginError(f"the metric {quoted(path.name)} defines no function score")
    _, *parameters = _parameters(function, path)
    columns = _named_columns(challenge)
    own_hints: dict[str, Any] = {}
    with suppress(Exception):  # annotations of its own, which need not make sense
        own_hints = get_type_hints(function)

    def figure(statistics: Statistics, **params: Any) -> float:
        classes = params.pop("classes")
        message = f"the metric {quoted(path.name)} failed"
        with plugin_call(message):
            try:
                returned = function(
                    *_frames(statistics, columns, classes), columns["list"][0], **params
                )
            except Exception as error:
                if type(error).__name__ != VISIBLE:
                    raise
                raise SubmissionRejected(
                    problems=[Problem("S529", f"{path.name} says: {printable(error)}")]
                ) from error
            value = float(returned)
        if not math.isfinite(value):
            raise PluginError(f"{message}: it gave {value}")
        return value

    def whole(rows: LabelledRows, **params: Any) -> Statistics:
        statistics = _statistics(rows)
        figure(statistics, **params)  # which may refuse the submission
        return statistics

    whole.__doc__ = inspect.getdoc(function) or f"Kaggle's metric in {path.name}."
    whole.__module__ = path.stem
    hints = {p.name: own_hints[p.name] for p in parameters if p.name in own_hints}
    whole.__annotations__ = {"rows": LabelledRows, **hints, "classes": tuple[str, ...] | None}
    whole.__wrapped__ = function  # type: ignore[attr-defined]  # by which its file is known
    first = inspect.Parameter("rows", inspect.Parameter.POSITIONAL_OR_KEYWORD)
    classes = inspect.Parameter("classes", inspect.Parameter.KEYWORD_ONLY, default=None)
    own_parameters = [p.replace(kind=inspect.Parameter.KEYWORD_ONLY) for p in parameters]
    whole.__signature__ = inspect.Signature([first, *own_parameters, classes])  # type: ignore[attr-defined]
    return Metric(
        name,
        f"Kaggle's metric in {path.name}",
        f"this challenge, {path.name}",
        whole,
        range=(None, None),
        better=better,
        aggregate="pooled",
        settle={"classes": lambda constants: constants.classes or None},
        statistic=Unbootstrappable(figure),
        again=partial(kaggle_metric, path, name, better, challenge),
    )


def _parameters(function: Callable[..., Any], path: Path) -> list[inspect.Parameter]:
    """The row id's parameter and those after it."""
    try:
        parameters = list(inspect.signature(function).parameters.values())
    except (TypeError, ValueError):
        parameters = []
    if len(parameters) < GIVEN:
        message = "score takes solution, submission and row_id_column_name"
        raise PluginError(f"the metric {quoted(path.name)}: {message}")
    if any(p.kind in (p.VAR_POSITIONAL, p.VAR_KEYWORD) for p in parameters):
        message = "score names each of its parameters, and takes no * or **"
        raise PluginError(f"the metric {quoted(path.name)}: {message}")
    return parameters[GIVEN - 1 :]


def _named_columns(challenge: Challenge) -> dict[str, tuple[str, str]]:
    """Role -> the names of its column in the truth and in a submission."""
    rules = challenge.submission
    roles = ("list", "label", "target", "weight", "prediction")
    columns = {
        role: (challenge.truth.columns.get(role, role), rules.columns.get(role, role))
        for role in roles
    }
    columns["list"] = (columns["list"][0],) * 2  # one name for both frames
    for name, column in rules.probability.items() or {"": PROBABILITY}.items():
        columns[f"{PROBABILITY}[{name}]"] = (column, column)
    return columns


def _statistics(rows: LabelledRows) -> Statistics:
    """Truth and answers as numbers: true, weight, label or prediction, then probabilities."""
    if isinstance(rows, Targets):
        return rows.pooled(rows.target, rows.weights, rows.prediction)
    if not isinstance(rows, Labelled) or rows.several:
        raise PluginError("Kaggle's metrics look at rows with one label or number each")
    label = rows.decided() if rows.label is None else rows.label
    probabilities = [] if rows.probability is None else [*rows.probability.T]
    return rows.pooled(rows.truth, rows.weights, label, *probabilities)


def _frames(
    statistics: Statistics, columns: Mapping[str, tuple[str, str]], classes: tuple[str, ...] | None
) -> tuple[Any, Any]:
    """The solution and the submission as pandas' data frames."""
    try:
        pandas = import_module("pandas")
    except ImportError:
        raise PluginError("Kaggle's metrics need pandas: pip install pandas") from None
    true, weight, answer, *probabilities = statistics.rows.T
    row = {columns["list"][0]: statistics.in_list}
    if classes is None:
        solution = row | {columns["target"][0]: true}
        submission = row | {columns["prediction"][1]: answer}
    else:
        names = _values(classes)
        solution = row | {columns["label"][0]: names[true.astype(np.int64)]}
        submission = dict(row)
        if probabilities:
            submission |= _probability_columns(columns, classes, probabilities)
        else:
            submission[columns["label"][1]] = names[answer.astype(np.int64)]
    if (weight != 1).any():
        solution[columns["weight"][0]] = weight
    return pandas.DataFrame(solution), pandas.DataFrame(submission)


def _probability_columns(
    columns: Mapping[str, tuple[str, str]], classes: tuple[str, ...], probabilities: list[Floats]
) -> dict[str, Floats]:
    """The columns of probabilities as the file has them; a single one is the positive class's."""
    labelled = [
        (role.removeprefix(f"{PROBABILITY}[")[:-1], name)
        for role, (_, name) in columns.items()
        if role.startswith(f"{PROBABILITY}[")
    ]
    return {name: probabilities[classes.index(label) if label else -1] for label, name in labelled}


def _values(classes: tuple[str, ...]) -> Any:
    """The classes as values of a column: numbers where all of them are."""
    if all(number(name)[1] is None for name in classes):
        whole = all(re.fullmatch(r"-?\d{1,15}", name) for name in classes)
        return np.array([int(name) if whole else float(name) for name in classes])
    return np.array(classes, dtype=object)
