"""Alpha discounted cumulative gain."""

import numpy as np

from scorer.metrics import diversity
from scorer.metrics.base import metric
from scorer.metrics.params import Relevant
from scorer.metrics.quotient import Quotient
from scorer.views.diverse import Diverse

SUM = r"\sum_{i=1}^{$k} \frac{1}{\log_2(i + 1)} \sum_{s=1}^{S} r_{i,s} (1 - $alpha)^{c_{i,s}}"
LIMIT = r"S \sum_{i=1}^{$k} \frac{1}{\log_2(i + 1)} (1 - $alpha)^{i-1}"
SEEN = r", \qquad c_{i,s} = \sum_{j=1}^{i-1} r_{j,s}"


@metric(
    "alpha_DCG",
    title="Alpha discounted cumulative gain",
    source="Clarke et al., SIGIR 2008, doi:10.1145/1390334.1390446; scaled as TREC's ndeval",
    elsewhere={
        "ndeval": "alpha-DCG@10; at k = 1 not divided",
        "ir_measures": "alpha_DCG",
    },
    formula=lambda params: (rf"\frac{{{SUM}}}{{{LIMIT}}}" if params["normalize"] else SUM) + SEEN,
    undefined="no subtopic has a relevant item",
    range=(0, None),
    aliases=("α_DCG",),
    peers=diversity.PEERS,
)
def alpha_dcg(
    diverse: Diverse,
    *,
    k: diversity.Shallow,
    alpha: diversity.Redundancy = diversity.HALF,
    rel: Relevant = 1,
    normalize: bool = True,
    judged_only: bool = False,
) -> Quotient:
    """The discounted gain of new subtopics, over that of items relevant to every subtopic.

    A subtopic that an item is relevant to gains (1 - alpha)^c, c being the items
    above with the same subtopic; the item's gains are divided by log2(rank + 1).
    The sum is divided by what k items that are relevant to all subtopics would
    gain, as ndeval and ir_measures do it ("collection-independent"); the paper
    does not (`normalize=false`). ndeval forgets the division at k = 1, so that its
    alpha-DCG@1 can exceed 1. A subtopic counts where it has a relevant item;
    where none has, the value is undefined.

    a is relevant to subtopics 1 and 2, b to 1; returned b, a:

    >>> truth = {"a": {"1": 1, "2": 1}, "b": {"1": 1}}
    >>> diverse = Diverse.of((["b", "a"], truth))
    >>> alpha_dcg(diverse, k=2, normalize=False).values.round(6)      # 1 + (1/2 + 1) / log2(3)
    array([1.946395])
    >>> alpha_dcg(diverse, k=2).values.round(6)                # over 2 * (1 + 1/2 / log2(3))
    array([0.739812])
    """
    view = diversity.restricted(diverse, judged_only)
    facets, subtopics = view.hit_facets(rel).top(k), view.subtopics(rel)
    ranks = np.arange(1, k + 1, dtype=np.float64)
    limit = diversity.limit(subtopics, alpha, diversity.logarithmic(ranks))
    return diversity.quotient(
        view,
        facets,
        diversity.gains(facets, alpha, diversity.logarithmic),
        limit if normalize else np.where(subtopics > 0, 1.0, 0.0),
        "gain / gain of the limit",
    )
