"""Pareto fronts against the definition, spelled out pair by pair."""

import numpy as np
import pytest

from scorer.stats.ranks import dominates


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
