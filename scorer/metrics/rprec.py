"""R-precision."""

from scorer.metrics.base import metric
from scorer.metrics.params import Pooling, Relevant
from scorer.metrics.quotient import Quotient
from scorer.metrics.statistic import Share
from scorer.views.hits import Judged


@metric(
    "Rprec",
    title="R-precision",
    source="Buckley and Voorhees, Retrieval System Evaluation, in TREC, 2005",
    elsewhere={
        "trec_eval": "Rprec",
        "ir_measures": "Rprec",
        "ranx": "r-precision",
        "torchmetrics": "RetrievalRPrecision",
    },
    formula=r"\frac{h_R}{R}",
    undefined="nothing is relevant in the truth",
    aliases=("RPrecision",),
    expected=True,
    statistic=Share(),
)
def rprec(
    judged: Judged, *, rel: Relevant = 1, judged_only: bool = False, average: Pooling = "lists"
) -> Quotient:
    """The share of the first R ranks that holds a relevant item, R being how many there are.

    Precision and recall at R are the same number. As in trec_eval a list
    shorter than R is divided by R all the same.

    Returned a, x, b; a and b are relevant, so that R is 2:

    >>> rprec(Judged.of((["a", "x", "b"], {"a": 1, "b": 1}))).values    # 1 / 2
    array([0.5])
    """
    if judged_only:
        judged = judged.only_judged()
    hits = judged.hits.relevant(rel)
    relevant = judged.ideal.count(rel)
    found = hits.within(relevant[hits.in_list])
    return Quotient(
        hits.total(found), relevant, "found / R", lambda: (hits, {"found": found}),
        relevant=rel, last=relevant,
    )  # fmt: skip
