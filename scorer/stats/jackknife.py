"""The jackknife: figures of all lists as values of lists, for tests that look at lists."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence

import numpy as np

from scorer.stats.units import Floats, Ints

PERFECT = 1 - 1e-6  # a correlation from which on others are as good as 1


def pseudo_values(
    sums: Floats, figure: Callable[[Floats], Floats], strata: Ints | None = None
) -> Floats:
    """What each list adds to a figure: the jackknife's pseudo-values.

    n T - (n - 1) T_i, where T_i is the figure without list i (Tukey 1958; Efron & Tibshirani
    1993, chapter 11), moved so that their mean is the figure itself. To the first order a figure
    is the mean of these, and so is a difference of two figures: what says something of means
    says it of figures.

    Args:
        sums: (submissions, lists, width), each list's own sums.
        figure: From sums over lists (some, width) to their figures (some,).
        strata: (lists,), equal numbers for lists of one fixed group: another sample would have
            another list of the same group.

    Returns:
        (submissions, lists); all of a row NaN where the figure, or one without a list, is NaN,
        and where a group has a single list.
    """
    rows = []
    for each in sums:
        total = each.sum(axis=0)
        rows.append(_moved(float(figure(total[None])[0]), figure(total - each), strata))
    return np.array(rows).reshape(sums.shape[:2])


def weighted_pseudo_values(
    figures: Sequence[Callable[[Floats], float]],
    lists: int,
    clusters: Ints | None,
    *,
    smooth: bool = True,
    strata: Ints | None = None,
) -> Floats:
    """The same of figures that are worked out anew without each list, or cluster of them.

    A median does not feel one list of many, so that what the jackknife says of it is wrong (Efron &
    Tibshirani 1993, section 11.6). Where a figure is not smooth, each list counts sqrt(n) times
    more instead: a step as large as the median's own error. The result has shape (submissions,
    lists); a cluster's lists share what it adds.

    Args:
        clusters: (lists,), equal numbers for lists that are left out together; None: each alone.
        smooth: Whether leaving one list out tells what it adds.
        strata: (lists,), as for `pseudo_values`; not with clusters.

    Returns:
        (submissions, lists); a cluster's lists share what it adds.
    """
    codes = np.arange(lists) if clusters is None else np.unique(clusters, return_inverse=True)[1]
    size = np.bincount(codes)
    step = -1.0 if smooth else math.sqrt(size.size)
    weights = [1 + step * (codes == each) for each in range(size.size)]
    rows = []
    for figure in figures:
        whole = figure(np.ones(lists))
        without = np.array([figure(weight) for weight in weights])
        if not smooth:  # to what leaving it out would do, were the figure a mean
            without = whole - (without - whole) * (size.size + step) / step / (size.size - 1)
        moved = _moved(whole, without, strata if clusters is None else None) - whole
        rows.append(whole + (moved * lists / size.size / size)[codes])
    return np.array(rows).reshape(len(figures), lists)


def swapped_differences(
    first: Floats, others: Floats, figure: Callable[[Floats], Floats], strata: Ints | None = None
) -> Floats:
    """Return what each list adds to differences of two figures, if these were equal.

    It is by how much a difference moves if a list is swapped between the two submissions, each of
    which begins with the mean of their sums. The mean over lists is the difference of the figures,
    as with `pseudo_values`.

    Args:
        first: (lists, width), each list's own sums.
        others: (others, lists, width), the sums of the submissions that it is paired with.
        figure: from sums over lists (some, width) to their figures (some,).
        strata: (lists,), as for `pseudo_values`.

    Returns:
        (others, lists).
    """
    lists = len(first)
    differences = np.empty(others.shape[:2])
    for n, other in enumerate(others):
        totals = np.array([first.sum(axis=0), other.sum(axis=0)])
        middle, half = totals.mean(axis=0), (first - other) / 2
        figures = figure(totals)
        moved = np.asarray(figure(middle + half)) - np.asarray(figure(middle - half))
        without = -moved * lists / (lists - 1)
        differences[n] = _moved(float(figures[0] - figures[1]), without, strata)
    return differences


def fisher(correlations: Floats | float) -> Floats:
    """The scale on which a correlation varies alike everywhere (Fisher, Metron 1, 1921)."""
    return np.asarray(np.arctanh(np.clip(correlations, -PERFECT, PERFECT)))


def degrees(values: Floats, strata: Ints) -> float:
    """The degrees of freedom of a figure's error where its groups are fixed.

    Satterthwaite, "An approximate distribution of estimates of variance components",
    Biometrics 2, 1946. They are at most as many as if lists varied by the same in all groups: a
    few lists of a group that agree by luck would else leave the error to the other groups.

    `values`, (lists,), are pseudo-values; `strata`, (lists,), the group of each. Of none, endless.
    """
    if not values.size:  # the figure has no value
        return math.inf
    codes = np.unique(strata, return_inverse=True)[1]
    size = np.bincount(codes)
    parts = np.array([np.bincount(codes, (values - values.mean()) ** 2), 1 / size])
    wholes = (parts**2 / np.maximum(size - 1, 1)).sum(axis=1)
    some = wholes > 0
    return float((parts.sum(axis=1)[some] ** 2 / wholes[some]).min())


def _moved(figure: float, without: Floats, strata: Ints | None = None) -> Floats:
    """Pseudo-values whose mean is the figure, and whose variance is n times its own.

    Within a group of m lists the variance of what each adds is one of m - 1 degrees.
    """
    n = without.size
    if strata is None:
        return np.asarray(figure - (n - 1) * (without - without.mean()))
    codes = np.unique(strata, return_inverse=True)[1]
    size = np.bincount(codes).astype(np.float64)
    if size.min() < 2:
        return np.full(n, np.nan)
    off = without - (np.bincount(codes, without) / size)[codes]
    return np.asarray(figure - off * np.sqrt(n * (n - 1) * (1 - 1 / size))[codes])
