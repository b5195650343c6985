"""Orders of submissions held against each other, and parts of the lists that make other orders."""

from __future__ import annotations

from typing import Literal

import numpy as np

from scorer.stats.units import Floats, Ints, Mask

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
