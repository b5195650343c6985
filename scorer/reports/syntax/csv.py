"""CSV cells, safe to open in a spreadsheet."""

from __future__ import annotations

import math
from unicodedata import normalize

from scorer.core.text import printable

FORMULA = ("=", "+", "-", "@")


def cell(text: str) -> str:
    """A cell that no spreadsheet takes for a formula, in whatever width its first sign is."""
    message = printable(text, 1000)
    return f"'{message}" if normalize("NFKC", message).lstrip().startswith(FORMULA) else message


def exact(value: float) -> str:
    """Every digit; no value as nothing."""
    return "" if math.isnan(value) else repr(value)
