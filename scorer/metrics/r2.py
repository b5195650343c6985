"""Coefficient of determination."""

import numpy as np

from scorer.core.arrays import Floats
from scorer.metrics.base import metric
from scorer.metrics.explain.steps import Sentence, Steps, formula
from scorer.metrics.explain.tables import Listing, rated
from scorer.metrics.params import Average, averaged
from scorer.metrics.statistic import Weighted
from scorer.views.hits import ratio
from scorer.views.pooled import Statistics
from scorer.views.rated import Rated


def _weighted(statistics: Statistics, weights: Floats, **_: object) -> float:
    """1 - errors / spread, where the spread is merged from the lists' own."""
    ratings, middle, spread, errors = statistics.rows.T
    weight = weights[statistics.in_list]
    count = ratings * weight
    if not count.any():
        return float("nan")
    offset = middle - middle[np.argmax(count > 0)]
    offset -= (count * offset).sum() / count.sum()
    return float(
        1 - ratio((errors * weight).sum(), (spread * weight).sum() + (count * offset**2).sum())
    )


def _explain(listing: Listing[Rated], value: float, *, average: str) -> Steps:
    view = listing.view
    middle, spread = (float(sums[0]) for sums in view.spread())
    errors = (view.prediction - view.rating) ** 2
    columns = {
        "squared error": errors,
        "squared distance from the mean": (view.rating - middle) ** 2,
    }
    yield Sentence(f"The mean rating is {middle:.6g}.")
    yield rated(listing, columns)
    symbols = "1 - sum of errors / sum of distances"
    yield formula("R2", symbols, "1 - {} / {}", errors.sum(), spread, value=value)


@metric(
    "R2",
    title="Coefficient of determination",
    source="Kvålseth, The American Statistician 39(4), 1985, his R² number 1; as scikit-learn",
    elsewhere={
        "scikit-learn": "r2_score; of equal ratings 1 or 0, here undefined",
    },
    formula=r"1 - \frac{\sum_{i=1}^{n} (y_i - \hat{y}_i)^2}{\sum_{i=1}^{n} (y_i - "
    r"\bar{y})^2}, \qquad \bar{y} = \frac{1}{n} \sum_{i=1}^{n} y_i",
    undefined="all ratings are equal",
    range=(None, 1),
    statistic=Weighted(_weighted),
    explain=_explain,
    heading=averaged,
)
def r2(rated: Rated, *, average: Average = "pooled") -> Floats | Statistics:
    """How much better the predictions are than the mean rating.

    1 - sum (rating - prediction)^2 / sum (rating - mean)^2: 1 is perfect, 0 is
    as good as always predicting the mean, and it can be negative. The mean is
    that of all ratings together, as in scikit-learn; `average=lists` takes each
    list's own, and the value is the mean over lists.
    Where all ratings are the same it is undefined; scikit-learn says 1 for a
    perfect prediction of them and 0 otherwise.

    Ratings 1, 2 and 3, predicted as 1, 2 and 2; and one rating alone:

    >>> rated = Rated.of(([1, 2, 3], [1, 2, 2]), ([4], [4]))
    >>> r2(rated).rows                            # ratings, mean, spread, squared errors
    array([[3., 2., 2., 1.],
           [1., 4., 0., 0.]])
    >>> r2(rated, average="lists")                # 1 - 1 / 2; no spread
    array([0.5, nan])
    """
    errors = rated.total((rated.prediction - rated.rating) ** 2)
    middle, spread = rated.spread()
    if average == "pooled":
        return rated.pooled(rated.total(), middle, spread, errors)
    return 1 - ratio(errors, spread)
