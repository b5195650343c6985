"""Which column of a table of values is which: systems, runs, cases, measures, and values."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import NamedTuple

import polars as pl

from scorer.core.errors import UsageError
from scorer.core.text import join_first, printable, quoted, suggest
from scorer.infer.base import Preview, find_name, fold_name
from scorer.reading.numbers import FLAGS, parse_number

# What people call the columns, without case and signs: `Task ID` is `taskid`.
SYSTEMS = ("system", "model", "name", "submission", "method", "algorithm", "team")
CASES = (
    *("case", "list", "id", "instance", "instanceid", "taskid", "item", "query", "topic"),
    *("question", "problem", "sample", "example", "docid", "image", "user", "row"),
)
RUNS = (
    *("run", "runid", "seed", "randomseed", "fold", "foldid", "epoch", "trial", "trialid"),
    *("repeat", "repetition", "rep", "replicate", "replication", "attempt", "iteration"),
)
MEASURES = ("measure", "metric")
VALUES = ("value", "score", "result")
ROW_NUMBERS = ("index", "unnamed0", "rownumber")  # pandas calls a column without a name Unnamed: 0


class ValueColumns(NamedTuple):
    """The columns of a table of values.

    Attributes:
        case: The column of cases; `system`, `measure` and `run` are such columns, too, if there
            are any.
        values: The columns of numbers; one if rows say which measure their value is of.
        run_names: The columns that are called as runs, while it is not known which has them.
        unused: The columns of numbers whose names say that they are no values.
        flags: The columns of values with true and false.
        is_nameless: Whether a column has no name.
    """

    case: str
    values: tuple[str, ...]
    system: str | None = None
    measure: str | None = None
    run: str | None = None
    run_names: tuple[str, ...] = ()
    unused: tuple[str, ...] = ()
    flags: tuple[str, ...] = ()
    is_nameless: bool = False

    @property
    def keys(self) -> list[str]:
        """The columns that together tell the rows apart."""
        columns = (self.system, self.run, self.case, self.measure)
        return [name for name in columns if name is not None]

    @property
    def description(self) -> str:
        """What the columns were taken for, as a part of a sentence."""
        columns = {
            "systems": self.system,
            "runs": self.run,
            "cases": self.case,
            "what is measured": self.measure,
        }
        parts = [f"{what} in {quoted(name)}" for what, name in columns.items() if name is not None]
        parts.append(f"values in {join_first(self.values, 8)}")
        if self.flags:
            parts.append(f"true and false of {join_first(self.flags, 8)} are 1 and 0")
        if unused := [*self.unused, *self.run_names]:
            parts.append(f"{join_first(unused, 8)} not used")
        if self.is_nameless:
            parts.append("a column without a name not used")
        return ", ".join(parts)


def find_value_columns(
    table: Preview, columns: Mapping[str, str], values: Sequence[str], where: str
) -> ValueColumns:
    """Return the columns of a table: those that are given, the others by their names and cells.

    Args:
        table: Its columns and first rows.
        columns: Role (system, run, case, measure) -> column, as somebody gave them.
        values: The columns of values; without any, all of numbers. `part/whole` are two.
        where: The table in messages.

    Raises:
        UsageError: A column that is given is not there, or none has the cases, or numbers.
    """
    names = [name for name in table.names if name]
    parts = [part for value in values for part in split_quotient(value, names)]
    for name in (*columns.values(), *parts):
        if name not in names:
            hint = suggest(name, names, f" (it has {join_first(names)})")
            raise UsageError(f"{where} has no column {quoted(name)}{hint}")
    free = [name for name in names if name not in {*columns.values(), *values}]
    numeric = {name for name in free if _are_mostly_numbers(table.cells(name))}
    system = columns.get("system") or _find_system(free, numeric)
    free = [name for name in free if name != system]
    case = columns.get("case") or _find_case(table, free, numeric)
    if case is None:
        raise UsageError(_describe_missing_case(table.names, where))
    run_names = [name for name in free if fold_name(name) in RUNS and name != case]
    free = [name for name in free if name != case and name not in run_names]
    measure = columns.get("measure")
    number = find_name(VALUES, numeric.intersection(free))
    if measure is None and not values and number is not None:
        measure = find_name(MEASURES, [name for name in free if name not in numeric])
    numbers = [name for name in free if name in numeric]
    unused = [name for name in numbers if fold_name(name) in (*SYSTEMS, *CASES, *ROW_NUMBERS)]
    if measure is not None and not values:
        values = [number] if number is not None else numbers[:1]
    else:
        values = values or [name for name in numbers if name not in unused]
    if not values:
        raise UsageError(
            f"{where} has no column of numbers beside {quoted(case)} (it has {join_first(names)}); "
            f"--value NAME says which it is{_describe_words(table, free)}"
        )
    unused = [name for name in unused if name not in values]
    if "run" in columns:
        unused = unused + run_names
        run_names = []
    flags = [name for name in values if name in names and _has_flags(table.cells(name))]
    return ValueColumns(
        case,
        tuple(values),
        system,
        measure,
        columns.get("run"),
        tuple(run_names),
        tuple(unused),
        tuple(flags),
        any(not name and table.cells(name) for name in table.names),
    )


def _find_system(names: Sequence[str], numeric: Collection[str]) -> str | None:
    """Return the column that is called as systems, else one of texts that is called `run`."""
    texts = [name for name in names if name not in numeric]
    return find_name(SYSTEMS, names) or find_name(RUNS[:1], texts)


def _find_case(table: Preview, names: Sequence[str], numeric: Collection[str]) -> str | None:
    """Return the column of cases: by its name, else the first of texts, of runs, of whole numbers.

    In a table without other cases, seeds or folds are the cases.
    """
    runs = [name for name in names if fold_name(name) in RUNS]
    others = [name for name in names if name not in runs]
    texts = [name for name in others if name not in numeric]
    whole = [name for name in others[:-1] if all(map(str.isdigit, table.cells(name)))]
    is_taken = [name for name in table.names if name not in others]
    called = find_name(CASES, names) or table.find_role("list", is_taken)
    return called or next(iter([*texts, *runs, *whole]), None)


def _describe_missing_case(names: Sequence[str], where: str) -> str:
    """Return what to do if no column names the cases."""
    if "" in names:
        return (
            f"column {names.index('') + 1} of {where} has no name; if it names the cases, call it "
            "'case' (pandas: index_label='case')"
        )
    return (
        f"no column of {where} names the cases (it has {join_first(names)}); "
        "--case NAME says which it is"
    )


def _describe_words(table: Preview, names: Sequence[str]) -> str:
    """Return a hint for a column of two words, such as pass and fail; "" without one."""
    for name in names:
        words = sorted(set(table.cells(name)))
        if len(words) == 2 and len(table.cells(name)) > 2:
            return f"; of {quoted(name)}, write 1 and 0 for {quoted(words[0])} and {words[1]!r}"
    return ""


def find_run_column(columns: ValueColumns, rows: pl.DataFrame, where: str) -> ValueColumns:
    """Return the columns with the one of runs, if a system has several values of one case.

    Args:
        rows: All rows, with the columns `keys` and `run_names`, and no other that tells them apart.

    Raises:
        UsageError: Each of several columns tells the values of a case apart.
    """
    keys = rows.select(pl.exclude(columns.run_names)).columns
    if not rows.select(keys).is_duplicated().any():
        return columns
    names = columns.run_names
    fitting = [name for name in names if not rows.select(*keys, name).is_duplicated().any()]
    if len(fitting) > 1:
        options = " or ".join(f"--run {printable(name)}" for name in fitting)
        raise UsageError(
            f"{where}: the runs of a system may be in {' or in '.join(map(quoted, fitting))}; "
            f"add {options}"
        )
    others = tuple(name for name in names if name not in fitting)
    return columns._replace(run=next(iter(fitting), None), run_names=others)


def split_quotient(value: str, names: Collection[str]) -> tuple[str, ...]:
    """Return the columns of a value: of `part/whole` two, unless a column is called so."""
    parts = tuple(value.split("/"))
    return parts if value not in names and len(parts) == 2 and all(parts) else (value,)


def are_in_range(cells: Sequence[str], ends: tuple[float | None, float | None]) -> bool:
    """Return whether all numbers among these cells lie in a range."""
    numbers = [number.value for number in map(parse_number, cells) if not number.code]
    low, high = ends
    return all((low is None or low <= x) and (high is None or x <= high) for x in numbers)


def _are_mostly_numbers(cells: Sequence[str]) -> bool:
    """Return whether most of the cells are numbers, or true and false."""
    numbers = sum(cell.casefold() in FLAGS or not parse_number(cell).code for cell in cells)
    return 2 * numbers >= len(cells) > 0


def _has_flags(cells: Sequence[str]) -> bool:
    return any(cell.casefold() in FLAGS for cell in cells)
