"""Numbers that are written with marks round or inside them, and what each certainly is."""

from __future__ import annotations

import re
from decimal import Decimal
from typing import NamedTuple

LONGEST = 64  # characters of a cell that is looked at
WRAPPED = re.compile(
    r"(?:(?:np\.|numpy\.)?(?:tensor|array|float(?:16|32|64))\()?\[*([^][()]+)\]*\)?"
)
CURRENCY = re.compile(r"[$€£¥₹₽₩]|\b(?:USD|EUR|GBP|CHF|JPY|INR)\b")
# a mark between thousands: a comma, point, blank or apostrophe, the same throughout
THOUSANDS = re.compile(
    r"[+-]?[1-9][0-9]{0,2}(?P<mark>[,. '’\u00a0\u2009\u202f])[0-9]{3}(?:(?P=mark)[0-9]{3})*+"
    r"(?:(?!(?P=mark))[.,][0-9]+)?"
)
AMBIGUOUS = re.compile(r"[+-]?[1-9][0-9]{0,2}[,.][0-9]{3}")  # 1,234 may be 1.234 or 1234
COMMA = re.compile(r"[+-]?[0-9]++,[0-9]++")
PLAIN = re.compile(r"[+-]?(?:[0-9]++\.?[0-9]*+|\.[0-9]++)(?:[eE][+-]?[0-9]++)?")


PERCENT = re.compile(r"([+-]?[0-9]++(?:[.,][0-9]++)?)[ \u00a0\u202f]?%")


class Marked(NamedTuple):
    """A number without its marks, and what these are."""

    plain: str
    marks: str
    thousands: str = ""  # the mark between them


def unmarked(text: str) -> Marked | None:
    """The number that a cell certainly is; None where it is none, or may be another one.

    >>> unmarked("[[1.5]]"), unmarked("$1,234.50")[0], unmarked("1.234.567,5 €")[0]
    (Marked(plain='1.5', marks='brackets', thousands=''), '1234.50', '1234567.5')
    >>> unmarked("1,234"), unmarked("(5)"), unmarked("80 %")
    (None, None, None)
    """
    marks, bare, mark = list[str](), text.strip(), ""
    if len(bare) > LONGEST:
        return None
    if (wrapped := WRAPPED.fullmatch(bare)) and wrapped[1] != bare and _closed(bare):
        bare = wrapped[1].strip()
        marks.append("brackets")
    if len(money := CURRENCY.findall(bare)) == 1:
        bare = CURRENCY.sub("", bare).strip()
        marks.append(f"the currency {money[0]}")
    if (grouped := THOUSANDS.fullmatch(bare)) and not AMBIGUOUS.fullmatch(bare):
        mark = grouped["mark"]
        bare = bare.replace(mark, "").replace(",", ".")
        marks.append("marks between thousands")
    certain = marks and PLAIN.fullmatch(bare) and not (money and AMBIGUOUS.fullmatch(bare))
    return Marked(bare, " and ".join(marks), mark) if certain else None


def percentage(text: str) -> tuple[str, str] | None:
    """A percentage as a share, and without its sign; None where the cell is none.

    >>> percentage("11,5 %"), percentage("0.11")
    (('0.115', '11.5'), None)
    """
    if len(text) > LONGEST or (found := PERCENT.fullmatch(text.strip())) is None:
        return None
    plain = found[1].replace(",", ".")
    return f"{Decimal(plain).scaleb(-2):f}", plain


def is_number(text: str) -> bool:
    """Whether a cell is a number, perhaps with marks or a decimal comma."""
    bare = text.strip()
    written = PLAIN.fullmatch(bare) or COMMA.fullmatch(bare) or PERCENT.fullmatch(bare)
    return bool(written) or unmarked(bare) is not None


def rejoined(fields: list[str], numbers: list[int], width: int) -> list[str] | None:
    """A row cut at its decimal commas, whole again; None where it cannot be that alone.

    `numbers` are the columns of the header that hold numbers, ascending, of `width` in all.

    >>> rejoined(["1", "80230", "8"], [1], 2)
    ['1', '80230,8']
    """
    if not numbers or len(fields) != width + len(numbers):
        return None
    row, rest = list[str](), iter(fields)
    for column in range(width):
        cell = next(rest)
        row.append(f"{cell.strip()},{next(rest).strip()}" if column in numbers else cell)
    return row if all(COMMA.fullmatch(row[n]) for n in numbers) else None


def _closed(text: str) -> bool:
    return text.count("[") == text.count("]") and text.count("(") == text.count(")")
