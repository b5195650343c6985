"""Success."""

import numpy as np

from scorer.judged import Floats, Judged
from scorer.measures import metric
from scorer.params import Cutoff, Relevant


@metric(
    "Success",
    title="Success, or hit rate",
    source="trec_eval's success",
    aliases=("HitRate", "Hit", "HR"),
    expected=True,
)
def success(judged: Judged, *, k: Cutoff, rel: Relevant = 1, judged_only: bool = False) -> Floats:
    """Whether any relevant item stands at the first k ranks: 1 or 0.

    Recommendation calls its mean the hit rate. Some call it recall at k; ours is `R`.

    Returned x, a; a is relevant:

    >>> judged = Judged.of((["x", "a"], {"a": 1}))
    >>> success(judged, k=1), success(judged, k=2)
    (array([0.]), array([1.]))
    """
    if judged_only:
        judged = judged.only_judged()
    chance = judged.hits.relevant(rel).first(np.ones_like, k)
    return np.minimum(chance, 1.0)  # a sum of chances may round to a little more
