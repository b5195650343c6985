"""Kendall's tau."""

from typing import Any

import numpy as np

from scorer.core.arrays import Floats
from scorer.metrics.base import metric
from scorer.metrics.explain.steps import Steps, formula, grid
from scorer.metrics.explain.tables import Listing, named
from scorer.metrics.params import Pooling
from scorer.metrics.quotient import Quotient
from scorer.metrics.statistic import Share
from scorer.views.hits import Hits, Judged


def _explain(listing: Listing[Judged], value: float, **_: Any) -> Steps:
    hits = listing.view.hits
    agreed, against, untied, ideal_untied = (float(count[0]) for count in _counts(hits))
    yield grid(
        "The items that both rank; equal scores, or equal grades, are tied",
        {"item": named(listing, hits), "from the top": 1 + hits.ordered(hits.before)[0]}
        | {"grade": hits.grade, "in the truth": 1 + hits.ordered(-hits.grade)[0]},
    )
    yield formula("agreeing", "pairs in the truth's order", "{}", agreed, value=agreed)
    yield formula("against", "pairs in the other order", "{}", against, value=against)
    symbols, numbers = "(agreeing - against) / sqrt(untied × untied in the truth)", "({} - {})"
    numbers += " / sqrt({} × {})"
    yield formula("Tau", symbols, numbers, agreed, against, untied, ideal_untied, value=value)


@metric(
    "Tau",
    title="Kendall's tau-b",
    source="Kendall, Biometrika 33(3), 1945, doi:10.1093/biomet/33.3.239",
    elsewhere={
        "scipy": "kendalltau",
    },
    formula=r"\frac{C - D}{\sqrt{(P - T) (P - T^*)}}, \qquad P = \text{pairs of items that both "
    r"rank}, \qquad C = \text{pairs in one order in both}, \qquad D = \text{pairs in "
    r"opposite orders}, \qquad T = \text{pairs tied in the list}, \qquad T^* = \text{pairs "
    r"tied in the truth}",
    undefined="all items that both rank are tied in the list, or in the truth",
    range=(-1, 1),
    aliases=("Kendall", "KendallTau"),
    expected=True,
    judged=2,
    statistic=Share(),
    explain=_explain,
)
def tau(judged: Judged, *, average: Pooling = "lists") -> Quotient:
    """How many more pairs of items are in the truth's order than against it, in -1 to 1.

    Over the items that both rank. tau-b: pairs tied in the submission or in
    the truth are neither, and the divisor is the geometric mean of the pairs
    that each does not tie, as in scipy's kendalltau. Items of equal score are
    tied, whatever rule for ties ranks them. Undefined where either ties all.
    `average=pooled` divides the sum of all lists' differences by that of their
    divisors, so that long lists count more, as in Kaggle's AI4Code. A truth without grades is
    an order, best first, where all measures compare orders, as Tau, TauAP and Rho do.

    The order b, a, c where the truth has a first and ties the others:

    >>> judged = Judged.of((["b", "a", "c"], {"a": 2, "b": 1, "c": 1}))
    >>> tau(judged).values                                 # (1 - 1) / sqrt(3 * 2)
    array([0.])
    """
    agreed, against, untied, ideal_untied = _counts(judged.hits)
    divisor = np.sqrt(untied * ideal_untied)
    return Quotient(agreed - against, divisor, "(agreeing - against) / divisor")


def _counts(hits: Hits) -> tuple[Floats, Floats, Floats, Floats]:
    """Pairs that agree and that do not, and how many the submission and the truth leave untied."""
    place, tied = hits.ordered(hits.before)
    ideal, ideal_tied = hits.ordered(-hits.grade)
    _, both_tied = hits.ordered(place * (ideal.max(initial=0) + 1) + ideal)
    items = hits.total()
    pairs = items * (items - 1) / 2
    ties, ideal_ties, both_ties = (hits.total(t - 1) / 2 for t in (tied, ideal_tied, both_tied))
    # tied items worst first, so that none of them agrees with another
    agreed = hits.total(hits.earlier(ideal[np.lexsort((-ideal, place, hits.in_list))]))
    against = pairs - ties - ideal_ties + both_ties - agreed
    return agreed, against, pairs - ties, pairs - ideal_ties
