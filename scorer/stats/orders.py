"""Orders of submissions held against each other, and parts of the lists that make other orders."""

from __future__ import annotations

from typing import Literal

import numpy as np

from scorer.stats.units import Floats, Ints, Mask

Better = Literal["higher", "lower"]
FEW = 16  # places of which each is compared with each
CACHED = 1 << 18  # differences that are worked on at once, which stay near the processor


def ranks_of(values: Floats, better: Better = "higher") -> Ints:
    """The rank of each of some values; equal ones share it: 1, 2, 2, 4. NaN comes last.

    >>> ranks_of(np.array([0.5, 0.9, 0.5, np.nan]))
    array([2, 1, 2, 4])
    """
    lead = np.nan_to_num(
        -values if better == "higher" else values, nan=np.inf, posinf=np.inf, neginf=-np.inf
    )
    return np.asarray(1 + np.searchsorted(np.sort(lead), lead))


def taus(values: Floats, drawn: Floats) -> Floats:
    """Kendall's tau-b of the order by some values with each of several others.

    0 where all of one order are equal. `values` is (submissions,), `drawn` (submissions, orders);
    the result is (orders,).

    >>> taus(np.array([3.0, 2.0, 1.0]), np.array([[3.0, 3.0], [2.0, 1.0], [1.0, 2.0]]))
    array([1.        , 0.33333333])
    """
    parts = -(-drawn.size // CACHED) or 1
    tau: Floats = np.concatenate([_taus(values, part) for part in np.array_split(drawn, parts, 1)])
    return tau


def _taus(values: Floats, drawn: Floats) -> Floats:
    by = np.argsort(-values, kind="stable")
    places = _ascending(drawn[by]).T  # NaN as any other: their orders have no tau
    agree, ties = _signs(places)
    edges = np.flatnonzero(np.diff(values[by])) + 1
    pairs = values.size * (values.size - 1) // 2
    for equal in np.split(np.arange(values.size), edges):
        if equal.size > 1:
            agree -= _signs(places[:, equal])[0]
            pairs -= equal.size * (equal.size - 1) // 2
    scale = np.sqrt(ties * pairs)
    scale[np.isnan(drawn).any(axis=0)] = 0
    return np.divide(agree, scale, out=np.zeros(agree.size), where=scale > 0)


def _signs(places: Ints) -> tuple[Floats, Floats]:
    """The signs of all differences of a place from a later one: their sum, and how many there are.

    `places`, (orders, submissions), are at least 0; both results are (orders,).
    """
    orders, count = places.shape
    equal = np.zeros(orders)
    ascending = np.sort(places, axis=1)
    run = np.zeros(orders)
    for n in range(1, count):  # the n-th of a run of equal ones is equal to n before it
        run = np.where(ascending[:, n] == ascending[:, n - 1], run + 1, 0.0)
        equal += run
    differ = count * (count - 1) / 2 - equal
    return 2 * _falls(places) - differ, differ


def _falls(places: Ints) -> Floats:
    """How many places of each order, (orders, submissions), are above a later one, all pairs told.

    Halves that ascend are merged by a sort in which those of the left one come first; where those
    of the right one then stand says how many of the left are above them.
    """
    orders, count = places.shape
    size = FEW << max(-(-count // FEW) - 1, 0).bit_length()
    last = int(places.max(initial=0)) + 1  # none is above what fills the rest
    merged = np.full((orders, size), last, dtype=np.int16 if last < 1 << 14 else np.int64)
    merged[:, :count] = places
    blocks = merged.reshape(orders, size // FEW, FEW)
    falls = np.zeros(orders)
    for n in range(FEW - 1):
        falls += np.count_nonzero(blocks[:, :, n, None] > blocks[:, :, n + 1 :], axis=(1, 2))
    width = FEW
    merged = np.sort(blocks, axis=2)
    while width < size:
        keys = merged.reshape(orders, size // width // 2, 2 * width) << 1
        keys[:, :, width:] |= 1
        keys.sort(axis=2)
        right = (keys & 1).astype(np.float32) @ np.arange(2 * width, dtype=np.float32)
        falls += (width * width + width * (width - 1) / 2 - right).sum(axis=1)
        merged, width = keys >> 1, 2 * width
    return falls


def _ascending(drawn: Floats) -> Ints:
    """The place of each among the different values of its order, from 0: exact in 24 bits."""
    by_order = np.argsort(drawn, axis=0)
    ascending = np.take_along_axis(drawn, by_order, axis=0)
    places = np.zeros(drawn.shape, dtype=np.int64)
    np.cumsum(ascending[1:] != ascending[:-1], axis=0, out=places[1:])
    back = np.empty_like(places)
    np.put_along_axis(back, by_order, places, axis=0)
    return back


def majorities(values: Floats) -> Floats:
    """How many opponents each beats in more lists than not, a draw as half: Copeland's count.

    `values` is (submissions, lists), higher is better; a pair is compared in the lists in which
    both have a value. The result is (submissions,).

    >>> majorities(np.array([[2.0, 2.0, 0.0], [1.0, 1.0, 1.0], [0.0, 0.0, 2.0]]))
    array([2., 1., 0.])
    """
    beaten = np.zeros(len(values))
    for n, row in enumerate(values):
        others = values[n + 1 :]
        more = (row > others).sum(axis=1) - (row < others).sum(axis=1)
        won = (np.sign(more) + 1) / 2
        beaten[n] += won.sum()
        beaten[n + 1 :] += 1 - won
    return beaten


def parts(lists: int, unit: Ints | None, share: float, draws: int, seed: int) -> Mask:
    """Random parts of the lists, of whole units: (draws, lists).

    At least one unit is in a part, and one is not. `unit`, (lists,), has equal numbers for lists
    that stay together; None: each is alone. Of fewer than two units there are no parts.
    """
    codes = np.arange(lists) if unit is None else np.unique(unit, return_inverse=True)[1]
    count = int(codes.max(initial=-1)) + 1
    if count < 2:
        return np.zeros((0, lists), dtype=bool)
    taken = min(max(round(share * count), 1), count - 1)
    rng = np.random.default_rng(seed)
    rows = [np.isin(codes, rng.permutation(count)[:taken]) for _ in range(draws)]
    return np.array(rows)


def agreement(first: Floats, second: Floats) -> tuple[float, float]:
    """How far two halves of the lists agree about submissions.

    Pearson's correlation of the values in both, on average over draws, and by Spearman and Brown
    the one of two wholes: `2 r / (1 + r)`, which is the reliability of the board's values; 0 where
    r is not above 0. Both arrays are (submissions, draws); a draw in which a half has equal values,
    or none, is left out. NaN of fewer than three submissions, whose values always correlate.
    """
    if len(first) < 3:
        return np.nan, np.nan
    kept = [
        np.corrcoef(one, other)[0, 1]
        for one, other in zip(first.T, second.T, strict=True)
        if np.isfinite([one, other]).all() and np.ptp(one) > 0 and np.ptp(other) > 0
    ]
    if not kept:
        return np.nan, np.nan
    mean = float(np.mean(kept))
    return mean, max(2 * mean / (1 + mean), 0.0) if mean > -1 else 0.0
