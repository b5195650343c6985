"""One list a line: `s1: 4, 9, 12`, best item first."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from scorer.bytes.limits import Unreadable, limit
from scorer.bytes.lines import count_only
from scorer.core.problems import Findings, Problem
from scorer.core.text import printable, quoted
from scorer.formats.base import Rows, format
from scorer.formats.blocks import Block, Lines
from scorer.formats.text import Piece, Plain, Request, Row, TextReader

BLANKS = " \t"

Notes = list[tuple[int, str, bool]]


def as_lists(rows: Rows, columns: Mapping[str, str]) -> bytes:
    """Rows of list and item, best first."""
    by_list: dict[object, list[str]] = {}
    for row in rows:
        by_list.setdefault(row["list"], []).append(str(row["item"]))
    return "".join(f"{name}: {', '.join(items)}\n" for name, items in by_list.items()).encode()


@format("lists", ".lists", write=as_lists)
class ListLines(TextReader):
    """`list: item, item, ...` a line; the order of the items ranks them.

    A line that begins with # is a comment.
    """

    def __init__(self, request: Request) -> None:
        super().__init__(request)
        shape = next(
            (w for w in request.wanted if {"list"} <= set(w.required) <= {"list", "item"}), None
        )
        if shape is None:
            wants = ", ".join(map(request.wanted[0].called, request.wanted[0].required))
            message = (
                f"one list a line cannot hold the columns that are needed here ({printable(wants)})"
            )
            raise Unreadable(Problem("S201", message))
        self.shape = shape
        self.roles = ("list", "item")[: len(shape.required)]
        self.seen: dict[str, int] = {}  # each list with its line
        self.empty = 0

    def parse(
        self, lines: Lines, line: int, last: bool, findings: Findings, notes: Notes
    ) -> tuple[int, Sequence[Row]]:
        """The items of a list.

        The arguments are those of `TextReader.parse`.
        """
        number, text = lines[line]
        text = text.strip(BLANKS)
        if not text or text.startswith("#"):
            return line + 1, ()
        name, colon, rest = text.partition(":")
        name, rest = name.strip(BLANKS), rest.strip(BLANKS)
        if not colon:
            if not count_only(findings, "S207"):
                message = f"no colon in {quoted(text)}; expected 'list: item, item, ...'"
                findings.add(Problem("S207", message, line=number))
            return line + 1, ()
        notes.append((number, name, bool(rest)))
        if not rest:
            return line + 1, ()
        width = len(self.roles)
        return line + 1, [
            (number, (name, item.strip(BLANKS))[:width], item) for item in rest.split(",")
        ]

    def plain(self, block: Block, notes: Notes) -> Plain:
        """The items of the lines that hold a list, all of them at once."""
        import polars as pl

        right = np.ones(block.count, dtype=bool)
        right[block.spoiled()] = False
        text = pl.Series(block.picked(right).decode().split("\n")[:-1], dtype=pl.String)
        at = np.flatnonzero(right)
        text = text.str.strip_chars(BLANKS)
        has_text = (text != "") & ~text.str.starts_with("#")
        lists = has_text & text.str.contains(":", literal=True)
        odd = np.union1d(np.flatnonzero(~right), at[(has_text & ~lists).to_numpy()])
        at = at[lists.to_numpy()]
        parts = text.filter(lists).str.splitn(":", 2).struct.unnest()
        name, rest = (parts[column].str.strip_chars(BLANKS) for column in parts.columns)
        full = rest != ""
        notes += zip((at + block.first).tolist(), name.to_list(), full.to_list(), strict=True)
        items = rest.filter(full).str.split(",")
        times = items.list.len().to_numpy()
        columns = {
            "list": name.filter(full).gather(np.repeat(np.arange(times.size), times)),
            "item": items.explode().str.strip_chars(BLANKS),
        }
        at = np.repeat(at[full.to_numpy()], times)
        return Plain({role: columns[role] for role in self.roles}, at, odd)

    def column(self, lines: Lines, line: int, role: str, cell: str) -> int | None:
        """At which character a list's name, or one of its items, begins.

        The arguments are those of `TextReader.column`.
        """
        text = lines[line][1]
        start = len(text) - len(text.lstrip(BLANKS))
        if role == "list":
            return start + 1
        start = text.find(":") + 1
        for item in text[start:].split(","):
            if item.strip(BLANKS) == cell:
                return start + len(item) - len(item.lstrip(BLANKS)) + 1
            start += len(item) + 1
        return None

    def notes(self) -> Notes:
        """An empty note: of each list its line, its name, and whether it has items."""
        return []

    def settle(self, piece: Piece) -> None:
        """Leave out lists that are given again; remember those that are empty."""
        again: list[int] = []
        empty: list[tuple[str, int]] = []
        for number, name, full in sorted(piece.notes):
            if (first := self.seen.setdefault(name, number)) != number:
                again.append(number)
                if not count_only(piece.findings, "S303"):
                    message = (
                        f"{printable(self.shape.called('list'), 60)} {quoted(name)} appears in "
                        f"two separate places (first on line {first})"
                    )
                    piece.findings.add(Problem("S303", message, line=number, list=name))
            elif not full:
                empty.append((name, number))
                self.empty += 1
                if self.empty > self.request.limits.rows:
                    most = f"{self.request.limits.rows:,}"
                    message = f"more than {most} lists, which is what is accepted here"
                    raise Unreadable(Problem("S104", message, line=number, help=limit("rows")))
        piece.facts["empty"] = tuple(empty)
        if again:
            piece.keep(~np.isin(piece.line, again))
