"""Intent-aware precision."""

import numpy as np

from scorer.core.arrays import Floats
from scorer.metrics import diversity
from scorer.metrics.base import metric
from scorer.metrics.params import Cutoff, Relevant
from scorer.views.diverse import Diverse


def _quotient(view: Diverse, k: int, rel: float, judged_only: bool) -> diversity.Quotient:
    view = diversity.restricted(view, judged_only)
    facets = view.hit_facets(rel).top(k)
    return diversity.Quotient(facets, np.ones(facets.rank.size), k * view.subtopics(rel))


@metric(
    "P_IA",
    title="Intent-aware precision",
    source="Agrawal et al., WSDM 2009, doi:10.1145/1498759.1498766; as TREC's ndeval",
    **diversity.of_quotient("P_IA", "relevant subtopics of the items / (k × subtopics)", _quotient),
)
def p_ia(
    diverse: Diverse,
    *,
    k: Cutoff,
    rel: Relevant = 1,
    judged_only: bool = False,
) -> Floats:
    """The mean over subtopics of the precision for each at rank k.

    A subtopic without a relevant item does not count; the others count alike.
    Undefined where there is none.

    a is relevant to subtopics 1 and 2, b to 1; returned b, a:

    >>> truth = {"a": {"1": 1, "2": 1}, "b": {"1": 1}}
    >>> diverse = Diverse.of((["b", "a"], truth))
    >>> p_ia(diverse, k=2)                     # (2/2 + 1/2) / 2
    array([0.75])
    """
    return _quotient(diverse, k, rel, judged_only).values
