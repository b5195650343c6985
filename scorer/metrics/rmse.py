"""Root mean squared error."""

import numpy as np

from scorer.metrics.base import metric
from scorer.metrics.params import Average, averaged
from scorer.metrics.quotient import Quotient
from scorer.metrics.statistic import Share
from scorer.views.rated import Rated


@metric(
    "RMSE",
    title="Root mean squared error",
    source="Herlocker et al., ACM TOIS 22(1), 2004, doi:10.1145/963770.963772",
    elsewhere={
        "scikit-learn": "root_mean_squared_error",
        "Surprise": "rmse",
    },
    formula=r"\sqrt{\frac{1}{n} \sum_{i=1}^{n} (y_i - \hat{y}_i)^2}",
    undefined="a list has no rating",
    range=(0, None),
    better="lower",
    statistic=Share(np.sqrt),
    heading=averaged,
)
def rmse(rated: Rated, *, average: Average = "pooled") -> Quotient:
    """How far predictions are from the ratings, in the ratings' own unit.

    One root over all ratings, as the Netflix Prize, scikit-learn, Surprise and
    Kaggle take it. `average=lists` takes a root for each list, such as a user,
    and then their mean: every list counts alike, however many ratings it has.

    A list of two ratings, 5 and 3, predicted as 4 and 3, and one of 2 predicted as 4:

    >>> rated = Rated.of(([5, 3], [4, 3]), ([2], [4]))
    >>> rmse(rated).statistics.share()             # 5 / 3, before the root
    1.6666666666666667
    >>> rmse(rated, average="lists").values.round(4)     # sqrt(1 / 2), and sqrt(4 / 1)
    array([0.7071, 2.    ])
    """
    errors = (rated.prediction - rated.rating) ** 2
    return Quotient(
        rated.total(errors),
        rated.total(),
        "sqrt(sum / ratings)",
        lambda: (rated, {"squared error": errors}),
        "sqrt({} / {})",
        then=np.sqrt,
    )
