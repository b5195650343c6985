"""Whether a difference is surely small."""

from __future__ import annotations

import numpy as np

from scorer.stats.family import holm
from scorer.stats.units import Floats


def equivalence(difference: Floats, error: Floats, units: Floats, margin: float) -> Floats:
    """The corrected p of two one-sided t-tests that each difference lies within a margin.

    A large p of a test of difference does not say that two submissions are equal; a small p here
    says that they differ by less than `margin` (TOST: Schuirmann, J. Pharmacokinetics and
    Biopharmaceutics 15, 1987). Corrected by Holm for the number of pairs. `difference`, (pairs,),
    is the mean of the first less the mean of the second, `error`, (pairs,), its standard error, 0
    where every list differs by the same, and `units`, (pairs,), the number of lists or clusters.
    `margin`, above 0, is in the unit of `difference`. The result has shape (pairs,); NaN where the
    difference is unknown.
    """
    from scipy.special import stdtr

    p = np.full(difference.size, np.nan)
    known = ~np.isnan(difference + error) & (units > 1)
    excess = np.abs(difference[known]) - margin
    with np.errstate(divide="ignore", invalid="ignore"):
        # the nearer of the two limits has the greater p
        uncorrected = stdtr(units[known] - 1, excess / error[known])
    uncorrected[error[known] == 0] = np.where(excess < 0, 0.0, 1.0)[error[known] == 0]
    p[known] = holm(uncorrected)
    return p
