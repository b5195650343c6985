"""R-precision."""

from scorer.core.arrays import Floats
from scorer.metrics.base import metric
from scorer.metrics.explain.steps import Steps, formula
from scorer.metrics.explain.tables import Listing, only_judged, ranked_table, relevant_items
from scorer.metrics.params import Pooling, Relevant
from scorer.metrics.statistic import Share
from scorer.views.hits import Judged
from scorer.views.pooled import Statistics, ratios


def _explain(
    listing: Listing[Judged], value: float, *, rel: float, judged_only: bool, average: str
) -> Steps:
    listing = only_judged(listing, judged_only)
    hits, relevant = listing.view.hits.relevant(rel), relevant_items(listing, rel)
    most = len(relevant.items)
    counts = hits.within(most)
    yield relevant
    yield ranked_table(listing, hits, {"found": counts}, most)
    yield formula("Rprec", "found / R", "{} / {}", counts.sum(), most, value=value)


@metric(
    "Rprec",
    title="R-precision",
    source="Buckley and Voorhees, Retrieval System Evaluation, in TREC, 2005",
    aliases=("RPrecision",),
    expected=True,
    statistic=Share(),
    explain=_explain,
)
def rprec(
    judged: Judged, *, rel: Relevant = 1, judged_only: bool = False, average: Pooling = "lists"
) -> Floats | Statistics:
    """The share of the first R ranks that holds a relevant item, R being how many there are.

    Precision and recall at R are the same number. As in trec_eval a list
    shorter than R is divided by R all the same.

    Returned a, x, b; a and b are relevant, so that R is 2:

    >>> rprec(Judged.of((["a", "x", "b"], {"a": 1, "b": 1})))    # 1 / 2
    array([0.5])
    """
    if judged_only:
        judged = judged.only_judged()
    hits = judged.hits.relevant(rel)
    relevant = judged.ideal.count(rel)
    return ratios(hits.total(hits.within(relevant[hits.in_list])), relevant, average)
