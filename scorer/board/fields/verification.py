"""A verification as fields."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class Record:
    """Whether receipts, files and stores fit together."""

    schema: str = "verification/1"
    ok: bool
    checked: int
    problems: Sequence[str]
    notes: Sequence[str]  # receipts that were found, and times to be looked at
