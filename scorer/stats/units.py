"""The units of resampling: lists, clusters of lists, or blocks of very many; and exact sums."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
Mask = NDArray[np.bool_]
NOISE = 1e-12  # of the largest value: what float arithmetic may leave between equal values


def units(lists: int, clusters: Ints | None, most: int, seed: int) -> Ints | None:
    """The unit that each list belongs to.

    A mean of very many lists is a mean of blocks of them, which takes a fraction of the time to
    draw; blocks are random, as even as can be, and the same for a seed. `clusters`, (lists,), has
    equal numbers for lists that are drawn together, None for each alone; more units than `most` are
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


def submatrix(values: Floats, rows: Ints, lists: Mask) -> Floats:
    """Return some rows over some lists; all of both without a copy, which takes long."""
    whole = bool(lists.all()) and np.array_equal(rows, np.arange(len(values)))
    return values if whole else values[np.ix_(rows, lists)]


def unit_sums(values: Floats, unit: Ints | None, scale: float = 1.0) -> Floats:
    """Return the sums of each unit's lists, divided by `scale`: (rows, lists) to (rows, units)."""
    if unit is None:
        return values if scale == 1.0 else values / scale
    order = np.argsort(unit, kind="stable")
    starts = np.flatnonzero(np.diff(unit[order], prepend=-1))
    return np.asarray(np.add.reduceat((values / scale).take(order, axis=-1), starts, axis=-1))


def rows_by_mask(masks: Mask) -> list[Ints]:
    """Return the rows of a matrix of masks in groups of equal ones, each in order."""
    groups: dict[bytes, list[int]] = {}
    for row, mask in enumerate(masks):
        groups.setdefault(mask.tobytes(), []).append(row)
    return [np.array(rows, dtype=np.int64) for rows in groups.values()]


def exact_sum(values: Floats) -> float:
    """Return the sum of values, (values,), rounded once: their order changes no digit.

    >>> exact_sum(np.array([1e16, 1.0, -1e16]))
    1.0
    """
    return _fsum(values.tolist())


def exact_mean(values: Floats) -> float:
    """Return their sum by their number, rounded once; NaN of none.

    >>> exact_mean(np.full(3, 0.1)), exact_mean(np.full(100_000, 0.4))
    (0.1, 0.4)
    """
    if not values.size:
        return math.nan
    numbers = values.tolist()
    total = _fsum(numbers)
    if not math.isfinite(total):
        return total
    rest = _fsum([*numbers, -total])  # that a sum of 53 bits leaves
    (total_over, total_under), (rest_over, rest_under) = (
        part.as_integer_ratio() for part in (total, rest)
    )
    over = total_over * rest_under + rest_over * total_under
    return over / (total_under * rest_under * values.size)


def _fsum(numbers: list[float]) -> float:
    """Return `math.fsum`, or what numpy gives beyond the largest number or of unlike infinities."""
    try:
        return math.fsum(numbers)
    except (OverflowError, ValueError):
        with np.errstate(all="ignore"):
            return float(np.sum(numbers))
