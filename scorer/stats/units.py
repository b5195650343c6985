"""The units of resampling: lists, clusters of lists, or blocks where there are very many."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
Mask = NDArray[np.bool_]
LONG = 5_000  # lists from which a row is summed alone, and stays in the cache
NOISE = 1e-12  # of the largest value: what float arithmetic may leave between equal values


def units(lists: int, clusters: Ints | None, most: int, seed: int) -> Ints | None:
    """The unit that each list belongs to.

    A mean of very many lists is that of blocks of them, which are drawn in a fraction of the time;
    blocks are random, as even as can be, and the same for a seed. `clusters`, (lists,), has equal
    numbers for lists that are drawn together, None for each alone; more units than `most` are
    gathered into so many blocks. The result has shape (lists,), from 0 without gaps; None where
    every list is a unit of its own.
    """
    codes = None if clusters is None else np.unique(clusters, return_inverse=True)[1]
    count = lists if codes is None else int(codes.max(initial=-1)) + 1
    if count <= most:
        return codes
    order = np.random.default_rng(seed).permutation(count)
    edges = np.linspace(0, count, most, endpoint=False).astype(np.int64)
    block = np.empty(count, dtype=np.int64)
    block[order] = np.repeat(np.arange(most), np.diff([*edges, count]))
    return block if codes is None else block[codes]


def kish(weights: Floats) -> float:
    """How many lists of equal weight vary as much (Kish, Survey Sampling, 1965).

    >>> kish(np.array([1.0, 1.0, 1.0])), kish(np.array([1.0, 0.0, 0.0]))
    (3.0, 1.0)
    """
    return float(weights.sum() ** 2 / max((weights**2).sum(), 1e-300))


def of_both(values: Floats, rows: Ints, lists: Mask) -> Floats:
    """Some rows over some lists; all of both as they are, since a copy of very many takes long."""
    whole = bool(lists.all()) and np.array_equal(rows, np.arange(len(values)))
    return values if whole else values[np.ix_(rows, lists)]


def unit_sums(values: Floats, unit: Ints | None, scale: float = 1.0) -> Floats:
    """The sums of each unit's lists, in units of `scale`: (rows, lists) to (rows, units)."""
    if unit is None:
        return values if scale == 1.0 else values / scale
    few = unit.astype(np.min_scalar_type(int(unit.max(initial=0))))  # of 16 bits by their digits
    order = np.argsort(few, kind="stable")
    starts = np.flatnonzero(np.diff(unit[order], prepend=-1))
    if order.size < LONG:
        return np.asarray(np.add.reduceat((values / scale).take(order, axis=-1), starts, axis=-1))
    sums = np.empty((*values.shape[:-1], starts.size))
    for row in np.ndindex(values.shape[:-1]):
        np.add.reduceat((values[row] / scale).take(order), starts, out=sums[row])
    return sums


def unit_sizes(lists: int, unit: Ints | None) -> Floats:
    """How many lists each unit has."""
    return np.ones(lists) if unit is None else np.bincount(unit).astype(np.float64)


def blocks(width: int, draws: int, size: int) -> Iterator[int]:
    """Cut draws into blocks that fit into memory; never so few at once that BLAS idles."""
    rows = max(32, size // max(width, 1))
    yield from (min(rows, draws - start) for start in range(0, draws, rows))


def alike(masks: Mask) -> list[Ints]:
    """The rows of a mask in groups of equal ones, each in order."""
    groups: dict[bytes, list[int]] = {}
    for row, mask in enumerate(masks):
        groups.setdefault(mask.tobytes(), []).append(row)
    return [np.array(rows, dtype=np.int64) for rows in groups.values()]
