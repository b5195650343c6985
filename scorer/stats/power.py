"""Effect sizes, and the differences that a number of lists can detect."""

from __future__ import annotations

import numpy as np

from scorer.stats.paired import NOISE, Floats


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
