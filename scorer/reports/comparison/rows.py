"""A comparison for a spreadsheet: a row a pair and measure or preference."""

from __future__ import annotations

import math

from scorer.challenge.leaderboard import EVERYTHING
from scorer.reports.base import ExactRows, Options
from scorer.results.comparison import Comparison

HEAD = [
    "a",
    "b",
    "of",
    "is",
    "mean_difference",
    "wins",
    "ties",
    "losses",
    "low",
    "high",
    "effect_size",
    "p",
]


def rows(compared: Comparison, options: Options) -> ExactRows:
    """Full doubles."""
    table = list[list[object]]()
    for pair in compared.pairs:
        for key, found in pair.measures.items():
            ends = map(float, found.interval or (math.nan, math.nan))
            tally = found.wins, found.ties, found.losses
            table.append(
                [
                    pair.a,
                    pair.b,
                    key,
                    "measure",
                    found.difference,
                    *tally,
                    *ends,
                    found.effect_size,
                    found.p,
                ]
            )
        for key, outcome in pair.preferences.items():
            tally = outcome.wins, outcome.ties, outcome.losses
            table.append([pair.a, pair.b, key, "preference", outcome.mean, *tally, *[None] * 4])
    scope = compared.scope
    if not scope:
        return ExactRows(HEAD, table)
    return ExactRows(["split", *HEAD], [[scope.split or EVERYTHING, *row] for row in table])
