"""Scorecards to standings: pure, total, and the same whatever the order of the submissions."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from scorer.measures import Better
from scorer.results import Standing


@dataclass(frozen=True, slots=True)
class Entry:
    """What the leaderboard knows of a submission."""

    name: str
    values: Mapping[str, float]  # measure id -> mean
    baseline: bool = False


def standings(entries: Sequence[Entry], by: Sequence[tuple[str, Better]]) -> tuple[Standing, ...]:
    """Entries in order, best first: by the first measure, ties by the next, on full doubles.

    Equal ones share a rank and the next rank is skipped (1, 2, 2, 4); among
    themselves they stand in the order of their names. One without a value for
    a measure comes after those that have it. Baselines stand where their value
    puts them and have no rank.
    """

    def key(entry: Entry) -> tuple[tuple[bool, float], ...]:
        parts = []
        for measure, better in by:
            value = entry.values.get(measure, math.nan)
            none = math.isnan(value)
            parts.append((none, 0.0 if none else -value if better == "higher" else value))
        return tuple(parts)

    ordered = sorted(entries, key=lambda entry: (key(entry), entry.baseline, entry.name))
    ranked = [entry for entry in ordered if not entry.baseline]
    ranks: dict[tuple[tuple[bool, float], ...], int] = {}
    for place, entry in enumerate(ranked, start=1):
        ranks.setdefault(key(entry), place)
    return tuple(
        Standing(
            None if entry.baseline else ranks[key(entry)], entry.name, entry.values, entry.baseline
        )
        for entry in ordered
    )
