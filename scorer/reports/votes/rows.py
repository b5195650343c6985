"""The board of votes for a spreadsheet."""

from __future__ import annotations

from scorer.reports.base import ExactRows, Options
from scorer.results.votes import VoteBoard

HEAD = [
    "rank",
    "name",
    "rating",
    "low",
    "high",
    "best_rank",
    "worst_rank",
    "tier",
    "share",
    "votes",
    "won",
    "tied",
    "lost",
]


def rows(board: VoteBoard, options: Options) -> ExactRows:
    """A row a system."""
    table = [
        [
            row.rank,
            row.name,
            row.rating,
            *(row.interval or (None, None)),
            *(row.ranks or (None, None)),
            row.tier,
            row.share,
            row.votes,
            row.won,
            row.tied,
            row.lost,
        ]
        for row in board.leaderboard
    ]
    return ExactRows(HEAD, table)
