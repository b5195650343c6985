"""How far ranks by one set of lists are from ranks by another."""

from __future__ import annotations

from typing import Literal

import numpy as np

from scorer.stats.units import Floats, Mask


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
