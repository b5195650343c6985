"""What a format is, and how a file becomes a table whatever its format.

A format gives its rows to a `Builder`; it tells what is wrong and goes on
wherever it can.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from functools import cache
from io import BufferedReader
from pathlib import Path
from typing import NamedTuple, TypeVar

from scorer.core.problems import Findings, Problem
from scorer.core.registry import Registry, discover, mark
from scorer.core.text import nearest, printable, quoted
from scorer.io.files import open_bytes
from scorer.io.limits import Bounds, Unreadable
from scorer.io.lines import lines
from scorer.io.table import Schema, Table

COMPRESSED = (".gz", ".zst")
MOST_NAMES = 1000  # of a header are searched for what a missing one may have meant


class Request(NamedTuple):
    """A file to be read: its bytes, what is wanted of it, and where findings go."""

    path: Path
    stream: BufferedReader
    wanted: Sequence[Schema]  # the shapes it may have, the likeliest first
    findings: Findings
    limits: Bounds


Reader = Callable[[Request], Table | None]
Words = Callable[[Path], frozenset[str]]
F = TypeVar("F", bound=Reader)


class Format(NamedTuple):
    """A way to write a table."""

    name: str
    suffixes: tuple[str, ...]
    read: Reader
    aliases: tuple[str, ...] = ()
    binary: bool = False
    words: Words | None = None  # of a file's columns, where they are no line of text


def format(
    name: str, *suffixes: str, binary: bool = False, words: Words | None = None
) -> Callable[[F], F]:
    """Make a function that reads a `Request` into a table the format of that name."""
    return lambda function: mark(
        function, Format(name, suffixes, function, binary=binary, words=words)
    )


@cache
def formats() -> Registry[Format]:
    """Every format there is."""
    return discover("format", "scorer.io.formats", Format, "scorer.formats")


def format_of(path: Path, name: str | None, fallback: str = "csv") -> Format:
    """The format of that name, else the one of the file's suffix, else the fallback."""
    if name is not None:
        return formats().get(name)
    suffixes = [s.lower() for s in path.suffixes if s.lower() not in COMPRESSED]
    for known in formats():
        if suffixes and suffixes[-1] in known.suffixes:
            return known
    return formats().get(fallback)


def read(
    path: Path,
    format: Format,
    wanted: Sequence[Schema],
    findings: Findings,
    limits: Bounds,
) -> Table | None:
    """The table in a file, or None where it cannot be read as one; `findings` say why."""
    try:
        with open_bytes(path, limits, format.binary) as stream:
            return format.read(Request(path, stream, wanted, findings, limits))
    except Unreadable as error:
        findings.add(error.problem)
        return None


def resolve(
    names: Sequence[str], request: Request, line: int | None = 1
) -> tuple[Schema, tuple[str, ...]] | None:
    """Which shape a header fits, and the roles it has; None with problems where it fits none."""
    given = set(names)

    def missing(shape: Schema) -> list[str]:
        return [role for role in shape.required if shape.called(role) not in given]

    shape = min(request.wanted, key=lambda shape: len(missing(shape)))  # the first of equals
    if not missing(shape):
        return shape, tuple(role for role in shape.roles if shape.called(role) in given)
    taken = {shape.called(role) for role in shape.roles}
    free = [name for name in names[:MOST_NAMES] if name not in taken and len(name) < 100]
    found = ", ".join(names[:12]) + (", ..." if len(names) > 12 else "")
    for role in missing(shape):
        called = shape.called(role)
        near = nearest(called, free)
        hint = f"; rename {quoted(near)}?" if near else ""
        message = f"column {quoted(called)} is missing; found: {printable(found)}{hint}"
        request.findings.add(Problem("S201", message, line=line))
    return None


def header(path: Path, format: Format, limits: Bounds) -> frozenset[str]:
    """The words of a text file's first line that says anything, none where it cannot be read.

    For what can be told from a file without reading any row.
    """
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
