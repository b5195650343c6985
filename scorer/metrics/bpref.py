"""Binary preference."""

import numpy as np

from scorer.judged import Floats, Judged, ratio
from scorer.measures import metric
from scorer.params import Relevant


@metric(
    "Bpref",
    title="Binary preference",
    source="Buckley and Voorhees, SIGIR 2004, doi:10.1145/1008992.1009000; as trec_eval's bpref",
)
def bpref(judged: Judged, *, rel: Relevant = 1) -> Floats:
    """How seldom items judged irrelevant stand above relevant ones; unjudged ones do not count.

    Each relevant item found adds 1 - min(b, R) / min(N, R), b being how many of
    the list's N irrelevant items stand above it; the sum is divided by R. So
    trec_eval since version 8; the paper divides by R where it has min(N, R).
    Items with a grade below 0 are unjudged.

    Returned n, a, x, b; a and b are relevant, n and m judged irrelevant:

    >>> judged = Judged.of((["n", "a", "x", "b"], {"a": 1, "b": 1, "n": 0, "m": 0}))
    >>> bpref(judged)                               # (1 - 1/2 + 1 - 1/2) / 2
    array([0.5])
    """
    hits = judged.hits.relevant(0)
    found = hits.relevant(rel)
    wanted = judged.ideal.relevant(rel).total()
    unwanted = judged.ideal.relevant(0).total() - wanted
    above = hits.nth()[hits.grade >= rel] - found.nth()
    most, least = wanted[found.in_list], np.minimum(wanted, unwanted)[found.in_list]
    # nothing is above where there is nothing irrelevant
    return ratio(found.total(1 - np.minimum(above, most) / np.maximum(least, 1)), wanted)
