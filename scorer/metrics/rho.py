"""Spearman's rho."""

import numpy as np

from scorer.core.arrays import Floats
from scorer.metrics.base import metric
from scorer.metrics.explain.steps import Steps, formula, grid
from scorer.metrics.explain.tables import Listing, named
from scorer.views.hits import Hits, Judged, ratio


def _explain(listing: Listing[Judged], value: float) -> Steps:
    hits = listing.view.hits
    submitted, ideal = (twice / 2 for twice in _twice(hits))
    middle = (hits.rank.size + 1) / 2
    yield grid(
        "The items that both rank, tied ones at their mean rank; d is how far that is from the "
        "middle",
        {"item": named(listing, hits), "rank": middle + submitted, "in the truth": middle + ideal}
        | {"d": submitted, "d in the truth": ideal, "product": submitted * ideal},
    )
    parts = [float(terms.sum()) for terms in (submitted * ideal, submitted**2, ideal**2)]
    symbols = "sum of products / sqrt(sum of d² × sum of d² in the truth)"
    yield formula("Rho", symbols, "{} / sqrt({} × {})", *parts, value=value)


@metric(
    "Rho",
    title="Spearman's rho",
    source="Spearman, American Journal of Psychology 15(1), 1904, doi:10.2307/1412159",
    elsewhere={
        "scipy": "spearmanr",
    },
    formula=r"\frac{\sum_{i=1}^{m} (a_i - \bar{a}) (b_i - \bar{a})}{\sqrt{\sum_{i=1}^{m} (a_i - "
    r"\bar{a})^2 \cdot \sum_{i=1}^{m} (b_i - \bar{a})^2}}, \qquad \bar{a} = \frac{m + "
    r"1}{2}, \qquad a_i = \text{rank of the item in the list}, \qquad b_i = \text{rank of "
    r"the item in the truth}, \qquad m = \text{items that both rank}",
    undefined="all items that both rank are tied in the list, or in the truth",
    range=(-1, 1),
    aliases=("Spearman", "SpearmanRho"),
    expected=True,
    judged=2,
    explain=_explain,
)
def rho(judged: Judged) -> Floats:
    """The correlation of the items' ranks in the submission and in the truth, -1 to 1.

    Over the items that both rank, ranked anew among themselves. Tied items
    share their mean rank, as in scipy's spearmanr; items of equal score are
    tied, whatever rule for ties ranks them. Undefined where either ties all.

    The order b, a, c where the truth has a, b, c; ranks differ by 1, 1 and 0:

    >>> judged = Judged.of((["b", "a", "c"], {"a": 3, "b": 2, "c": 1}))
    >>> rho(judged)                                 # 1 - 6 * (1 + 1 + 0) / (3 * 8)
    array([0.5])
    """
    hits = judged.hits
    submitted, ideal = _twice(hits)
    return ratio(
        hits.total(submitted * ideal),
        np.sqrt(hits.total(submitted * submitted) * hits.total(ideal * ideal)),
    )


def _twice(hits: Hits) -> tuple[Floats, Floats]:
    """Twice each mean rank's distance from the middle: whole numbers, so that sums are exact."""
    items = hits.total()[hits.in_list]
    submitted, ideal = (
        2 * low + tied - items for low, tied in map(hits.ordered, (hits.before, -hits.grade))
    )
    return submitted, ideal
