"""The explanation of a rank as fields."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class Record:
    """A team's rank with the rules that applied."""

    schema: str = "standing/1"
    team: str
    rank: int | None
    ranked: int  # number of teams with a rank
    split: str | None  # null: no board is shown
    lines: Sequence[str]
