"""Pareto fronts against the definition, spelled out pair by pair."""

import numpy as np
import pytest

from scorer.stats.pareto import MeasureTests, dominates, surely_dominates


def oracle(axes):
    """Who dominates whom, in plain loops."""
    pairs = set()
    for a, one in enumerate(axes):
        for b, other in enumerate(axes):
            worse = [x < y for x, y in zip(one, other, strict=True)]
            better = [x > y for x, y in zip(one, other, strict=True)]
            if not any(worse) and any(better):
                pairs.add((a, b))
    return pairs


def pairs_of(mask):
    return {(int(a), int(b)) for a, b in np.argwhere(mask)}


@pytest.mark.parametrize("axes", [1, 2, 3, 5])
def test_who_dominates_is_as_defined(axes):
    for seed in range(20):
        values = np.random.default_rng(seed).integers(0, 4, (9, axes)).astype(float)
        assert pairs_of(dominates(values)) == oracle(values.tolist())


def axis(p, better, same=()):
    size = 3
    masks = [np.zeros((size, size), dtype=bool) for _ in range(2)]
    for mask, pairs in zip(masks, (better, same), strict=True):
        for a, b in pairs:
            mask[a, b] = True
    return MeasureTests(np.full((size, size), p), *masks)


@pytest.mark.parametrize(
    ("fixed", "measures", "claimed"),
    [
        ([[2], [1], [0]], [axis(0.04, [(0, 1), (2, 0)])], {(0, 1)}),  # 2 is dearer than 0
        ([[2], [1], [0]], [axis(0.06, [(0, 1)])], set()),
        ([[2], [1], [0]], [axis(np.nan, [(0, 1)])], set()),
        ([[1], [1], [0]], [axis(0.01, [(0, 1)])], {(0, 1)}),  # at the same price
        ([[2], [1], [1]], [axis(1.0, [], [(0, 1), (1, 0)])], {(0, 1)}),  # the same at a lower price
        ([[1], [1], [1]], [axis(1.0, [], [(0, 1), (1, 0)])], set()),  # the same at the same price
        ([[], [], []], [axis(0.02, [(0, 1)]), axis(0.02, [(0, 1)])], {(0, 1)}),
        ([[], [], []], [axis(0.03, [(0, 1)]), axis(0.01, [(0, 1)])], set()),  # two share alpha
        ([[], [], []], [axis(0.02, [(0, 1)]), axis(0.9, [], [(0, 1)])], {(0, 1)}),
        ([[], [], []], [axis(0.02, [(0, 1)]), axis(0.9, [(1, 0)])], set()),
    ],
)
def test_what_is_claimed_needs_every_axis(fixed, measures, claimed):
    table = np.array(fixed, dtype=float).reshape(3, -1)
    assert pairs_of(surely_dominates(table, measures, 0.05)) == claimed
