"""Reciprocal rank."""

from scorer.judged import Floats, Judged
from scorer.measures import metric
from scorer.params import Cutoff, Relevant


@metric(
    "RR",
    title="Reciprocal rank",
    source="Kantor and Voorhees, Information Retrieval 2, 2000; as trec_eval's recip_rank",
    aliases=("MRR",),
    expected=True,
)
def rr(
    judged: Judged,
    *,
    k: Cutoff | None = None,
    rel: Relevant = 1,
    judged_only: bool = False,
) -> Floats:
    """How soon the first relevant item comes: one over its rank, 0 if none comes.

    Its mean over lists is MRR.

    Returned x, a, b; a and b are relevant:

    >>> judged = Judged.of((["x", "a", "b"], {"a": 1, "b": 1}))
    >>> rr(judged), rr(judged, k=1)                 # 1 / 2
    (array([0.5]), array([0.]))
    """
    if judged_only:
        judged = judged.only_judged()
    return judged.hits.relevant(rel).first(lambda rank: 1 / rank, k)
