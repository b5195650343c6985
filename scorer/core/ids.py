"""The patterns that ids fit, and cells that hold several ids."""

from __future__ import annotations

import re
from collections.abc import Iterable

import polars as pl

MARKS = ",;|\t"  # signs that separate several ids in one cell
SIGNS = "A-Za-z0-9_:/.@#,;|-"  # characters of ids for which a pattern is guessed
LONGEST_PATTERN = 500  # characters
LONGEST_PADDED = 20  # digits of ids whose zeros were lost, and of examples
MANY = 20  # with so many ids it is no chance that all are made of digits
# Where a cell is cut into ids; numpy has only blanks between texts in quotes.
CUTS = re.compile(rf"""[{MARKS}]|(?<=['"])\s+(?=['"])""")
EDGES = re.compile(r"""^['"`\[(]|['"`\])]$""")  # quotes and brackets that programs put around


class TextPattern:
    """A regular expression that has to match a whole id, or answer.

    It is one of polars, which takes time linear in the text whatever the pattern is. A dot matches
    line ends, too.

    `ValueError` if it is none; the message says why.
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
        """Return whether a text fits."""
        return self.filter([text]) == [text]

    def filter(self, texts: Iterable[str]) -> list[str]:
        """Return those of some texts that fit."""
        series = pl.Series([*texts], dtype=pl.String)
        return series.filter(series.str.contains(self.expression)).to_list()


def repair_id(name: str, pattern: TextPattern) -> tuple[str, str] | None:
    """Return the code of a program's fault and the id that it changed into `name`; else None.

    A program takes leading zeros away (S307), or writes an id as a decimal (S306). If several ids
    may have been meant, none is returned.

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
    """Return up to `count` ids that fit a pattern; none if it is not one of a few plain forms.

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
    """Return a pattern that all of these ids fit, and surely others of their challenge, too.

    It allows digits alone only if there are many ids, or ids of one length with leading zeros. None
    if an id holds a blank or another sign that is unusual in ids.
    """
    every = set(names)
    signs = set().union(*every)
    if not every or "" in every or any(not re.fullmatch(f"[{SIGNS}]", s) for s in signs):
        return None
    lengths = {len(name) for name in every}
    if "".join(signs).isdigit():
        if len(lengths) == 1 and any(name[0] == "0" != name for name in every):
            return f"[0-9]{{{lengths.pop()}}}"
        if len(every) >= MANY:
            return "[0-9]+"
    others = "".join(sorted(s for s in signs if not s.isalnum() and s not in "_-"))
    return f"[A-Za-z0-9_{others}-]+"


def split_ids(text: str) -> list[str]:
    """Return the ids in a cell, without brackets and quotes around them.

    >>> split_ids("['a1', 'a2']"), split_ids("a1,a2"), split_ids("'a1',")
    (['a1', 'a2'], ['a1', 'a2'], ['a1'])
    """
    inner = text.strip().strip("[]()")
    parts = (part.strip().strip("'\"`") for part in CUTS.split(inner))
    return [part for part in parts if part]


def wrapped_id_regex(separator: str | None) -> str:
    """Return a regular expression for cells that are several ids, or one in quotes or brackets.

    `separator` is what separates ids where a cell may have several; else None.
    """
    if separator is None:
        return r"""^(?:'.*'|".*"|`.*`|\[.*\]|\(.*\))$"""
    others = "".join(re.escape(mark) for mark in MARKS if mark != separator)
    return rf"{EDGES.pattern}|[{others}]"
