"""Formats, and the reading of a file as a table by any of them.

Stability: plugin.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple, TypeVar

from scorer.core.problems import Findings, Problem
from scorer.core.registry import Registry, discover, mark
from scorer.core.text import nearest, printable, quoted
from scorer.io.files import member_name, open_bytes
from scorer.io.form import PLAIN, Form, Keys, NoColumns, cut_schema
from scorer.io.limits import Limits, NoTable, Unreadable
from scorer.io.lines import count_only, lines
from scorer.io.parts import part_columns, part_tables
from scorer.io.pieces import joined, pieces
from scorer.io.reshape import KeyTable, Reshaped
from scorer.io.table import ORDERED, Schema, Table, number
from scorer.io.text import Request, TextReader, tables
from scorer.io.text import columns as text_columns

COMPRESSED = (".gz", ".zst", ".zip")
MOST_NAMES = 1000  # of a header are searched for what a missing one may have meant
SAMPLE = 100  # rows that show whether an unused column holds numbers
NAMELIKE = re.compile(r"[\w .,#%()\[\]/?-]{1,40}")  # what is shown of a header that fits nothing
NEARLY = ("S502", "S503", "S504", "S506")  # faults of a cell in a column of numbers

Tables = Callable[[Request], Iterator[Table]]
Columns = Callable[[Request, Sequence[tuple[int, str, str]]], list[int | None]]
Words = Callable[[Path], frozenset[str]]
Rows = Sequence[Mapping[str, object]]  # by role
Write = Callable[[Rows, Mapping[str, str]], bytes]
F = TypeVar("F", bound=Callable[[Request], Any])


class Format(NamedTuple):
    """A way to write a table."""

    name: str
    suffixes: tuple[str, ...]
    tables: Tables
    aliases: tuple[str, ...] = ()
    binary: bool = False
    words: Words | None = None  # of a file's columns, where they are no line of text
    columns: Columns | None = None  # where cells stand in their lines
    write: Write | None = None  # None: no file of it can be made
    form: Form = PLAIN  # of the files that are read


def format(
    name: str,
    *suffixes: str,
    binary: bool = False,
    words: Words | None = None,
    write: Write | None = None,
    columns: Columns | None = None,
) -> Callable[[F], F]:
    """Make something the format of that name.

    It is a `TextReader`; or a function that gives, of a `Request`, an iterator of tables, one
    after the other; or a function that gives one table, or None where the findings say
    why there is none.

    Args:
        name: as `format:` names it.
        suffixes: of its files.
        binary: whether its files are no text.
        words: the names of a file's columns, where they are no line of text.
        columns: tells where cells stand in their lines; a `TextReader` does.
        write: makes a file of rows, for the sample in a kit: of rows, each a mapping of role to
            value, and of what the columns are called, by role.
    """

    def marked(thing: F) -> F:
        def where(request: Request, cells: Sequence[tuple[int, str, str]]) -> list[int | None]:
            return text_columns(_reader(thing, request), request, cells)

        column_places = where if isinstance(thing, type) else columns
        return mark(
            thing, Format(name, suffixes, _tables(thing), (), binary, words, column_places, write)
        )

    return marked


def _tables(thing: Any) -> Tables:
    """The tables of a file, as what defines a format gives them."""
    if isinstance(thing, type):
        return lambda request: tables(_reader(thing, request), request)

    def given_tables(request: Request) -> Iterator[Table]:
        output: Table | Iterator[Table] | None = thing(request)
        if output is None:
            raise NoTable
        yield from (output,) if isinstance(output, Table) else output

    return given_tables


def _reader(thing: Callable[[Request], TextReader], request: Request) -> TextReader:
    """The reader of a text file, whatever its form."""
    return Reshaped(thing, request, key_table) if request.form.reshapes else thing(request)


def key_table(keys: Keys) -> KeyTable:
    """The ids of lines, or values, that have none.

    Raises:
        Unreadable: the file cannot be read.
    """
    findings, columns = Findings(str(keys.file)), dict(keys.columns)
    shape = Schema(("list",), ("item",), columns)
    format = format_of(keys.file, keys.format, form=keys.form or PLAIN)
    table = read(keys.file, format, [shape], findings, Limits())
    if table is None or findings.fatal:
        problem = next(iter(p for p in findings if p.severity == "error"))
        raise Unreadable(problem)
    rows = range(len(table))
    items = list(map(table.ids["item"].text, rows)) if "item" in table.ids else None
    return KeyTable([table.ids["list"].text(n) for n in rows], items, keys.file.name)


@cache
def formats() -> Registry[Format]:
    """Every format there is."""
    return discover("format", "scorer.io.formats", Format, "scorer.formats")


def format_of(
    path: Path,
    name: str | None,
    fallback: str = "csv",
    form: Form = PLAIN,
    own: Sequence[Path] | None = None,
) -> Format:
    """The format of that name, else the one of the file's suffix, else the fallback.

    Args:
        path: the file.
        name: of its format, if the challenge says it.
        fallback: the format of other suffixes.
        form: in which files of this format are written here.
        own: the challenge's own files, where the file was sent.
    """
    chosen = _format_of(path, name, fallback, form, own)._replace(form=form)
    if not form.parts:
        return chosen

    def of_part(file: str) -> Format:
        return format_of(Path(file), name, fallback, form._replace(parts=()))

    return chosen._replace(
        tables=lambda request: part_tables(request, of_part),
        columns=lambda request, cells: part_columns(request, of_part, cells),
    )


def _format_of(
    path: Path, name: str | None, fallback: str, form: Form, own: Sequence[Path] | None
) -> Format:
    if name is not None or form.json:
        return formats().get(name or "json")
    suffixes = [s.lower() for s in path.suffixes if s.lower() not in COMPRESSED]
    if path.suffix.lower() == ".zip" and not suffixes:  # as its one file is called
        suffixes = [s.lower() for s in Path(member_name(path, own) or "").suffixes]
    for candidate in formats():
        if suffixes and suffixes[-1] in candidate.suffixes:
            return candidate
    return formats().get(fallback)


def read(
    path: Path,
    format: Format,
    shapes: Sequence[Schema],
    findings: Findings,
    limits: Limits,
) -> Table | None:
    """The table in a file, or None where it cannot be read as one; `findings` say why.

    Args:
        path: the file.
        format: how it is written.
        shapes: which it may have, the likeliest first.
        findings: where problems go.
        limits: how much of it is read.
    """
    with pieces(path, format, shapes, limits, findings) as parts:
        return joined(parts)


def resolve(
    names: Sequence[str], request: Request, line: int | None = 1
) -> tuple[Schema, tuple[str, ...]] | None:
    """Which shape a header fits, and the roles it has; None with problems where it fits none.

    A column that the challenge declares by name must be there, even where its role is optional;
    of a declared score and rank one is enough, since either orders the rows.

    Args:
        names: the columns that the header names.
        request: the file, its shapes, and where problems go.
        line: of the header; None where the format has none.
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
        similar = nearest(called, free)
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

    Args:
        request: the file, and where the problems go.
        shape: what the table is asked for.
        roles: the roles that the file has.
        names: all its columns.
        unused: those that no role uses.
    """
    unordered = set(shape.roles) >= ORDERED and ORDERED.isdisjoint(roles)
    ungraded = "grade" in shape.roles and "grade" not in roles
    for extra in unused:
        called = extra.label or quoted(extra.name)
        message = f"column {called} is not used"
        if extra.name and (unordered or ungraded) and extra.numeric:
            columns = {**shape.columns, "score" if unordered else "grade": extra.name}
            declared = ", ".join(f"{role}: {printable(name, 60)}" for role, name in columns.items())
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
            problem = Problem("S205", message, "warning", None, extra.line, extra.column)
            request.findings.add(problem)


def _column_names(names: Sequence[str]) -> str:
    if not names:
        return "no name of a column"
    return printable(", ".join(names[:12]) + (", ..." if len(names) > 12 else ""))


def header(path: Path, format: Format, limits: Limits) -> frozenset[str]:
    """The words of a text file's first line that says anything, none where it cannot be read.

    For what can be known of a file without reading any row.

    Args:
        path: the file.
        format: how it is written.
        limits: how much of it is read.
    """
    if format.form.header:
        return frozenset(format.form.header)
    try:
        with open_bytes(path, limits, format.binary) as stream:
            if format.words is not None:
                return format.words(path)
            first = next(
                (text for _, text in lines(stream, limits, Findings()) if text.strip()), ""
            )
    except Unreadable:
        return frozenset()
    return frozenset(re.findall(r"[^\s,;|\"{}:]+", first))
