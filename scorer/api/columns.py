"""Frames whose columns are not called as roles, with the columns that `init --from` would guess."""

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

LOOKED_AT = 1000  # rows of frames whose columns are guessed
ANSWERS = {"grade": "score", "rating": "prediction", "target": "prediction"}  # truth -> submission


def name_columns(
    truth: object, runs: Mapping[str, Any], measures: Sequence[str], needs: Needs
) -> SessionTables:
    """Return the data with the columns that `init --from` would take their frames for.

    The truth and each run are read by themselves. The columns of the truth keep their names. In a
    run those that the truth has, too, get these, and the others are called as their roles. What
    cannot be guessed stays as it is.
    """
    frames = {
        name: data.read_polars(run, f"run {quoted(name)}")
        for name, run in runs.items()
        if data.is_frame(run)
    }
    is_guessed = _lacks_role_names(truth)
    if not is_guessed and not any(map(_lacks_role_names, frames.values())):
        return SessionTables(truth, runs, {})
    guess = partial(_guess_columns, measures=measures, needs=needs)
    alone = guess(truth, None) if is_guessed else None
    columns: dict[str, Any] = {} if alone is None else dict(alone.truth)
    renamed = dict(runs)
    guesses: dict[tuple[str, ...], GuessedColumns | None] = {}  # by the names of all columns
    for name, frame in frames.items():
        key = tuple(frame.columns)
        if key not in guesses:
            pair = guess(truth, frame)
            is_unsure = pair is None or (pair.truth and not is_guessed)
            if is_guessed and pair is not None and not guesses:
                columns = dict(pair.truth)
            guesses[key] = guess(frame, None) if is_unsure else pair
        if (guessed := guesses[key]) is not None:
            renamed[name] = _rename_columns(frame, guessed.run, columns)
    for guessed in guesses.values():  # probabilities, which are of one class or have a column each
        for role, column in {} if guessed is None else guessed.run.items():
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
    frame: pl.DataFrame, guessed: Mapping[str, Any], of_truth: Mapping[str, Any]
) -> pl.DataFrame:
    """Return a run with each column named as in the truth, or by its role if the truth lacks it.

    Args:
        guessed: role -> column of the run, without the columns named by their roles.
        of_truth: role -> column of the truth, likewise.
    """
    names: dict[str, str] = {}
    for role in ROLES["submission"]:
        column = guessed.get(role, role)
        if isinstance(column, str) and column in frame.columns:
            names[column] = of_truth.get(role, role) if role in ROLES["truth"] else role
    unused = [new for old, new in names.items() if new != old and new not in names]
    return frame.drop(unused, strict=False).rename(names)


class GuessedColumns(NamedTuple):
    """role -> column, without the columns that are named by their roles."""

    truth: Mapping[str, Any]
    run: Mapping[str, Any]


def _guess_columns(
    truth: Any, run: pl.DataFrame | None, measures: Sequence[str], needs: Needs
) -> GuessedColumns | None:
    """Return the columns of the truth and of a run by role; None if they cannot be guessed.

    Without a run, its columns are guessed as if its file were like the truth.
    """
    try:
        source = Path(truth) if data.is_path(truth) else _first_rows(truth, needs)
        fields = infer(source, run, measures).data
    except (UsageError, TypeError, IndexError):
        return None  # data of another kind has its message where it is written
    named_alone = {*fields["truth"]} <= {"file", "columns"}
    if not named_alone or not {*fields["submission"]} <= {"columns"}:
        return None  # which needs more than names of columns
    of_truth = fields["truth"].get("columns", {})
    of_run = fields["submission"].get("columns", {})
    if run is None:
        answers = {ANSWERS[role]: name for role, name in of_truth.items() if role in ANSWERS}
        of_run = {**of_truth, **answers, **of_run}
    return GuessedColumns(of_truth, of_run)


def _first_rows(truth: Any, needs: Needs) -> pl.DataFrame:
    """Return the first rows of a truth; of a dict or rows with the roles as columns."""
    if data.is_frame(truth):
        return data.read_polars(truth, "the truth").head(LOOKED_AT)
    if not isinstance(truth, Mapping | Sequence):
        raise TypeError("rows that can be read only once")
    is_table = data.is_flat(truth) or (not isinstance(truth, Mapping) and len(truth[0]) == 2)
    answer = "target" if "prediction" in needs.columns else "label"
    names = ("list", answer) if is_table and "labels" in needs.kinds else ("list", "item", "grade")
    if not isinstance(truth, Mapping):
        rows = list(truth)
    elif is_table:
        rows = list(truth.items())
    else:
        rows = [
            (key, item, items[item] if isinstance(items, Mapping) else 1)
            for key, items in truth.items()
            for item in items
        ]
    return pl.DataFrame([dict(zip(names, map(str, row), strict=False)) for row in rows[:LOOKED_AT]])
