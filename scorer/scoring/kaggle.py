"""Kaggle's own metrics: a file with `score(solution, submission, row_id_column_name, **params)`.

The frames are both files as pandas reads them: every column, ids as they are, any number of rows
an id. The rows of the submission come in the order of the solution's: its n-th row of an id
where the solution has the n-th of that id. Rows whose column `Usage` is Ignored in the solution are
left out, and so is the column, as Kaggle has it. Such a measure is one figure of all rows.
"""

from __future__ import annotations

import doctest
import inspect
import io
import math
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from dataclasses import replace
from functools import lru_cache, partial
from importlib import import_module
from pathlib import Path
from typing import Any, get_type_hints

import numpy as np

from scorer.challenge.model import Challenge, MeasureSpec
from scorer.core.arrays import Floats, Ints
from scorer.core.errors import PluginError, SubmissionRejected
from scorer.core.plugins import load_module, plugin_errors
from scorer.core.problems import Problem
from scorer.core.text import describe_exception, join_first, printable, quoted
from scorer.metrics.api import Metric
from scorer.metrics.ratios import Figure
from scorer.views.values import Frames

FRAME_PARAMETERS = 3  # of `score`: the first ones, which are not the metric's own
VISIBLE = "ParticipantVisibleError"  # what such a file raises when a submission is at fault
USAGE, IGNORED = "Usage", "Ignored"
SOLUTION, SUBMISSION = 1, 2  # the frame that a row is of
RUNS = 400  # how often a metric is run again, at most: leaderboard/samples.py has as many blocks
MOST_ROWS = 4_000_000  # in all of these runs together: a minute, at 15 microseconds a row


class KaggleScore:
    """A file's `score` as the function of a metric, with its own parameters."""

    def __init__(self, path: Path, ids: str, own_ids: str, resample: str | None) -> None:
        self.arguments = path, ids, own_ids, resample
        self.file, self.ids, self.own_ids, self.resample = path.name, ids, own_ids, resample
        function = getattr(load_module(path), "score", None)
        if not callable(function):
            raise PluginError(f"the metric {quoted(path.name)} defines no function score")
        self.score = self.__wrapped__ = function  # by the latter its file is known
        self.__module__ = path.stem
        self.__signature__ = _signature(function, path)

    def __call__(self, frames: Frames, **params: Any) -> Figure:
        """Return the figure of all rows; `SubmissionRejected` if the file refuses them."""
        figure = _figure(frames, self.ids, self.own_ids, self.resample)
        settings = {
            "score": self.score,
            "file": self.file,
            "ids": self.ids,
            "own_ids": self.own_ids,
            "solution": frames.solution,
            "submission": frames.submission,
            "params": params,
        }
        if frames.answered.all():
            _value_of_file(figure.columns, **settings)
        return replace(figure, function=partial(_value_of_rows, **settings))

    def __reduce__(self) -> tuple[Any, ...]:
        """Pickle by the file, which another process runs for itself."""
        return KaggleScore, self.arguments


def kaggle_metric(path: Path, name: str, spec: MeasureSpec, challenge: Challenge) -> Metric:
    """Return the metric that a file's `score` is; `PluginError` if the file cannot be run.

    Args:
        path: The file.
        name: What the metric is called.
        spec: The measure, which says what is better and whether rows are drawn.
        challenge: The challenge, which names the columns of ids.
    """
    ids = challenge.truth.columns.get("list", "list")
    own_ids = challenge.submission.columns.get("list", "list")
    function = KaggleScore(path, ids, own_ids, spec.resample)
    return Metric(
        name,
        title=f"Kaggle's metric in {path.name}",
        source=f"this challenge, {path.name}",
        range=(None, None),
        better=spec.better or "higher",
        docs=inspect.getdoc(function.score) or f"Kaggle's metric in {path.name}.",
        in_catalogue=False,
    ).of(function)


def failing_examples(path: Path) -> Iterator[str]:
    """Yield each doctest of a metric's file that fails, with its line, and what it gave."""
    module, failures = load_module(path), list[str]()

    class Runner(doctest.DocTestRunner):
        def report_failure(self, out: Any, test: Any, example: Any, got: str) -> None:
            line = (test.lineno or 0) + example.lineno + 1
            source, expected = quoted(example.source.strip()), quoted(example.want.strip())
            failures.append(f"line {line}: {source} gave {quoted(got.strip())}, not {expected}")

        def report_unexpected_exception(
            self, out: Any, test: Any, example: Any, exc_info: Any
        ) -> None:
            self.report_failure(out, test, example, describe_exception(exc_info[1]))

    with plugin_errors(f"the examples of {quoted(path.name)} cannot be run"):
        for test in doctest.DocTestFinder().find(module, path.stem):
            Runner(verbose=False).run(test, out=lambda text: None)
    yield from failures


def _signature(function: Callable[..., Any], path: Path) -> inspect.Signature:
    """Return the signature of a metric: frames, then its own parameters by keyword."""
    try:
        parameters = list(inspect.signature(function).parameters.values())
    except (TypeError, ValueError):
        parameters = []
    if len(parameters) < FRAME_PARAMETERS:
        message = "score takes solution, submission and row_id_column_name"
        raise PluginError(f"the metric {quoted(path.name)}: {message}")
    if any(p.kind in (p.VAR_POSITIONAL, p.VAR_KEYWORD) for p in parameters):
        message = "score names each of its parameters, and takes no * or **"
        raise PluginError(f"the metric {quoted(path.name)}: {message}")
    hints: dict[str, Any] = {}
    with suppress(Exception):  # the types of a file may make no sense
        hints = get_type_hints(function)
    frames = inspect.Parameter("frames", inspect.Parameter.POSITIONAL_OR_KEYWORD, annotation=Frames)
    own_parameters = [
        parameter.replace(kind=parameter.KEYWORD_ONLY, annotation=hints.get(parameter.name, Any))
        for parameter in parameters[FRAME_PARAMETERS:]
    ]
    return inspect.Signature([frames, *own_parameters], return_annotation=Figure)


def _value_of_rows(columns: Mapping[str, Any], weight: Floats, **settings: Any) -> float:
    """Return what a file's `score` gives of some rows; NaN if it has no value for these.

    A frame has each row as often as its file, so that all rows have one weight.
    """
    if np.unique(weight).size > 1:
        return math.nan
    try:
        return _value_of_file(columns, **settings)
    except (PluginError, SubmissionRejected):  # of some of the rows: all have a value
        return math.nan


def _too_many(rows: int, lists: int) -> str:
    """Return why a metric is not run again without some of the rows; empty if it is."""
    runs = min(lists, RUNS)
    what = f"{runs:,} runs of a Kaggle metric on {rows:,} rows may take long"
    is_short = rows * runs <= MOST_ROWS
    return "" if is_short else f"{what}; resample: rows makes them all the same"


def _value_of_file(
    columns: Mapping[str, Any],
    *,
    score: Callable[..., float],
    file: str,
    ids: str,
    own_ids: str,
    solution: str,
    submission: str,
    params: Mapping[str, Any],
) -> float:
    """Return what a file's `score` gives of the frames.

    `SubmissionRejected` if it says that the submission is at fault; `PluginError` if it fails, or
    gives no finite number.
    """
    message = f"the metric {quoted(file)} failed"
    if not columns["side"].size:
        return math.nan
    frames = [
        _frame_of_side(columns, side, text).rename(columns={name: ids})
        for side, text, name in ((SOLUTION, solution, ids), (SUBMISSION, submission, own_ids))
    ]
    frames[0] = frames[0].drop(columns=USAGE, errors="ignore")
    with plugin_errors(message):
        try:
            returned = score(*frames, ids, **params)
        except Exception as error:
            if type(error).__name__ != VISIBLE:
                raise
            raise SubmissionRejected(
                problems=[Problem("S529", f"{file} says: {printable(error)}")]
            ) from error
        value = float(returned)
    if not math.isfinite(value):
        raise PluginError(f"{message}: it gave {value}")
    return value


def _frame_of_side(columns: Mapping[str, Any], side: int, text: str) -> Any:
    """Return one of the frames: `columns` has which of its file's rows, and in which order."""
    rows = columns["side"] == side
    places = columns["place"][rows][np.argsort(columns["order"][rows], kind="stable")]
    return _read_frame(text).iloc[places].reset_index(drop=True)


def _figure(frames: Frames, ids: str, own_ids: str, resample: str | None) -> Figure:
    """Return the figure of the rows of both frames.

    Its columns are the frame of each row, the row's place in its file, and its order in the frame.
    """
    true = _codes(frames, "truth", frames.solution, ids)
    solution = _read_frame(frames.solution)
    if USAGE in solution:
        true = np.where(solution[USAGE].to_numpy() == IGNORED, -1, true)
    sent = _codes(frames, "submission", frames.submission, own_ids)
    sent = np.where(np.isin(sent, true), sent, -1)
    codes = np.concatenate([true, sent])
    order = np.argsort(codes, kind="stable")
    order = order[codes[order] >= 0]
    places = np.arange(true.size), np.arange(sent.size)
    columns = {
        "side": np.repeat([SOLUTION, SUBMISSION], [true.size, sent.size])[order],
        "place": np.concatenate(places)[order],
        "order": np.concatenate([places[0], _places_in_solution(true, sent)])[order],
    }
    reason = "the challenge says resample: none" if resample == "none" else ""
    if resample is None:
        reason = _too_many(order.size, len(frames.names))
    return Figure(_value_of_rows, columns, codes[order], no_bootstrap=reason)


def _places_in_solution(true: Ints, sent: Ints) -> Ints:
    """Return for each row of a submission the place of the solution's row that it belongs to.

    Both are codes of ids, -1 for a row that is left out: the n-th row of an id belongs to the n-th
    of the same id, and those that the solution has no more rows for to its last.
    """
    by = np.argsort(true, kind="stable")
    first, end = (np.searchsorted(true[by], sent, side=side) for side in ("left", "right"))
    own = np.argsort(sent, kind="stable")
    times = np.empty_like(sent)
    times[own] = np.arange(sent.size) - np.searchsorted(sent[own], sent[own])
    at = np.minimum(first + times, np.maximum(end - 1, 0))
    return np.where(sent >= 0, by[at], 0)


def _codes(frames: Frames, what: str, text: str, column: str) -> Ints:
    """Return the number of the list of each row of a file; -1 for an unknown id.

    `PluginError` if pandas sees other ids than the checks do.
    """
    if column not in _read_frame(text):
        raise PluginError(f"as pandas reads the {what}, it has no column {quoted(column)}")
    options = {"usecols": [column], "dtype": str, "keep_default_na": False}
    names = _pandas().read_csv(io.StringIO(text), **options)[column]
    places = {name: n for n, name in enumerate(frames.names)}
    codes = np.array([places.get(name, places.get(name.strip(), -1)) for name in names], np.int64)
    wanted = np.arange(len(places)) if what == "truth" else np.flatnonzero(frames.answered)
    if lost := [frames.names[n] for n in np.setdiff1d(wanted, codes).tolist()]:
        raise PluginError(f"pandas reads ids of the {what} otherwise: {join_first(lost)}")
    return codes


@lru_cache(maxsize=4)
def _read_frame(text: str) -> Any:
    """Return a file as pandas reads it. It is not changed: the frames of metrics are copies."""
    with plugin_errors("pandas cannot read a file"):
        pandas = _pandas()
        # Before 3.0 numbers are read exactly only on request.
        is_old = int(pandas.__version__.split(".")[0]) < 3
        options = {"float_precision": "round_trip"} if is_old else {}
        return pandas.read_csv(io.StringIO(text), **options)


def _pandas() -> Any:
    try:
        return import_module("pandas")
    except ImportError:
        raise PluginError("Kaggle's metrics need pandas: pip install pandas") from None
