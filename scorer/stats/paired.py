"""How sure a number is: intervals of means, paired tests, tiers, what a challenge could detect.

Everything looks at `values` of shape (submissions, lists), the challenge's rules for missing and
undefined lists applied, and is a function of its arguments and `seed` alone. Lists are the
sample: an interval or a p-value speaks of other lists of the same sort.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from statistics import NormalDist
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
class Interval:
    """A confidence interval, in the unit of the values."""

    low: float
    high: float


@dataclass(frozen=True, slots=True)
class Paired:
    """What paired tests say of every pair of submissions.

    `difference[a, b]` is mean a less mean b. `p[a, b]` is two-sided, corrected for the number
    of pairs, symmetric, and 1 on the diagonal. Both have the shape (submissions, submissions).
    """

    difference: Floats
    p: Floats


def intervals(
    values: Floats,
    level: float = 0.95,
    draws: int = 10_000,
    seed: int = 1,
    weights: Floats | None = None,
) -> list[Interval]:
    """Where each submission's mean would likely lie on other lists of the same sort.

    Bias-corrected and accelerated bootstrap over lists (BCa; Efron, "Better bootstrap confidence
    intervals", JASA 82, 1987). A mean's jackknife has a closed form. The lists drawn are those
    that `scipy.stats.bootstrap(rng=seed)` draws and the same for all submissions, so that a
    submission's interval does not depend on who else stands on the board. Of more than 2,500
    lists, 2,500 random blocks are drawn, each the sum of its lists.

    A monotone function of a mean may be applied to both ends (the root of a pooled MSE).

    Args:
        values: (submissions, lists), or one row. NaN leaves that list out for that submission.
        level: The coverage aimed at, between 0 and 1.
        draws: How many times lists are drawn; time grows with draws x lists.
        seed: The same seed, the same answer.
        weights: (lists,), positive, for weighted means; by default every list counts the same.

    Returns:
        One for each submission. One list or equal values: both ends are the mean. No list: NaN.

    Raises:
        ValueError: If a value is infinite or a weight is not positive.
    """
    values = np.atleast_2d(np.asarray(values, dtype=np.float64))
    if np.isinf(values).any():
        raise ValueError("an infinite value has no interval")
    weights = np.ones(values.shape[1]) if weights is None else np.asarray(weights, dtype=np.float64)
    if not ((weights > 0) & (weights < np.inf)).all():
        raise ValueError("weights must be positive")
    found = ~np.isnan(values)
    alike: dict[bytes, list[int]] = {}
    for row, mask in enumerate(found):
        alike.setdefault(mask.tobytes(), []).append(row)
    made = [Interval(np.nan, np.nan)] * len(values)
    for rows in alike.values():
        mask = found[rows[0]]
        size = max(1, DRAWN // draws)
        for start in range(0, len(rows) if mask.any() else 0, size):
            some = rows[start : start + size]
            ends = _bca(values[np.ix_(some, mask)], weights[mask], level, draws, seed)
            for row, (low, high) in zip(some, ends.tolist(), strict=True):
                made[row] = Interval(low, high)
    return made


def _bca(values: Floats, weights: Floats, level: float, draws: int, seed: int) -> Floats:
    """The ends of the intervals, (submissions, 2), of complete values."""
    normal = NormalDist()  # of the standard library: scipy takes longer to import than this to run
    constant = np.ptp(values, axis=1) == 0
    means = np.where(constant, values[:, 0], values @ weights / weights.sum())
    if constant.all():
        return np.stack([means, means], axis=1)
    # Deviations, not values: the mean is then exactly 0, which a draw can be compared with.
    parts = weights * (values - means[:, None])
    if len(weights) > GATHERED:
        gathered = _gathered(np.vstack([parts, weights]), GATHERED, seed)
        parts, weights = gathered[:-1], gathered[-1]
    if np.ptp(weights) == 0:
        drawn = _drawn(parts, draws, seed)
        drawn /= weights.sum()
    else:
        drawn = _drawn(np.vstack([parts, weights]), draws, seed)
        drawn = drawn[:-1] / drawn[-1]
    noise = 1e-9 * np.sqrt((parts**2).sum(axis=1, keepdims=True)) / weights.sum()
    drawn.sort(axis=1)
    below = [
        np.searchsorted(row, -limit) + np.searchsorted(row, limit, side="right")
        for row, (limit,) in zip(drawn, noise, strict=True)
    ]
    shares = np.clip(np.array(below) / (2 * draws), 0.5 / draws, 1 - 0.5 / draws)
    bias = np.array([normal.inv_cdf(share) for share in shares.tolist()])

    # Leaving out list i moves the weighted mean by -part_i / (sum of the other weights).
    influence = parts / (weights.sum() - weights)
    influence -= influence.mean(axis=1, keepdims=True)
    spread = (influence**2).sum(axis=1) ** 1.5
    skew = np.divide(
        (influence**3).sum(axis=1), spread, out=np.zeros_like(spread), where=spread > 0
    )
    tail = normal.inv_cdf((1 + level) / 2)
    shift = bias[:, None] + np.array([-tail, tail])
    # |skew| / 6 stays below 1/6, so only a shift beyond 6 could meet the pole.
    points = bias[:, None] + shift / np.maximum(1 - skew[:, None] / 6 * shift, 1e-9)
    at = np.array([[normal.cdf(point) for point in row] for row in points.tolist()])
    return np.asarray(means[:, None] + _quantiles(drawn, at))


def _quantiles(ascending: Floats, at: Floats) -> Floats:
    """As `np.quantile`, which takes one row of quantiles for all rows, and sorts slower."""
    place = at * (ascending.shape[1] - 1)
    below = np.floor(place).astype(np.int64)
    above = np.minimum(below + 1, ascending.shape[1] - 1)
    low, high = (np.take_along_axis(ascending, each, axis=1) for each in (below, above))
    between: Floats = low + (place - below) * (high - low)
    return between


def _drawn(parts: Floats, draws: int, seed: int) -> Floats:
    """The sum of each row's parts over the lists of each draw, (rows, draws)."""
    sums = _looked_up if len(parts) <= FEW else _counted
    drawn, start = np.empty((len(parts), draws)), 0
    for chosen in _resamples(parts.shape[1], draws, seed):
        stop = start + len(chosen)
        drawn[:, start:stop] = sums(parts, chosen)
        start = stop
    return drawn


def _resamples(lists: int, draws: int, seed: int) -> Iterator[Ints]:
    """The lists of each draw, (some draws, lists) at a time."""
    rng = np.random.default_rng(seed)
    for rows in _blocks(lists, draws, BLOCK):
        yield rng.integers(lists, size=(rows, lists))


def _looked_up(parts: Floats, chosen: Ints) -> Floats:
    """A block's sums, looked up part by part."""
    return np.stack([row[chosen].sum(axis=1) for row in parts])


def _counted(parts: Floats, chosen: Ints) -> Floats:
    """A block's sums, from how often each draw holds each list."""
    draws, lists = chosen.shape
    # In place, since fresh memory takes longer than the arithmetic.
    chosen += np.arange(draws)[:, None] * lists
    counts = np.bincount(chosen.ravel(), minlength=chosen.size).reshape(draws, lists)
    sums: Floats = parts @ counts.T.astype(np.float64)
    return sums


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


def tiers(p: Floats, alpha: float = 0.05) -> list[int]:
    """The tier of each standing, from 1: standings that cannot be told apart from its head.

    A tier opens with the best standing not yet placed and takes those after it until the first
    that differs significantly (p <= alpha) from the tier's head. Two of one tier may still
    differ from each other; `rank_ranges` says more.

    Args:
        p: (standings, standings), corrected, in the order of the board: best first.
        alpha: The chance of any false difference that is accepted.

    >>> tiers(np.array([[1, 0.3, 0.01], [0.3, 1, 0.2], [0.01, 0.2, 1]]))
    [1, 1, 2]
    """
    placed: list[int] = []
    head, tier = 0, 1
    for standing in range(len(p)):
        if p[head, standing] <= alpha and standing != head:
            head, tier = standing, tier + 1
        placed.append(tier)
    return placed


def rank_ranges(
    difference: Floats,
    p: Floats,
    alpha: float = 0.05,
    better: Literal["higher", "lower"] = "higher",
) -> list[tuple[int, int]]:
    """The best and the worst rank each submission could truly have.

    From 1 + the number significantly better to n - the number significantly worse.

    Args:
        difference: (submissions, submissions), mean of the row less mean of the column.
        p: The same shape, corrected; significant is p <= alpha.
        alpha: The chance of any false difference that is accepted.
        better: Whether higher or lower means are better.

    >>> p = np.array([[1, 0.3, 0.01], [0.3, 1, 0.2], [0.01, 0.2, 1]])
    >>> rank_ranges(np.subtract.outer([0.9, 0.8, 0.6], [0.9, 0.8, 0.6]), p)
    [(1, 2), (1, 3), (2, 3)]
    """
    lead = difference if better == "higher" else -difference
    behind = ((p <= alpha) & (lead < 0)).sum(axis=1)
    ahead = ((p <= alpha) & (lead > 0)).sum(axis=1)
    return list(zip((1 + behind).tolist(), (len(p) - ahead).tolist(), strict=True))


def effect_size(differences: Floats) -> float:
    """How large a paired difference is beside its spread over lists: mean / standard deviation.

    Cohen's d_z (Cohen 1988, 2.3.5; Sakai, SIGIR Forum 48, 2014, asks for it beside every p).
    The deviation is the sample's (n - 1). It does not grow with the number of lists.

    Args:
        differences: (lists,), first less second; NaN is left out.

    Returns:
        0 where every list ties; NaN where the deviation is unknown (fewer than two lists) or is
        0 though the mean is not, since no finite number says "always the same difference".

    >>> effect_size(np.array([1.0, 2.0, 3.0]))  # 2 / 1
    2.0
    """
    kept = differences[~np.isnan(differences)]
    if kept.size < 2:
        return float("nan")
    if np.ptp(kept) <= NOISE * np.abs(kept).max():
        return float("nan") if kept.any() else 0.0
    return float(kept.mean() / kept.std(ddof=1))


def deviation(values: Floats) -> float:
    """The typical standard deviation, over lists, of the difference of two submissions.

    The root mean square over all pairs, which is sqrt(2 V) with V the residual variance of a
    two-way analysis without replication (Sakai, "Topic set size design", Information Retrieval
    Journal 19, 2016).

    Args:
        values: (submissions, lists), complete.

    Returns:
        In the unit of the values; NaN for fewer than two submissions or two lists.
    """
    count, lists = values.shape
    if count < 2 or lists < 2:
        return float("nan")
    rest = values - values.mean(axis=0)
    rest -= rest.mean(axis=1, keepdims=True)
    return float(np.sqrt(2 * (rest**2).sum() / ((count - 1) * (lists - 1))))


def detectable(sd: float, lists: int, alpha: float = 0.05, power: float = 0.8) -> float:
    """The smallest true mean difference that so many lists would show to be significant.

    For the two-sided paired t-test of one pair: the noncentrality with which a noncentral t of
    n - 1 degrees exceeds the critical value with probability `power`, times sd / sqrt(n) (Cohen
    1988, 2.3.5; Sakai 2016 as for `deviation`, solved for the difference). The other tail, below
    alpha / 2, is left out. A correction for many pairs detects less: give it alpha / pairs.

    Args:
        sd: Standard deviation of the differences over lists, as from `deviation`.
        lists: The number of lists n.
        alpha: The chance of a false difference that is accepted.
        power: The chance that the difference is found, above alpha.

    Returns:
        In the unit of `sd`; NaN for fewer than two lists.
    """
    from scipy.special import nctdtrinc, stdtrit

    if lists < 2:
        return float("nan")
    critical = stdtrit(lists - 1, 1 - alpha / 2)
    return float(nctdtrinc(lists - 1, 1 - power, critical) * sd / np.sqrt(lists))
