"""Do boxes, tags and spans have classes that the challenge has?"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

from scorer.challenge.public import ClassColumn, ClassNames
from scorer.checks.base import Submitted, check
from scorer.checks.ids import Known
from scorer.checks.rows import first_rows
from scorer.checks.tally import FileContext
from scorer.core.problems import KEPT, Problem
from scorer.core.text import join_first, printable, quoted
from scorer.tables.table import number


class UnknownClass(NamedTuple):
    """A class that the challenge does not have: how many rows name it, and the first of them."""

    rows: int
    line: int
    list: str
    cell: str

    def plus(self, other: UnknownClass) -> UnknownClass:
        """Return the two as one, with the first row of both."""
        first = min(self, other, key=lambda each: each.line)
        return first._replace(rows=self.rows + other.rows)


class NamedClasses(NamedTuple):
    """What the cells of some rows name, by the role of the column and the class."""

    unknown: Mapping[tuple[str, str], UnknownClass] = {}
    known: frozenset[str] = frozenset()  # roles of columns that name a class of the challenge
    called: Mapping[str, str] = {}  # role -> the name of the column in the file
    declared: bool = False

    @property
    def fatal(self) -> bool:
        """Whether the file cannot be scored."""
        return self.declared and bool(self.unknown)

    def plus(self, others: Sequence[NamedClasses]) -> NamedClasses:
        """Return those of all parts."""
        merged: dict[tuple[str, str], UnknownClass] = {}
        parts = (self, *others)
        for key, one in (entry for part in parts for entry in part.unknown.items()):
            merged[key] = merged[key].plus(one) if key in merged else one
        return NamedClasses(
            _earliest(merged),
            frozenset[str]().union(*(part.known for part in parts)),
            {role: name for part in parts for role, name in part.called.items()},
            any(part.declared for part in parts),
        )

    def problems(self, whole: FileContext) -> Iterator[Problem]:
        """Yield an error for each class, or if the challenge declares none perhaps a warning."""
        for column in whole.public.class_columns:
            role = column.submission.role
            found = {name: one for (of, name), one in self.unknown.items() if of == role}
            word = printable(self.called.get(role, role), 60)
            if self.declared:
                for name, one in found.items():
                    yield _error_of(column, word, name, one)
            elif found and column.classes and role not in self.known:
                yield _warning_of(column, word, found)


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
    return number(name)[1] is None


def _earliest(
    unknown: Mapping[tuple[str, str], UnknownClass],
) -> dict[tuple[str, str], UnknownClass]:
    """Return those that come first in the file, as many as are reported."""
    return dict(sorted(unknown.items(), key=lambda entry: entry[1].line)[:KEPT])


@check("S521", scope="row")
def class_outside(submitted: Submitted) -> NamedClasses:
    """Every box, tag and span has a class of the challenge."""
    unknown: dict[tuple[str, str], UnknownClass] = {}
    known, called = set[str](), {}
    for column in submitted.public.class_columns:
        role = column.submission.role
        ids = submitted.table.ids.get(role)
        if ids is None or not column.classes:
            continue
        called[role] = submitted.table.called(role)
        classes = ClassNames.of(column.classes).places
        strange: dict[str, list[str]] = {}  # a cell -> its classes that are none
        for cell in ids.names:
            names = dict.fromkeys(column.submission.named(cell))
            if lost := [name for name in names if name not in classes]:
                strange[cell] = lost
            if len(lost) < len(names):
                known.add(role)
        for cell, row, rows in first_rows(ids, strange):
            for name in strange[cell]:
                line, list = submitted.line(row), submitted.lists.text(row)
                one = UnknownClass(rows, line, list, cell)
                before = unknown.get((role, name))
                unknown[role, name] = one if before is None else before.plus(one)
    declared = bool(submitted.rules.classes)
    return NamedClasses(_earliest(unknown), frozenset(known), called, declared)
