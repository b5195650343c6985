"""How sure a number is: intervals of means, paired tests, tiers, what a challenge could detect.

Everything looks at `values` of shape (submissions, lists), the challenge's rules for missing and
undefined lists applied, and is a function of its arguments and `seed` alone. Lists are the
sample: an interval or a p-value speaks of other lists of the same sort.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]


Ints = NDArray[np.int64]


Test = Literal["permutation", "wilcoxon", "t"]


Adjust = Literal["max", "holm"]


BLOCK = 50_000  # lists in a block of a bootstrap's draws: 0.4 MB, which a core's cache holds


SIGNS = 1_000_000  # in a block of a permutation's: 8 MB, for its rows of sums to be long


FEW = 4  # rows whose values are looked up in a draw; for more, how often it holds each list counts


OTHERS = 8  # submissions held against one at a time: their sums stay in a cache


DRAWN = 4_000_000  # means drawn before they are looked at: 32 MB


GATHERED = 2_500  # lists above which a bootstrap draws blocks of them


FLIPPED = 10_000  # lists above which a permutation flips blocks of them


NOISE = 1e-12  # of the largest value: what float arithmetic may leave between equal values


@dataclass(frozen=True, slots=True)
class Paired:
    """What paired tests say of every pair of submissions.

    `difference[a, b]` is mean a less mean b. `p[a, b]` is two-sided, corrected for the number
    of pairs, symmetric, and 1 on the diagonal. Both have the shape (submissions, submissions).
    """

    difference: Floats
    p: Floats


def _gathered(parts: Floats, blocks: int, seed: int) -> Floats:
    """The sums of random blocks of lists (last axis), as even as can be, the same for a seed.

    A mean of very many lists is that of blocks of them, which are drawn in a fraction of the time.
    """
    order = np.random.default_rng(seed).permutation(parts.shape[-1])
    edges = np.linspace(0, order.size, blocks, endpoint=False).astype(np.int64)
    return np.asarray(np.add.reduceat(parts.take(order, axis=-1), edges, axis=-1))


def paired(
    values: Floats,
    *,
    test: Test = "permutation",
    adjust: Adjust = "max",
    draws: int = 10_000,
    seed: int = 1,
) -> Paired:
    """Which submissions differ by more than the luck of the lists, over all pairs at once.

    `permutation`: were two submissions equal, each list's difference would be as likely to have
    the other sign. A draw gives each list one sign, for all pairs, so that what one list does to
    many pairs is kept (Smucker, Allan & Carterette, CIKM 2007, for the test in retrieval). With
    sampled draws p = (b + 1) / (m + 1); where all 2**lists patterns fit into `draws` they are
    enumerated and p = b / m is exact.

    `adjust="max"` refers each pair to the greatest studentised difference of any pair in a draw
    (Westfall & Young 1993; Romano & Wolf, JASA 100, 2005; single-step), which bounds the chance
    of any false difference. A pair's sum of squared differences Q is the same under every sign,
    so t**2 = (n - 1) r / (1 - r) with r = S**2 / (n Q) and S the sum of differences: |t| grows
    with |S| / sqrt(Q), and as n is one for all pairs so does its maximum. That is what is
    compared; it needs no deviation for each draw and has no 0/0 where all differences are equal.

    `adjust="holm"` corrects the pairs' own p-values (Holm 1979). As these are at least
    1 / (draws + 1), it can find nothing among more than about alpha * draws pairs.
    `wilcoxon` (scipy's, with its choice of exact or normal) and `t` always take Holm.

    Args:
        values: (submissions, lists), complete: callers keep the lists that all compared have,
            since a draw is one matrix product and `max` needs one number of lists.
        test: The test of one pair.
        adjust: The correction of the permutation test for many pairs.
        draws: How many sign patterns are drawn; time grows with draws x lists x submissions.
        seed: The same seed, the same answer.

    Returns:
        Differences and corrected p. A pair that is equal on every list has p = 1.

    Raises:
        ValueError: If a value is not finite.
    """
    values = np.atleast_2d(np.asarray(values, dtype=np.float64))
    if not np.isfinite(values).all():
        raise ValueError("paired tests need a finite value of every submission for every list")
    count, lists = values.shape
    means = values.mean(axis=1) if lists else np.full(count, np.nan)
    if test == "permutation":
        each = _permutation(values, adjust, draws, seed)
    else:
        one = _wilcoxon if test == "wilcoxon" else _t
        found = [one(row) for rows in _differences(values) for row in rows]
        each = holm(np.array(found, dtype=np.float64))
    p = np.ones((count, count))
    first, second = np.triu_indices(count, 1)
    p[first, second] = p[second, first] = each
    return Paired(means[:, None] - means, p)


def _differences(values: Floats) -> Iterator[Floats]:
    """For each submission, its differences from all later ones, in units of `_largest`.

    Noise is 0: the same value summed in another order must not count as a difference.
    """
    scaled = values / _largest(values)
    for a in range(len(values) - 1):
        difference = scaled[a] - scaled[a + 1 :]
        difference[np.abs(difference) <= NOISE] = 0.0
        yield difference


def _largest(values: Floats) -> float:
    """The largest size of a value, or 1 if all are 0."""
    return float(np.abs(values).max(initial=0.0)) or 1.0


def _permutation(values: Floats, adjust: Adjust, draws: int, seed: int) -> Floats:
    """A p-value for each pair by flipping signs, corrected when `adjust` is "max" or "holm"."""
    if values.shape[1] > FLIPPED:  # blocks can be flipped as lists can: still an exact test
        values = _gathered(values, FLIPPED, seed)
    count, lists = values.shape
    pairs = count * (count - 1) // 2
    observed, norm = np.zeros(pairs), np.zeros(pairs)
    start = 0
    for difference in _differences(values):
        here = slice(start, start + len(difference))
        observed[here] = np.abs(difference.sum(axis=1))
        norm[here] = np.sqrt((difference**2).sum(axis=1))
        start = here.stop
    # A tied pair weighs nothing in any draw, so that its 0 is reached by all of them.
    scale = np.divide(1.0, norm, out=np.zeros(pairs), where=norm > 0)
    # Equal sums leave a matrix product, and equal ratios of two pairs a division, equal but for
    # their last digits.
    threshold = (observed - NOISE) * scale - 1e-9

    values = values / _largest(values)
    reached = np.zeros(pairs, dtype=np.int64)
    for signs in _signs(lists, draws, seed, count):
        sums = values @ signs.T
        most = np.zeros(len(signs))
        for here, flipped in _flipped(sums, scale):
            if adjust == "max":
                np.maximum(most, flipped.max(axis=0), out=most)
            else:
                reached[here] += (flipped >= threshold[here, None]).sum(axis=1)
        if adjust == "max":
            reached += most.size - np.searchsorted(np.sort(most), threshold)
    p = reached / 2**lists if _enumerable(lists, draws) else (reached + 1) / (draws + 1)
    return p if adjust == "max" else holm(p)


def _flipped(sums: Floats, scale: Floats) -> Iterator[tuple[slice, Floats]]:
    """The size of each pair's difference of sums, scaled: some pairs, and (pairs, draws) of them.

    All are written to one place in turn, since fresh memory takes longer, too.
    """
    count, draws = sums.shape
    room, start = np.empty((OTHERS, draws)), 0
    for a in range(count - 1):
        for b in range(a + 1, count, OTHERS):
            others = sums[b : b + OTHERS]
            here = slice(start, start + len(others))
            flipped = np.subtract(sums[a], others, out=room[: len(others)])
            np.abs(flipped, out=flipped)
            flipped *= scale[here, None]
            yield here, flipped
            start = here.stop


def _signs(lists: int, draws: int, seed: int, width: int = 1) -> Iterator[Floats]:
    """Sign patterns of -1 and 1, (some draws, lists) at a time: all there are, or `draws` drawn.

    A block has as many as fit with `width` numbers each.
    """
    exact = _enumerable(lists, draws)
    source, start = np.random.PCG64(seed), 0
    for rows in _blocks(max(lists, width), 2**lists if exact else draws, SIGNS):
        if exact:
            words = np.arange(start, start + rows, dtype=np.uint64)[:, None]
        else:
            words = source.random_raw((rows, -(-lists // 64)))
        start += rows
        octets = words.astype("<u8").view(np.uint8)
        bits = np.unpackbits(octets, axis=1, count=lists, bitorder="little")
        yield (2 * bits.view(np.int8) - 1).astype(np.float64)


def _enumerable(lists: int, draws: int) -> bool:
    """Whether `draws` hold all 2**lists patterns."""
    return lists < draws.bit_length()


def _blocks(lists: int, draws: int, size: int) -> Iterator[int]:
    """`draws` cut into numbers of draws that fit into `size`; never so few that BLAS idles."""
    rows = max(32, size // max(lists, 1))
    yield from (min(rows, draws - start) for start in range(0, draws, rows))


def _wilcoxon(differences: Floats) -> float:
    """Scipy's signed-rank p; 1 where there is no difference to rank."""
    from scipy.stats import wilcoxon

    # 0.8 - 0.6 and 0.4 - 0.2 are not the same float but must share a rank.
    rounded = np.rint(differences / NOISE)
    return float(wilcoxon(rounded).pvalue) if rounded.any() else 1.0


def _t(differences: Floats) -> float:
    """The p of `scipy.stats.ttest_rel`, without its warnings; 1 where nothing can be said."""
    from scipy.special import stdtr

    lists = differences.size
    if lists < 2 or not differences.any():
        return 1.0
    error = np.std(differences, ddof=1) / np.sqrt(lists)
    return float(2 * stdtr(lists - 1, -abs(differences.mean()) / error)) if error else 0.0


def holm(p: Floats) -> Floats:
    """The p-values of one family of tests, corrected so that any false find is as rare as alpha.

    Holm, "A simple sequentially rejective multiple test procedure", Scand. J. Statistics 6, 1979.

    >>> holm(np.array([0.01, 0.04, 0.03]))  # 3 x .01; 2 x .03; max(1 x .04, .06)
    array([0.03, 0.06, 0.06])
    """
    order = np.argsort(p, kind="stable")
    steps = np.maximum.accumulate(p[order] * np.arange(p.size, 0, -1))
    corrected = np.empty(p.size)
    corrected[order] = np.minimum(steps, 1.0)
    return corrected
