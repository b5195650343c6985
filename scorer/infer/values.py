"""Which column of a table of values is which: systems, runs, cases, names of values, and values."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import NamedTuple

import polars as pl

from scorer.core.errors import UsageError
from scorer.core.text import join_first, nearest, printable, quoted
from scorer.infer.base import Preview, fold_name
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
MEASURES, VALUES = ("measure", "metric"), ("value", "score", "result")
ROW_NUMBERS = ("index", "unnamed0", "rownumber")  # pandas calls a column without a name Unnamed: 0


class ValueColumns(NamedTuple):
    """The columns of a table of values."""

    case: str
    values: tuple[str, ...]  # the columns of numbers; one where rows say which value they have
    system: str | None = None
    measure: str | None = None
    run: str | None = None
    run_names: tuple[str, ...] = ()  # columns that are called as runs, where none is known yet
    unused: tuple[str, ...] = ()  # columns of numbers whose names say that they are no values
    nameless: bool = False  # whether a column has no name
    flags: tuple[str, ...] = ()  # columns of values with true and false

    @property
    def keys(self) -> list[str]:
        """The columns that together tell the rows apart."""
        columns = (self.system, self.run, self.case, self.measure)
        return [name for name in columns if name is not None]

    @property
    def told(self) -> str:
        """What was taken for what, as a sentence's part."""
        parts = [
            f"{what} in {quoted(name)}"
            for what, name in (("systems", self.system), ("runs", self.run), ("cases", self.case))
            if name is not None
        ]
        parts += [] if self.measure is None else [f"what is measured in {quoted(self.measure)}"]
        parts.append(f"values in {join_first(self.values, 8)}")
        if self.flags:
            parts.append(f"true and false of {join_first(self.flags, 8)} are 1 and 0")
        if unused := [*self.unused, *self.run_names]:
            parts.append(f"{join_first(unused, 8)} not used")
        if self.nameless:
            parts.append("a column without a name not used")
        return ", ".join(parts)


def find_value_columns(
    table: Preview, said: Mapping[str, str], values: Sequence[str], where: str
) -> ValueColumns:
    """Return the columns of a table: those that are said, and the others by their names and cells.

    Args:
        table: Its columns and first rows.
        said: role (system, run, case, measure) -> column.
        values: The columns of values that are said; none for all of numbers. `part/whole` are two.
        where: The table in messages.

    Raises:
        UsageError: A column that is said is not there, or none has the cases, or numbers.
    """
    names = [name for name in table.names if name]
    for name in (*said.values(), *(part for value in values for part in parts_of(value, names))):
        if name not in names:
            close = nearest(name, names)
            hint = f"; did you mean {quoted(close)}?" if close else f" (it has {join_first(names)})"
            raise UsageError(f"{where} has no column {quoted(name)}{hint}")
    taken = {*said.values(), *values}
    numeric = {name for name in names if name not in taken and _is_numeric(table.cells(name))}
    system = said.get("system") or _find_system(names, numeric, taken)
    taken |= {system} if system else set()
    case = said.get("case") or _find_case(table, names, numeric, taken)
    if case is None:
        raise UsageError(_describe_missing_case(table.names, where))
    taken.add(case)
    free = [name for name in names if name not in taken]
    run_names = [name for name in free if fold_name(name) in RUNS]
    free = [name for name in free if name not in run_names]
    measure, number = said.get("measure"), _column_called(VALUES, numeric.intersection(free))
    if measure is None and not values and number is not None:
        measure = _column_called(MEASURES, [name for name in free if name not in numeric])
    if measure is not None and not values:
        values = [number or next((name for name in free if name in numeric), "")]
    numbers = [name for name in free if name in numeric]
    unused = [name for name in numbers if fold_name(name) in (*SYSTEMS, *CASES, *ROW_NUMBERS)]
    values = values or [name for name in numbers if name not in unused]
    if not values or not values[0]:
        told = f"beside {quoted(case)} (it has {join_first(names)}); --value NAME says which it is"
        raise UsageError(f"{where} has no column of numbers {told}{_flag_hint(table, free)}")
    flags = [name for name in values if name in names and _has_flags(table.cells(name))]
    unused = [name for name in unused if name not in values]
    if "run" in said:
        unused, run_names = unused + run_names, []
    return ValueColumns(
        case,
        tuple(values),
        system,
        measure,
        said.get("run"),
        tuple(run_names),
        tuple(unused),
        any(not name and table.cells(name) for name in table.names),
        tuple(flags),
    )


def _find_system(
    names: Sequence[str], numeric: Collection[str], taken: Collection[str]
) -> str | None:
    """Return the column of systems; where none is called so, one of texts that is called `run`."""
    free = [name for name in names if name not in taken]
    texts = [name for name in free if name not in numeric]
    return _column_called(SYSTEMS, free) or _column_called(RUNS[:1], texts)


def _find_case(
    table: Preview, names: Sequence[str], numeric: Collection[str], taken: Collection[str]
) -> str | None:
    """Return the column of cases: by its name, else the first of texts, of runs, of whole numbers.

    Of a table without other cases, seeds or folds are the cases.
    """
    free = [name for name in names if name not in taken]
    if (case := _column_called(CASES, free)) is not None:
        return case
    runs = [name for name in free if fold_name(name) in RUNS]
    others = [name for name in free if name not in runs]
    texts = [name for name in others if name not in numeric]
    whole = [name for name in others[:-1] if all(map(str.isdigit, table.cells(name)))]
    named = table.find_role("list", [*taken, *runs])
    return next(iter([*([named] if named else []), *texts, *runs, *whole]), None)


def _describe_missing_case(names: Sequence[str], where: str) -> str:
    """Return what to do where no column names the cases."""
    if "" in names:
        return (
            f"column {names.index('') + 1} of {where} has no name; if it names the cases, call it "
            "'case' (pandas: index_label='case')"
        )
    return (
        f"no column of {where} names the cases (it has {join_first(names)}); "
        "--case NAME says which it is"
    )


def _flag_hint(table: Preview, names: Sequence[str]) -> str:
    """Return a hint for a column of two words, such as pass and fail."""
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
        raise UsageError(
            f"{where}: the runs of a system may be in {' or in '.join(map(quoted, fitting))}; "
            f"add --run {printable(fitting[0])} or another"
        )
    others = tuple(name for name in names if name not in fitting)
    return columns._replace(run=next(iter(fitting), None), run_names=others)


def parts_of(value: str, names: Sequence[str]) -> tuple[str, ...]:
    """The columns of a value: of `part/whole` two, where no column is called so."""
    parts = tuple(value.split("/"))
    return parts if value not in names and len(parts) == 2 and all(parts) else (value,)


def in_range(cells: Sequence[str], ends: tuple[float | None, float | None]) -> bool:
    """Whether all numbers among these cells lie in a range."""
    numbers = [number.value for number in map(parse_number, cells) if not number.code]
    low, high = ends
    return all((low is None or low <= x) and (high is None or x <= high) for x in numbers)


def _column_called(words: Sequence[str], names: Collection[str]) -> str | None:
    """The column that has the first of these names, whatever its case and signs."""
    by_name = {fold_name(name): name for name in reversed([*names])}
    return next((by_name[word] for word in words if word in by_name), None)


def _is_numeric(cells: Sequence[str]) -> bool:
    """Whether most of the cells that hold anything are numbers, or true and false."""
    numbers = sum(cell.casefold() in FLAGS or not parse_number(cell).code for cell in cells)
    return 2 * numbers >= len(cells) > 0


def _has_flags(cells: Sequence[str]) -> bool:
    return any(cell.casefold() in FLAGS for cell in cells)
