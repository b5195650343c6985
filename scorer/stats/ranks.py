"""Ranks and orders of submissions: tiers, rank ranges, win rates, fronts, agreement."""

from __future__ import annotations

from typing import Literal

import numpy as np

from scorer.stats.units import NOISE, Floats, Ints, Mask

Better = Literal["higher", "lower"]


def ranks_of(values: Floats, better: Better = "higher") -> Ints:
    """The rank of each of some values; equal ones share it: 1, 2, 2, 4. NaN comes last.

    >>> ranks_of(np.array([0.5, 0.9, 0.5, np.nan]))
    array([2, 1, 2, 4])
    """
    lead = np.nan_to_num(
        -values if better == "higher" else values, nan=np.inf, posinf=np.inf, neginf=-np.inf
    )
    return np.asarray(1 + np.searchsorted(np.sort(lead), lead))


def kendall_tau(one: Ints, other: Ints) -> float:
    """Kendall's tau-b of two orders; 0 where all of one are equal. Both are (submissions,).

    >>> kendall_tau(np.array([1, 2, 3]), np.array([1, 3, 2]))
    0.3333333333333333
    """
    signs, signs_of_other = (np.sign(ranks[:, None] - ranks) for ranks in (one, other))
    pairs, pairs_of_other = np.abs(signs).sum(), np.abs(signs_of_other).sum()
    if not pairs or not pairs_of_other:
        return 0.0
    return float((signs * signs_of_other).sum() / np.sqrt(pairs * pairs_of_other))


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


def tiers(p: Floats, lead: Floats, alpha: float = 0.05) -> list[int]:
    """The tier of each standing, from 1.

    Between two tiers everything above is significantly better than everything below (WMT's
    clusters: Bojar et al., "Findings of the 2013 Workshop on Statistical Machine Translation",
    section 3). So two of different tiers always differ; two of one tier may.

    Args:
        p: (standings, standings), corrected, in the order of the board: best first. NaN, as
            where a pair has no lists in common, is not significant.
        lead: The same shape, above 0 where the row is better than the column.

    >>> p = np.array([[1, 0.3, 0.01], [0.3, 1, 0.2], [0.01, 0.2, 1]])
    >>> lead = np.array([[0, 1, 1], [-1, 0, 1], [-1, -1, 0]])
    >>> tiers(p, lead)
    [1, 1, 1]
    """
    better = (p <= alpha) & (lead > 0)
    placed: list[int] = []
    # no border stands between two of which the upper is not significantly better
    reach = 0
    for standing in range(len(p)):
        border = standing > reach
        placed.append(placed[-1] + border if placed else 1)
        below = np.flatnonzero(~better[standing, standing + 1 :])
        reach = max(reach, standing, standing + 1 + int(below[-1]) if below.size else standing)
    return placed


def rank_ranges(p: Floats, lead: Floats, alpha: float = 0.05) -> list[tuple[int, int]]:
    """The best and the worst rank each submission could truly have.

    From 1 + the number significantly better to n - the number significantly worse. As p is
    corrected for all pairs, all ranges hold at once with a probability of 1 - alpha (Mogstad,
    Romano, Shaikh & Wilhelm, "Inference for ranks", Review of Economic Studies 91, 2024). Both are
    of shape (submissions, submissions); p is corrected, significant if <= alpha, NaN is not. `lead`
    is above 0 where the row is better than the column.

    >>> p = np.array([[1, 0.3, 0.01], [0.3, 1, 0.2], [0.01, 0.2, 1]])
    >>> rank_ranges(p, np.subtract.outer([0.9, 0.8, 0.6], [0.9, 0.8, 0.6]))
    [(1, 2), (1, 3), (2, 3)]
    """
    behind = ((p <= alpha) & (lead < 0)).sum(axis=1)
    ahead = ((p <= alpha) & (lead > 0)).sum(axis=1)
    return list(zip((1 + behind).tolist(), (len(p) - ahead).tolist(), strict=True))


def win_rates(values: Floats, rivals: Mask) -> Floats:
    """The share of the rivals that each submission is above, half for equal ones.

    One without a value is below all that have one. A rival is not held against itself.

    Args:
        values: (submissions, units), higher is better.
        rivals: (submissions,), who is counted.

    Returns:
        (submissions, units), NaN in a unit in which no rival has a value, and where there is no
        other rival.

    >>> win_rates(np.array([[3.0], [1.0], [1.0], [np.nan]]), np.ones(4, dtype=bool)).T
    array([[1. , 0.5, 0.5, 0. ]])
    """
    rates = np.full(values.shape, np.nan)
    others = int(rivals.sum()) - rivals
    some = others > 0
    noise = NOISE * float(np.nanmax(np.abs(values), initial=0.0))
    filled = np.where(np.isnan(values), -np.inf, values)
    for unit in np.flatnonzero(~np.isnan(values[rivals]).all(axis=0)).tolist():
        column = filled[:, unit]
        ascending = np.sort(column[rivals])
        below = np.searchsorted(ascending, column - noise)
        up_to = np.searchsorted(ascending, column + noise, side="right") - rivals
        rates[some, unit] = (below + up_to)[some] / 2 / others[some]
    return rates


def dominates(axes: Floats) -> Mask:
    """Return whether the row dominates the column: nowhere worse, and somewhere better.

    `axes`, (submissions, axes), is complete; more is better on each axis.

    >>> dominates(np.array([[0.9, -3.0], [0.8, -3.0], [0.7, -1.0]])).astype(int).tolist()
    [[0, 1, 0], [0, 0, 0], [0, 0, 0]]
    """
    nowhere_worse = np.ones((len(axes), len(axes)), dtype=bool)
    for axis in axes.T:
        nowhere_worse &= axis[:, None] >= axis
    return np.asarray(nowhere_worse & ~nowhere_worse.T)


def shake_up(
    values: Floats,
    one: Mask,
    other: Mask,
    better: Literal["higher", "lower"] = "higher",
    draws: int = 2_000,
    seed: int = 1,
) -> tuple[float, float, float]:
    """How far ranks by one set of lists are from ranks by another, and what chance would give.

    The shake-up of a board is the mean change of rank. What sampling alone gives is the same for
    random sets of the same sizes: beyond it, something else differs between the two sets, as where
    submissions were chosen by the one. `values` is of shape (submissions, lists), NaN where a
    submission has no value; `one` and `other`, (lists,), are disjoint masks. Gives the mean change
    of rank, its mean over random sets, and what 95 % of these stay within.
    """
    both = one | other
    kept, first = values[:, both], one[both]
    sign = -1.0 if better == "higher" else 1.0

    def moved(mask: Mask) -> float:
        places = []
        for part in (mask, ~mask):
            valued = ~np.isnan(kept[:, part])
            total = np.nansum(kept[:, part], axis=1)
            mean = sign * total / np.maximum(valued.sum(axis=1), 1)
            mean[~valued.any(axis=1)] = np.inf
            places.append(np.searchsorted(np.sort(mean), mean))
        return float(np.abs(places[0] - places[1]).mean())

    rng = np.random.default_rng(seed)
    drawn = np.array([moved(rng.permutation(first)) for _ in range(draws)])
    return moved(first), float(drawn.mean()), float(np.quantile(drawn, 0.95))
