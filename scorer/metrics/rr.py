"""Reciprocal rank."""

from scorer.core.arrays import Floats
from scorer.metrics.base import metric
from scorer.metrics.explain.steps import Sentence, Steps, formula, grid, summed
from scorer.metrics.explain.tables import Listing, first, only_judged, ranked_table
from scorer.metrics.params import Cutoff, Relevant
from scorer.views.hits import Judged


def _explain(
    listing: Listing[Judged], value: float, *, k: int | None, rel: float, judged_only: bool
) -> Steps:
    listing = only_judged(listing, judged_only)
    hits = listing.view.hits.relevant(rel)
    yield ranked_table(listing, hits, {"relevant": hits.within(k)}, k)
    ranks, chances = zip(*first(hits, k), strict=True) if value else ((), ())
    if not ranks:
        yield Sentence("Nothing relevant stands there.")
        yield formula("RR", "", "0", value=value)
    elif chances != (1.0,):
        yield grid("Where the first relevant item may stand", {"rank": ranks, "chance": chances})
        terms = (chance / rank for rank, chance in zip(ranks, chances, strict=True))
        yield summed("RR", "sum of chance / rank", "{}", terms, value)
    else:
        yield formula("RR", "1 / first relevant rank", "1 / {}", ranks[0], value=value)


@metric(
    "RR",
    title="Reciprocal rank",
    source="Kantor and Voorhees, Information Retrieval 2, 2000; as trec_eval's recip_rank",
    elsewhere={
        "trec_eval": "recip_rank",
        "ir_measures": "RR",
        "ranx": "mrr",
        "torchmetrics": "RetrievalMRR",
        "Hivemall": "mrr",
        "papers": "mean reciprocal rank",
    },
    formula=r"\max_{1 \le i \le $k} \frac{r_i}{i}",
    aliases=("MRR", "recip_rank"),
    expected=True,
    mean_rank=True,
    explain=_explain,
)
def rr(
    judged: Judged, *, k: Cutoff | None = None, rel: Relevant = 1, judged_only: bool = False
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
