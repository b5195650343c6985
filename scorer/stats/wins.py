"""How many of the others a submission is above, list by list."""

from __future__ import annotations

import numpy as np

from scorer.stats.units import NOISE, Floats, Mask


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
