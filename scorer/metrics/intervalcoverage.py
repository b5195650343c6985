"""Coverage of prediction intervals."""

from scorer.metrics.base import metric
from scorer.metrics.params import Average, averaged
from scorer.metrics.quotient import Quotient
from scorer.metrics.statistic import Share
from scorer.views.rated import Rated


@metric(
    "IntervalCoverage",
    title="Coverage of prediction intervals",
    source="Shani and Gunawardana, Recommender Systems Handbook, 2011, section 8.3.4 (confidence)",
    formula=r"\frac{1}{n} \sum_{i=1}^{n} [l_i \le y_i \le u_i], \qquad l_i, u_i = \text{ends "
    r"of the interval of rating } i",
    undefined="a list has no rating",
    statistic=Share(),
    columns=("low", "high"),
    heading=averaged,
)
def intervalcoverage(rated: Rated, *, average: Average = "lists") -> Quotient:
    """The share of the ratings that lie inside the interval given for them.

    The submission says for each prediction from where (`low`) to where (`high`)
    it expects the rating; both ends belong to the interval. An interval that
    should hold 90 % of the ratings is honest where the value is near 0.9. Wide
    intervals score high for nothing: look at an error measure as well.

    A rating of 3 inside 2 to 4, one of 5 outside 1 to 4:

    >>> rated = Rated.of(([3, 5], [(3, 2, 4), (4, 1, 4)]))
    >>> intervalcoverage(rated).values            # 1 / 2
    array([0.5])
    """
    inside = (rated.low <= rated.rating) & (rated.rating <= rated.high)
    columns = {"low": rated.low, "high": rated.high, "inside": inside}
    return Quotient(
        rated.total(inside), rated.total(), "inside / ratings", lambda: (rated, columns)
    )
