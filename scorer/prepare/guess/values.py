"""Which column of a table of values is which: systems, cases, names of values, and the values."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import suppress
from typing import NamedTuple

from scorer.core.errors import UnknownName, UsageError
from scorer.core.text import join_first, nearest, printable, quoted
from scorer.metrics.api import Metric
from scorer.metrics.catalogue import metrics
from scorer.metrics.notation import NotationError, parse
from scorer.prepare.guess.look import Preview
from scorer.reading.numbers import parse_number

SYSTEMS = ("system", "model", "name", "submission", "method", "algorithm", "team")
CASES = (
    *("case", "list", "id", "instance", "instance_id", "task_id", "item", "query", "topic"),
    *("question", "problem", "sample", "example", "doc_id", "image", "user", "row"),
)
MEASURES, VALUES = ("measure", "metric"), ("value", "score", "result")


class ValueColumns(NamedTuple):
    """The columns of a table of values."""

    case: str
    values: tuple[str, ...]  # the columns of numbers; one where rows say which value they have
    system: str | None = None
    measure: str | None = None

    @property
    def told(self) -> str:
        """What was taken for what, as a sentence's part."""
        parts = [] if self.system is None else [f"systems in {quoted(self.system)}"]
        parts += [f"cases in {quoted(self.case)}"]
        parts += [] if self.measure is None else [f"what is measured in {quoted(self.measure)}"]
        return ", ".join([*parts, f"values in {join_first(self.values, 8)}"])


def value_columns(
    table: Preview, said: Mapping[str, str], values: Sequence[str], where: str
) -> ValueColumns:
    """The columns of a table: those that are said, and the others by their names and cells.

    Args:
        table: its columns and first rows.
        said: role (case, system, measure) -> column.
        values: the columns of values that are said; none: all of numbers. `part/whole` are two.
        where: the table in messages.

    Raises:
        UsageError: a column that is said is not there, or none has the cases, or numbers.
    """
    names = table.names
    for name in (*said.values(), *(part for value in values for part in parts_of(value, names))):
        if name not in names:
            close = nearest(name, names)
            hint = f"; did you mean {quoted(close)}?" if close else f" (it has {join_first(names)})"
            raise UsageError(f"{where} has no column {quoted(name)}{hint}")
    taken = {*said.values(), *values}
    free = [name for name in names if name not in taken]
    system = said.get("system") or _column_called(SYSTEMS, free)
    free = [name for name in free if name != system]
    case = said.get("case") or _column_called(CASES, free)
    numeric = {name for name in free if name != case and _is_numeric(table.cells(name))}
    if case is None:  # the first that has texts, else the first of whole numbers
        texts = [name for name in free if name not in numeric]
        texts += [name for name in free[:-1] if all(map(str.isdigit, table.cells(name)))]
        case = table.called("list", [*taken, system or ""]) or next(iter(texts), None)
    if case is None:
        told = f"(it has {join_first(names)}); --case NAME says which it is"
        raise UsageError(f"no column of {where} names the cases {told}")
    measure = said.get("measure")
    number_of_rows = _column_called(VALUES, [name for name in free if name in numeric])
    if measure is None and not values and number_of_rows is not None:
        measure = _column_called(MEASURES, [name for name in free if name not in numeric])
    if measure is not None and not values:
        values = [number_of_rows or next(iter(numeric), "")]
    values = values or [name for name in free if name in numeric and name != case]
    if not values or not values[0]:
        told = f"beside {quoted(case)} (it has {join_first(names)}); --value NAME says which it is"
        raise UsageError(f"{where} has no column of numbers {told}")
    return ValueColumns(case, tuple(values), system, measure)


def parts_of(value: str, names: Sequence[str]) -> tuple[str, ...]:
    """The columns of a value: of `part/whole` two, where no column is called so."""
    parts = tuple(value.split("/"))
    return parts if value not in names and len(parts) == 2 and all(parts) else (value,)


def named_metric(name: str) -> Metric | None:
    """The metric that a value is called as, whose direction and range it may have."""
    with suppress(UnknownName, NotationError):
        return metrics().find_all(parse(printable(name))[0])[0]
    return None


def in_range(cells: Sequence[str], ends: tuple[float | None, float | None]) -> bool:
    """Whether all numbers among these cells lie in a range."""
    numbers = [number.value for number in map(parse_number, cells) if not number.code]
    low, high = ends
    return all((low is None or low <= x) and (high is None or x <= high) for x in numbers)


def _column_called(words: Sequence[str], names: Sequence[str]) -> str | None:
    """The column that has the first of these names, in any case."""
    by_name = {name.casefold(): name for name in reversed(names)}
    return next((by_name[word] for word in words if word in by_name), None)


def _is_numeric(cells: Sequence[str]) -> bool:
    """Whether most of the cells that hold anything are numbers."""
    numbers = sum(not parse_number(cell).code for cell in cells)
    return 2 * numbers >= len(cells) > 0
