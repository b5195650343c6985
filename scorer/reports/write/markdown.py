"""Markdown that GitHub, a wiki or a mail shows, escaped where a sign would mean something."""

from __future__ import annotations

import re
from collections.abc import Container, Iterable, Iterator, Sequence

from scorer.core.text import printable
from scorer.reports.base import Options
from scorer.reports.document import (
    Block,
    Cell,
    Column,
    Document,
    Facts,
    Heading,
    Notes,
    Paragraph,
    Table,
)

# where GitHub's Markdown, which most others are part of, reads a sign as markup
SPECIAL = re.compile(
    r"""
      [\\`*\[<|~$]              # anywhere
    | (?<![^\W_])_|_(?![^\W_])  # at the edge of a word; inside one it is itself
    | &(?=\#?\w+;)              # an entity
    | :(?=//)                   # an address becomes a link by itself,
    | (?<=www)\.                # with or without its scheme
    | ^(?:[#>]|[-+](?=\s|$)|[-=](?=[-=\s]*$))  # a heading, a quotation, a list or a rule
    """,
    re.VERBOSE,
)
LEFT = ("rank", "name", "text", "long")  # kinds of columns that are set to the left
OURS = ("rank", "number", "interval", "count")  # kinds without text from outside
NUMBERED = re.compile(r"^(\d{1,9})([.)])(?=\s|$)")  # a list
# mentions, addresses and issues: GitHub makes links of them behind a backslash, too, but not
# where a zero-width space stands
LINKED = re.compile(r"(?<!\w)@(?=\w)|@(?=[\w-]+\.\w)|\#(?=\d)")


def markdown(document: Document, options: Options) -> str:
    """The document without its pictures."""
    lines = [f"**{document.private}**", ""] if document.private else []
    lines += [f"# {escaped(document.title)}", ""] if document.title else []
    for block in document.blocks:
        if written := list(_block(block)):
            lines += [*written, ""]
    return "\n".join(lines[:-1]) + "\n"


def _block(block: Block) -> Iterator[str]:
    match block:
        case Heading(text, level):
            yield f"{'#' * level} {escaped(text)}"
        case Paragraph(text, tone):
            strong = "**" if tone in ("strong", "fault") else ""
            yield "\n\n".join(f"{strong}{escaped(t, 10**5)}{strong}" for t in text.split("\n") if t)
        case Notes(items, "strong"):
            yield "\n\n".join(f"**{escaped(item)}**" for item in items)
        case Notes(items):
            yield from (f"- {escaped(item.strip())}" for item in items)
        case Facts(pairs):
            yield from (f"- {escaped(term)}: {escaped(text)}" for term, text in pairs)
        case Table(_, columns, rows):
            left = {n for n, column in enumerate(columns) if column.kind in LEFT}
            cells = ([*map(_cell_text, row.cells, columns)] for row in rows)
            yield from piped([escaped(column.head) for column in columns], cells, left)


def _cell_text(cell: Cell, column: Column) -> str:
    return cell.text if column.kind in OURS else escaped(cell.text, 10_000)


def escaped(text: str, width: int = 1000) -> str:
    """Text that stays text in Markdown, and in a table's cell."""
    line = NUMBERED.sub(r"\1\\\2", SPECIAL.sub(r"\\\g<0>", printable(text, width)))
    return LINKED.sub(r"\g<0>&#8203;", line)


def piped(
    head: Sequence[str], rows: Iterable[Sequence[str]], left: Container[int]
) -> Iterator[str]:
    """The lines of a table, its cells escaped already; columns in `left` are set to the left."""
    rule = ["---" if n in left else "---:" for n in range(len(head))]
    for row in (head, rule, *rows):
        yield f"| {' | '.join(row)} |"
