"""Markdown, escaped where a sign would mean something."""

from __future__ import annotations

import re
from collections.abc import Container, Iterable, Iterator, Sequence

from scorer.core.text import printable

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
NUMBERED = re.compile(r"^(\d{1,9})([.)])(?=\s|$)")  # a list
# mentions, addresses and issues: GitHub makes links of them behind a backslash, too, but not
# where a zero-width space stands
LINKED = re.compile(r"(?<!\w)@(?=\w)|@(?=[\w-]+\.\w)|\#(?=\d)")


def escaped(text: str, width: int = 1000) -> str:
    """Text that stays text in Markdown, and in a table's cell."""
    line = NUMBERED.sub(r"\1\\\2", SPECIAL.sub(r"\\\g<0>", printable(text, width)))
    return LINKED.sub(r"\g<0>&#8203;", line)


def piped(
    head: Sequence[str], rows: Iterable[Sequence[str]], left: Container[int]
) -> Iterator[str]:
    """The lines of a table.

    Args:
        head: the headings, escaped already.
        rows: the cells, escaped already.
        left: the places of the columns that are set to the left; the others are to the right.
    """
    rule = ["---" if n in left else "---:" for n in range(len(head))]
    for row in (head, rule, *rows):
        yield f"| {' | '.join(row)} |"
