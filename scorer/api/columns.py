"""Guesses the roles of the columns of data frames, as `score init --from` does for files."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

import polars as pl

from scorer.api import data
from scorer.api.arrays import SessionTables
from scorer.challenge.roles import ROLES
from scorer.core.errors import UsageError
from scorer.core.text import quoted
from scorer.infer.base import Needs
from scorer.infer.challenge import infer
from scorer.infer.preview import preview_table

GUESS_ROWS = 1000  # the rows of a frame from which its columns are guessed
ANSWERS = {"grade": "score", "rating": "prediction", "target": "prediction"}  # truth -> submission


class GuessedColumns(NamedTuple):
    """role -> column of the truth and of a run, without columns named by their roles."""

    truth: Mapping[str, Any]
    run: Mapping[str, Any]


def name_columns(
    truth: object, runs: Mapping[str, Any], measures: Sequence[str], needs: Needs
) -> SessionTables:
    """Return a truth, its runs with renamed columns, and the guessed columns of the truth.

    The truth keeps the names of its columns. A run's column is called as the truth's column of its
    role, or by its role if the truth lacks that. A frame that cannot be guessed stays as it is.

    Args:
        truth: A path, a frame, a dict or rows.
        runs: name -> run; only data frames are renamed.
        measures: Notations, to which the guess has to fit.
        needs: What these measures need of a challenge.
    """
    frames = {
        name: data.read_polars(run, f"run {quoted(name)}")
        for name, run in runs.items()
        if data.is_frame(run)
    }
    guess_truth = _lacks_role_names(truth)
    if not guess_truth and not any(map(_lacks_role_names, frames.values())):
        return SessionTables(truth, runs, {})
    guess = partial(_guess_columns, measures=measures, needs=needs)
    truth_alone = guess(truth, None) if guess_truth else None
    columns: dict[str, Any] = {} if truth_alone is None else dict(truth_alone.truth)
    renamed = dict(runs)
    by_header: dict[tuple[str, ...], GuessedColumns | None] = {}  # runs are often alike
    for name, frame in frames.items():
        header = tuple(frame.columns)
        if header not in by_header:
            guessed = guess(truth, frame)
            if guess_truth and guessed is not None and not by_header:
                columns = dict(guessed.truth)  # a truth beside a run says more than one alone
            # A guess that renames a truth whose columns are called as their roles is wrong.
            if guessed is None or (guessed.truth and not guess_truth):
                guessed = guess(frame, None)
            by_header[header] = guessed
        if (run_guess := by_header[header]) is not None:
            renamed[name] = _rename_columns(frame, run_guess.run, columns)
    # A column of probabilities is not renamed: the challenge has to say of which class it is.
    for run_guess in filter(None, by_header.values()):
        for role, column in run_guess.run.items():
            if column == role or not isinstance(column, str):
                columns.setdefault(role, column)
    return SessionTables(truth, renamed, columns)


def _lacks_role_names(table: object) -> bool:
    """Return whether a frame or file has no columns that are called list and another role."""
    if data.is_frame(table):
        names = {*data.column_names(table)}
    elif data.is_path(table) and Path(table).is_file():
        names = {*preview_table(Path(table)).names}
    else:
        return False
    return "list" not in names or len(names & {*ROLES["truth"], *ROLES["submission"]}) < 2


def _rename_columns(
    frame: pl.DataFrame, run_columns: Mapping[str, Any], truth_columns: Mapping[str, Any]
) -> pl.DataFrame:
    """Return a run with each column named as in the truth, or by its role if the truth lacks it.

    Args:
        frame: The run.
        run_columns: role -> column of the run, without columns named by their roles.
        truth_columns: role -> column of the truth, likewise.
    """
    new_names: dict[str, str] = {}
    for role in ROLES["submission"]:
        column = run_columns.get(role, role)
        if isinstance(column, str) and column in frame.columns:
            new_names[column] = truth_columns.get(role, role) if role in ROLES["truth"] else role
    # A column without a role may have one of the new names: it makes room.
    clashing = [new for old, new in new_names.items() if new != old and new not in new_names]
    return frame.drop(clashing, strict=False).rename(new_names)


def _guess_columns(
    truth: Any, run: pl.DataFrame | None, measures: Sequence[str], needs: Needs
) -> GuessedColumns | None:
    """Return the columns of a truth and of a run by role; None if they cannot be guessed.

    Without a run, the columns are guessed that a run with the truth's columns would have.
    """
    if not (data.is_path(truth) or data.is_frame(truth) or isinstance(truth, Mapping | Sequence)):
        return None  # the rows of an iterator can be read only once
    try:
        source = Path(truth) if data.is_path(truth) else _first_rows(truth, needs)
        sections = infer(source, run, measures).data
    except (UsageError, TypeError, IndexError):
        return None  # wrong data is reported where it is read
    if {*sections["truth"]} - {"file", "columns"} or {*sections["submission"]} - {"columns"}:
        return None  # other keys, such as `cells`, cannot be expressed by names of columns
    truth_columns = sections["truth"].get("columns", {})
    run_columns = sections["submission"].get("columns", {})
    if run is None:
        answers = {ANSWERS[role]: name for role, name in truth_columns.items() if role in ANSWERS}
        run_columns = {**truth_columns, **answers, **run_columns}
    return GuessedColumns(truth_columns, run_columns)


def _first_rows(truth: Any, needs: Needs) -> pl.DataFrame:
    """Return the first rows of a frame; of a dict or rows with columns called as roles."""
    if data.is_frame(truth):
        return data.read_polars(truth, "the truth").head(GUESS_ROWS)
    has_ids = data.is_flat(truth) or (not isinstance(truth, Mapping) and len(truth[0]) == 2)
    answer = "target" if "prediction" in needs.columns else "label"
    names = ("list", answer) if has_ids and "labels" in needs.kinds else ("list", "item", "grade")
    if not isinstance(truth, Mapping):
        rows = list(truth)
    elif has_ids:
        rows = list(truth.items())
    else:
        rows = [
            (key, item, items[item] if isinstance(items, Mapping) else 1)
            for key, items in truth.items()
            for item in items
        ]
    return pl.DataFrame(
        [dict(zip(names, map(str, row), strict=False)) for row in rows[:GUESS_ROWS]]
    )
