"""The fast way to read a file: polars cuts it in one pass.

It is for clean files only, those that polars and the careful readers cut alike. For any other
file `scan_clean` returns None, and the file is read line by line.
"""

from __future__ import annotations

from collections.abc import Mapping

import polars as pl

from scorer.reading.limits import ReadLimits
from scorer.reading.lines import is_text
from scorer.reading.numbers import largest_number
from scorer.reading.open import BOM
from scorer.reading.schema import TEXT
from scorer.reading.table import role_dtype

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
        separator: What separates two fields.
        width: How many fields each line has.
        positions: role -> its field, from 0.
        limits: A file that exceeds one of them is not clean.
        first_line: The first line of a row.
        all_filled: Whether a file with an empty field is not clean, even if no role reads it.
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
    scan = pl.scan_csv(
        data,
        separator=separator,
        has_header=False,
        skip_lines=first_line - 1,
        quote_char=None,
        schema=dict.fromkeys(names, pl.String),
        row_index_name="line",
        row_index_offset=first_line,
    )
    texts = {role: pl.col(names[position]) for role, position in positions.items()}
    cells = [text.cast(role_dtype(role), strict=False).alias(role) for role, text in texts.items()]
    filled = names if all_filled else names[-1:]
    is_short = pl.any_horizontal(pl.col(filled).is_null()).alias(IS_SHORT)
    try:
        frame = scan.select("line", *cells, is_short).collect(engine="streaming")
        # Polars fills a short row with nulls, which the last field shows. It drops the surplus of
        # a long row as soon as one column is not read, which the number of separators shows.
        lines = first_line - 1 + frame.height
        if frame.height > limits.rows or data.count(separator.encode()) != (width - 1) * lines:
            return None
        if frame[IS_SHORT].any() or any(frame[role].null_count() for role in texts if role in TEXT):
            return None
        # Neither NaN nor an infinity is at most the largest number.
        wrong = [
            role
            for role in texts
            if role not in TEXT
            and not (frame[role].abs() <= largest_number(role)).all(ignore_nulls=False)
        ]
        if wrong:
            read_again = [texts[role].fill_null("").alias(role) for role in wrong]
            frame = frame.with_columns(scan.select(read_again).collect(engine="streaming"))
    except pl.exceptions.PolarsError:
        return None
    return frame.drop(IS_SHORT)


def _has_outer_blanks(data: bytes, separator: bytes) -> bool:
    """Return whether a blank stands beside a separator, or at an end of a line."""
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
