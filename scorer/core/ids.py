"""The public form of ids: how they begin, of which characters they are, and how many."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from itertools import islice, product
from typing import Self

MARKS = ",;|\t"  # signs with which several ids are written in one cell
SIGNS = "A-Za-z0-9_:/.@#,;|"  # characters of ids that a pattern can speak of
CLASS = rf"\[((?:[A-Za-z0-9]-[A-Za-z0-9]|[{SIGNS}])+-?)\]"
WRITTEN = re.compile(rf"([{SIGNS}-]*){CLASS}(\+|\{{([0-9]{{1,3}})(?:,([0-9]{{1,3}}))?\}})")
DECIMAL = re.compile(r"([0-9]++)\.0++")
CUTS = re.compile(rf"""[{MARKS}]|(?<=['"])\s+(?=['"])""")  # the latter as numpy shows arrays
EDGES = re.compile(r"""^['"`\[(]|['"`\])]$""")  # of a cell as a program writes lists and texts
OPENING = "'\"`[("  # with which an id begins that is in quotes or brackets
ANY = ".+"
FEW = 20  # ids from which on it is no chance that all are of digits


def whole_text(pattern: str) -> str:
    """A pattern of texts, as a regular expression that is about a whole text."""
    return f"^(?:{pattern})$"


class IdPattern:
    """A beginning, characters in brackets, and their number: `tt[0-9]{7}`, `[a-z0-9]+`; or `.+`.

    Less than a regular expression, so that any id is looked at in linear time. `.+` is any id,
    where the ids themselves are in quotes or brackets.
    """

    def __init__(self, text: str) -> None:
        match = WRITTEN.fullmatch("[A-Za-z0-9]+" if text == ANY else text)
        if match is None:
            raise ValueError("a beginning, characters in brackets and their number are expected")
        self.text, (self.begin, self.signs, _, least, most) = text, match.groups()
        try:
            self._fits = re.compile(self.expression)
        except re.error as error:  # such as z-a
            raise ValueError(str(error)) from None
        self.least = int(least) if least else None
        self.length = self.least if most in (None, least) else None

    @property
    def expression(self) -> str:
        """The same as a regular expression of Python's and of polars'."""
        return f"(?s)^{re.escape(self.begin)}{self.text[len(self.begin) :]}$"

    def fits(self, name: str) -> bool:
        """Whether an id has the form."""
        return self._fits.fullmatch(name) is not None

    def repair_id(self, name: str) -> tuple[str, str] | None:
        """The code of a program's fault, and the id that it certainly was made of."""
        if self.fits(name):
            return None
        match = DECIMAL.fullmatch(name)
        digits = match[1] if match else name if name.isascii() and name.isdigit() else ""
        padded = digits.zfill(self.length) if self.length and digits and not self.begin else digits
        if not digits or not self.fits(padded):
            return None
        return ("S306" if match else "S307"), padded

    def examples(self, count: int) -> list[str]:
        """So many ids of that form; fewer where there are no more of the shortest length."""
        plain = [f"item-{n + 1}" for n in range(count)]
        if all(map(self.fits, plain)):
            return plain
        alphabet = [c for c in map(chr, range(33, 127)) if re.fullmatch(f"[{self.signs}]", c)]
        length = self.least or len(str(count))
        ends = islice(product(alphabet, repeat=length), 1, count + 1)
        return [self.begin + "".join(end) for end in ends] or [self.begin + alphabet[0] * length]

    @classmethod
    def of(cls, names: Iterable[str]) -> Self | None:
        """The form that all of these ids have, and others of their challenge surely too.

        It says of digits that there are no letters, and how many there are, only where zeros in
        front of them, or many ids, show that; None where ids hold blanks or other odd signs.
        """
        every = set(names)
        signs = set().union(*every)
        if not every or "" in every or any(not re.fullmatch(f"[{SIGNS}-]", s) for s in signs):
            return None
        lengths = {len(name) for name in every}
        digits = "".join(signs).isdigit()
        if digits and len(lengths) == 1 and any(name[0] == "0" != name for name in every):
            return cls(f"[0-9]{{{lengths.pop()}}}")
        if digits and len(every) >= FEW:
            return cls("[0-9]+")
        others = "".join(sorted(s for s in signs if not s.isalnum() and s not in "_-"))
        return cls(f"[A-Za-z0-9_{others}-]+")


def split_ids(text: str) -> list[str]:
    """The ids that a cell written by a program holds: less brackets and quotes, cut at marks.

    >>> split_ids("['a1', 'a2']"), split_ids("a1,a2"), split_ids("'a1',")
    (['a1', 'a2'], ['a1', 'a2'], ['a1'])
    """
    inner = text.strip().strip("[]()")
    parts = (part.strip().strip("'\"`") for part in CUTS.split(inner))
    return [part for part in parts if part]


def wrapped_id_regex(separator: str | None) -> str:
    """What an id is like that is several, by their separator, or in quotes, as an expression."""
    if separator is None:
        return r"""^(?:'.*'|".*"|`.*`|\[.*\]|\(.*\))$"""
    others = "".join(re.escape(mark) for mark in MARKS if mark != separator)
    return rf"{EDGES.pattern}|[{others}]"


def separator_names(marks: Sequence[str]) -> str:
    """Signs by their names: `commas`."""
    names = {",": "commas", ";": "semicolons", "|": "bars", "\t": "tabs"}
    return " and ".join(names[mark] for mark in marks)
