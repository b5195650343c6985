"""The fast way to read a file: polars cuts it in one pass.

It is for clean files only: those that polars cuts as the formats' own readers do. For any other
file `scan_clean` returns None, and the format's own reader cuts it.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

import numpy as np
import polars as pl

from scorer.reading.limits import ReadLimits
from scorer.reading.lines import is_text
from scorer.reading.numbers import largest_number
from scorer.reading.open import BLOCK
from scorer.reading.schema import holds_text
from scorer.reading.signatures import BOM

# Names of columns; no role has a blank.
IS_SHORT, HAS_OTHERS = "is short", "has others"


class _Separators(NamedTuple):
    """The separators of a file."""

    number: int
    are_doubled: bool  # whether any two follow each other


def scan_clean(
    data: bytes,
    separator: str,
    width: int,
    positions: Mapping[str, int],
    limits: ReadLimits,
    *,
    first_line: int,
    all_filled: bool = False,
    marks: Mapping[str, pl.Expr] | None = None,
) -> pl.DataFrame | None:
    """Return `line` and a column for each role, or None if the file is not clean.

    A column of numbers is Float64 if all its cells are numbers within the bounds of the role, else
    it is text. Only fields that are used are read: each column costs a first touch of its memory.

    Args:
        data: The unpacked file, without a byte-order mark; none of its lines is too long.
        width: How many fields each line has.
        positions: role -> its field, from 0.
        limits: A file that exceeds the number of rows is not clean.
        first_line: The line of the first row, from 1.
        all_filled: Whether all fields must be filled, also those that no role reads.
        marks: Further columns, as expressions of the fields, whose names are "0", "1", ..
    """
    # Polars keeps a NUL and drops a CR inside a line, both without an error; it does not look at
    # the encoding of columns that are not read.
    has_lone_cr = b"\r" in data and data.count(b"\r") != data.count(b"\r\n")
    if has_lone_cr or not is_text(data):
        return None
    # Polars drops a byte-order mark at the beginning of the first line that it reads.
    if not data.isascii() and BOM in data:
        return None
    if _has_outer_blanks(data, separator.encode()):
        return None
    names = [str(position) for position in range(width)]
    cells = [pl.col(names[position]).alias(role) for role, position in positions.items()]
    cells += [mark.alias(name) for name, mark in (marks or {}).items()]
    # Polars fills a short row with nulls, so that its last field is null. An empty field that is
    # neither the first nor the last stands between two separators.
    filled = {0, width - 1} if all_filled else {width - 1}
    if unread := [names[position] for position in filled.difference(positions.values())]:
        cells.append(pl.any_horizontal(pl.col(unread).is_null()).alias(IS_SHORT))
    numbers = [role for role in positions if not holds_text(role)]
    others = [~_is_within(pl.col(names[positions[role]]), role) for role in numbers]

    def scan(number_type: type[pl.DataType], *further: pl.Expr) -> pl.DataFrame | None:
        types = {positions[role]: number_type for role in numbers}
        lines = pl.scan_csv(
            data,
            separator=separator,
            has_header=False,
            skip_lines=first_line - 1,
            quote_char=None,
            schema={name: types.get(n, pl.String) for n, name in enumerate(names)},
            row_index_name="line",
            row_index_offset=first_line,
            n_rows=limits.rows + 1,  # so that no memory is taken for more
        )
        try:
            return lines.select("line", *cells, *further).collect(engine="streaming")
        except pl.exceptions.PolarsError:
            return None

    # Polars parses numbers as it cuts. If a cell is no number, or too large, they are read as text.
    text_fields = {position for role, position in positions.items() if holds_text(role)}
    # A field that two roles read, one as a number and one as a text, is read as text.
    is_shared = any(positions[role] in text_fields for role in numbers)
    has_others = pl.any_horizontal(pl.lit(False), *others).alias(HAS_OTHERS)
    frame = None if is_shared else scan(pl.Float64, has_others)
    has_numbers = frame is not None and not frame[HAS_OTHERS].any()
    if not has_numbers:
        frame = scan(pl.String)
    if frame is None or frame.height > limits.rows:
        return None
    # Polars drops further fields of a long row, unless all columns are read; the number of
    # separators shows that there were some.
    separators, lines = _find_separators(data, separator), first_line - 1 + frame.height
    if separators.number != (width - 1) * lines or (all_filled and separators.are_doubled):
        return None
    no_nulls = [role for role, at in positions.items() if holds_text(role) or at in filled]
    if any(frame[role].null_count() for role in no_nulls) or (unread and frame[IS_SHORT].any()):
        return None
    if not has_numbers:
        texts = frame.select(pl.col(numbers).fill_null(""))
        cast = texts.cast(pl.Float64, strict=False)
        are_numbers = cast.select(_is_within(pl.col(role), role).all() for role in numbers).row(0)
        frame = frame.with_columns(
            (cast if is_number else texts)[role]
            for role, is_number in zip(numbers, are_numbers, strict=True)
        )
    return frame.drop(IS_SHORT, HAS_OTHERS, strict=False)


def _is_within(numbers: pl.Expr, role: str) -> pl.Expr:
    """Return whether each number is neither missing nor beyond the bounds of its role."""
    # Neither NaN nor an infinity is at most the largest number.
    return (numbers.abs() <= largest_number(role)).fill_null(False)


def _find_separators(data: bytes, separator: str) -> _Separators:
    view, mark = np.frombuffer(data, np.uint8), ord(separator)
    number, are_doubled = 0, False
    for start in range(0, view.size, BLOCK):
        is_mark = view[start : start + BLOCK + 1] == mark  # and the first byte of the next
        number += int(np.count_nonzero(is_mark[:BLOCK]))
        are_doubled = are_doubled or bool((is_mark[1:] & is_mark[:-1]).any())
    return _Separators(number, are_doubled)


def _has_outer_blanks(data: bytes, separator: bytes) -> bool:
    """Return whether there is a blank beside a separator, or at an end of a line."""
    for blank in {b" ", b"\t"} - {separator}:
        if blank not in data:
            continue
        ends = (separator + blank, blank + separator, b"\n" + blank, blank + b"\n", blank + b"\r")
        if data[:1] == blank or data[-1:] == blank or any(end in data for end in ends):
            return True
    return False
