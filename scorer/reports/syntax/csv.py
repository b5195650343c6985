"""CSV cells, safe to open in a spreadsheet."""

from __future__ import annotations

import math
from unicodedata import normalize

from scorer.core.text import shown

FORMULA = ("=", "+", "-", "@")


def cell(text: str) -> str:
    """A cell that no spreadsheet takes for a formula, in whatever width its first sign is."""
    said = shown(text, 1000)
    return f"'{said}" if normalize("NFKC", said).lstrip().startswith(FORMULA) else said


def exact(value: float) -> str:
    """Every digit; no value as nothing."""
    return "" if math.isnan(value) else repr(value)
