"""Mean absolute error."""

import numpy as np

from scorer.metrics.base import metric
from scorer.metrics.params import Average, averaged
from scorer.metrics.quotient import Quotient
from scorer.metrics.statistic import Share
from scorer.views.rated import Rated


@metric(
    "MAE",
    title="Mean absolute error",
    source="Herlocker et al., ACM TOIS 22(1), 2004, doi:10.1145/963770.963772",
    elsewhere={
        "scikit-learn": "mean_absolute_error",
        "Surprise": "mae",
    },
    formula=r"\frac{1}{n} \sum_{i=1}^{n} \lvert y_i - \hat{y}_i \rvert",
    undefined="a list has no rating",
    range=(0, None),
    better="lower",
    statistic=Share(),
    heading=averaged,
)
def mae(rated: Rated, *, average: Average = "pooled") -> Quotient:
    """How far predictions are from the ratings, on average.

    The mean over all ratings, as scikit-learn, Surprise and Kaggle take it.
    `average=lists` takes each list's own mean, then the mean of those, so that
    a user with many ratings counts as much as one with few.

    A list of two ratings, 5 and 3, predicted as 4 and 3, and one of 2 predicted as 4:

    >>> rated = Rated.of(([5, 3], [4, 3]), ([2], [4]))
    >>> mae(rated).statistics.share()             # (1 + 0 + 2) / 3
    1.0
    >>> mae(rated, average="lists").values        # (1 + 0) / 2, and 2 / 1
    array([0.5, 2. ])
    """
    errors = np.abs(rated.prediction - rated.rating)
    return Quotient(
        rated.total(errors), rated.total(), "sum / ratings", lambda: (rated, {"error": errors})
    )
