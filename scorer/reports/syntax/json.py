"""JSON written deterministically: full doubles, NaN as null."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Sequence
from re import Match
from typing import Any

from scorer.challenge.model import Challenge
from scorer.core.arrays import Floats
from scorer.core.problems import Problem
from scorer.core.text import unseen
from scorer.core.version import __version__

BEYOND = re.compile(r"[^\n -~]")


def dumped(data: Any, indent: int | None = 1) -> str:
    r"""JSON in which no text can steer a terminal, and every program reads the same.

    A surrogate without its other half, which strict readers refuse, is written as text.

    >>> dumped({"name": "é\x9b[31m"}, indent=None)
    '{"name": "é\\u009b[31m"}'
    >>> dumped("\ud800")
    '"\\\\ud800"'
    """
    text = json.dumps(data, ensure_ascii=False, indent=indent, allow_nan=False)
    return BEYOND.sub(_escaped, text).replace("##[", "##\\u005b")  # GitHub's runners obey this


def number_or_null(value: float) -> float | None:
    """A number as JSON has it: NaN is None."""
    return None if math.isnan(value) else value


def head(
    challenge: Challenge, fingerprint: str | None = None, private: str | None = None
) -> dict[str, Any]:
    """The fields that every report begins with: privacy, version and challenge.

    Args:
        challenge: what the report is of.
        fingerprint: of the challenge; None where the report has none.
        private: the sentence that says why the report is private; None where it is not.
    """
    about = {"id": challenge.id, "title": challenge.title, "fingerprint": fingerprint}
    notice = {"private": private} if private else {}
    return {**notice, "scorer": __version__, "challenge": about}


def problem(fault: Problem) -> dict[str, Any]:
    """A problem with its place."""
    keys = ("code", "severity", "line", "column", "list", "item", "message", "help")
    return {key: getattr(fault, key) for key in keys}


def _escaped(match: Match[str]) -> str:
    sign = match[0]
    if "\ud800" <= sign <= "\udfff":
        return f"\\\\u{ord(sign):04x}"
    return sign if unseen(sign) is None else json.dumps(sign)[1:-1]


def each_list(lists: Sequence[str], values: Floats) -> dict[str, float | None]:
    """The value of every list."""
    return {name: number_or_null(value) for name, value in zip(lists, values.tolist(), strict=True)}
