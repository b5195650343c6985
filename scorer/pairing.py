"""Submissions held against each other, pair by pair: preferences, differences, orders."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations

import numpy as np

from scorer.challenge import Leaderboard
from scorer.judged import Floats
from scorer.measures import Measure
from scorer.preferences import aggregations, cycles, every, order
from scorer.statistics import NOISE, difference_interval, effect_size, paired

MOST = 5  # how many of the lists that differ most are named


@dataclass(frozen=True, slots=True)
class Tally:
    """In how many lists the first of a pair wins, ties and loses."""

    wins: int
    ties: int
    losses: int

    @classmethod
    def of(cls, values: Floats) -> Tally:
        """Of one number a list, above 0 where the first wins; NaN does not count."""
        noise = NOISE * float(np.nanmax(np.abs(values), initial=0.0))
        wins, losses = int((values > noise).sum()), int((values < -noise).sum())
        return cls(wins, int((~np.isnan(values)).sum()) - wins - losses, losses)


@dataclass(frozen=True, slots=True)
class Preferred:
    """What a preference says of a pair."""

    mean: float  # over the lists where it is defined
    tally: Tally
    per_list: Floats  # NaN where undefined


@dataclass(frozen=True, slots=True)
class Differing:
    """How a measure differs between a pair; positive where the first has more of it."""

    difference: float  # mean of the first less mean of the second, over the lists both have
    tally: Tally  # from the first's side: a smaller error wins
    interval: tuple[float, float] | None
    effect: float  # Cohen's d_z
    p: float  # corrected for the number of pairs
    per_list: Floats
    most: tuple[str, ...]  # the lists that differ most


@dataclass(frozen=True, slots=True)
class Pair:
    """Two submissions."""

    a: str
    b: str
    preferences: Mapping[str, Preferred]
    measures: Mapping[str, Differing]


@dataclass(frozen=True, slots=True)
class Pairing:
    """Every pair, and the orders that the preferences make."""

    names: tuple[str, ...]
    lists: tuple[str, ...]
    pairs: tuple[Pair, ...]
    orders: Mapping[str, Mapping[str, tuple[tuple[str, ...], ...]]]  # preference -> aggregation
    cycles: Mapping[str, tuple[tuple[str, ...], ...]]  # preference -> groups that contradict


def pairing(
    names: Sequence[str],
    lists: Sequence[str],
    cubes: Mapping[str, Floats],
    values: Mapping[str, Floats],
    measures: Sequence[Measure] = (),
    rules: Leaderboard | None = None,
) -> Pairing:
    """Compare all submissions with each other.

    Args:
        names: the submissions.
        lists: the lists.
        cubes: preference -> (submissions, submissions, lists), NaN where undefined.
        values: measure id -> (submissions, lists), NaN where skipped.
        measures: the measures of `values`, for their direction.
        rules: the level, the test and the seed of the statistics.
    """
    rules = rules or Leaderboard()
    tests = {measure.id: _tested(values[measure.id], rules) for measure in measures}
    pairs = []
    for a, b in combinations(range(len(names)), 2):
        preferred = {}
        for key, cube in cubes.items():
            mine = cube[a, b]
            mean = float(np.nanmean(mine)) if not np.isnan(mine).all() else float("nan")
            preferred[key] = Preferred(mean, Tally.of(mine), mine)
        differing = {
            measure.id: _differing(measure, values[measure.id][[a, b]], lists, rules,
                                   float(tests[measure.id][a, b]))
            for measure in measures
        }  # fmt: skip
        pairs.append(Pair(names[a], names[b], preferred, differing))

    def named(groups: Sequence[Sequence[int]]) -> tuple[tuple[str, ...], ...]:
        return tuple(tuple(sorted(names[n] for n in group)) for group in groups)

    return Pairing(
        tuple(names),
        tuple(lists),
        tuple(pairs),
        {
            key: {each.name: named(order(each, cube).groups) for each in every(aggregations())}
            for key, cube in cubes.items()
        },
        {key: named(found) for key, cube in cubes.items() if (found := cycles(cube))},
    )


def _tested(values: Floats, rules: Leaderboard) -> Floats:
    """Corrected p of all pairs, over the lists that all have; 1 where nothing can be said."""
    complete = values[:, ~np.isnan(values).any(axis=0)]
    if min(complete.shape) < 2 or rules.tiers is None:
        return np.ones((len(values), len(values)))
    tiers = rules.tiers
    return paired(
        complete, test=tiers.test, adjust=tiers.adjust, draws=rules.draws, seed=rules.seed
    ).p


def _differing(
    measure: Measure, values: Floats, lists: Sequence[str], rules: Leaderboard, p: float
) -> Differing:
    difference = values[0] - values[1]
    both = ~np.isnan(difference)
    interval = None
    if rules.intervals is not None and both.any():
        made = difference_interval(values[0], values[1], rules.intervals, rules.draws, rules.seed)
        interval = (made.low, made.high)
    size = np.where(both, np.abs(difference), -1.0)
    most = [int(n) for n in np.argsort(-size, kind="stable")[:MOST] if size[n] > 0]
    return Differing(
        float(difference[both].mean()) if both.any() else float("nan"),
        Tally.of(difference if measure.metric.better == "higher" else -difference),
        interval,
        effect_size(difference),
        p,
        difference,
        tuple(lists[n] for n in most),
    )
