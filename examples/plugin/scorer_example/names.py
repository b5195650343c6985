"""The leaderboard as names alone, best first."""

from __future__ import annotations

from typing import Any

from scorer.reports.base import Options, form


@form("leaderboard", "names")
def names(report: Any, options: Options) -> str:
    """A line a submission."""
    return "".join(f"{standing.name}\n" for standing in report.standings)
