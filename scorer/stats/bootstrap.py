"""Draws of lists, for what is asked of the order of all submissions at once."""

from __future__ import annotations

import numpy as np

from scorer.stats.units import Floats, Ints, blocks, unit_sizes, unit_sums, units

BLOCK = 50_000  # lists in a block of draws: 0.4 MB, which a core's cache holds
GATHERED = 2_500  # units above which blocks of them are drawn


def resampled(values: Floats, draws: int, seed: int, clusters: Ints | None = None) -> Floats:
    """The means of each submission over the same draws of lists, with replacement.

    Of more than 2,500 lists, 2,500 random blocks are drawn, each with its lists.

    Args:
        values: (submissions, lists), complete; of a figure its pseudo-values, whose draws are those
            of the figure to the first order.
        clusters: (lists,), equal numbers for lists that are drawn together.

    Returns:
        (submissions, draws).
    """
    lists = values.shape[1]
    unit = units(lists, clusters, GATHERED, seed)
    sizes = unit_sizes(lists, unit)
    parts = np.concatenate([unit_sums(values, unit), sizes[None]])
    rng, drawn = np.random.default_rng(seed), []
    for rows in blocks(sizes.size, draws, BLOCK):
        chosen = rng.integers(sizes.size, size=(rows, sizes.size))
        chosen += np.arange(rows)[:, None] * sizes.size
        counts = np.bincount(chosen.ravel(), minlength=chosen.size).reshape(chosen.shape)
        drawn.append(parts @ counts.T.astype(np.float64))
    sums = np.concatenate(drawn, axis=1)
    return np.asarray(sums[:-1] / sums[-1])
