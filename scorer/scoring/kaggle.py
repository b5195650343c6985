"""Kaggle's own metrics: a file with `score(solution, submission, row_id_column_name, **params)`.

The frames are both files as pandas reads them: every column, and ids as they are. An id may have
several rows; the n-th row of an id in the submission is put where the solution has the n-th row of
that id. Rows whose column `Usage` is Ignored in the solution are left out, and so is the column, as
Kaggle has it. Such a measure is one figure of all rows.
"""

from __future__ import annotations

import doctest
import inspect
import io
import math
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from dataclasses import replace
from enum import IntEnum
from functools import lru_cache, partial
from importlib import import_module
from pathlib import Path
from typing import Any, get_type_hints

import numpy as np

from scorer.challenge.measures import MeasureSpec
from scorer.challenge.model import Challenge
from scorer.core.arrays import Floats, Ints
from scorer.core.errors import PluginError, SubmissionRejected
from scorer.core.plugins import load_module, plugin_errors
from scorer.core.problems import Problem
from scorer.core.text import describe_exception, join_first, printable, quoted
from scorer.metrics.api import Metric
from scorer.metrics.ratios import Figure
from scorer.views.values import Frames

FRAME_PARAMETERS = 3  # of `score`: the first ones, which are not the metric's own
SUBMISSION_ERROR_NAME = "ParticipantVisibleError"  # the class of exceptions for a bad submission
USAGE = "Usage"
IGNORED = "Ignored"
MAX_RUNS = 400  # runs on rows left out, at most: leaderboard/samples.py makes as many blocks
MAX_ROWS = 4_000_000  # rows of all these runs together: at 15 microseconds a row, a minute
LEFT_OUT = -1  # the number of the list of a row that is in no frame


class Side(IntEnum):
    """Which of its two inputs a metric has a row from; the numbers are stored with scorecards."""

    SOLUTION = 1
    SUBMISSION = 2


class KaggleScore:
    """A file's `score` as the function of a metric, with its own parameters."""

    def __init__(
        self, path: Path, truth_id_column: str, submission_id_column: str, resample: str | None
    ) -> None:
        # Another process makes the object anew from these, since a loaded file cannot be pickled.
        self.arguments = path, truth_id_column, submission_id_column, resample
        self.file = path.name
        self.truth_id_column = truth_id_column
        self.submission_id_column = submission_id_column
        self.resample = resample
        function = getattr(load_module(path), "score", None)
        if not callable(function):
            raise PluginError(f"the metric {quoted(path.name)} defines no function score")
        self.score = function
        self.__wrapped__ = function  # inspect finds the source file by __wrapped__
        self.__module__ = path.stem
        self.__signature__ = _signature(function, path)

    def __call__(self, frames: Frames, **params: Any) -> Figure:
        """Return the figure of all rows; `SubmissionRejected` if the file refuses them."""
        figure = _figure(frames, self.truth_id_column, self.submission_id_column, self.resample)
        settings = {  # stored with scorecards, by these names
            "score": self.score,
            "file": self.file,
            "ids": self.truth_id_column,
            "own_ids": self.submission_id_column,
            "solution": frames.solution,
            "submission": frames.submission,
            "params": params,
        }
        if frames.answered.all():
            # Computed here only for its errors, which `_value_of_rows` takes for no value.
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
        spec: The measure, which says whether higher is better and whether rows are drawn.
        challenge: The challenge, which names the columns of ids.
    """
    truth_id_column = challenge.truth.columns.get("list", "list")
    submission_id_column = challenge.submission.columns.get("list", "list")
    function = KaggleScore(path, truth_id_column, submission_id_column, spec.resample)
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
    module = load_module(path)
    failures: list[str] = []

    class Runner(doctest.DocTestRunner):
        def report_failure(self, out: Any, test: Any, example: Any, got: str) -> None:
            line = (test.lineno or 0) + example.lineno + 1
            source = quoted(example.source.strip())
            expected = quoted(example.want.strip())
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

    Kaggle's function takes no weights: NaN unless all rows weigh the same.
    """
    if np.unique(weight).size > 1:
        return math.nan
    try:
        return _value_of_file(columns, **settings)
    except (PluginError, SubmissionRejected):
        return math.nan  # the metric may fail on a part of the rows although it works on all


def _reason_against_resampling(rows: int, lists: int) -> str:
    """Return why a metric is not run again without some of the rows; empty if it is."""
    runs = min(lists, MAX_RUNS)
    if rows * runs <= MAX_ROWS:
        return ""
    return (
        f"{runs:,} runs of a Kaggle metric on {rows:,} rows may take long; "
        "write resample: rows to do them all anyway"
    )


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
    """Return what a file's `score` gives of the frames; NaN if they have no rows.

    The names of the parameters are stored with scorecards.

    Args:
        columns: The side of each row, its place in its file, and its order in the frame.
        score: The function.
        file: The name of its file.
        ids: The column of ids in the truth, and in both frames.
        own_ids: The column of ids in the submission.
        solution: The text of the truth's file.
        submission: The text of the submission.
        params: The metric's own parameters.

    Raises:
        SubmissionRejected: The file says that the submission is at fault.
        PluginError: It fails, or gives no finite number.
    """
    message = f"the metric {quoted(file)} failed"
    if not columns["side"].size:
        return math.nan
    solution_frame = _make_frame(columns, Side.SOLUTION, solution)
    solution_frame = solution_frame.drop(columns=USAGE, errors="ignore")
    submission_frame = _make_frame(columns, Side.SUBMISSION, submission)
    if own_ids != ids:
        # A further column of the truth's name would be a second one of that name.
        submission_frame = submission_frame.drop(columns=ids, errors="ignore")
        submission_frame = submission_frame.rename(columns={own_ids: ids})
    with plugin_errors(message):
        try:
            returned = score(solution_frame, submission_frame, ids, **params)
        except Exception as error:
            if type(error).__name__ != SUBMISSION_ERROR_NAME:
                raise
            raise SubmissionRejected(
                problems=[Problem("S529", f"{file} says: {printable(error)}")]
            ) from error
        value = float(returned)
    if not math.isfinite(value):
        raise PluginError(f"{message}: it gave {value}")
    return value


def _make_frame(columns: Mapping[str, Any], side: Side, text: str) -> Any:
    """Return the frame of one side: the rows at `place`, sorted by `order`."""
    is_of_side = columns["side"] == side
    in_order = np.argsort(columns["order"][is_of_side], kind="stable")
    return _read_frame(text).iloc[columns["place"][is_of_side][in_order]].reset_index(drop=True)


def _figure(
    frames: Frames, truth_id_column: str, submission_id_column: str, resample: str | None
) -> Figure:
    """Return the figure of the rows of both sides.

    Its columns are the side of each row, the row's place in its file, and its order in the frame.
    """
    every_list = np.arange(len(frames.names))
    solution = _read_frame(frames.solution)
    solution_lists = _find_lists(frames, "truth", frames.solution, truth_id_column, every_list)
    if USAGE in solution:
        is_ignored = solution[USAGE].to_numpy() == IGNORED
        solution_lists = np.where(is_ignored, LEFT_OUT, solution_lists)
    answered = np.flatnonzero(frames.answered)
    submission_lists = _find_lists(
        frames, "submission", frames.submission, submission_id_column, answered
    )
    is_in_solution = np.isin(submission_lists, solution_lists)
    submission_lists = np.where(is_in_solution, submission_lists, LEFT_OUT)
    lists = np.concatenate([solution_lists, submission_lists])
    by_list = np.argsort(lists, kind="stable")
    by_list = by_list[lists[by_list] != LEFT_OUT]
    sizes = [solution_lists.size, submission_lists.size]
    solution_places = np.arange(solution_lists.size)
    submission_places = np.arange(submission_lists.size)
    submission_order = _places_in_solution(solution_lists, submission_lists)
    columns = {
        "side": np.repeat([Side.SOLUTION, Side.SUBMISSION], sizes)[by_list],
        "place": np.concatenate([solution_places, submission_places])[by_list],
        "order": np.concatenate([solution_places, submission_order])[by_list],
    }
    reason = "the challenge says resample: none" if resample == "none" else ""
    if resample is None:
        reason = _reason_against_resampling(by_list.size, len(frames.names))
    return Figure(_value_of_rows, columns, lists[by_list], no_bootstrap=reason)


def _places_in_solution(solution_lists: Ints, submission_lists: Ints) -> Ints:
    """Return for each row of a submission the place of the solution's row that it belongs to.

    Both are numbers of lists, LEFT_OUT for a row that is in no frame. The n-th row of an id belongs
    to the n-th of the same id, and those that the solution has no more rows for to its last.

    >>> _places_in_solution(np.array([7, 7]), np.array([7, 7, 7, LEFT_OUT]))
    array([0, 1, 1, 0])
    """
    by_id = np.argsort(solution_lists, kind="stable")
    first_of_id = np.searchsorted(solution_lists[by_id], submission_lists, side="left")
    end_of_id = np.searchsorted(solution_lists[by_id], submission_lists, side="right")
    submission_by_id = np.argsort(submission_lists, kind="stable")
    sorted_lists = submission_lists[submission_by_id]
    occurrence = np.empty_like(submission_lists)  # how many rows of the same id are above
    occurrence[submission_by_id] = np.arange(sorted_lists.size) - np.searchsorted(
        sorted_lists, sorted_lists
    )
    # A row that is left out may have 0 as its end, whose last row would be -1.
    last_of_id = np.maximum(end_of_id - 1, 0)
    place = by_id[np.minimum(first_of_id + occurrence, last_of_id)]
    return np.where(submission_lists != LEFT_OUT, place, 0)


def _find_lists(frames: Frames, input_name: str, text: str, column: str, wanted: Ints) -> Ints:
    """Return the number of the list of each row of a file; LEFT_OUT for an unknown id.

    `PluginError` if pandas sees other ids than the checks do, so that a list of the numbers
    `wanted` has no row.
    """
    if column not in _read_frame(text):
        raise PluginError(f"as pandas reads the {input_name}, it has no column {quoted(column)}")
    options = {"usecols": [column], "dtype": str, "keep_default_na": False}
    names = _pandas().read_csv(io.StringIO(text), **options)[column]
    number_of_name = {name: n for n, name in enumerate(frames.names)}
    row_numbers = np.empty(len(names), np.int64)
    for row, name in enumerate(names):
        # The checks strip blanks around ids, pandas keeps them.
        number = number_of_name.get(name, number_of_name.get(name.strip(), LEFT_OUT))
        row_numbers[row] = number
    if lost := [frames.names[n] for n in np.setdiff1d(wanted, row_numbers).tolist()]:
        raise PluginError(f"pandas reads ids of the {input_name} otherwise: {join_first(lost)}")
    return row_numbers


@lru_cache(maxsize=4)
def _read_frame(text: str) -> Any:
    """Return a file as pandas reads it. Callers must not change it: it is cached."""
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
