"""Mean squared error."""

from scorer.core.arrays import Floats
from scorer.metrics.base import metric
from scorer.metrics.explain.steps import Steps, formula
from scorer.metrics.explain.tables import Listing, rated
from scorer.metrics.params import Average, averaged
from scorer.metrics.statistic import Share
from scorer.views.pooled import Statistics
from scorer.views.rated import Rated


def _explain(listing: Listing[Rated], value: float, *, average: str) -> Steps:
    errors = (listing.view.prediction - listing.view.rating) ** 2
    yield rated(listing, {"squared error": errors})
    symbols, numbers = "sum / ratings", "{} / {}"
    yield formula("MSE", symbols, numbers, errors.sum(), errors.size, value=value)


@metric(
    "MSE",
    title="Mean squared error",
    source="Herlocker et al., ACM TOIS 22(1), 2004, doi:10.1145/963770.963772",
    range=(0, None),
    better="lower",
    statistic=Share(),
    explain=_explain,
    heading=averaged,
)
def mse(rated: Rated, *, average: Average = "pooled") -> Floats | Statistics:
    """How far predictions are from the ratings, large errors weighing more.

    The mean over all ratings, as scikit-learn takes it. `average=lists` takes
    each list's own mean of squares, then the mean of those.

    A list of two ratings, 5 and 3, predicted as 4 and 3, and one of 2 predicted as 4:

    >>> rated = Rated.of(([5, 3], [4, 3]), ([2], [4]))
    >>> mse(rated).share()                        # (1 + 0 + 4) / 3
    1.6666666666666667
    >>> mse(rated, average="lists")               # (1 + 0) / 2, and 4 / 1
    array([0.5, 4. ])
    """
    return rated.mean((rated.prediction - rated.rating) ** 2, average == "pooled")
