"""One list a line: `s1: 4, 9, 12`, best item first."""

from __future__ import annotations

from scorer.core.problems import Problem
from scorer.core.text import printable, quoted
from scorer.io.formats.base import Request, format
from scorer.io.limits import Unreadable
from scorer.io.lines import count_only, lines
from scorer.io.table import Builder, Table

BLANKS = " \t"


@format("lists", ".lists")
def lists(request: Request) -> Table | None:
    """Read `list: item, item, ...` a line; the order of the items ranks them.

    A line that begins with # is a comment.
    """
    findings, limits = request.findings, request.limits
    shape = next(
        (w for w in request.wanted if {"list"} <= set(w.required) <= {"list", "item"}), None
    )
    if shape is None:
        wants = ", ".join(map(request.wanted[0].called, request.wanted[0].required))
        message = (
            f"one list a line cannot hold the columns that are needed here ({printable(wants)})"
        )
        raise Unreadable(Problem("S201", message))
    width = len(shape.required)
    builder = Builder(shape, ("list", "item")[:width], findings, limits)
    seen: dict[str, int] = {}
    empty: list[tuple[str, int]] = []
    for number, text in lines(request.stream, limits, findings):
        line = text.strip(BLANKS)
        if not line or line.startswith("#"):
            continue
        name, colon, rest = line.partition(":")
        name, rest = name.strip(BLANKS), rest.strip(BLANKS)
        if not colon and count_only(findings, "S207"):
            continue
        if not colon:
            message = f"no colon in {quoted(line)}; expected 'list: item, item, ...'"
            findings.add(Problem("S207", message, line=number))
            continue
        if name in seen and count_only(findings, "S303"):
            continue
        if name in seen:
            message = (
                f"{printable(shape.called('list'), 60)} {quoted(name)} appears in two separate "
                f"places (first on line {seen[name]})"
            )
            findings.add(Problem("S303", message, line=number, list=name))
            continue
        seen[name] = number
        if not rest:
            empty.append((name, number))
            if len(empty) > limits.rows:
                message = f"more than {limits.rows:,} lists, which is what is accepted here"
                raise Unreadable(Problem("S104", message, line=number))
            continue
        for item in rest.split(","):
            builder.row(number, (name, item.strip(BLANKS))[:width], item)
    builder.facts["empty"] = tuple(empty)
    return builder.table()
