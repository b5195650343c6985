"""How ids look: the regular expression that they fit, and several ids in one cell."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

import polars as pl

MARKS = ",;|\t"  # signs with which several ids are written in one cell
SIGNS = "A-Za-z0-9_:/.@#,;|-"  # characters of ids for which a pattern is guessed
LONGEST_PATTERN = 500  # characters
LONGEST_PADDED = 20  # digits of ids whose zeros were lost, and of examples
FEW = 20  # ids from which on it is no chance that all are of digits
CUTS = re.compile(rf"""[{MARKS}]|(?<=['"])\s+(?=['"])""")  # the latter as numpy shows arrays
EDGES = re.compile(r"""^['"`\[(]|['"`\])]$""")  # of a cell as a program writes lists and texts


class TextPattern:
    """A regular expression that ids, or answers, fit as a whole.

    Polars matches it, in a time that is linear in the text whatever the pattern is. A dot is any
    character, a line end too.

    `ValueError` if it cannot be read; the message says why.
    """

    def __init__(self, text: str) -> None:
        if len(text) > LONGEST_PATTERN:
            raise ValueError(f"it has {len(text):,} characters; {LONGEST_PATTERN:,} are the most")
        self.text = text
        self.expression = f"(?s)^(?:{text})$"  # for `str.contains` of polars
        try:
            pl.Series([""]).str.contains(text)  # alone, so that no bracket closes the one around it
            self.filter([""])
        except pl.exceptions.ComputeError as error:
            reason = re.search(r"(?m)^error: (.+)$", str(error))
            raise ValueError(reason[1] if reason else "it cannot be read") from None

    def fits(self, text: str) -> bool:
        """Whether a text fits."""
        return self.filter([text]) == [text]

    def filter(self, texts: Iterable[str]) -> list[str]:
        """Those of some texts that fit."""
        series = pl.Series([*texts], dtype=pl.String)
        return series.filter(series.str.contains(self.expression)).to_list()


def repair_id(name: str, pattern: TextPattern) -> tuple[str, str] | None:
    """The code of a program's fault, and the id that `name` certainly was before; None if unsure.

    >>> repair_id("42.0", TextPattern("[0-9]{5}")), repair_id("42", TextPattern("[0-9]{5}"))
    (('S306', '00042'), ('S307', '00042'))
    """
    digits = re.fullmatch(r"([0-9]++)(\.0++)?", name)
    if digits is None:
        return None
    padded = [digits[1].zfill(length) for length in range(len(digits[1]), LONGEST_PADDED + 1)]
    fitting = pattern.filter([name, *padded])
    if not fitting or name in fitting or (len(fitting) > 1 and fitting[0] != digits[1]):
        return None
    return ("S306" if digits[2] else "S307"), fitting[0]


def example_ids(pattern: str | None, count: int) -> list[str]:
    """So many ids that fit a pattern, or fewer; none if it is not one of a few plain forms.

    >>> example_ids(None, 2), example_ids("tt[0-9]{3}", 2), example_ids("[A-F]+", 2)
    (['item-1', 'item-2'], ['tt001', 'tt002'], [])
    """
    if pattern is None:
        return [f"item-{n}" for n in range(1, count + 1)]
    begin = re.match(r"(?:[A-Za-z0-9_:/@#-](?![*+?{]))*", pattern)
    prefixes, form = ("item-", begin[0] if begin else ""), TextPattern(pattern)
    return max(
        (
            form.filter([f"{prefix}{n:0{length}}" for n in range(1, count + 1)])
            for prefix in prefixes
            for length in range(1, LONGEST_PADDED + 1)
        ),
        key=len,
    )


def guess_pattern(names: Iterable[str]) -> str | None:
    """A pattern that all of these ids fit, and others of their challenge surely too.

    It says of digits that there are no letters, and how many there are, only where zeros in front
    of them, or many ids, show that; None where ids hold blanks or other odd signs.
    """
    every = set(names)
    signs = set().union(*every)
    if not every or "" in every or any(not re.fullmatch(f"[{SIGNS}]", s) for s in signs):
        return None
    lengths = {len(name) for name in every}
    if "".join(signs).isdigit():
        if len(lengths) == 1 and any(name[0] == "0" != name for name in every):
            return f"[0-9]{{{lengths.pop()}}}"
        if len(every) >= FEW:
            return "[0-9]+"
    others = "".join(sorted(s for s in signs if not s.isalnum() and s not in "_-"))
    return f"[A-Za-z0-9_{others}-]+"


def split_ids(text: str) -> list[str]:
    """The ids that a cell written by a program holds: less brackets and quotes, cut at marks.

    >>> split_ids("['a1', 'a2']"), split_ids("a1,a2"), split_ids("'a1',")
    (['a1', 'a2'], ['a1', 'a2'], ['a1'])
    """
    inner = text.strip().strip("[]()")
    parts = (part.strip().strip("'\"`") for part in CUTS.split(inner))
    return [part for part in parts if part]


def wrapped_id_regex(separator: str | None) -> str:
    """A regular expression of ids that are several, by their separator, or in quotes."""
    if separator is None:
        return r"""^(?:'.*'|".*"|`.*`|\[.*\]|\(.*\))$"""
    others = "".join(re.escape(mark) for mark in MARKS if mark != separator)
    return rf"{EDGES.pattern}|[{others}]"


def separator_names(marks: Sequence[str]) -> str:
    """Signs by their names: `commas`."""
    names = {",": "commas", ";": "semicolons", "|": "bars", "\t": "tabs"}
    return " and ".join(names[mark] for mark in marks)
