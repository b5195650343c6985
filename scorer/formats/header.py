"""Which schema a file's header fits, and the columns that nothing uses."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Sequence
from pathlib import Path
from typing import NamedTuple

from scorer.bytes.lines import count_only
from scorer.core.problems import Problem
from scorer.core.text import nearest, printable, quoted
from scorer.formats.form import NoColumns, cut_schema, whole_role
from scorer.formats.text import Request
from scorer.tables.table import ORDERED, TEXT, Schema, number

SAMPLE = 100  # rows that show whether an unused column holds numbers
MOST_NAMES = 1000  # of a header are searched for what a missing one may have meant
NAMELIKE = re.compile(r"[\w .,#%()\[\]/?-]{1,40}")  # what is shown of a header that fits nothing
# columns that count rows, without case and signs: no scores and no grades
NUMBERS_OF_ROWS = frozenset(
    {"id", "idx", "index", "row", "rowid", "rowindex", "rownumber", "unnamed0"}
)
INDEX = re.compile(r"|index|level_0|Unnamed: 0(\.[0-9]+)*")  # what pandas calls an index column
NO_INDEX = "write with to_csv(index=False); score check --fix removes the column"
NEARLY = ("S502", "S503", "S504", "S506")  # faults of a cell in a column of numbers


def resolve(
    names: Sequence[str], request: Request, line: int | None = 1
) -> tuple[Schema, tuple[str, ...]] | None:
    """Which shape a header fits, and the roles it has; None with problems where it fits none.

    A column that the challenge declares by name must be there, even where its role is optional;
    of a declared score and rank one is enough, since either orders the rows.

    `line`, of the header, is None where the format has none.
    """
    present = set(names)
    try:
        shapes = [cut_schema(request.form, shape, names) for shape in request.wanted]
    except NoColumns as error:
        request.findings.add(Problem("S201", str(error), line=line))
        return None
    # of equals the one with the declared roles: columns by a pattern hold any
    strange = [len(shape.columns.keys() - set(shape.roles)) for shape in request.wanted]
    fit = [
        (len(lacking(shape, present)), lost) for shape, lost in zip(shapes, strange, strict=True)
    ]
    shape = shapes[fit.index(min(fit))]
    if not (missing := lacking(shape, present)):
        return shape, tuple(role for role in shape.roles if shape.called(role) in present)
    used = {shape.called(role) for role in shape.roles}
    free = [name for name in names[:MOST_NAMES] if name not in used and len(name) < 100]
    fits = present & used
    listing = _column_names([name for name in names if fits or NAMELIKE.fullmatch(name)])
    for role in missing:
        called = shape.called(role)
        only = free[0] if len(missing) == len(free) == 1 and fits else ""
        similar = nearest(called, free) or only
        hint = f"; rename {quoted(similar)}?" if similar else ""
        message = f"column {quoted(called)} is missing; found: {listing}{hint}"
        problem = Problem("S201", message, line=line, help=_naming(shape, request.path))
        request.findings.add(problem)
    return None


def _naming(shape: Schema, path: Path) -> str | None:
    """How a truth's columns are named in challenge.yaml; None for other files."""
    values = [role for role in ("grade", "rating") if role in shape.roles]
    if not values:
        return None
    roles = dict.fromkeys([*(r for r in shape.required if "[" not in r), *values])
    columns = ", ".join(
        f"{role}: {printable(shape.columns.get(role, '...'), 60)}" for role in roles
    )
    return (
        f"say which is which: truth: {{file: {printable(path.name, 60)}, columns: {{{columns}}}}}"
    )


def tells_all(names: Sequence[str], request: Request) -> bool:
    """Whether a header alone says how rows are read: each column has a role, one is of numbers."""
    present, form = set(names), request.form
    return not (form.cells or form.wide or form.lines) and all(
        present <= {shape.called(role) for role in shape.roles}
        and not lacking(shape, present)
        and any(shape.called(role) in present for role in shape.roles if role not in TEXT)
        for shape in request.wanted
    )


def lacking(shape: Schema, present: Collection[str]) -> list[str]:
    """The roles that a file with these columns must have and has not."""
    absent = [role for role in shape.roles if shape.called(role) not in present]
    ordered = any(role in shape.roles and role not in absent for role in ORDERED)
    return [
        role
        for role in absent
        if role in shape.required or (role in shape.columns and not (role in ORDERED and ordered))
    ]


class Unused(NamedTuple):
    """A column without a role: its name, its place, and its first cells."""

    name: str
    line: int | None
    column: int | None
    cells: Sequence[str]
    label: str | None = None  # for a message, where the name is empty

    @property
    def numbers_rows(self) -> bool:
        """Whether it is called as a number of rows is, and no number comes twice."""
        word = "".join(filter(str.isalnum, self.name.casefold()))
        whole = [cell.strip() for cell in self.cells]
        return (
            word in NUMBERS_OF_ROWS
            and all(map(str.isdecimal, whole))
            and len(set(whole)) == len(whole)
        )

    @property
    def numeric(self) -> bool:
        """Whether the cells are numbers, some of them perhaps missing or badly written."""
        faults = [number(cell.strip())[1] for cell in self.cells]
        good = [fault is None or fault[0] == "S504" for fault in faults]
        return any(good) and all(fault is None or fault[0] in NEARLY for fault in faults)


def tell_unused(
    request: Request,
    shape: Schema,
    roles: Sequence[str],
    names: Sequence[str],
    unused: Iterable[Unused],
) -> None:
    """Add the problems of columns that nothing uses.

    One that holds numbers is an error where the rows have neither a score nor a rank: the order
    of the rows would rank them. In a truth without grades the warning says how to name it.
    """
    if shape.every:
        return
    unordered = set(shape.roles) >= ORDERED and ORDERED.isdisjoint(roles)
    ungraded = "grade" in shape.roles and "grade" not in roles
    for extra in unused:
        called = extra.label or quoted(extra.name)
        message = f"column {called} is not used"
        index = extra.name and INDEX.fullmatch(extra.name) and extra.numeric
        if index:
            message += "; a pandas index?"
        elif (unordered or ungraded) and extra.name and extra.numeric and not extra.numbers_rows:
            columns = {**shape.columns, "score" if unordered else "grade": extra.name}
            named = {whole_role(role): printable(name, 60) for role, name in columns.items()}
            declared = ", ".join(f"{role}: {name}" for role, name in named.items())
            if ungraded:
                file = printable(request.path.name, 60)
                message += (
                    "; without grades every row has grade 1. If these are the grades, write "
                    f"truth: {{file: {file}, columns: {{{declared}}}}}"
                )
            else:
                what = (
                    f"no column 'score' or 'rank', and {called} holds numbers that are not used; "
                    f"found: {_column_names(names)}"
                )
                hint = f"rename it, or in the challenge: submission: {{columns: {{{declared}}}}}"
                request.findings.add(
                    Problem("S201", what, "error", None, extra.line, extra.column, help=hint)
                )
                unordered = False  # one problem of this is enough
        if not count_only(request.findings, "S205"):
            problem = Problem(
                "S205", message, "warning", None, extra.line, extra.column,
                help=NO_INDEX if index else None,
            )  # fmt: skip
            request.findings.add(problem)


def _column_names(names: Sequence[str]) -> str:
    if not names:
        return "no name of a column"
    return printable(", ".join(names[:12]) + (", ..." if len(names) > 12 else ""))
