"""CSV, safe to open in a spreadsheet."""

from __future__ import annotations

import csv as library
import io
import math
from typing import Any
from unicodedata import normalize

from scorer.core.text import printable
from scorer.reports.base import ExactRows, Options

FORMULA = ("=", "+", "-", "@")
COMMAND = "::"  # at the beginning of a line, to the runner of a GitHub workflow


def csv(table: ExactRows, options: Options) -> str:
    """Return a table as CSV, with all digits of its numbers."""
    buffer = io.StringIO()
    write = library.writer(buffer, lineterminator="\n").writerow
    write(map(cell, table.head))
    for row in table.rows:
        write(map(_csv_value, row))
    return buffer.getvalue()


def _csv_value(value: Any) -> Any:
    if isinstance(value, str):
        return cell(value)
    if isinstance(value, bool):
        return "yes" if value else "no"
    return exact(value) if isinstance(value, float) else "" if value is None else value


def cell(text: str) -> str:
    """Return a cell that no spreadsheet takes for a formula, not even one with full-width signs.

    A spreadsheet may cut at semicolons as well, so that what follows one begins a cell. Nor is
    it a command to the runner of a GitHub workflow, which looks for `##[` anywhere.

    >>> cell("=1+1"), cell("a; =1+1"), cell("a;b")
    ("'=1+1", "a;' =1+1", 'a;b')
    """
    parts = printable(text, 1000).replace("##[", "##'[").split(";")
    return ";".join(f"'{part}" if _is_formula_or_command(part) else part for part in parts)


def _is_formula_or_command(part: str) -> bool:
    return normalize("NFKC", part).lstrip(" \"'").startswith((*FORMULA, COMMAND))


def exact(value: float) -> str:
    """Return a number with all of its digits; empty for NaN."""
    return "" if math.isnan(value) else repr(value + 0.0)  # -0.0 is 0.0
