"""Scorecards to standings: pure, total, and the same whatever the order of the submissions."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from scorer.challenge.model import Leaderboard
from scorer.compare.base import cycles, order, preferences
from scorer.core.arrays import Floats
from scorer.metrics.base import Better, Measure
from scorer.results.report import Certainty, Standing
from scorer.stats.bootstrap import intervals
from scorer.stats.paired import paired
from scorer.stats.power import detectable, deviation
from scorer.stats.tiers import rank_ranges, tiers
from scorer.views.positions import Positions


@dataclass(frozen=True, slots=True)
class Entry:
    """What the leaderboard knows of a submission."""

    name: str
    values: Mapping[str, float]  # measure id -> mean
    baseline: bool = False


Criterion = Callable[[Sequence[Entry]], Sequence[float]]
"""What orders entries that are equal so far: a number for each, less is better, NaN is last."""


def by_measure(measure: str, better: Better) -> Criterion:
    """Order by a measure's mean, on full doubles."""
    sign = -1.0 if better == "higher" else 1.0
    return lambda entries: [sign * entry.values.get(measure, math.nan) for entry in entries]


def by_preference(
    preference: Measure, aggregate: Measure, positions: Mapping[str, Positions]
) -> Criterion:
    """Order by what an aggregation makes of the preferences between the entries themselves.

    Baselines are not asked: who stands outside the ranks must not change them.
    """

    def places(entries: Sequence[Entry]) -> Sequence[float]:
        asked = sorted(entry.name for entry in entries if not entry.baseline)
        found = dict.fromkeys((entry.name for entry in entries), math.nan)
        if asked:
            held = preferences(preference, [positions[name] for name in asked])
            for place, group in enumerate(order(aggregate, held).groups):
                for number in group:
                    found[asked[number]] = float(place)
        return [found[entry.name] for entry in entries]

    return places


def contradictions(
    preference: Measure, positions: Mapping[str, Positions]
) -> tuple[tuple[str, ...], ...]:
    """The groups of submissions in which each is beaten, over others, by one that it beats."""
    names = sorted(positions)
    if len(names) < 3:
        return ()
    found = cycles(preferences(preference, [positions[name] for name in names]))
    return tuple(tuple(names[number] for number in group) for group in found)


def with_certainty(
    rows: Sequence[Standing],
    values: Mapping[str, Floats],
    primary: Measure,
    rules: Leaderboard,
) -> tuple[tuple[Standing, ...], Certainty | None]:
    """Standings with intervals, tiers and rank ranges by the primary measure.

    Tests look at the lists for which every submission has a value. Tiers and
    ranges are of the ranked; where preferences rank, there are none, since
    they would speak of another order.

    Args:
        rows: the standings, best first.
        values: name -> one value a list of the primary measure, NaN where skipped.
        primary: the measure.
        rules: what the challenge says of intervals, tiers and the seed.
    """
    names = [row.name for row in rows if row.name in values]
    if primary.metric.aggregate != "mean" or not names:
        return tuple(rows), None
    table = np.array([values[name] for name in names])
    found: dict[str, dict[str, object]] = {name: {} for name in names}
    if rules.intervals is not None:
        made = intervals(table, rules.intervals, rules.draws, rules.seed)
        for name, one in zip(names, made, strict=True):
            found[name]["interval"] = None if math.isnan(one.low) else (one.low, one.high)
    certainty = None
    complete = table[:, ~np.isnan(table).any(axis=0)]
    if rules.tiers is not None and rules.rank_by == "primary" and min(complete.shape) > 1:
        test = paired(
            complete,
            test=rules.tiers.test,
            adjust=rules.tiers.adjust,
            draws=rules.draws,
            seed=rules.seed,
        )
        least = detectable(deviation(complete), complete.shape[1], rules.tiers.alpha)
        certainty = Certainty(tuple(names), test.difference, test.p, complete.shape[1], least)
        ranked = [n for n, name in enumerate(names) if _row(rows, name).rank is not None]
        difference, p = (matrix[np.ix_(ranked, ranked)] for matrix in (test.difference, test.p))
        spans = rank_ranges(difference, p, rules.tiers.alpha, primary.metric.better)
        for n, tier, span in zip(ranked, tiers(p, rules.tiers.alpha), spans, strict=True):
            found[names[n]].update(tier=tier, ranks=span)
    return tuple(replace(row, **found.get(row.name, {})) for row in rows), certainty  # type: ignore[arg-type]


def _row(rows: Sequence[Standing], name: str) -> Standing:
    return next(row for row in rows if row.name == name)


def standings(entries: Sequence[Entry], by: Sequence[Criterion]) -> tuple[Standing, ...]:
    """Entries in order, best first: by the first criterion, equal ones by the next.

    What stays equal shares a rank, and the next rank is skipped (1, 2, 2, 4);
    among themselves they stand in the order of their names. One without a
    value comes after those that have one. Baselines stand where their value
    puts them and have no rank.
    """
    found: list[Standing] = []
    rank = 1
    for group in _refined(entries, by):
        for entry in sorted(group, key=lambda entry: (entry.baseline, entry.name)):
            place = None if entry.baseline else rank
            found.append(Standing(place, entry.name, entry.values, entry.baseline))
        rank += sum(not entry.baseline for entry in group)
    return tuple(found)


def _refined(entries: Sequence[Entry], by: Sequence[Criterion]) -> list[Sequence[Entry]]:
    """The entries in groups of equal ones, best first."""
    if not by or len(entries) < 2:
        return [entries] if entries else []
    groups: dict[tuple[bool, float], list[Entry]] = {}
    for entry, value in zip(entries, by[0](entries), strict=True):
        none = math.isnan(value)
        groups.setdefault((none, 0.0 if none else value), []).append(entry)
    return [finer for key in sorted(groups) for finer in _refined(groups[key], by[1:])]
