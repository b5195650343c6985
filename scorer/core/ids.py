"""The patterns that ids fit, and cells that hold several ids."""

from __future__ import annotations

import re
from collections.abc import Iterable

import polars as pl

ID_SEPARATORS = ",;|\t"  # between several ids in one cell
ID_CHARACTERS = "A-Za-z0-9_:/.@#,;|-"  # no pattern is guessed for ids with other ones
LONGEST_PATTERN = 500  # characters
MOST_PADDED_DIGITS = 20  # zeros are put before a number up to this length
MANY_NUMERIC_IDS = 20  # if there are as many, ids with letters are not expected
# What is between two ids of a cell. numpy prints ['a1' 'a2']: only a blank between the quotes.
ID_SEPARATOR_REGEX = re.compile(rf"""[{ID_SEPARATORS}]|(?<=['"])\s+(?=['"])""")
WRAPPING_REGEX = re.compile(r"""^['"`\[(]|['"`\])]$""")  # a quote or bracket at an end of a cell


class TextPattern:
    """A regular expression that has to match a whole id, or answer.

    Polars matches it, in linear time for any pattern. A dot matches line ends, too.

    Raises:
        ValueError: The text is too long, or no regular expression of polars.
    """

    def __init__(self, text: str) -> None:
        if len(text) > LONGEST_PATTERN:
            raise ValueError(f"it has {len(text):,} characters; {LONGEST_PATTERN:,} are the most")
        self.text = text
        self.expression = f"(?s)^(?:{text})$"  # for `str.contains` of polars
        try:
            pl.Series([""]).str.contains(text)  # `a)|(?:b` is wrong alone, but not in `(?:...)`
            self.filter([""])
        except pl.exceptions.ComputeError as error:
            reason = re.search(r"(?m)^error: (.+)$", str(error))
            raise ValueError(reason[1] if reason else "it cannot be read") from None

    def fits(self, text: str) -> bool:
        """Return whether a text fits."""
        return self.filter([text]) == [text]

    def filter(self, texts: Iterable[str]) -> list[str]:
        """Return the texts that fit."""
        series = pl.Series([*texts], dtype=pl.String)
        return series.filter(series.str.contains(self.expression)).to_list()


def repair_id(name: str, pattern: TextPattern) -> tuple[str, str] | None:
    """Return (code, id) if a program has changed that id into `name`; else None.

    Programs that read ids as numbers drop leading zeros (S307) or write decimals (S306). None if
    `name` fits the pattern, or if several ids can have become `name`.

    >>> repair_id("42.0", TextPattern("[0-9]{5}")), repair_id("42", TextPattern("[0-9]{5}"))
    (('S306', '00042'), ('S307', '00042'))
    """
    digits = re.fullmatch(r"([0-9]++)(\.0++)?", name)
    if digits is None:
        return None
    padded = [digits[1].zfill(length) for length in range(len(digits[1]), MOST_PADDED_DIGITS + 1)]
    fitting = pattern.filter([name, *padded])
    if not fitting or name in fitting:
        return None
    if len(fitting) > 1 and fitting[0] != digits[1]:  # how many zeros were lost?
        return None
    return ("S306" if digits[2] else "S307"), fitting[0]


def example_ids(pattern: str | None, count: int) -> list[str]:
    """Return up to `count` ids, of a prefix and a number, that fit a pattern; [] if none does.

    >>> example_ids(None, 2), example_ids("tt[0-9]{3}", 2), example_ids("[A-F]+", 2)
    (['item-1', 'item-2'], ['tt001', 'tt002'], [])
    """
    if pattern is None:
        return [f"item-{n}" for n in range(1, count + 1)]
    literal = re.match(r"(?:[A-Za-z0-9_:/@#-](?![*+?{]))*", pattern)
    prefixes = ("item-", literal[0] if literal else "")
    whole_pattern = TextPattern(pattern)
    return max(
        (
            whole_pattern.filter([f"{prefix}{n:0{length}}" for n in range(1, count + 1)])
            for prefix in prefixes
            for length in range(1, MOST_PADDED_DIGITS + 1)
        ),
        key=len,
    )


def guess_pattern(names: Iterable[str]) -> str | None:
    """Return a pattern that all of these ids fit, wide enough for further ids of the challenge.

    It allows digits alone only if there are many ids, or ids of one length with leading zeros. None
    if there is no id, an empty one, or one with characters outside ID_CHARACTERS, such as a blank.
    """
    ids = set(names)
    characters = set().union(*ids)
    if not ids or "" in ids or any(not re.fullmatch(f"[{ID_CHARACTERS}]", c) for c in characters):
        return None
    lengths = {len(name) for name in ids}
    if "".join(characters).isdigit():
        if len(lengths) == 1 and any(name.startswith("0") and name != "0" for name in ids):
            return f"[0-9]{{{lengths.pop()}}}"
        if len(ids) >= MANY_NUMERIC_IDS:
            return "[0-9]+"
    others = "".join(sorted(c for c in characters if not c.isalnum() and c not in "_-"))
    return f"[A-Za-z0-9_{others}-]+"


def split_ids(text: str) -> list[str]:
    """Return the ids in a cell, without brackets and quotes around them.

    >>> split_ids("['a1', 'a2']"), split_ids("a1,a2"), split_ids("'a1',")
    (['a1', 'a2'], ['a1', 'a2'], ['a1'])
    """
    inner = text.strip().strip("[]()")
    parts = (part.strip().strip("'\"`") for part in ID_SEPARATOR_REGEX.split(inner))
    return [part for part in parts if part]


def wrapped_id_regex(separator: str | None) -> str:
    """Return a regular expression that finds cells with quotes, brackets or several ids.

    `separator` is what may stand between the ids of a cell. If it is None, a cell holds one id, and
    only cells wholly in quotes or brackets are found.
    """
    if separator is None:
        return r"""^(?:'.*'|".*"|`.*`|\[.*\]|\(.*\))$"""
    others = "".join(re.escape(mark) for mark in ID_SEPARATORS if mark != separator)
    return rf"{WRAPPING_REGEX.pattern}|[{others}]"
