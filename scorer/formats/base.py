"""What a format is: a way to write a table, found by its name or by a file's suffix."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple, TypeVar

from scorer.bytes.limits import NoTable
from scorer.core.registry import Registry, discover, installed, load_one, mark
from scorer.formats.cut import columns as text_columns
from scorer.formats.cut import tables
from scorer.formats.form import PLAIN, FileForm
from scorer.formats.text import Request, TextReader
from scorer.tables.table import Table

Tables = Callable[[Request], Iterator[Table]]
Columns = Callable[[Request, Sequence[tuple[int, str, str]]], list[int | None]]
Words = Callable[[Path], frozenset[str]]
Rows = Sequence[Mapping[str, object]]  # by role
Write = Callable[[Rows, Mapping[str, str]], bytes]
F = TypeVar("F", bound=Callable[[Request], Any])
PACKAGE = "scorer.formats"  # its folder, and the group of entry points


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
    form: FileForm = PLAIN  # of the files that are read
    reader: Callable[[Request], TextReader] | None = None  # of a text format's lines


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
        words: the names of a file's columns, where they are no line of text.
        columns: tells where cells stand in their lines; a `TextReader` does.
        write: makes a file of rows, for the sample in a kit: of rows, each a mapping of role to
            value, and of what the columns are called, by role.
    """

    def marked(thing: F) -> F:
        made = Format(name, suffixes, _tables(thing), (), binary, words, columns, write)
        return mark(thing, by_reader(made, thing) if isinstance(thing, type) else made)

    return marked


def by_reader(format: Format, reader: Callable[[Request], TextReader]) -> Format:
    """The format with its files read by another reader of lines."""
    return format._replace(
        reader=reader,
        # no reader holds what holds it, since a block would then stay in memory for long
        tables=lambda request: tables(reader(request._replace(lines=None)), request),
        columns=lambda request, cells: text_columns(reader(request), request, cells),
    )


def _tables(thing: Any) -> Tables:
    """The tables of a file, from a function that gives one table, several or None."""

    def given_tables(request: Request) -> Iterator[Table]:
        output: Table | Iterator[Table] | None = thing(request)
        if output is None:
            raise NoTable
        yield from (output,) if isinstance(output, Table) else output

    return given_tables


@cache
def formats() -> Registry[Format]:
    """Every format there is."""
    return discover("format", PACKAGE, Format, PACKAGE)


def format_of_suffix(suffix: str) -> Format | None:
    """The format of files that end so; where one is called as the suffix no other is loaded."""
    named = None if installed(PACKAGE) else load_one(PACKAGE, Format, suffix[1:])
    if named is not None and suffix in named.suffixes:
        return named
    return next((format for format in formats() if suffix in format.suffixes), None)


def known_suffix(name: str) -> str:
    """The end of a file's name, in small letters, that is a format's suffix; '' of none."""
    last = name[name.rfind(".") :] if "." in name else ""
    if not installed(PACKAGE):  # those of our own have a single dot
        return last if last and format_of_suffix(last) else ""
    suffixes = {suffix for format in formats() for suffix in format.suffixes}
    return max((s for s in suffixes if name.endswith(s)), key=len, default="")
