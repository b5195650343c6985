"""Set precision."""

import numpy as np

from scorer.metrics.base import metric
from scorer.metrics.params import Pooling, Relevant
from scorer.metrics.quotient import Quotient, found
from scorer.metrics.statistic import Share
from scorer.views.hits import Judged


@metric(
    "SetP",
    title="Set precision",
    source="Kent et al., American Documentation 6(2), 1955; as trec_eval's set_P",
    elsewhere={
        "trec_eval": "set_P; 0 for a list that returned nothing",
        "ir_measures": "SetP",
    },
    formula=lambda params: r"\frac{h_n}{\min(n, R)}" if params["relative"] else r"\frac{h_n}{n}",
    undefined="nothing is returned; with `relative`, nothing is relevant either",
    aliases=("set_P",),
    expected=True,
    statistic=Share(),
)
def setp(
    judged: Judged,
    *,
    rel: Relevant = 1,
    relative: bool = False,
    judged_only: bool = False,
    average: Pooling = "lists",
) -> Quotient:
    """The share of all returned items that is relevant.

    Undefined, where trec_eval says 0, for a list that returned nothing.
    ir_measures' `relative=true` is SetRelP.

    Returned a, x, b; a and b are relevant:

    >>> setp(Judged.of((["a", "x", "b"], {"a": 1, "b": 1}))).values    # 2 / 3
    array([0.66666667])
    """
    if judged_only:
        judged = judged.only_judged()
    count, table = judged.hits.count(rel), found(judged.hits, rel)
    if not relative:
        return Quotient(count, judged.returned, "found / n", table, relevant=rel)
    most = np.minimum(judged.returned, judged.ideal.count(rel))
    return Quotient(count, most, "found / min(n, R)", table, relevant=rel)
