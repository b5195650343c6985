"""Scorecards to standings: pure, total, and the same whatever the order of the submissions."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple

import numpy as np

from scorer.core.arrays import round_for_ranks
from scorer.metrics.api import Better
from scorer.metrics.notation import Measure
from scorer.preferences.base import compute_preferences, cycles, order_submissions
from scorer.results.report import Standing
from scorer.views.preferences import Positions


class Contestant(NamedTuple):
    """A submission's values, as the leaderboard orders it."""

    name: str
    values: Mapping[str, float]  # measure id -> mean
    baseline: bool = False


Criterion = Callable[[Sequence[Contestant]], Sequence[float]]
"""What orders entries that are equal so far: a number for each, less is better, NaN is last."""


def by_measure(measure: str, better: Better) -> Criterion:
    """Order by a measure's mean, to 12 significant digits."""
    sign = -1.0 if better == "higher" else 1.0

    def numbers(entries: Sequence[Contestant]) -> Sequence[float]:
        means = [sign * entry.values.get(measure, math.nan) for entry in entries]
        return list(map(float, round_for_ranks(means)))

    return numbers


def by_preference(
    preference: Measure, aggregate: Measure, positions: Mapping[str, Positions]
) -> Criterion:
    """Order by an aggregation of the preferences between the entries.

    Baselines do not take part: who stands outside the ranks must not change them.

    `positions` is name of an entry -> the positions of its relevant items.
    """

    def ranks(entries: Sequence[Contestant]) -> Sequence[float]:
        names = sorted(entry.name for entry in entries if not entry.baseline)
        rank_of = dict.fromkeys((entry.name for entry in entries), math.nan)
        if names:
            preferred = compute_preferences(preference, [positions[name] for name in names])
            for rank, group in enumerate(order_submissions(aggregate, preferred).groups):
                for number in group:
                    rank_of[names[number]] = float(rank)
        return [rank_of[entry.name] for entry in entries]

    return ranks


class Ranks(NamedTuple):
    """Ranks by several measures; baselines have none."""

    order: Mapping[str, int]  # name -> its place in the order that the aggregation makes
    points: Mapping[str, float]  # name -> what orders it
    rank_counts: Mapping[str, tuple[int, ...]]  # name -> how often it is first, second, ..


def ranks_by(
    measures: Sequence[tuple[str, Better]], aggregate: Measure, entries: Sequence[Contestant]
) -> Ranks:
    """Aggregate the ranks by several measures.

    Each measure compares every two; one without a value is below those that have one.
    """
    ranked_entries = sorted(
        (entry for entry in entries if not entry.baseline), key=lambda entry: entry.name
    )
    if not ranked_entries:
        return Ranks({}, {}, {})
    table = np.array(
        [
            [float(entry.values.get(key, math.nan)) for key, _ in measures]
            for entry in ranked_entries
        ]
    )
    table = round_for_ranks(table)
    table *= [1.0 if better == "higher" else -1.0 for _, better in measures]
    table[np.isnan(table)] = -np.inf
    wins = (table[:, None] > table[None]).astype(np.float64) - (table[:, None] < table[None])
    ordering = order_submissions(aggregate, wins)
    rank = 1 + (table[None] > table[:, None]).sum(axis=1)
    rank_counts = [
        tuple(np.bincount(row, minlength=len(ranked_entries) + 1)[1:].tolist()) for row in rank
    ]
    names = [entry.name for entry in ranked_entries]
    spots = {names[n]: spot for spot, group in enumerate(ordering.groups) for n in group}
    return Ranks(
        spots,
        dict(zip(names, ordering.scores.tolist(), strict=True)),
        dict(zip(names, rank_counts, strict=True)),
    )


def by_number(numbers: Mapping[str, float]) -> Criterion:
    """Order by a number of each name, the least first, to 12 significant digits."""

    def own(entries: Sequence[Contestant]) -> Sequence[float]:
        values = [numbers.get(entry.name, math.nan) for entry in entries]
        return list(map(float, round_for_ranks(values)))

    return own


def by_rank_counts(counts: Mapping[str, tuple[int, ...]]) -> Criterion:
    """Order by who is first more often, then second, and so on."""
    best_first = sorted(set(counts.values()), reverse=True)
    return by_number({name: float(best_first.index(own)) for name, own in counts.items()})


def contradictions(
    preference: Measure, positions: Mapping[str, Positions]
) -> tuple[tuple[str, ...], ...]:
    """The groups of submissions in which each is beaten, over others, by one that it beats."""
    names = sorted(positions)
    if len(names) < 3:
        return ()
    groups = cycles(compute_preferences(preference, [positions[name] for name in names]))
    return tuple(tuple(names[number] for number in group) for group in groups)


def standings(entries: Sequence[Contestant], by: Sequence[Criterion]) -> tuple[Standing, ...]:
    """Entries in order, best first: by the first criterion, equal ones by the next.

    Equal ones share a rank, and the next rank is skipped (1, 2, 2, 4); they are in the order of
    their names. Entries without a value come last. Baselines are in the order of their values and
    have no rank.
    """
    rows: list[Standing] = []
    rank = 1
    for group in _refined(entries, by):
        for entry in sorted(group, key=lambda entry: (entry.baseline, entry.name)):
            place = None if entry.baseline else rank
            rows.append(Standing.untested(place, entry.name, entry.values, entry.baseline))
        rank += sum(not entry.baseline for entry in group)
    return tuple(rows)


def _refined(entries: Sequence[Contestant], by: Sequence[Criterion]) -> list[Sequence[Contestant]]:
    """The entries in groups of equal ones, best first."""
    if not by or len(entries) < 2:
        return [entries] if entries else []
    groups: dict[tuple[bool, float], list[Contestant]] = {}
    for entry, value in zip(entries, by[0](entries), strict=True):
        none = math.isnan(value)
        groups.setdefault((none, 0.0 if none else value), []).append(entry)
    return [finer for key in sorted(groups) for finer in _refined(groups[key], by[1:])]
