"""The fast way to read a file: polars cuts it in one pass.

It is for clean files only: those that polars cuts as the formats' own readers do. For any other
file `scan_clean` returns None, and the format's own reader cuts it.
"""

from __future__ import annotations

from collections.abc import Mapping

import polars as pl

from scorer.reading.limits import ReadLimits
from scorer.reading.lines import is_text
from scorer.reading.numbers import largest_number
from scorer.reading.schema import holds_text
from scorer.reading.signatures import BOM

IS_SHORT = "is short"  # the name of a column; no role has a blank


def scan_clean(
    data: bytes,
    separator: str,
    width: int,
    positions: Mapping[str, int],
    limits: ReadLimits,
    *,
    first_line: int,
    all_filled: bool = False,
) -> pl.DataFrame | None:
    """Return `line` and a column for each role, or None if the file is not clean.

    A column of numbers is Float64 if all its cells are numbers within the bounds of the role, else
    it is text.

    Args:
        data: The unpacked file, without a byte-order mark.
        width: How many fields each line has.
        positions: role -> its field, from 0.
        limits: A file that exceeds one of them is not clean.
        first_line: The line of the first row, from 1.
        all_filled: Whether all fields must be filled, also those that no role reads.
    """
    # Polars keeps a NUL and drops a CR inside a line, both without an error; it does not look at
    # the encoding of columns that are not read.
    has_lone_cr = b"\r" in data and data.count(b"\r") != data.count(b"\r\n")
    if has_lone_cr or not is_text(data) or _has_long_line(data, limits.line):
        return None
    # Polars drops a byte-order mark at the beginning of the first line that it reads.
    if not data.isascii() and BOM in data:
        return None
    if _has_outer_blanks(data, separator.encode()):
        return None
    names = [str(position) for position in range(width)]
    # Polars fills a short row with nulls, so that at least its last field is null.
    filled = range(0 if all_filled else width - 1, width)
    unread = [names[position] for position in filled if position not in positions.values()]
    cells = [pl.col(names[position]).alias(role) for role, position in positions.items()]
    if unread:
        cells.append(pl.any_horizontal(pl.col(unread).is_null()).alias(IS_SHORT))

    def scan(number_type: type[pl.DataType]) -> pl.DataFrame | None:
        types = {positions[role]: number_type for role in positions if not holds_text(role)}
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
            return lines.select("line", *cells).collect(engine="streaming")
        except pl.exceptions.PolarsError:
            return None

    # Polars parses numbers as it cuts. If a cell is no number, or too large, they are read as text.
    numbers = [role for role in positions if not holds_text(role)]
    text_fields = {position for role, position in positions.items() if holds_text(role)}
    # A field that two roles read, one as a number and one as a text, is read as text.
    is_shared = any(positions[role] in text_fields for role in numbers)
    frame = None if is_shared else scan(pl.Float64)
    has_numbers = frame is not None and all(_is_within(frame[role]) for role in numbers)
    if not has_numbers:
        frame = scan(pl.String)
    if frame is None or frame.height > limits.rows:
        return None
    # Polars drops further fields of a long row, unless all columns are read; the number of
    # separators shows that there were some.
    lines = first_line - 1 + frame.height
    if data.count(separator.encode()) != (width - 1) * lines:
        return None
    no_nulls = [role for role, at in positions.items() if holds_text(role) or at in filled]
    if any(frame[role].null_count() for role in no_nulls) or (unread and frame[IS_SHORT].any()):
        return None
    if not has_numbers:
        texts = frame.select(pl.col(numbers).fill_null(""))
        cast = texts.cast(pl.Float64, strict=False)
        frame = frame.with_columns(cast[r] if _is_within(cast[r]) else texts[r] for r in numbers)
    return frame.drop(IS_SHORT, strict=False)


def _is_within(numbers: pl.Series) -> bool:
    """Return whether no number is missing or beyond the bounds of the role in the series' name."""
    # Neither NaN nor an infinity is at most the largest number.
    return (numbers.abs() <= largest_number(numbers.name)).all(ignore_nulls=False) is True


def _has_outer_blanks(data: bytes, separator: bytes) -> bool:
    """Return whether there is a blank beside a separator, or at an end of a line."""
    for blank in {b" ", b"\t"} - {separator}:
        if blank not in data:
            continue
        ends = (separator + blank, blank + separator, b"\n" + blank, blank + b"\n", blank + b"\r")
        if data[:1] == blank or data[-1:] == blank or any(end in data for end in ends):
            return True
    return False


def _has_long_line(data: bytes, longest: int) -> bool:
    """Return whether a line has more than `longest` bytes, its CR included."""
    start = 0
    while start + longest < len(data):
        end = data.rfind(b"\n", start, start + longest + 1)
        if end < 0:
            return True
        start = end + 1
    return False
