"""Ranks under resampling."""

from __future__ import annotations

from typing import Literal

import numpy as np

from scorer.stats.orders import taus
from scorer.stats.units import NOISE, Floats, Mask


def rank_shares(drawn: Floats, better: Literal["higher", "lower"] = "higher") -> Floats:
    """How often each submission takes each rank, over draws of the lists.

    Ties share their ranks evenly, so that every row and every column sums to 1. The first column
    says how often each is first, which is no probability of being best (Wiesenfarth et al.,
    "Methods and open-source toolkit for analyzing and visualizing challenge results",
    Scientific Reports 11, 2021): of two equal submissions one often has nearly all.

    `drawn`, (submissions, draws), has the figure of each draw; NaN ranks last. The result,
    (submissions, submissions), is the share of draws in which the row has the column's rank.
    """
    count, draws = drawn.shape
    lead = np.nan_to_num(-drawn if better == "higher" else drawn, nan=np.inf)
    finite = np.abs(drawn[np.isfinite(drawn)])
    noise = NOISE * float(finite.max(initial=0.0))
    steps = np.zeros((count, count + 1))  # where a row's shares begin and end
    for draw in lead.T:
        ascending = np.sort(draw)
        first = np.searchsorted(ascending, draw - noise)
        last = np.searchsorted(ascending, draw + noise, side="right")
        rows, share = np.arange(count), 1 / (last - first)
        steps[rows, first] += share
        steps[rows, last] -= share
    # sums of parts such as 1/3 miss 0 by their last bits, on either side
    shares: Floats = np.cumsum(steps, axis=1)[:, :-1] / max(draws, 1)
    return shares.clip(min=0.0)


def stability(values: Floats, drawn: Floats) -> float:
    """Kendall's tau-b of the order by some values and by each draw of them, on average.

    `values` is (submissions,), `drawn` (submissions, draws).

    >>> stability(np.array([3.0, 2.0, 1.0]), np.array([[3.0, 3.0], [2.0, 1.0], [1.0, 2.0]]))
    0.6666666666666666
    """
    return float(taus(values, drawn).mean())


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
    submissions were chosen by the one. `values` is of shape (submissions, lists), NaN where there
    is none; `one` and `other`, (lists,), are disjoint masks. Gives the mean change of rank, its
    mean over random sets, and what 95 % of these stay within.
    """
    both = one | other
    kept, first = values[:, both], one[both]
    sign = -1.0 if better == "higher" else 1.0

    def moved(mask: Mask) -> float:
        places = []
        for part in (mask, ~mask):
            valued = ~np.isnan(kept[:, part])
            total = np.nansum(kept[:, part], axis=1)
            mean = np.where(valued.any(axis=1), sign * total / np.maximum(valued.sum(axis=1), 1),
                            np.inf)  # fmt: skip
            places.append(np.searchsorted(np.sort(mean), mean))
        return float(np.abs(places[0] - places[1]).mean())

    rng = np.random.default_rng(seed)
    drawn = np.array([moved(rng.permutation(first)) for _ in range(draws)])
    return moved(first), float(drawn.mean()), float(np.quantile(drawn, 0.95))
