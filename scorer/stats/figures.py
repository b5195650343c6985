"""Whole-challenge figures as values of lists, for tests that look at lists."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence

import numpy as np

from scorer.stats.units import Floats, Ints


def pseudo_values(sums: Floats, figure: Callable[[Floats], Floats]) -> Floats:
    """What each list adds to a figure: the jackknife's pseudo-values.

    n T - (n - 1) T_i, where T_i is the figure without list i (Tukey 1958; Efron & Tibshirani 1993,
    chapter 11), moved so that their mean is the figure itself. To the first order a figure is the
    mean of these, and so is a difference of two figures: what tests means tests figures. `sums` is
    of shape (submissions, lists, width); `figure` makes figures (some,) of sums over lists (some,
    width). The result has shape (submissions, lists); all of a row NaN where the figure, or one
    without a list, is NaN.
    """
    rows = []
    for each in sums:
        total = each.sum(axis=0)
        rows.append(_moved(float(figure(total[None])[0]), figure(total - each)))
    return np.array(rows).reshape(sums.shape[:2])


def weighted_pseudo_values(
    figures: Sequence[Callable[[Floats], float]],
    lists: int,
    clusters: Ints | None,
    *,
    smooth: bool = True,
) -> Floats:
    """The same of figures that are worked out anew without each list, or cluster of them.

    A median does not feel one list of many, so that what the jackknife says of it is wrong (Efron &
    Tibshirani 1993, section 11.6). Where a figure is not smooth, each list counts sqrt(n) times
    more instead: a step as large as the median's own error. The result has shape (submissions,
    lists); a cluster's lists share what it adds.

    Args:
        clusters: (lists,), equal numbers for lists that are left out together; None: each alone.
        smooth: whether leaving out one list tells what it adds.
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
        moved = _moved(whole, without) - whole
        rows.append(whole + (moved * lists / size.size / size)[codes])
    return np.array(rows).reshape(len(figures), lists)


def _moved(whole: float, without: Floats) -> Floats:
    n = without.size
    pseudo = n * whole - (n - 1) * without
    return np.asarray(pseudo - pseudo.mean() + whole)
