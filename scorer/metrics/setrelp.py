"""Relative set precision."""

import numpy as np

from scorer.metrics.base import metric
from scorer.metrics.params import Pooling, Relevant
from scorer.metrics.quotient import Quotient, found
from scorer.metrics.statistic import Share
from scorer.views.hits import Judged


@metric(
    "SetRelP",
    title="Relative set precision",
    source="trec_eval's set_relative_P",
    elsewhere={
        "trec_eval": "set_relative_P; 0 for a list that returned nothing",
        "ir_measures": "SetP(relative=True)",
    },
    formula=r"\frac{h_n}{\min(n, R)}",
    undefined="nothing is returned, or nothing is relevant in the truth",
    aliases=("set_relative_P",),
    expected=True,
    statistic=Share(),
)
def setrelp(
    judged: Judged, *, rel: Relevant = 1, judged_only: bool = False, average: Pooling = "lists"
) -> Quotient:
    """The relevant items returned, over the most that a list of that length could hold.

    That is min(n, R); undefined, where trec_eval says 0, if it is 0.

    Returned a, x, y; a and b are relevant:

    >>> setrelp(Judged.of((["a", "x", "y"], {"a": 1, "b": 1}))).values    # 1 / min(3, 2)
    array([0.5])
    """
    if judged_only:
        judged = judged.only_judged()
    most = np.minimum(judged.returned, judged.ideal.count(rel))
    return Quotient(
        judged.hits.count(rel), most, "found / min(n, R)", found(judged.hits, rel), relevant=rel
    )
