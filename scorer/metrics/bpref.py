"""Binary preference."""

import numpy as np

from scorer.core.arrays import Floats, Ints
from scorer.metrics.base import metric
from scorer.metrics.params import Relevant
from scorer.metrics.quotient import Quotient
from scorer.views.hits import Hits, Judged


@metric(
    "Bpref",
    title="Binary preference",
    source="Buckley and Voorhees, SIGIR 2004, doi:10.1145/1008992.1009000; as trec_eval's bpref",
    elsewhere={
        "trec_eval": "bpref",
        "ir_measures": "Bpref",
        "ranx": "bpref",
    },
    formula=r"\frac{1}{R} \sum_{i=1}^{n} r_i \left(1 - \frac{\min(b_i, R)}{\max(1, \min(N, "
    r"R))}\right), \qquad b_i = \text{judged irrelevant items above rank } i",
    undefined="nothing is relevant in the truth",
)
def bpref(judged: Judged, *, rel: Relevant = 1) -> Quotient:
    """How seldom items judged irrelevant stand above relevant ones; unjudged ones do not count.

    Each relevant item found adds 1 - min(b, R) / min(N, R), b being how many of
    the list's N irrelevant items stand above it; the sum is divided by R. So
    trec_eval since version 8; the paper divides by R where it has min(N, R).
    Items with a grade below 0 are unjudged.

    Returned n, a, x, b; a and b are relevant, n and m judged irrelevant:

    >>> judged = Judged.of((["n", "a", "x", "b"], {"a": 1, "b": 1, "n": 0, "m": 0}))
    >>> bpref(judged).values                        # (1 - 1/2 + 1 - 1/2) / 2
    array([0.5])
    """
    hits, above, shares, relevant, irrelevant = _shares(judged, rel)
    columns = {"irrelevant above, b": above, "1 - min(b, R) / min(N, R)": shares}
    return Quotient(
        hits.total(shares),
        relevant,
        "sum / R",
        lambda: (hits, columns | {"running total": np.cumsum(shares)}),
        relevant=rel,
        notes=lambda: [f"N = {irrelevant[0]:,.0f} items are judged irrelevant."],
    )


def _shares(judged: Judged, rel: float) -> tuple[Hits, Ints, Floats, Floats, Floats]:
    """The relevant hits, what is above each, what each adds, and each list's R and N."""
    hits = judged.hits.relevant(0)
    relevant_hits = hits.relevant(rel)
    relevant = judged.ideal.count(rel)
    irrelevant = judged.ideal.relevant(0).total() - relevant
    above = hits.nth()[hits.grade >= rel] - relevant_hits.nth()
    most, least = (
        relevant[relevant_hits.in_list],
        np.minimum(relevant, irrelevant)[relevant_hits.in_list],
    )
    # nothing is above where there is nothing irrelevant
    shares = 1 - np.minimum(above, most) / np.maximum(least, 1)
    return relevant_hits, above, shares, relevant, irrelevant
