"""Success."""

import numpy as np

from scorer.core.arrays import Floats
from scorer.metrics.base import metric
from scorer.metrics.explain.steps import Sentence, Steps, formula
from scorer.metrics.explain.tables import Listing, first, only_judged, ranked_table
from scorer.metrics.params import Cutoff, Relevant
from scorer.views.hits import Judged


def _explain(
    listing: Listing[Judged], value: float, *, k: int, rel: float, judged_only: bool
) -> Steps:
    listing = only_judged(listing, judged_only)
    hits = listing.view.hits.relevant(rel)
    yield ranked_table(listing, hits, {"found": hits.within(k)}, k)
    ranks, chances = zip(*first(hits, k), strict=True) if value else ((), ())
    if not ranks:
        yield Sentence(f"Nothing relevant stands at ranks 1 to {k:,}.")
    elif chances != (1.0,):
        yield Sentence("Its value is the chance that a relevant item stands there.")
    else:
        yield Sentence(f"A relevant item stands at rank {ranks[0]:,}.")
    yield formula("Success", "", "{}", min(sum(chances), 1), value=value)


@metric(
    "Success",
    title="Success, or hit rate",
    source="trec_eval's success",
    elsewhere={
        "trec_eval": "success_10",
        "ir_measures": "Success",
        "ranx": "hit_rate",
        "torchmetrics": "RetrievalHitRate",
        "knowledge graphs": "Hits@k",
    },
    formula=r"[h_{$k} \ge 1]",
    aliases=("HitRate", "Hit", "HR"),
    expected=True,
    mean_rank=True,
    explain=_explain,
)
def success(judged: Judged, *, k: Cutoff, rel: Relevant = 1, judged_only: bool = False) -> Floats:
    """Whether any relevant item stands at the first k ranks: 1 or 0.

    Recommendation calls its mean the hit rate, knowledge graphs Hits@k; the Open Graph
    Benchmark's Hits@k, against negatives, is `Hits`. Some call it recall at k; ours is `R`.

    Returned x, a; a is relevant:

    >>> judged = Judged.of((["x", "a"], {"a": 1}))
    >>> success(judged, k=1), success(judged, k=2)
    (array([0.]), array([1.]))
    """
    if judged_only:
        judged = judged.only_judged()
    chance = judged.hits.relevant(rel).first(np.ones_like, k)
    return np.minimum(chance, 1.0)  # a sum of chances may round to a little more
