"""Do boxes, tags and spans have classes that the challenge has?"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import NamedTuple

from scorer.challenge.public import ClassColumn, ClassNames
from scorer.checks.base import Submitted, check
from scorer.checks.ids import Known
from scorer.checks.rows import first_rows
from scorer.core.problems import KEPT, Problem
from scorer.core.text import join_first, printable, quoted
from scorer.reading.numbers import parse_number
from scorer.tables.columns import CodedColumn


class UnknownClass(NamedTuple):
    """A class that the challenge does not have: how many rows name it, and the first of them."""

    rows: int
    line: int
    list: str
    cell: str


def _error_of(column: ClassColumn, word: str, name: str, one: UnknownClass) -> Problem:
    """Return the error of a class that is not among the declared ones."""
    many = f" ({one.rows:,} rows)" if one.rows > 1 else ""
    if not name:
        message = f"{word} {quoted(one.cell)} names no class{many}; {_has(column)}"
    else:
        known = Known(ClassNames.of(column.classes).places)
        hint = _likeness(known, name) or known.hint(name) or f"; {_has(column)}"
        message = f"{word}: {quoted(name)} is no class of this challenge{many}{hint}"
    return Problem(
        "S521", message, line=one.line, list=one.list, help=_help_with_codes(column, name)
    )


def _warning_of(column: ClassColumn, word: str, found: Mapping[str, UnknownClass]) -> Problem:
    """Return the warning of a file of which no class is in the truth."""
    known = Known(ClassNames.of(column.classes).places)
    alike = next((name for name in found if _likeness(known, name)), None)
    name = next(iter(found)) if alike is None else alike
    one, hint = found[name], _likeness(known, name) or f"; {_has(column)}"
    cell = f" ({quoted(one.cell)})" if name and name != one.cell else ""
    what = f"such as {quoted(name)}{cell}" if name else f"and {quoted(one.cell)} names none"
    message = f"{word}: no class in this file is a class of this challenge, {what}{hint}"
    help = _help_with_codes(column, name)
    return Problem("S521", message, "warning", line=one.line, list=one.list, help=help)


def _likeness(known: Known, name: str) -> str:
    """Return how a name differs from the class that it certainly means; "" if none is certain."""
    fault = known.fault(name) if name else None
    if fault is None or not fault.meant:
        return ""
    return f"; it {fault.message.removeprefix(quoted(name)).strip()}"


def _has(column: ClassColumn) -> str:
    return f"it has {join_first([name for name in column.classes if name])}"


def _help_with_codes(column: ClassColumn, name: str) -> str | None:
    """Return what helps where numbers stand for the names of classes."""
    if _reads_as_number(name) and not any(map(_reads_as_number, column.classes)):
        return "write the names of the classes, not their numbers"
    return None


def _reads_as_number(name: str) -> bool:
    return not parse_number(name).code


@check("S521")
def class_outside(submitted: Submitted) -> Iterator[Problem]:
    """Every box, tag and span has a class of the challenge."""
    # several measures may look at one column, and want the same of it
    yield from dict.fromkeys(_unknown_of_columns(submitted))


def _unknown_of_columns(submitted: Submitted) -> Iterator[Problem]:
    """Yield the problems of the classes in each column that a measure looks at."""
    for column in submitted.public.class_columns:
        role = column.submission.role
        ids = submitted.table.ids.get(role)
        if ids is None or not column.classes:
            continue
        unknown, any_known = _unknown_classes(submitted, ids, column)
        word = printable(submitted.table.called(role), 60)
        if submitted.rules.classes:
            for name, one in unknown.items():
                yield _error_of(column, word, name, one)
        elif unknown and not any_known:
            yield _warning_of(column, word, unknown)


def _unknown_classes(
    submitted: Submitted, ids: CodedColumn, column: ClassColumn
) -> tuple[dict[str, UnknownClass], bool]:
    """Return the first `KEPT` classes that the challenge lacks, and whether it has any other."""
    classes = ClassNames.of(column.classes).places
    strange: dict[str, list[str]] = {}  # a cell -> its classes that are none
    any_known = False
    for cell in ids.names:
        names = dict.fromkeys(column.submission.named(cell))
        if lost := [name for name in names if name not in classes]:
            strange[cell] = lost
        any_known |= len(lost) < len(names)
    unknown: dict[str, UnknownClass] = {}
    for cell, row, rows in first_rows(ids, strange):
        for name in strange[cell]:
            if (before := unknown.get(name)) is not None:
                unknown[name] = before._replace(rows=before.rows + rows)
            elif len(unknown) < KEPT:
                line, in_list = submitted.line(row), submitted.lists.text(row)
                unknown[name] = UnknownClass(rows, line, in_list, cell)
    return unknown, any_known
