"""Mean absolute error."""

import numpy as np

from scorer.core.arrays import Floats
from scorer.metrics.base import metric
from scorer.metrics.explain.steps import Steps, formula
from scorer.metrics.explain.tables import Listing, rated
from scorer.metrics.params import Average, averaged
from scorer.metrics.statistic import Share
from scorer.views.pooled import Statistics
from scorer.views.rated import Rated


def _explain(listing: Listing[Rated], value: float, *, average: str) -> Steps:
    errors = np.abs(listing.view.prediction - listing.view.rating)
    yield rated(listing, {"error": errors})
    symbols, numbers = "sum / ratings", "{} / {}"
    yield formula("MAE", symbols, numbers, errors.sum(), errors.size, value=value)


@metric(
    "MAE",
    title="Mean absolute error",
    source="Herlocker et al., ACM TOIS 22(1), 2004, doi:10.1145/963770.963772",
    range=(0, None),
    better="lower",
    statistic=Share(),
    explain=_explain,
    heading=averaged,
)
def mae(rated: Rated, *, average: Average = "pooled") -> Floats | Statistics:
    """How far predictions are from the ratings, on average.

    The mean over all ratings, as scikit-learn, Surprise and Kaggle take it.
    `average=lists` takes each list's own mean, then the mean of those, so that
    a user with many ratings counts as much as one with few.

    A list of two ratings, 5 and 3, predicted as 4 and 3, and one of 2 predicted as 4:

    >>> rated = Rated.of(([5, 3], [4, 3]), ([2], [4]))
    >>> mae(rated).share()                        # (1 + 0 + 2) / 3
    1.0
    >>> mae(rated, average="lists")               # (1 + 0) / 2, and 2 / 1
    array([0.5, 2. ])
    """
    return rated.mean(np.abs(rated.prediction - rated.rating), average == "pooled")
