"""Subtopic recall."""

import numpy as np

from scorer.metrics import diversity
from scorer.metrics.base import metric
from scorer.metrics.params import Cutoff, Relevant
from scorer.metrics.quotient import Quotient
from scorer.views.diverse import Diverse


@metric(
    "StRecall",
    title="Subtopic recall",
    source="Zhai, Cohen and Lafferty, SIGIR 2003, doi:10.1145/860435.860440; as TREC's ndeval",
    elsewhere={
        "ndeval": "strec@10",
        "ir_measures": "StRecall",
    },
    formula=r"\frac{1}{S} \sum_{s=1}^{S} [\sum_{i=1}^{$k} r_{i,s} \ge 1]",
    undefined="no subtopic has a relevant item",
    aliases=("strec",),
    peers=diversity.PEERS,
)
def strecall(diverse: Diverse, *, k: Cutoff | None = None, rel: Relevant = 1) -> Quotient:
    """The share of the subtopics that a relevant item among the first k covers.

    A subtopic without a relevant item does not count. Undefined where there is none.

    a is relevant to subtopics 1 and 2, b to 1; returned b, a:

    >>> truth = {"a": {"1": 1, "2": 1}, "b": {"1": 1}}
    >>> diverse = Diverse.of((["b", "a"], truth))
    >>> strecall(diverse, k=1).values          # 1 of 2
    array([0.5])
    """
    facets = diverse.hit_facets(rel).top(k)
    first = (facets.before() == 0).astype(np.float64)
    return diversity.quotient(
        diverse, facets, first, diverse.subtopics(rel), "subtopics found / subtopics"
    )
