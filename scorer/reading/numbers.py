"""Numbers of cells in plain decimal notation, and the faults of other cells."""

from __future__ import annotations

import math
import re
import sys
from collections.abc import Callable, Sequence
from decimal import Decimal
from functools import lru_cache
from typing import NamedTuple

import polars as pl

from scorer.core.problems import Findings, Problem
from scorer.core.text import printable, quoted
from scorer.reading.limits import refuse_many_slow_lines
from scorer.reading.schema import ORDERED, holds_text
from scorer.reading.table import IN_LINE, CellPlace, Cells, LineTexts

# Possessive, so that a million digits and an x are not tried a million times.
DECIMAL = re.compile(r"[+-]?(?:[0-9]++\.?[0-9]*+|\.[0-9]++)(?:[eE][+-]?[0-9]++)?")
DECIMAL_COMMA = re.compile(r"[+-]?[0-9]++,[0-9]++")
AMBIGUOUS = re.compile(r"[+-]?[1-9][0-9]{0,2}[,.][0-9]{3}")  # 1,234 may be 1.234 or 1234
# 1.234,5 and 1.234.567 and 0,5: commas are decimal, and points stand between thousands.
DECIMAL_COMMAS = r"[0-9]\.[0-9]{3}[.,][0-9]|^[+-]?(?:0,[0-9]+|[0-9]+,(?:[0-9]{1,2}|[0-9]{4,}))$"
AMBIGUOUS_POINT = r"^[+-]?[1-9][0-9]{0,2}\.[0-9]{3}$"
# The patterns below are texts, compiled when they are used: most files have no such cell.
PERCENTAGE = r"([+-]?[0-9]++(?:[.,][0-9]++)?)[ \u00a0\u202f]?%"
BRACKETED = r"(?:(?:np\.|numpy\.)?(?:tensor|array|float(?:16|32|64))\()?\[*([^][()]+)\]*\)?"
CURRENCY = r"[$€£¥₹₽₩]|\b(?:USD|EUR|GBP|CHF|JPY|INR)\b"
# The mark between thousands is a comma, point, blank or apostrophe, the same throughout.
THOUSANDS = (
    r"[+-]?[1-9][0-9]{0,2}(?P<mark>[,. '’\u00a0\u2009\u202f])[0-9]{3}(?:(?P=mark)[0-9]{3})*+"
    r"(?:(?!(?P=mark))[.,][0-9]+)?"
)
LONGEST_MARKED = 64  # characters of a cell in which marks are looked for
NAN_WORDS = {"nan", "na", "n/a", "null", "none", "-nan", "+nan", "<na>"}
INFINITE = re.compile(r"[+-]?inf(?:inity)?")
FLAGS = {"true": 1.0, "false": 0.0}  # in any case; pandas writes True
# Where these order the items of a list, a flag is an error: it hardly is what was meant.
ITEM_ROLES = {"score", "rank", "prediction"}
LARGEST = 1e30  # of numbers to compute with: the variance of their squares is finite


class ParsedNumber(NamedTuple):
    """The number of a cell; NaN with a problem's code and message for another cell."""

    value: float
    code: str = ""
    message: str = ""  # to be put behind the name of the column


class PlainNumber(NamedTuple):
    """A number without the marks it was written with."""

    text: str
    marks: str  # what they were, in words
    has_thousands: bool  # whether some were between thousands


def parse_number(
    text: str, largest: float = sys.float_info.max, *, has_decimal_commas: bool = False
) -> ParsedNumber:
    """Return the number of a cell in plain decimal notation.

    Args:
        text: The cell.
        largest: How large the number may be.
        has_decimal_commas: Whether other cells of the column have decimal commas, so that 1.234 is
            hardly 1.234.

    >>> parse_number("1e-6")
    ParsedNumber(value=1e-06, code='', message='')
    >>> parse_number("3,5")[1:]
    ('S504', "'3,5' has a decimal comma; write 3.5")
    """
    marks_thousands = has_decimal_commas and AMBIGUOUS.fullmatch(text) and "." in text
    if DECIMAL.fullmatch(text) and not marks_thousands:
        value = float(text)
        if abs(value) <= largest:
            return ParsedNumber(value)
        purpose = "be finite" if math.isinf(value) else "compute with"
        return ParsedNumber(math.nan, "S503", f"{quoted(text)} is too large to {purpose}")
    folded = text.strip().lower()
    code, message = "S501", f"{quoted(text)} is not a number in plain decimal notation"
    if marks_thousands:
        message = f"{quoted(text)} seems to mark thousands, since other values have decimal commas"
        message += f"; write {text.replace('.', '')}, or {float(text):g} if its point is decimal"
    elif not folded:
        code, message = "S506", "is empty; every row needs a number"
    elif folded in NAN_WORDS or INFINITE.fullmatch(folded):
        code = "S502" if folded in NAN_WORDS else "S503"
        message = f"is {quoted(text)}; every row needs a finite number"
    elif DECIMAL.fullmatch(with_point := folded.replace(",", ".", 1)) and "," in folded:
        if AMBIGUOUS.fullmatch(folded):
            with_point += f", or {folded.replace(',', '')} if it marks thousands"
        message = f"{quoted(text)} has a decimal comma; write {printable(with_point, 60)}"
        code = "S504"
    elif len(text) <= LONGEST_MARKED and (percentage := re.fullmatch(PERCENTAGE, folded)):
        plain = percentage[1].replace(",", ".")
        share = f"{Decimal(plain).scaleb(-2):f}"
        message = f"{quoted(text)} is a percentage; write {share} or {plain}"
    elif (number := strip_marks(text)) is not None:
        message = f"{quoted(text)} is a number with {number.marks}; write {number.text}"
    return ParsedNumber(math.nan, code, message)


def largest_number(role: str) -> float:
    """Return how large the numbers of a role's column may be."""
    return sys.float_info.max if role.partition("[")[0] in ORDERED else LARGEST


def cast_numbers(cells: Cells, texts: Callable[[], LineTexts], findings: Findings) -> pl.DataFrame:
    """Return the frame of the cells with the columns of numbers as Float64.

    A problem is added for each cell that is no number; the cell becomes NaN. `texts` returns the
    texts of all lines.
    """
    frame = cells.frame
    for role, column in frame.to_dict().items():
        if not holds_text(role) and role not in ("line", IN_LINE) and column.dtype != pl.Float64:
            frame = frame.with_columns(_cast_column(cells, role, texts, findings).alias(role))
    return frame


def _cast_column(
    cells: Cells, role: str, texts: Callable[[], LineTexts], findings: Findings
) -> pl.Series:
    """Return the numbers of a column of texts, as `cast_numbers` does."""
    column, largest = cells.frame[role], largest_number(role)
    numbers = column.cast(pl.Float64, strict=False)
    is_wrong = _is_wrong(numbers, largest)
    if not is_wrong.any():
        return numbers
    if role in cells.free_roles:
        return numbers.scatter(is_wrong.arg_true(), float("nan"))
    # Blanks mean nothing round a number: formats leave those that are in quotes.
    column = column.str.strip_chars(" \t")
    numbers = column.cast(pl.Float64, strict=False)
    is_wrong = _is_wrong(numbers, largest)
    has_decimal_commas = column.filter(is_wrong).str.contains(DECIMAL_COMMAS).any()
    if has_decimal_commas:
        is_wrong |= column.str.contains(AMBIGUOUS_POINT)
    wrong = is_wrong.arg_true()
    refuse_many_slow_lines(len(wrong))
    orders_items = role in ITEM_ROLES and "item" in cells.schema.roles
    flags = {} if orders_items else FLAGS

    @lru_cache(maxsize=1)  # a line may hold very many cells; their rows follow each other
    def find_cells(line: int) -> Sequence[CellPlace]:
        return cells.find_cells(texts(), line, role) if cells.find_cells else ()

    values = []
    for row, text in zip(wrong.to_list(), column.gather(wrong).to_list(), strict=True):
        number = parse_number(text, largest, has_decimal_commas=has_decimal_commas)
        flag = flags.get(text.strip().lower()) if number.code else None
        values.append(number.value if flag is None else flag)
        if number.code and flag is None and not findings.count_if_full(number.code):
            found = cells.frame.row(row, named=True)
            places, in_line = find_cells(found["line"]), found.get(IN_LINE, 0)
            place = places[in_line] if places else CellPlace("", found["line"], None)
            wide_names = cells.wide_names.get(role)
            column_name = cells.column_name(role) if wide_names is None else wide_names[in_line]
            message = f"{printable(column_name, 60)} {number.message}"
            name, item = found.get("list"), found.get("item")
            line, column_at = place.line, place.column
            findings.add(
                Problem(number.code, message, line=line, column=column_at, list=name, item=item)
            )
    return numbers.scatter(wrong, values)


def _is_wrong(numbers: pl.Series, largest: float) -> pl.Series:
    """Return which numbers are missing, not finite or too large."""
    # Neither NaN nor an infinity is at most the largest number.
    return (~(numbers.abs() <= largest)).fill_null(True)


def strip_marks(text: str) -> PlainNumber | None:
    """Return the number of a cell without its marks; None if it could mean another number.

    >>> strip_marks("[[1.5]]"), strip_marks("$1,234.50").text, strip_marks("1.234.567,5 €").text
    (PlainNumber(text='1.5', marks='brackets', has_thousands=False), '1234.50', '1234567.5')
    >>> strip_marks("1,234"), strip_marks("(5)"), strip_marks("80 %")
    (None, None, None)
    """
    bare = text.strip()
    if len(bare) > LONGEST_MARKED:
        return None
    marks = []
    bracketed = re.fullmatch(BRACKETED, bare)
    are_paired = bare.count("[") == bare.count("]") and bare.count("(") == bare.count(")")
    if bracketed and bracketed[1] != bare and are_paired:
        bare = bracketed[1].strip()
        marks.append("brackets")
    currencies = re.findall(CURRENCY, bare)
    if len(currencies) == 1:
        bare = re.sub(CURRENCY, "", bare).strip()
        marks.append(f"the currency {currencies[0]}")
    thousands = re.fullmatch(THOUSANDS, bare)
    if thousands and not AMBIGUOUS.fullmatch(bare):
        bare = bare.replace(thousands["mark"], "").replace(",", ".")
        marks.append("marks between thousands")
    if not marks or not DECIMAL.fullmatch(bare) or (currencies and AMBIGUOUS.fullmatch(bare)):
        return None
    return PlainNumber(bare, " and ".join(marks), marks[-1] == "marks between thousands")


def join_decimal_commas(fields: list[str], numbers: list[int], width: int) -> list[str] | None:
    """Return a row whose numbers were cut at their decimal commas, joined; None if uncertain.

    Args:
        numbers: The columns of the header that hold numbers, ascending, from 0.

    >>> join_decimal_commas(["1", "80230", "8"], [1], 2)
    ['1', '80230,8']
    """
    if not numbers or len(fields) != width + len(numbers):
        return None
    row, rest = list[str](), iter(fields)
    for column in range(width):
        cell = next(rest)
        row.append(f"{cell.strip()},{next(rest).strip()}" if column in numbers else cell)
    return row if all(DECIMAL_COMMA.fullmatch(row[n]) for n in numbers) else None
