"""Intent-aware expected reciprocal rank."""

import numpy as np

from scorer.metrics import diversity
from scorer.metrics.base import metric
from scorer.metrics.params import Relevant
from scorer.metrics.quotient import Quotient
from scorer.views.diverse import Diverse


@metric(
    "ERR_IA",
    title="Intent-aware expected reciprocal rank",
    source="Chapelle et al., Information Retrieval 14(6), 2011; as TREC's ndeval",
    elsewhere={
        "ndeval": "ERR-IA@10; at k = 1 not divided",
        "ir_measures": "ERR_IA",
    },
    formula=r"\frac{\sum_{i=1}^{$k} \frac{1}{i} \sum_{s=1}^{S} r_{i,s} "
    r"\left(\frac{1}{2}\right)^{c_{i,s}}}{S \sum_{i=1}^{$k} \frac{1}{i} "
    r"\left(\frac{1}{2}\right)^{i-1}}, \qquad c_{i,s} = \sum_{j=1}^{i-1} r_{j,s}",
    undefined="no subtopic has a relevant item",
    peers=diversity.PEERS,
)
def err_ia(
    diverse: Diverse, *, k: diversity.Shallow, rel: Relevant = 1, judged_only: bool = False
) -> Quotient:
    """Expected reciprocal rank over subtopics, over that of items relevant to every subtopic.

    For each subtopic a reader is satisfied by a relevant item with chance 1/2, as
    `ERR` has it of two grades, and ends; subtopics count alike. It is divided
    by what k items that are relevant to all subtopics would have, as in ndeval
    and ir_measures; ndeval forgets that division at k = 1, so that its ERR-IA@1
    is that times the number of subtopics.

    a is relevant to subtopics 1 and 2, b to 1; returned b, a:

    >>> truth = {"a": {"1": 1, "2": 1}, "b": {"1": 1}}
    >>> diverse = Diverse.of((["b", "a"], truth))
    >>> err_ia(diverse, k=2).values            # (1 + (1/2 + 1) / 2) / (2 * (1 + 1/4))
    array([0.7])
    """
    view = diversity.restricted(diverse, judged_only)
    facets = view.hit_facets(rel).top(k)
    ranks = np.arange(1, k + 1, dtype=np.float64)
    return diversity.quotient(
        view,
        facets,
        diversity.gains(facets, diversity.HALF, diversity.reciprocal),
        diversity.limit(view.subtopics(rel), diversity.HALF, diversity.reciprocal(ranks)),
        "gain / gain of the limit",
    )
