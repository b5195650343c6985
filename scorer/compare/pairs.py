"""Submissions held against each other, pair by pair: preferences, differences, orders."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import islice

import numpy as np

from scorer.challenge.model import Leaderboard
from scorer.compare.base import aggregations, cycles, every, order
from scorer.core.arrays import Floats
from scorer.metrics.base import Measure
from scorer.results.comparison import Differing, Pair, Pairing, Preferred, Tally
from scorer.stats.bootstrap import intervals
from scorer.stats.paired import paired
from scorer.stats.power import effect_size

MOST = 5  # how many of the lists that differ most are named


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
    first, second = np.triu_indices(len(names), 1)
    preferred = {
        key: [_preferred(row) for row in cube[first, second]] for key, cube in cubes.items()
    }
    differences = {each.id: values[each.id][first] - values[each.id][second] for each in measures}
    made = _intervals(differences, rules)
    differing = {
        each.id: _differing(
            each,
            differences[each.id],
            made[each.id],
            _tested(values[each.id], rules)[first, second],
            lists,
        )
        for each in measures
    }
    pairs = [
        Pair(
            names[a],
            names[b],
            {key: found[n] for key, found in preferred.items()},
            {key: found[n] for key, found in differing.items()},
        )
        for n, (a, b) in enumerate(zip(first.tolist(), second.tolist(), strict=True))
    ]

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


def _preferred(values: Floats) -> Preferred:
    mean = float(np.nanmean(values)) if not np.isnan(values).all() else float("nan")
    return Preferred(mean, Tally.of(values), values)


def _intervals(
    differences: Mapping[str, Floats], rules: Leaderboard
) -> dict[str, list[tuple[float, float] | None]]:
    """Of every measure's differences: drawn at once, as drawing takes the time."""
    made: list[tuple[float, float] | None] = [None] * sum(map(len, differences.values()))
    if made and rules.intervals is not None:
        rows = np.concatenate(list(differences.values()))
        found = intervals(rows, rules.intervals, rules.draws, rules.seed)
        made = [None if np.isnan(one.low) else (one.low, one.high) for one in found]
    rest = iter(made)
    return {key: list(islice(rest, len(rows))) for key, rows in differences.items()}


def _differing(
    measure: Measure,
    differences: Floats,
    made: Sequence[tuple[float, float] | None],
    p: Floats,
    lists: Sequence[str],
) -> list[Differing]:
    """What is said of every pair; one row of `differences` each."""
    found = []
    for difference, ends, chance in zip(differences, made, p.tolist(), strict=True):
        both = ~np.isnan(difference)
        size = np.where(both, np.abs(difference), -1.0)
        most = [int(at) for at in np.argsort(-size, kind="stable")[:MOST] if size[at] > 0]
        found.append(
            Differing(
                float(difference[both].mean()) if both.any() else float("nan"),
                Tally.of(difference if measure.metric.better == "higher" else -difference),
                ends,
                effect_size(difference),
                chance,
                difference,
                tuple(lists[at] for at in most),
            )
        )
    return found


def _tested(values: Floats, rules: Leaderboard) -> Floats:
    """Corrected p of all pairs, over the lists that all have; 1 where nothing can be said."""
    complete = values[:, ~np.isnan(values).any(axis=0)]
    if min(complete.shape) < 2 or rules.tiers is None:
        return np.ones((len(values), len(values)))
    tiers = rules.tiers
    return paired(
        complete, test=tiers.test, adjust=tiers.adjust, draws=rules.draws, seed=rules.seed
    ).p
