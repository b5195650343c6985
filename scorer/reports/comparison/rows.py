"""A comparison for a spreadsheet, and as JSON Lines, which `score compare` also reads back."""

from __future__ import annotations

import math

from scorer.challenge.phases import EVERYTHING
from scorer.reports.base import ExactRows, Options
from scorer.results.comparison import Comparison
from scorer.results.json import to_json

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
    """Return exact values: a row for each pair and measure or preference."""
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


def jsonl(compared: Comparison, options: Options) -> str:
    """Return the preferences: a line for each list and pair."""
    lines = []
    for pair in compared.pairs:
        values = {
            key: preferred.per_list.values.tolist() for key, preferred in pair.preferences.items()
        }
        for n, name in enumerate(compared.lists):
            fields = {key: column[n] for key, column in values.items()}
            line = {"list": name, "a": pair.a, "b": pair.b, "preferences": fields}
            lines.append(to_json(line, indent=None))
    return "".join(f"{line}\n" for line in lines)
