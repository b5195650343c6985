"""Arrays of answers, row by row as scikit-learn takes them, and frames without our names."""

from __future__ import annotations

from collections.abc import Mapping, Sequence, Sized
from functools import partial
from numbers import Real
from pathlib import Path
from typing import Any, NamedTuple, TypeGuard

import numpy as np
import polars as pl
from numpy.typing import NDArray

from scorer.api import data
from scorer.challenge.roles import ROLES
from scorer.core.errors import UsageError
from scorer.core.text import join_first, quoted
from scorer.infer.base import Needs
from scorer.infer.challenge import infer
from scorer.infer.preview import preview_table

LOOKED_AT = 100  # rows of frames whose columns are guessed
ANSWERS = {"grade": "score", "rating": "prediction", "target": "prediction"}  # truth -> submission
ROW = ("row", "row_number", "number_of_row")  # the first that no class is called


class RowTables(NamedTuple):
    """The truth and the runs as frames, or as they came, and what their columns are called."""

    truth: Any
    runs: Any
    columns: Mapping[str, Any]


def is_array(thing: object) -> TypeGuard[Sized]:
    """Whether data is one value a row: an array, a Series, a list of numbers or texts."""
    if isinstance(thing, str | bytes | Mapping) or data.is_path(thing):
        return False
    if isinstance(thing, Sequence):
        return bool(thing) and all(isinstance(value, str | Real | np.generic) for value in thing)
    return type(thing).__name__ == "Series" or isinstance(thing, np.ndarray)


def as_tables(
    truth: object,
    runs: object,
    columns: Mapping[str, Any],
    metrics: Sequence[str],
    needs: Needs,
    classes: Sequence[str],
) -> RowTables:
    """Arrays, and frames whose columns are not called as roles, as frames with known columns.

    Args:
        truth: as `evaluate` takes it, as all that follow.
        runs: name -> run.
        columns: as given; with any, nothing is guessed.
        metrics: notations of the measures that have one.
        needs: of all measures.
        classes: in their order, as given; none: those of the truth, sorted.

    Raises:
        UsageError: arrays have other lengths, classes or shapes than the truth.
    """
    truth = _only_column(truth) if not columns else truth
    if is_array(truth):
        if not isinstance(runs, Mapping):
            raise TypeError("runs of arrays have names: {'name': array}")
        if "labels" not in needs.kinds and needs.kinds:
            message = "arrays are an answer for each row, and these measures are of lists of items"
            raise UsageError(f"{message}; write {{list: {{item: grade}}}}")
        return _rows(truth, runs, needs, classes)
    if columns or not isinstance(runs, Mapping):
        return RowTables(truth, runs, columns)
    return _with_guessed_columns(truth, runs, metrics, needs)


def _only_column(frame: Any) -> Any:
    """The column of a frame that has no other; else what was given."""
    names = list(getattr(frame, "columns", ())) if data.is_frame(frame) else []
    alone = len(names) == 1 and not hasattr(frame, "column_names")
    return frame[names[0]] if alone else frame


def _rows(truth: Sized, runs: Mapping[str, Any], needs: Needs, classes: Sequence[str]) -> RowTables:
    given = _column(_as_values(truth, "the truth"), "the truth")
    arrays = {name: _as_values(run, f"run {quoted(name)}", truth) for name, run in runs.items()}
    for name, array in arrays.items():
        if len(array) != len(given):
            message = f"run {quoted(name)} has {len(array):,} rows, the truth {len(given):,}"
            raise UsageError(message)
    if "prediction" in needs.columns:
        frames = {
            name: {"prediction": _column(array, f"run {quoted(name)}")}
            for name, array in arrays.items()
        }
        of = {"list": "row", "target": "target", "prediction": "prediction"}
        return _framed({"target": given}, frames, of)
    labels = _as_texts(given)
    if np.issubdtype(given.dtype, np.floating) and (given[~np.isnan(given)] % 1).any():
        odd = next(value for value in given.tolist() if value % 1)
        message = f"the truth has {odd:g}, which is no class"
        raise UsageError(f"{message}; measures of numbers are RMSE and the like")
    known = list(classes) or _sorted(labels)
    decided = not needs.columns & {"probability", "score"}
    if decided and all(_are_labels(each, known, whole=True) for each in arrays.values()):
        sent = {name: {"label": _as_texts(_column(a, name))} for name, a in arrays.items()}
        return _framed({"label": labels}, sent, {"list": "row", "label": "label"})
    shares = {
        name: _as_shares(_by_class(runs[name], array, known, name), known, f"run {quoted(name)}")
        for name, array in arrays.items()
    }
    if any(share.ndim == 1 for share in shares.values()):  # decisions of any size, of two classes
        scores = {n: {"score": s if s.ndim == 1 else s[:, 1]} for n, s in shares.items()}
        return _framed(
            {"label": labels}, scores, {"list": "row", "label": "label", "score": "score"}
        )
    columns = {name: dict(zip(known, share.T, strict=True)) for name, share in shares.items()}
    row = next(word for word in ROW if word not in known)
    called = {"list": row, "label": "label", "probability": known}
    return _framed({"label": labels}, columns, called)


def _framed(
    truth: Mapping[str, Any], runs: Mapping[str, Mapping[str, Any]], columns: Mapping[str, Any]
) -> RowTables:
    """Columns as frames, with the rows' numbers from 0 as ids."""
    import polars as pl

    def frame(of: Mapping[str, Any]) -> pl.DataFrame:
        length = len(next(iter(of.values())))
        return pl.DataFrame({columns["list"]: [str(n) for n in range(length)], **of})

    return RowTables(frame(truth), {name: frame(run) for name, run in runs.items()}, columns)


def _as_values(thing: Any, what: str, truth: Any = None) -> NDArray[Any]:
    """The values of an array-like; of pandas' Series by place, as scikit-learn takes them."""
    _refuse_other_index(thing, truth, what)
    if not is_array(thing) and not hasattr(thing, "__array__"):
        nested = isinstance(thing, Sequence) and not isinstance(thing, str | bytes)
        if not nested:
            raise TypeError(f"{what} is no array, as the truth is one")
    values = np.asarray(thing.to_numpy() if hasattr(thing, "to_numpy") else thing)
    if values.dtype != object or values.ndim != 1:
        return values
    given = [np.nan if _is_missing(value) else value for value in values]
    return np.array(given, dtype=object if any(isinstance(v, str) for v in given) else None)


def _refuse_other_index(thing: Any, truth: Any, what: str) -> None:
    """Refuse, by `UsageError`, an index of pandas by which the rows are not in the truth's order.

    An index that counts 0, 1, 2, .. is that of rows without ids, such as predictions of a part of a
    frame. Its rows go by place, unless the other index has the same numbers in other order.
    """
    ours: Any = getattr(thing, "index", None)
    theirs: Any = getattr(truth, "index", None)
    if not (hasattr(ours, "equals") and hasattr(theirs, "equals")) or ours.equals(theirs):
        return
    same_ids = set(ours) == set(theirs)
    if not same_ids and (_counts_from_zero(ours) or _counts_from_zero(theirs)):
        return
    if same_ids and len(ours) == len(theirs) == len(set(ours)):
        message = f"{what} has the index of the truth in other order; take run.loc[truth.index]"
        raise UsageError(f"{message}, or .to_numpy() of both to go by place")
    message = f"{what} and the truth have other indexes; .to_numpy() of both goes by place"
    raise UsageError(message)


def _counts_from_zero(index: Any) -> bool:
    return list(index) == list(range(len(index)))


def _is_missing(value: Any) -> bool:
    """Whether a value is None, NaN or one of pandas' own."""
    return value is None or type(value).__name__ in ("NAType", "NaTType") or value != value


def _by_class(run: object, array: NDArray[Any], known: Sequence[str], name: str) -> NDArray[Any]:
    """The columns in the order of the classes, where a frame calls its columns as classes.

    Numbers from 0 are what pandas calls columns without names: these go by place.
    """
    arrow = hasattr(run, "column_names")  # whose `columns` are the data
    names = [_as_text(name) for name in getattr(run, "column_names" if arrow else "columns", ())]
    unnamed = names == [str(n) for n in range(len(names))]
    if len(names) != len(known) or unnamed or not {*names} & {*known}:
        return array
    if strange := [column for column in names if column not in known]:
        message = (
            f"run {quoted(name)} has the columns {join_first(names)}, and {join_first(strange)}"
        )
        raise UsageError(f"{message} is no class of the truth's ({join_first(known)})")
    return np.asarray(array[:, [names.index(each) for each in known]])


def _column(array: NDArray[Any], what: str) -> NDArray[Any]:
    """An array of one column as one value a row."""
    if array.ndim == 2 and array.shape[1] == 1:
        return np.asarray(array[:, 0])
    if array.ndim != 1:
        raise UsageError(f"{what} has {array.ndim} dimensions; one value a row is expected")
    return array


def _as_texts(array: NDArray[Any]) -> list[str]:
    """Labels as text; 1, 1.0 and True are one label, as in scikit-learn."""
    return [_as_text(value) for value in array.tolist()]


def _as_text(value: Any) -> str:
    if isinstance(value, bool | int) or (isinstance(value, float) and value.is_integer()):
        return str(int(value))
    return "" if _is_missing(value) else str(value)


def _sorted(labels: Sequence[str]) -> list[str]:
    """The classes in scikit-learn's order: numbers by size, texts by their signs."""
    distinct = sorted(set(labels))
    try:
        return sorted(distinct, key=float)
    except ValueError:
        return distinct


def _are_labels(array: NDArray[Any], known: Sequence[str], *, whole: bool = False) -> bool:
    """Whether one value a row is meant as a class: it is a text, or a number that is one.

    Args:
        array: shape (rows,), or (rows, columns).
        known: the classes.
        whole: whether all whole numbers are meant so.
    """
    if array.ndim == 2 and array.shape[1] != 1:
        return False
    if whole and np.issubdtype(array.dtype, np.integer):
        return True
    numbers = np.issubdtype(array.dtype, np.number) or np.issubdtype(array.dtype, np.bool_)
    return not numbers or set(_as_texts(array.ravel())) <= set(known)


def _as_shares(array: NDArray[Any], known: Sequence[str], what: str) -> NDArray[np.float64]:
    """Probabilities of each class, shape (rows, classes); or decisions of two, shape (rows,).

    A label is the whole probability of its class, as scikit-learn's ROC has it.
    """
    named = f"{len(known):,} classes ({join_first(known)})"
    if array.ndim == 2 and array.shape[1] > 1:
        if array.shape[1] != len(known):
            message = f"{what} has {array.shape[1]:,} columns, and there are {named}"
            raise UsageError(f"{message}; classes=[...] names them in their order")
        return array.astype(np.float64)
    values = _column(array, what)
    if _are_labels(values, known):
        texts = np.array(_as_texts(values))
        if strange := sorted({*texts.tolist()} - {*known}):
            raise UsageError(f"{what}: {join_first(strange)} is no class of the truth's {named}")
        return np.asarray(texts[:, None] == np.array(known)[None, :], dtype=np.float64)
    if len(known) == 1:
        raise UsageError(
            f"the truth has the one class {join_first(known)}, and {what} numbers of two"
        )
    if len(known) != 2:
        message = f"{what} has one number a row, and there are {named}"
        raise UsageError(f"{message}: give a column a class, as predict_proba does")
    numbers = values.astype(np.float64)
    if np.nanmin(numbers) >= 0 and np.nanmax(numbers) <= 1:
        return np.stack([1 - numbers, numbers], axis=1)
    return numbers


def _with_guessed_columns(
    truth: object, runs: Mapping[str, Any], metrics: Sequence[str], needs: Needs
) -> RowTables:
    """Return the data with the columns that `init --from` would take their frames for.

    The truth and each run are read by themselves. A run whose columns have other names than the
    truth's, or than the first run's, gets these names. What cannot be guessed stays as it is.
    """
    frames = {name: data.as_polars(run, name) for name, run in runs.items() if data.is_frame(run)}
    is_guessed = _lacks_role_names(truth)
    if not is_guessed and not any(map(_lacks_role_names, frames.values())):
        return RowTables(truth, runs, {})
    guess = partial(_guess_columns, metrics=metrics, needs=needs)
    alone = guess(truth, None) if is_guessed else None
    of_truth: Mapping[str, Any] = {} if alone is None else alone.truth
    # A dict of items without scores has no such column, so that it gets no name of its own.
    own_roles = [role for role in ROLES["submission"] if role not in ROLES["truth"]]
    of_run = {} if len(frames) == len(runs) else {role: role for role in own_roles}
    renamed = dict(runs)
    guessed: dict[tuple[str, ...], GuessedColumns | None] = {}  # by the names of all columns
    for name, frame in frames.items():
        key = tuple(frame.columns)
        if key not in guessed:
            pair = guess(truth, frame)
            unsure = pair is None or (pair.truth and not is_guessed)
            guessed[key] = guess(frame, None) if unsure else pair
            if is_guessed and pair is not None and len(guessed) == 1:
                of_truth = pair.truth
        if (columns := guessed[key]) is not None:
            renamed[name] = _rename_columns(frame, columns.run, of_truth, of_run)
    said = {
        role for each in guessed.values() if each for role, name in each.run.items() if role == name
    }
    named = {role: name for role, name in of_run.items() if role != name or role in said}
    return RowTables(truth, renamed, {**named, **of_truth})


def _lacks_role_names(thing: object) -> bool:
    """Return whether a frame or file has no columns that are called list and another role."""
    if data.is_frame(thing):
        names = {*data.columns_of(thing)}
    elif data.is_path(thing) and Path(thing).is_file():
        names = {*preview_table(Path(thing)).names}
    else:
        return False
    return "list" not in names or len(names & {*ROLES["truth"], *ROLES["submission"]}) < 2


def _rename_columns(
    frame: pl.DataFrame,
    columns: Mapping[str, Any],
    of_truth: Mapping[str, Any],
    of_run: dict[str, Any],
) -> pl.DataFrame:
    """Return a run with the names of the truth's columns, or else of the first run's.

    Args:
        frame: The run.
        columns: role -> column of the run, without those that are called as their roles.
        of_truth: The same of the truth.
        of_run: The same of the runs before this one, to which its own roles are added.
    """
    names: dict[str, str] = {}
    for role in ROLES["submission"]:
        column = columns.get(role, role)
        if not isinstance(column, str):
            of_run.setdefault(role, column)
        elif column in frame.columns:
            name = of_truth.get(role, role) if role in ROLES["truth"] else column
            names[column] = of_run.setdefault(role, name)
    taken = [new for old, new in names.items() if new != old and new not in names]
    return frame.drop(taken, strict=False).rename(names)


class GuessedColumns(NamedTuple):
    """role -> column, without what is called as its role."""

    truth: Mapping[str, Any]
    run: Mapping[str, Any]


def _guess_columns(
    truth: Any, run: pl.DataFrame | None, metrics: Sequence[str], needs: Needs
) -> GuessedColumns | None:
    """Return the columns of the truth and of a run by role; None if they cannot be told.

    Without a run, the run's are those of a file like the truth.
    """
    try:
        source = Path(truth) if data.is_path(truth) else _first_rows(truth, needs)
        fields = infer(source, run, metrics).data
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
    import polars as pl

    if data.is_frame(truth):
        return data.as_polars(truth, "the truth").head(LOOKED_AT)
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
