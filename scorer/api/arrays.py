"""Arrays of answers, row by row as scikit-learn takes them, as data frames."""

from __future__ import annotations

from collections.abc import Mapping, Sequence, Sized
from numbers import Real
from typing import Any, NamedTuple, TypeGuard

import numpy as np
import polars as pl
from numpy.typing import NDArray

from scorer.api.data import column_labels, is_frame, is_path
from scorer.core.errors import UsageError
from scorer.core.text import join_first, quoted
from scorer.infer.base import Needs

ROW = ("row", "row_number", "number_of_row")  # the first that no class is called


class SessionTables(NamedTuple):
    """The truth and the runs of a session.

    Attributes:
        truth: A frame, or the truth as it was given.
        runs: Those by their names, each a frame or as it was given.
        columns: role -> what the frames call its column; of probabilities the classes.
    """

    truth: Any
    runs: Any
    columns: Mapping[str, Any]


def is_array(data: object) -> TypeGuard[Sized]:
    """Return whether data is one value a row: an array, a Series, a list of numbers or texts."""
    if isinstance(data, str | bytes | Mapping) or is_path(data):
        return False
    if isinstance(data, Sequence):
        return bool(data) and all(isinstance(value, str | Real | np.generic) for value in data)
    return type(data).__name__ == "Series" or isinstance(data, np.ndarray)


def only_column(frame: Any) -> Any:
    """Return the column of a frame that has no other, and no ids in its index; else the data."""
    names = list(getattr(frame, "columns", ())) if is_frame(frame) else []
    index_names = getattr(getattr(frame, "index", None), "names", [None])
    is_alone = len(names) == 1 and not hasattr(frame, "column_names")
    return frame[names[0]] if is_alone and not any(index_names) else frame


def read_arrays(truth: Sized, runs: object, needs: Needs, classes: Sequence[str]) -> SessionTables:
    """Return arrays of answers as data frames, whose ids are the numbers of the rows from 0.

    Args:
        truth: An answer a row.
        runs: name -> as many answers, or numbers for each class.
        needs: What the measures need.
        classes: In their order; empty: the classes in the truth, sorted.

    Raises:
        TypeError: The runs have no names, or one is no array.
        UsageError: Arrays have other lengths, classes or shapes than the truth.
    """
    if not isinstance(runs, Mapping):
        raise TypeError("runs of arrays have names: {'name': array}")
    if "labels" not in needs.kinds and needs.kinds:
        message = "arrays are an answer for each row, and these measures are of lists of items"
        raise UsageError(f"{message}; write {{list: {{item: grade}}}}")
    true = _to_vector(_to_array(truth, "the truth"), "the truth")
    arrays = {name: _to_array(run, f"run {quoted(name)}", truth) for name, run in runs.items()}
    for name, array in arrays.items():
        if len(array) != len(true):
            message = f"run {quoted(name)} has {len(array):,} rows, the truth {len(true):,}"
            raise UsageError(message)
    if "prediction" not in needs.columns:
        return _read_classes(true, runs, arrays, needs, classes)
    predictions = {
        name: {"prediction": _to_vector(array, f"run {quoted(name)}")}
        for name, array in arrays.items()
    }
    columns = {"list": "row", "target": "target", "prediction": "prediction"}
    return _number_rows({"target": true}, predictions, columns)


def _read_classes(
    true: NDArray[Any],
    runs: Mapping[str, Any],
    arrays: Mapping[str, NDArray[Any]],
    needs: Needs,
    classes: Sequence[str],
) -> SessionTables:
    """Return frames of labels, of scores of two classes, or of probabilities of each class."""
    labels = _to_labels(true)
    if np.issubdtype(true.dtype, np.floating) and (true[~np.isnan(true)] % 1).any():
        odd = next(value for value in true.tolist() if value % 1)
        message = f"the truth has {odd:g}, which is no class"
        raise UsageError(f"{message}; measures of numbers are RMSE and the like")
    known = list(classes) or _sort_labels(labels)
    need_numbers = needs.columns & {"probability", "score"}
    if not need_numbers and all(_are_labels(a, known, any_integer=True) for a in arrays.values()):
        answers = {
            name: {"label": _to_labels(_to_vector(array, f"run {quoted(name)}"))}
            for name, array in arrays.items()
        }
        return _number_rows({"label": labels}, answers, {"list": "row", "label": "label"})
    numbers = {
        name: _to_probabilities(
            _sort_columns(runs[name], array, known, name), known, f"run {quoted(name)}"
        )
        for name, array in arrays.items()
    }
    if any(each.ndim == 1 for each in numbers.values()):  # decisions of any size, of two classes
        scores = {n: {"score": x if x.ndim == 1 else x[:, 1]} for n, x in numbers.items()}
        columns = {"list": "row", "label": "label", "score": "score"}
        return _number_rows({"label": labels}, scores, columns)
    by_class = {name: dict(zip(known, x.T, strict=True)) for name, x in numbers.items()}
    row = next(word for word in ROW if word not in known)
    return _number_rows(
        {"label": labels}, by_class, {"list": row, "label": "label", "probability": known}
    )


def _number_rows(
    truth: Mapping[str, Any], runs: Mapping[str, Mapping[str, Any]], columns: Mapping[str, Any]
) -> SessionTables:
    """Return columns as frames, with the rows' numbers from 0 as ids."""

    def frame(cells: Mapping[str, Any]) -> pl.DataFrame:
        length = len(next(iter(cells.values())))
        return pl.DataFrame({columns["list"]: [str(n) for n in range(length)], **cells})

    return SessionTables(frame(truth), {name: frame(run) for name, run in runs.items()}, columns)


def _to_array(data: Any, label: str, truth: Any = None) -> NDArray[Any]:
    """Return the values of an array-like; of pandas' Series by place, as scikit-learn does."""
    _refuse_other_index(data, truth, label)
    if not is_array(data) and not hasattr(data, "__array__"):
        is_nested = isinstance(data, Sequence) and not isinstance(data, str | bytes)
        if not is_nested:
            raise TypeError(f"{label} is no array, as the truth is one")
    values = np.asarray(data.to_numpy() if hasattr(data, "to_numpy") else data)
    if values.dtype != object or values.ndim != 1:
        return values
    cells = [np.nan if _is_missing(value) else value for value in values]
    return np.array(cells, dtype=object if any(isinstance(v, str) for v in cells) else None)


def _refuse_other_index(data: Any, truth: Any, label: str) -> None:
    """Raise UsageError if an index of pandas says that rows are not in the order of the truth.

    Rows without ids, such as predictions for a part of a frame, have an index that counts 0, 1, 2,
    .. They are matched by position, unless the other index has the same numbers in other order.
    """
    ours: Any = getattr(data, "index", None)
    theirs: Any = getattr(truth, "index", None)
    if not (hasattr(ours, "equals") and hasattr(theirs, "equals")) or ours.equals(theirs):
        return
    same_ids = set(ours) == set(theirs)
    if not same_ids and (_counts_from_zero(ours) or _counts_from_zero(theirs)):
        return
    if same_ids and len(ours) == len(theirs) == len(set(ours)):
        message = f"{label} has the index of the truth in other order; take run.loc[truth.index]"
        raise UsageError(f"{message}, or .to_numpy() of both to go by place")
    message = f"{label} and the truth have other indexes; .to_numpy() of both goes by place"
    raise UsageError(message)


def _counts_from_zero(index: Any) -> bool:
    return list(index) == list(range(len(index)))


def _is_missing(value: Any) -> bool:
    """Return whether a value is None, NaN or one of pandas' own."""
    return value is None or type(value).__name__ in ("NAType", "NaTType") or value != value


def _sort_columns(
    run: object, array: NDArray[Any], known: Sequence[str], name: str
) -> NDArray[Any]:
    """Return the columns in the order of the classes, if a frame calls its columns so.

    Numbers from 0 are what pandas calls columns without names: these go by place.
    """
    names = [_to_label(name) for name in column_labels(run)]
    unnamed = names == [str(n) for n in range(len(names))]
    if len(names) != len(known) or unnamed or not {*names} & {*known}:
        return array
    if strange := [column for column in names if column not in known]:
        message = (
            f"run {quoted(name)} has the columns {join_first(names)}, and {join_first(strange)}"
        )
        raise UsageError(f"{message} is no class of the truth's ({join_first(known)})")
    return np.asarray(array[:, [names.index(each) for each in known]])


def _to_vector(array: NDArray[Any], label: str) -> NDArray[Any]:
    """Return one value a row of an array, which may be a column."""
    if array.ndim == 2 and array.shape[1] == 1:
        return np.asarray(array[:, 0])
    if array.ndim != 1:
        raise UsageError(f"{label} has {array.ndim} dimensions; one value a row is expected")
    return array


def _to_labels(array: NDArray[Any]) -> list[str]:
    """Return labels as texts; 1, 1.0 and True are one label, as in scikit-learn."""
    return [_to_label(value) for value in array.tolist()]


def _to_label(value: Any) -> str:
    if isinstance(value, bool | int) or (isinstance(value, float) and value.is_integer()):
        return str(int(value))
    return "" if _is_missing(value) else str(value)


def _sort_labels(labels: Sequence[str]) -> list[str]:
    """Return the classes in scikit-learn's order: numbers by size, texts by their signs."""
    distinct = sorted(set(labels))
    try:
        return sorted(distinct, key=float)
    except ValueError:
        return distinct


def _are_labels(array: NDArray[Any], known: Sequence[str], *, any_integer: bool = False) -> bool:
    """Return whether one value a row is meant as a class: it is a text, or a number that is one.

    Args:
        array: Shape (rows,), or (rows, columns).
        known: The classes.
        any_integer: Whether all integers are meant so.
    """
    if array.ndim == 2 and array.shape[1] != 1:
        return False
    if any_integer and np.issubdtype(array.dtype, np.integer):
        return True
    numbers = np.issubdtype(array.dtype, np.number) or np.issubdtype(array.dtype, np.bool_)
    return not numbers or set(_to_labels(array.ravel())) <= set(known)


def _to_probabilities(array: NDArray[Any], known: Sequence[str], label: str) -> NDArray[np.float64]:
    """Return probabilities, shape (rows, classes), or decisions of two classes, shape (rows,).

    A label is the whole probability of its class, as scikit-learn's ROC has it.
    """
    known_classes = f"{len(known):,} classes ({join_first(known)})"
    if array.ndim == 2 and array.shape[1] > 1:
        if array.shape[1] != len(known):
            message = f"{label} has {array.shape[1]:,} columns, and there are {known_classes}"
            raise UsageError(f"{message}; classes=[...] names them in their order")
        return array.astype(np.float64)
    values = _to_vector(array, label)
    if _are_labels(values, known):
        texts = np.array(_to_labels(values))
        if strange := sorted({*texts.tolist()} - {*known}):
            raise UsageError(
                f"{label}: {join_first(strange)} is no class of the truth's {known_classes}"
            )
        return np.asarray(texts[:, None] == np.array(known)[None, :], dtype=np.float64)
    if len(known) == 1:
        raise UsageError(
            f"the truth has the one class {join_first(known)}, and {label} numbers of two"
        )
    if len(known) != 2:
        message = f"{label} has one number a row, and there are {known_classes}"
        raise UsageError(f"{message}: give a column a class, as predict_proba does")
    numbers = values.astype(np.float64)
    if np.nanmin(numbers) >= 0 and np.nanmax(numbers) <= 1:
        return np.stack([1 - numbers, numbers], axis=1)
    return numbers
