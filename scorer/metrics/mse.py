"""Mean squared error."""

from scorer.metrics.base import metric
from scorer.metrics.params import Average, averaged
from scorer.metrics.quotient import Quotient
from scorer.metrics.statistic import Share
from scorer.views.rated import Rated


@metric(
    "MSE",
    title="Mean squared error",
    source="Herlocker et al., ACM TOIS 22(1), 2004, doi:10.1145/963770.963772",
    elsewhere={
        "scikit-learn": "mean_squared_error",
        "Surprise": "mse",
    },
    formula=r"\frac{1}{n} \sum_{i=1}^{n} (y_i - \hat{y}_i)^2",
    undefined="a list has no rating",
    range=(0, None),
    better="lower",
    statistic=Share(),
    heading=averaged,
)
def mse(rated: Rated, *, average: Average = "pooled") -> Quotient:
    """How far predictions are from the ratings, large errors weighing more.

    The mean over all ratings, as scikit-learn takes it. `average=lists` takes
    each list's own mean of squares, then the mean of those.

    A list of two ratings, 5 and 3, predicted as 4 and 3, and one of 2 predicted as 4:

    >>> rated = Rated.of(([5, 3], [4, 3]), ([2], [4]))
    >>> mse(rated).statistics.share()             # (1 + 0 + 4) / 3
    1.6666666666666667
    >>> mse(rated, average="lists").values        # (1 + 0) / 2, and 4 / 1
    array([0.5, 4. ])
    """
    errors = (rated.prediction - rated.rating) ** 2
    return Quotient(
        rated.total(errors),
        rated.total(),
        "sum / ratings",
        lambda: (rated, {"squared error": errors}),
    )
