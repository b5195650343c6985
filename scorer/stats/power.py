"""Effect sizes, and the differences that a number of lists can detect."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np

from scorer.stats.pairs import PERMUTATION, SIGN_TESTS
from scorer.stats.units import NOISE, Floats

# From this critical value on, the normal part of a noncentral t is too small to matter: leaving it
# out changes the result by less than 2e-5 of itself, as much as scipy's own error there, which
# grows with the value. Near 160,000 with one degree of freedom, scipy does not return at all.
LARGE_CRITICAL = 300.0
MOST_LISTS = 10**9  # no challenge has more: the search for a number of lists ends there


def effect_size(differences: Floats) -> float:
    """How large a paired difference is beside its spread over lists: mean / standard deviation.

    Cohen's d_z (Cohen 1988, 2.3.5; Sakai, SIGIR Forum 48, 2014, asks for it beside every p). The
    deviation is the sample's (n - 1). It does not grow with the number of lists. Differences are of
    shape (lists,), first less second; NaN is left out. Gives 0 where every list ties; NaN where the
    deviation is unknown (fewer than two lists) or is 0 though the mean is not, since no finite
    number says "always the same difference".

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
    Journal 19, 2016). `values` is of shape (submissions, lists), complete. The result is in the
    unit of the values; NaN for fewer than two submissions or two lists.
    """
    count, lists = values.shape
    if count < 2 or lists < 2:
        return float("nan")
    rest = values - values.mean(axis=0)
    rest -= rest.mean(axis=1, keepdims=True)
    return float(np.sqrt(2 * (rest**2).sum() / ((count - 1) * (lists - 1))))


def detectable(
    sd: float, lists: int, alpha: float = 0.05, power: float = 0.8, pairs: int = 1
) -> float:
    """The smallest true mean difference that so many lists would show to be significant.

    For the two-sided paired t-test at alpha / pairs: the noncentrality with which a noncentral t of
    n - 1 degrees exceeds the critical value with probability `power`, times sd / sqrt(n) (Cohen
    1988, 2.3.5; Sakai 2016 as for `deviation`, solved for the difference). The other tail, below
    alpha / 2, is left out. The board's correction is a little less strict than dividing by the
    pairs, as its pairs share submissions. `sd` is the `deviation`; `power` is above `alpha`;
    `pairs` are tested at once. The result is in the unit of `sd`; NaN for fewer than two lists.
    """
    from scipy.special import chdtri, nctdtrinc, stdtrit

    if lists < 2:
        return float("nan")
    degrees = lists - 1
    critical = stdtrit(degrees, 1 - alpha / pairs / 2)
    if critical < LARGE_CRITICAL:
        noncentrality = nctdtrinc(degrees, 1 - power, critical)
    else:
        # t exceeds the critical value where the sample's deviation is small enough
        noncentrality = critical * math.sqrt(chdtri(degrees, 1 - power) / degrees)
    return float(noncentrality * sd / math.sqrt(lists))


def lists_needed(
    sd: float, difference: float, alpha: float = 0.05, power: float = 0.8, pairs: int = 1
) -> int | None:
    """The fewest lists that would show a true mean difference: `detectable`, solved for them.

    `sd`, the `deviation`, and `difference` are above 0; `power` is above `alpha`; `pairs` are
    tested at once. None where a billion lists are too few.

    >>> lists_needed(1.0, 0.5)  # Cohen 1988: 34 pairs for d = .5
    34
    """
    return _fewest(lambda lists: detectable(sd, lists, alpha, power, pairs) <= difference)


def _fewest(enough: Callable[[int], bool]) -> int | None:
    """The least number from 2 on that is enough, as are all larger ones; None if none is."""
    high = 2
    while not enough(high):
        if high >= MOST_LISTS:
            return None
        high *= 2
    low = high // 2
    while high - low > 1:
        middle = (low + high) // 2
        if middle >= 2 and enough(middle):
            high = middle
        else:
            low = middle
    return high


def least_p(test: str, units: int, draws: int) -> float:
    """Return the least p that a pair of so many lists or clusters can have.

    A sign test of n units has 2**n patterns, and two are as extreme as can be; draws that do
    not hold them all have 1 / (draws + 1). The skew-corrected t-test draws nothing, and has the
    least p of all patterns. A t-test of runs or folds has no least p.

    >>> least_p("permutation", 5, 10_000)
    0.0625
    """
    if test not in SIGN_TESTS:
        return 0.0 if units > 1 else 1.0
    if test == PERMUTATION and units >= draws.bit_length():
        return 1 / (draws + 1)
    return min(2.0 ** (1 - min(units, 1000)), 1.0)


def fewest_lists(test: str, alpha: float) -> int:
    """Return the fewest lists with which any difference can be significant.

    >>> fewest_lists("permutation", 0.05)  # 2 / 2**6 = .03
    6
    """
    return max(2, 1 + math.ceil(-math.log2(alpha) - 1e-9)) if test in SIGN_TESTS else 2
