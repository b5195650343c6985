"""Markdown for GitHub, a wiki or a mail; texts are escaped, so that they are never markup."""

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

# The characters that GitHub's Markdown, a superset of most others, reads as markup.
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
LEFT_KINDS = ("rank", "name", "text", "long")  # kinds of columns that are aligned left
SAFE_KINDS = ("rank", "number", "interval", "count")  # kinds whose texts scorer writes: not escaped
NUMBERED_ITEM = re.compile(r"^(\d{1,9})([.)])(?=\s|$)")  # the beginning of an item
# Before these GitHub makes no link of a mention, an address or an issue if a zero-width space
# follows; a backslash would not prevent it.
LINKED = re.compile(r"(?<!\w)@(?=\w)|@(?=[\w-]+\.\w)|\#(?=\d)")


def markdown(document: Document, options: Options) -> str:
    """Return the document without its pictures."""
    lines = [f"**{document.private}**", ""] if document.private else []
    lines += [f"# {escaped(document.title)}", ""] if document.title else []
    for block in document.blocks:
        if written := list(_block(block)):
            lines += [*written, ""]
    return "\n".join(lines[:-1]) + "\n"


def _block(block: Block) -> Iterator[str]:
    """Yield the lines of a block; none of a picture."""
    match block:
        case Heading(text, level):
            yield f"{'#' * level} {escaped(text)}"
        case Paragraph(text, tone):
            strong = "**" if tone in ("strong", "fault") else ""
            lines = [escaped(line, 100_000) for line in text.split("\n") if line]
            yield "\n\n".join(f"{strong}{line}{strong}" for line in lines)
        case Notes(items, "strong"):
            yield "\n\n".join(f"**{escaped(item)}**" for item in items)
        case Notes(items):
            yield from (f"- {escaped(item.strip())}" for item in items)
        case Facts(pairs):
            yield from (f"- {escaped(term)}: {escaped(text)}" for term, text in pairs)
        case Table(_, columns, rows):
            left = {n for n, column in enumerate(columns) if column.kind in LEFT_KINDS}
            cells = ([*map(_cell_text, row.cells, columns)] for row in rows)
            yield from piped([escaped(column.head) for column in columns], cells, left)


def _cell_text(cell: Cell, column: Column) -> str:
    return cell.text if column.kind in SAFE_KINDS else escaped(cell.text, 10_000)


def escaped(text: str, width: int = 1000) -> str:
    """Return the text so that Markdown shows it as it is, in a table too; at most `width` long."""
    line = NUMBERED_ITEM.sub(r"\1\\\2", SPECIAL.sub(r"\\\g<0>", printable(text, width)))
    return LINKED.sub(r"\g<0>&#8203;", line)


def piped(
    head: Sequence[str], rows: Iterable[Sequence[str]], left: Container[int]
) -> Iterator[str]:
    """Yield the lines of a table of escaped cells; the columns `left` are aligned left."""
    rule = ["---" if n in left else "---:" for n in range(len(head))]
    for row in (head, rule, *rows):
        yield f"| {' | '.join(row)} |"
