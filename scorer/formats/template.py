"""Rows of JSON Lines that are all written alike, cut as values between separators."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from functools import cache
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from scorer.formats.blocks import BLANK
from scorer.formats.form import BEFORE_EACH

if TYPE_CHECKING:
    import polars as pl

SEPARATOR = "\x1f"
JOINT = b"\x1e"  # between texts of an array
MARKS = [bytes([n]) for n in range(1, 30) if n not in b"\t\n\r"]  # no value holds any
SEPARATED = bytes.maketrans(b"".join(MARKS), SEPARATOR.encode() * len(MARKS))
NUMBER_TEXT = r"-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?"
TEXT_VALUE = r'[^"\\\x00-\x1f]*+'


class ValueForm(NamedTuple):
    """What a value of a row is."""

    text: bool  # or texts, else numbers
    array: bool

    @property
    def marks(self) -> int:
        """How many characters stand at either end of it, which are no part of it."""
        return self.text + self.array

    def pattern(self, joint: str) -> str:
        """Regex of what is between them; in an array, with a joint from value to value."""
        one = TEXT_VALUE if self.text else NUMBER_TEXT
        between = f'"{joint}"' if self.text else joint
        return f"{one}(?:{between}{one})*" if self.array else one


class Template(NamedTuple):
    """The text of rows that are all written alike: the same keys, order and blanks."""

    keys: list[str]  # of the columns, in order
    values: tuple[ValueForm, ...]
    start: bytes  # before the first value
    between: tuple[bytes, ...]  # from value to value
    end: bytes  # after the last value
    joint: str = ","  # in arrays

    @classmethod
    def of(cls, raw: str, keys: list[str], places: Iterable[tuple[int, int]]) -> Template | None:
        """The template of a row, whose values begin and end at those places; None: it has none."""
        if not 1 < len(keys) <= len(MARKS):
            return None
        values, parts, at = list[ValueForm](), list[bytes](), 0
        for first, last in places:
            array = raw[first] == "["
            value = ValueForm(raw[first + array] == '"', array)
            values.append(value)
            parts.append(raw[at : first + value.marks].encode())
            at = last - value.marks
        joint = ", " if any(b", " in part for part in parts[1:]) else ","
        start, *between = parts
        template = cls(keys, tuple(values), start, tuple(between), raw[at:].encode(), joint)
        return template if template.match(raw.encode()) else None

    def match(self, raw: bytes) -> bool:
        """Whether a line is written like that."""
        return (
            _matcher(self.start, self.between, self.end, self.values, self.joint)(raw) is not None
        )

    def cut(self, data: bytes, lines: int) -> bytes | None:
        """Lines that are all like that as values between separators; None where they are not."""
        if not (data.startswith(self.start) and data.endswith(self.end + b"\n")):
            return None
        data = data[len(self.start) : -len(self.end) - 1] + b"\n"
        for mark, part, times in (
            (b"\n", self.end + b"\n" + self.start, lines - 1),
            *zip(MARKS, self.between, [lines] * len(self.between), strict=False),
        ):
            size = len(data)
            data = data.replace(part, mark)
            if size - len(data) != times * (len(part) - len(mark)):
                return None
        if JOINT in data:
            return None
        if ValueForm(True, True) in self.values:
            data = data.replace(f'"{self.joint}"'.encode(), JOINT)
        if b'"' in data or b"\\" in data:
            return None
        octets = np.frombuffer(data, dtype=np.uint8)
        marks = octets[(octets < BLANK) & (octets != JOINT[0])]
        width = len(self.keys)
        pattern = np.frombuffer(b"".join(MARKS[: width - 1]) + b"\n", dtype=np.uint8)
        if marks.size != lines * width or (marks.reshape(lines, width) != pattern).any():
            return None
        return data.translate(SEPARATED)

    def right(self, frame: pl.DataFrame) -> pl.Series:
        """Which lines, as they were cut, have what they are to have for each value."""
        import polars as pl

        right = pl.Series([True]).new_from_index(0, frame.height)
        for n, value in enumerate(self.values):
            if not value.text:
                right &= frame[str(n)].str.contains(f"^(?:{value.pattern(self.joint)})$")
            elif not value.array and ValueForm(True, True) in self.values:
                right &= ~frame[str(n)].str.contains(JOINT.decode(), literal=True)
        return right

    def several(self, n: int, cells: pl.Series) -> pl.Series:
        """The cells of a value, as they were cut, as `one_cell` makes those of an array."""
        value = self.values[n]
        if not value.array:
            return cells
        joint = JOINT.decode() if value.text else self.joint
        cell = BEFORE_EACH + cells.str.replace_all(joint, BEFORE_EACH, literal=True)
        return cell.alias(cells.name)


@cache
def _matcher(
    start: bytes, between: tuple[bytes, ...], end: bytes, values: tuple[ValueForm, ...], joint: str
) -> Callable[[bytes], object]:
    patterns = [value.pattern(joint).encode() for value in values]
    parts = [re.escape(start), patterns[0]]
    for part, value in zip(between, patterns[1:], strict=True):
        parts += [re.escape(part), value]
    return re.compile(b"".join([*parts, re.escape(end)])).fullmatch
