"""Means of lists that depend on each other in two ways: by their groups, and by their clusters.

As tasks over which the same documents run: another sample would have other tasks and other
documents. Where clusters lie within groups, groups alone say how far a mean varies: what the lists
inside vary by is part of how group means do.
"""

from __future__ import annotations

import numpy as np

from scorer.stats.family import Paired, holm, matrices, pair_places
from scorer.stats.quantiles import student
from scorer.stats.units import NOISE, Floats, Ints, Mask


def crossing(groups: Ints, clusters: Ints) -> bool:
    """Whether any cluster runs across groups; both of shape (lists,)."""
    cells = np.unique(np.stack([groups, clusters]), axis=1).shape[1]
    return bool(cells > np.unique(clusters).size)


def crossed_error(
    values: Floats, weights: Floats, groups: Ints, clusters: Ints
) -> tuple[Floats, float]:
    """The standard error of weighted means, (rows,), and its degrees of freedom.

    The variance by groups and by clusters, less what both have in them (Cameron, Gelbach and
    Miller, "Robust inference with multiway clustering", J. Business & Economic Statistics 29,
    2011), and no less than either. `values` is (rows, lists), complete; the rest is (lists,).
    """
    mean = (values @ weights / weights.sum())[:, None]
    moves = (values - mean) * weights / weights.sum()
    cells = np.unique(np.stack([groups, clusters]), axis=1, return_inverse=True)[1].reshape(-1)
    by_group, by_cluster, by_both = (_variance(moves, each) for each in (groups, clusters, cells))
    variance = np.maximum(by_group + by_cluster - by_both, np.maximum(by_group, by_cluster))
    variance[variance <= (NOISE * np.abs(values).max(axis=1, initial=0.0)) ** 2] = 0.0
    fewest = min(np.unique(groups).size, np.unique(clusters).size)
    return np.sqrt(variance), fewest - 1.0


def _variance(moves: Floats, codes: Ints) -> Floats:
    """The variance of sums of moves over what is drawn together, (rows,)."""
    unit = np.unique(codes, return_inverse=True)[1]
    sums = np.array([np.bincount(unit, row) for row in moves]).reshape(len(moves), -1)
    count = sums.shape[1]
    return np.asarray((sums**2).sum(axis=1) * (count / max(count - 1, 1)))


def group_weights(groups: Ints, known: Mask) -> Floats:
    """Weights with which a mean of lists is one of groups; 0 where there is no value."""
    sizes = np.bincount(groups[known], minlength=int(groups.max(initial=0)) + 1)
    return np.where(known, 1 / np.maximum(sizes, 1)[groups], 0.0)


def crossed_interval(
    values: Floats, weights: Floats, groups: Ints, clusters: Ints, level: float
) -> tuple[float, float] | None:
    """Student's interval of a weighted mean, all of (lists,); None of a single group or cluster."""
    (error,), freedom = crossed_error(values[None], weights, groups, clusters)
    if freedom < 1:
        return None
    mean = float(values @ weights / weights.sum())
    margin = student((1 + level) / 2, freedom) * float(error)
    return mean - margin, mean + margin


def paired_crossed(
    values: Floats,
    groups: Ints,
    clusters: Ints,
    *,
    by_group: bool,
    level: float = 0.95,
    control: bool = False,
    alone: float | None = None,
) -> Paired:
    """Paired t-tests of means, with Holm's correction; as `paired` has its arguments and results.

    `values` is (submissions, lists), NaN where a submission has none; `by_group` whether the mean
    is one of groups' means.
    """
    from scipy.special import stdtr, stdtrit

    valued = ~np.isnan(values)
    first, second = pair_places(1, len(values) - 1) if control else pair_places(len(values), None)
    second = second + control
    rows, pairs = [], []
    for a, b in zip(first.tolist(), second.tolist(), strict=True):
        both = valued[a] & valued[b]
        own, other = groups[both], clusters[both]
        if min(np.unique(own).size, np.unique(other).size) < 2:
            continue
        weights = group_weights(own, np.ones(own.size, dtype=bool)) if by_group else (
            np.ones(own.size))  # fmt: skip
        gains = values[a, both] - values[b, both]
        gains[np.abs(gains) <= NOISE * np.abs(values[[a, b]][:, both]).max()] = 0.0
        (spread,), freedom = crossed_error(gains[None], weights, own, other)
        rows.append((float(gains @ weights / weights.sum()), spread, freedom, int(both.sum())))
        pairs.append((a, b))
    difference, error, free, lists = np.array(rows, dtype=np.float64).reshape(-1, 4).T
    with np.errstate(divide="ignore", invalid="ignore"):
        p = np.where(difference == 0, 1.0, 2 * stdtr(free, -np.abs(difference) / error))
    joint = stdtrit(free, 1 - (1 - level) / 2 / max(p.size, 1)) * error
    own_margin = None if alone is None else stdtrit(free, (1 + alone) / 2) * error
    places = np.array(pairs, dtype=np.int64).reshape(-1, 2)
    deviation = error * np.sqrt(free + 1)
    return matrices(
        len(values), [(places[:, 0], places[:, 1])], difference, holm(p), np.sign(difference),
        lists.astype(np.int64), free + 1, deviation, joint, 0, own_margin,
    )  # fmt: skip
