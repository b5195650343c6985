"""What each list says of submissions: whether it separates them, and whether it does so rightly.

Everything looks at `values` of shape (submissions, lists), higher the better, NaN where there is
none.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from scorer.stats.units import NOISE, Floats, Ints, Mask

BLOCK = 2_000_000  # values that are looked at at once
FAR = 1.5  # deviations below a mean: a wrong answer among .7 of right ones


class Unseparated(NamedTuple):
    """Lists that separate nobody; each is (lists,), and none is in two."""

    failed: Mask  # all have the worst value that there is
    solved: Mask  # all have the best value that there is
    alike: Mask  # all have another value, the same


def unseparated(values: Floats, worst: float | None, best: float | None) -> Unseparated:
    """The lists in which all of two or more submissions have one value.

    `worst` and `best` are the ends of the range; None: there is none.
    """
    known = ~np.isnan(values)
    low = np.where(known, values, np.inf).min(axis=0, initial=np.inf)
    high = np.where(known, values, -np.inf).max(axis=0, initial=-np.inf)
    noise = NOISE * float(np.nanmax(np.abs(values), initial=0.0))
    equal = (known.sum(axis=0) > 1) & (high - low <= noise)
    failed, solved = (
        equal & (np.abs(low - end) <= noise) if end is not None else np.zeros_like(equal)
        for end in (worst, best)
    )
    return Unseparated(failed, solved, equal & ~failed & ~solved)


class ItemTotal(NamedTuple):
    """How each list goes with the others; both are (lists,), NaN where nothing is known."""

    correlation: Floats  # of its values and the means of the other lists
    p: Floats  # the chance of one so low, were there none: one-sided, for one list by itself


def item_total(values: Floats) -> ItemTotal:
    """The corrected item-total correlation of each list, and whether better ones do worse there.

    Pearson's correlation, over submissions, of a list's value and the mean without it (Henrysson,
    Psychometrika 28, 1963). It is known where three or more submissions have values that differ;
    p is Student's.
    """
    from scipy.special import stdtr

    known = ~np.isnan(values)
    filled, count = np.where(known, values, 0.0), known.sum(axis=1)
    total, many = filled.sum(axis=1), np.count_nonzero(known & (count > 1)[:, None], axis=0)
    correlation = np.empty(values.shape[1])
    step = max(1, BLOCK // max(len(values), 1))
    for start in range(0, values.shape[1], step):
        here = slice(start, start + step)
        rest = (total[:, None] - filled[:, here]) / np.maximum(count - 1, 1)[:, None]
        correlation[here] = _correlations(
            filled[:, here], rest, known[:, here] & (count > 1)[:, None]
        )
    correlation[many < 3] = np.nan
    with np.errstate(divide="ignore", invalid="ignore"):
        t = correlation * np.sqrt((many - 2) / (1 - correlation**2))
    return ItemTotal(correlation, np.asarray(stdtr(np.maximum(many - 2, 1), t)))


def _correlations(one: Floats, other: Floats, known: Mask) -> Floats:
    """Pearson's correlation of each column where known; NaN where one does not vary."""
    count = np.maximum(known.sum(axis=0), 1)
    centred = []
    for each in (one, other):
        mean = np.where(known, each, 0.0).sum(axis=0) / count
        left = np.where(known, each - mean, 0.0)
        left[:, np.abs(left).max(axis=0, initial=0.0) <= NOISE * np.abs(mean)] = 0.0
        centred.append(left)
    product = (centred[0] * centred[1]).sum(axis=0)
    scale = np.sqrt((centred[0] ** 2).sum(axis=0) * (centred[1] ** 2).sum(axis=0))
    found = np.divide(product, scale, out=np.full(product.size, np.nan), where=scale > 0)
    return np.asarray(np.clip(found, -1.0, 1.0))


def better_half(means: Floats) -> Ints:
    """The rows of the better half, two or more of them; of fewer than three none.

    Where there is a truth with faults, the ones that agree with it in most lists show them best.
    `means` is (submissions,), NaN last.

    >>> better_half(np.array([0.2, 0.9, 0.5, np.nan, 0.7]))
    array([1, 4, 2])
    """
    order = np.argsort(-np.nan_to_num(means, nan=-np.inf), kind="stable")
    many = max(2, -(-means.size // 2)) if means.size > 2 else 0
    return order[:many].astype(np.int64)


def below_usual(values: Floats, good: Ints) -> Floats:
    """How far below its own mean each good submission is in a list, at the least.

    In deviations of the submission's values over lists, (lists,), so that a list is as low as
    the one of them that it harms least; NaN where fewer than two of them have a value.
    """
    rows = values[good]
    known = ~np.isnan(rows)
    count = np.maximum(known.sum(axis=1, keepdims=True), 1)
    away = rows - np.where(known, rows, 0.0).sum(axis=1, keepdims=True) / count
    spread = np.sqrt(np.where(known, away**2, 0.0).sum(axis=1, keepdims=True) / count)
    away = np.divide(away, spread, out=np.zeros(rows.shape), where=known & (spread > NOISE))
    least = np.where(known, away, -np.inf).max(axis=0, initial=-np.inf)
    return np.where(known.sum(axis=0) > 1, least, np.nan)


def agreed(codes: Ints) -> tuple[Ints, Floats]:
    """What most of some submissions say of each row, and the share of them that says so.

    `codes` is (submissions, rows), -1 where one says nothing; of equally frequent ones the
    first submission's counts. Both results are (rows,).

    >>> agreed(np.array([[0, 1], [0, 2], [1, -1]]))
    (array([0, 1]), array([0.66666667, 0.33333333]))
    """
    said, votes = np.full(codes.shape[1], -1), np.zeros(codes.shape[1])
    for row in codes:
        alike = np.where(row >= 0, (codes == row).sum(axis=0), 0)
        said, votes = np.where(alike > votes, row, said), np.maximum(alike, votes)
    return said, votes / max(len(codes), 1)
