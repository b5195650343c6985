"""Lines whose fields have no quotes: between blanks, one a line, or the last with all that is left.

Other than in CSV a mark in a field cannot be protected, so that a line is cut by its marks alone.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from scorer.formats.blocks import Block, Places
from scorer.formats.form import NO_SEPARATOR, WHITESPACE, FileForm, separator_of

if TYPE_CHECKING:
    import polars as pl

FIELD = re.compile(r"[^ \t]+")
BLANKS = " \t"
QUOTED = re.compile('"[^"]*"')


class Cutter(NamedTuple):
    """How such lines are cut."""

    separator: str  # one character, `whitespace` or `none`
    width: int  # how many fields there are; 0: as many as there are
    rest: bool = False  # whether the last one takes the rest of the line

    def fields(self, text: str) -> list[str]:
        """The fields of a line.

        >>> Cutter("whitespace", 2, True).fields(" a  b c"), Cutter(",", 0).fields("a, b")
        (['a', 'b c'], ['a', 'b'])
        """
        text = text.strip(BLANKS)
        if not text:
            return []
        if self.separator == NO_SEPARATOR:
            return [text]
        most = self.width - 1 if self.rest else -1
        if self.separator == WHITESPACE:
            fields = text.split(None, most)
        else:
            fields = [field.strip(BLANKS) for field in text.split(self.separator, most)]
        if self.rest and len(fields) == self.width and QUOTED.fullmatch(fields[-1]):
            fields[-1] = fields[-1][1:-1]  # as pandas writes it
        return fields

    def start(self, raw: str, n: int) -> int:
        """At which character of a line, from 1, its n-th field begins."""
        if self.separator == NO_SEPARATOR:
            return len(raw) - len(raw.lstrip(BLANKS)) + 1
        if self.separator == WHITESPACE:
            starts = [match.start() for match in FIELD.finditer(raw)]
            return starts[min(n, len(starts) - 1)] + 1
        at = 0
        for _ in range(n):
            at = raw.find(self.separator, at) + 1
        return at + len(raw[at:]) - len(raw[at:].lstrip(BLANKS)) + 1

    def columns(self, block: Block, odd: Places) -> tuple[pl.DataFrame, Places, Places]:
        """The columns, by number, of lines that have all fields, their lines, and those left."""
        import polars as pl

        good = block.ends > block.starts
        if self.rest:
            odd = np.union1d(odd, block.lines_with(b'"'))
        good[odd] = False
        at = np.flatnonzero(good)
        text = pl.Series(block.picked(good).decode().split("\n")[:-1], dtype=pl.String)
        text = text.str.strip_chars(BLANKS)
        mark = self.separator
        if mark == WHITESPACE:
            mark = "\t"
            if not self.rest:
                text = text.str.replace_all("[ \t]+", mark)
            for _ in range(self.width - 1 if self.rest else 0):
                text = text.str.replace("[ \t]+", "\x1f")
            mark = "\x1f" if self.rest else mark
        if mark == NO_SEPARATOR or (self.rest and self.width == 1):
            frame = text.to_frame("0")
        else:
            frame = text.str.splitn(mark, self.width).struct.unnest()
            frame.columns = [str(n) for n in range(self.width)]
            frame = frame.with_columns(pl.col(pl.String).str.strip_chars(BLANKS))
        right = frame["0"].str.len_bytes().to_numpy() > 0
        last = frame[str(self.width - 1)]
        right &= ~last.is_null().to_numpy()
        if not self.rest and mark != NO_SEPARATOR:
            right &= ~last.fill_null("").str.contains(mark, literal=True).to_numpy()
        if not right.all():
            odd = np.union1d(odd, at[~right])
            at, frame = at[right], frame.filter(right)
        return frame, at, odd


def cutter(form: FileForm, names: int, last: str | None, separator: str) -> Cutter | None:
    """How the lines are cut where fields have no quotes; None where they are CSV.

    `last` is the separator of several ids in the last column's cells, if it holds several.
    """
    if form.header and names == 1 and not form.separator:
        return Cutter(NO_SEPARATOR, 1)
    if separator in (WHITESPACE, NO_SEPARATOR):
        return Cutter(separator, names, last in (WHITESPACE, " "))
    if form.header and last is not None and separator_of(last) == separator:
        return Cutter(separator, names, rest=True)
    return None
