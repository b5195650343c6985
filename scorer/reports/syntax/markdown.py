"""Markdown, escaped."""

from __future__ import annotations

import re
from collections.abc import Container, Iterable, Iterator, Sequence

from scorer.core.text import printable

# :// too, since GitHub makes links of addresses that nobody marked as such
SPECIAL = re.compile(r"([\\`*_{}\[\]<>()#+\-.!|~&$]|:(?=//))")


def escaped(text: str, width: int = 1000) -> str:
    """Text that stays text in Markdown, and in a table's cell."""
    return SPECIAL.sub(r"\\\1", printable(text, width))


def piped(
    head: Sequence[str], rows: Iterable[Sequence[str]], left: Container[int]
) -> Iterator[str]:
    """The lines of a table, escaped already; columns are set to the right but those in `left`."""
    rule = ["---" if n in left else "---:" for n in range(len(head))]
    for row in (head, rule, *rows):
        yield f"| {' | '.join(row)} |"
