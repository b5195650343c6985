"""One list a line: `s1: 4, 9, 12`, best item first."""

from __future__ import annotations

from scorer.columns import Builder, Table
from scorer.errors import Problem, quoted
from scorer.streams import lines
from scorer.tables import Request, format

BLANKS = " \t"


@format("lists", ".lists")
def lists(request: Request) -> Table | None:
    """Read `list: item, item, ...` a line; the order of the items ranks them.

    A line that begins with # is a comment.
    """
    shape = next((w for w in request.wanted if {"list", "item"} <= set(w.required)), None)
    if shape is None:
        wants = ", ".join(request.wanted[0].required)
        said = f"one list a line cannot hold the columns that are needed here ({wants})"
        request.findings.add(Problem("S201", said))
        return None
    builder = Builder(shape, ("list", "item"), request.findings, request.limits)
    seen: dict[str, int] = {}
    empty: list[tuple[str, int]] = []
    for number, text in lines(request.stream, request.limits, request.findings):
        line = text.strip(BLANKS)
        if not line or line.startswith("#"):
            continue
        name, colon, rest = line.partition(":")
        if not colon:
            said = f"no colon in {quoted(line)}; expected 'list: item, item, ...'"
            request.findings.add(Problem("S207", said, line=number))
            continue
        name = name.strip(BLANKS)
        if name in seen:
            said = (
                f"list {quoted(name)} appears in two separate places (first on line {seen[name]})"
            )
            request.findings.add(Problem("S303", said, line=number, list=name))
            continue
        seen[name] = number
        items = [item.strip(BLANKS) for item in rest.split(",")] if rest.strip(BLANKS) else []
        if not items:
            empty.append((name, number))
        builder.add([number] * len(items), [(name, item) for item in items], [text] * len(items))
    builder.facts["empty"] = tuple(empty)
    return builder.table()
