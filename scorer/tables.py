"""What a format is, and how a file becomes a table whatever its format.

A format gives its rows to a `Builder`; it tells what is wrong and goes on
wherever it can.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import BinaryIO, TypeVar

from scorer.columns import Table, Wanted
from scorer.errors import Findings, Problem, nearest, quoted, shown
from scorer.registry import Registry, discover, mark
from scorer.streams import Limits, Unreadable, open_bytes

COMPRESSED = (".gz", ".zst")


@dataclass(frozen=True, slots=True)
class Request:
    """A file to be read: its bytes, what is wanted of it, and where findings go."""

    stream: BinaryIO
    wanted: Sequence[Wanted]  # the shapes it may have, the likeliest first
    findings: Findings
    limits: Limits
    settings: Mapping[str, object]


Reader = Callable[[Request], Table | None]
F = TypeVar("F", bound=Reader)


@dataclass(frozen=True, slots=True)
class Format:
    """A way to write a table."""

    name: str
    suffixes: tuple[str, ...]
    read: Reader
    aliases: tuple[str, ...] = ()
    binary: bool = False


def format(name: str, *suffixes: str, binary: bool = False) -> Callable[[F], F]:
    """Make a function that reads a `Request` into a table the format of that name."""
    return lambda function: mark(function, Format(name, suffixes, function, binary=binary))


@cache
def formats() -> Registry[Format]:
    """Every format there is."""
    return discover("format", "scorer.formats", Format)


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
    wanted: Sequence[Wanted],
    findings: Findings,
    limits: Limits,
    settings: Mapping[str, object] | None = None,
) -> Table | None:
    """The table in a file, or None where it cannot be read as one; `findings` say why."""
    try:
        with open_bytes(path, limits, format.binary) as stream:
            return format.read(Request(stream, wanted, findings, limits, settings or {}))
    except Unreadable as error:
        findings.add(error.problem)
        return None


def resolve(
    names: Sequence[str], request: Request, line: int | None = 1, help: str | None = None
) -> tuple[Wanted, tuple[str, ...]] | None:
    """Which shape a header fits, and the roles it has; None with problems where it fits none."""
    for shape in request.wanted:
        if all(shape.called(role) in names for role in shape.required):
            return shape, tuple(role for role in shape.roles if shape.called(role) in names)
    shape = request.wanted[0]
    found = ", ".join(names[:12]) + (", ..." if len(names) > 12 else "")
    for role in shape.required:
        if (called := shape.called(role)) not in names:
            free = [n for n in names if n not in {shape.called(r) for r in shape.roles}]
            near = nearest(called, free)
            hint = f"; rename {quoted(near)}?" if near else ""
            said = f"column {quoted(called)} is missing; found: {shown(found)}{hint}"
            request.findings.add(Problem("S201", said, line=line, help=help))
    return None
