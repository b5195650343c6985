"""`list|item|score` a line; a line that begins with # is a comment."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from scorer.bytes.limits import Unreadable
from scorer.core.problems import Findings, Problem
from scorer.formats.base import Rows, format
from scorer.formats.blocks import Lines
from scorer.formats.text import Request, Row, TextReader

ROLES = ("list", "item", "score")


def as_pipes(rows: Rows, columns: Mapping[str, str]) -> bytes:
    """Rows of list and item, best first, with descending scores."""
    lines = (f"{row['list']}|{row['item']}|{len(rows) - n}\n" for n, row in enumerate(rows))
    return "".join(lines).encode()


@format("pipes", ".pipes", write=as_pipes)
class Pipes(TextReader):
    """Three cells a line, with a pipe between them."""

    def __init__(self, request: Request) -> None:
        super().__init__(request)
        shapes = [shape for shape in request.wanted if {*shape.required} <= {*ROLES}]
        if not shapes:
            raise Unreadable(Problem("S201", "pipes hold a list, an item and a score"))
        self.shape = next((shape for shape in shapes if "score" in shape.roles), shapes[0])
        self.roles = tuple(role for role in ROLES if role in self.shape.roles)

    def parse(
        self, lines: Lines, line: int, last: bool, findings: Findings, notes: Any
    ) -> tuple[int, Sequence[Row]]:
        """The row of one line."""
        at, raw = lines[line]
        cells = raw.strip("\r\n").split("|")
        if not raw.strip() or raw.startswith("#"):
            return line + 1, ()
        if len(cells) != 3:
            findings.add(Problem("S207", f"{len(cells)} cells, expected 3", line=at))
            return line + 1, ()
        given = dict(zip(ROLES, cells, strict=True))
        return line + 1, [(at, [given[role] for role in self.roles], raw)]
