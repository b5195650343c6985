"""Set average precision."""

from scorer.metrics.base import metric
from scorer.metrics.params import Relevant
from scorer.metrics.quotient import Quotient, found
from scorer.views.hits import Judged


@metric(
    "SetAP",
    title="Set average precision",
    source="trec_eval's set_map",
    elsewhere={
        "trec_eval": "set_map; 0 for a list that returned nothing",
        "ir_measures": "SetAP",
    },
    formula=r"\frac{h_n}{n} \cdot \frac{h_n}{R}",
    undefined="nothing is returned, or nothing is relevant in the truth",
    aliases=("set_map",),
    expected=True,
)
def setap(judged: Judged, *, rel: Relevant = 1, judged_only: bool = False) -> Quotient:
    """Precision times recall of all that was returned: average precision without ranks.

    Undefined, where trec_eval says 0, for a list that returned nothing.

    Returned a, x; a, b and c are relevant:

    >>> judged = Judged.of((["a", "x"], {"a": 1, "b": 1, "c": 1}))
    >>> setap(judged).values.round(4)               # 1/2 * 1/3, as 1 * 1 / (2 * 3)
    array([0.1667])
    """
    if judged_only:
        judged = judged.only_judged()
    count, relevant = judged.hits.count(rel), judged.ideal.count(rel)
    return Quotient(
        count * count,
        judged.returned * relevant,
        "found / n × found / R",
        found(judged.hits, rel),
        "{} / {} × {} / {}",
        (count, judged.returned, count, relevant),
        relevant=rel,
    )
