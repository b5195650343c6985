"""Intent-aware precision."""

import numpy as np

from scorer.metrics import diversity
from scorer.metrics.base import metric
from scorer.metrics.params import Cutoff, Relevant
from scorer.metrics.quotient import Quotient
from scorer.views.diverse import Diverse


@metric(
    "P_IA",
    title="Intent-aware precision",
    source="Agrawal et al., WSDM 2009, doi:10.1145/1498759.1498766; as TREC's ndeval",
    elsewhere={
        "ndeval": "P-IA@10",
        "ir_measures": "P_IA",
    },
    formula=r"\frac{1}{$k S} \sum_{i=1}^{$k} \sum_{s=1}^{S} r_{i,s}",
    undefined="no subtopic has a relevant item",
    peers=diversity.PEERS,
)
def p_ia(diverse: Diverse, *, k: Cutoff, rel: Relevant = 1, judged_only: bool = False) -> Quotient:
    """The mean over subtopics of the precision for each at rank k.

    A subtopic without a relevant item does not count; the others count alike.
    Undefined where there is none.

    a is relevant to subtopics 1 and 2, b to 1; returned b, a:

    >>> truth = {"a": {"1": 1, "2": 1}, "b": {"1": 1}}
    >>> diverse = Diverse.of((["b", "a"], truth))
    >>> p_ia(diverse, k=2).values              # (2/2 + 1/2) / 2
    array([0.75])
    """
    view = diversity.restricted(diverse, judged_only)
    facets = view.hit_facets(rel).top(k)
    return diversity.quotient(
        view,
        facets,
        np.ones(facets.rank.size),
        k * view.subtopics(rel),
        "relevant subtopics of the items / (k × subtopics)",
    )
