"""Normalised intent-aware expected reciprocal rank."""

from scorer.metrics import diversity
from scorer.metrics.base import metric
from scorer.metrics.params import Relevant
from scorer.metrics.quotient import Quotient
from scorer.views.diverse import Diverse


@metric(
    "nERR_IA",
    title="Normalised intent-aware expected reciprocal rank",
    source="Clarke et al., WSDM 2011, doi:10.1145/1935826.1935847; as TREC's ndeval",
    elsewhere={
        "ndeval": "nERR-IA@10",
        "ir_measures": "nERR_IA",
    },
    formula=r"\frac{\sum_{i=1}^{$k} \frac{1}{i} \sum_{s=1}^{S} r_{i,s} "
    r"\left(\frac{1}{2}\right)^{c_{i,s}}}{\sum_{i=1}^{$k} \frac{1}{i} \sum_{s=1}^{S} "
    r"r^*_{i,s} \left(\frac{1}{2}\right)^{c^*_{i,s}}}, \qquad c_{i,s} = "
    r"\sum_{j=1}^{i-1} r_{j,s}, \qquad c^*_{i,s} = \sum_{j=1}^{i-1} r^*_{j,s}, \qquad "
    r"r^* = \text{as } r \text{, of the judged items, each rank with what gains the "
    r"most there}",
    undefined="no subtopic has a relevant item",
    range=(0, None),
    peers=diversity.PEERS,
)
def nerr_ia(
    diverse: Diverse, *, k: diversity.Shallow, rel: Relevant = 1, judged_only: bool = False
) -> Quotient:
    """Expected reciprocal rank over subtopics, over that of the best order of the judged items.

    As `ERR_IA`, divided by what the judged items have in the order in which each
    gains the most, as in ndeval and ir_measures; it is greedy, so that a list may
    exceed 1. Without subtopics it is `nERR` of two grades.

    a is relevant to subtopics 1 and 2, b to 1; returned b, a:

    >>> truth = {"a": {"1": 1, "2": 1}, "b": {"1": 1}}
    >>> diverse = Diverse.of((["b", "a"], truth))
    >>> nerr_ia(diverse, k=2).values.round(6)  # (1 + 1.5 / 2) / (2 + 0.5 / 2)
    array([0.777778])
    """
    view = diversity.restricted(diverse, judged_only)
    return diversity.over_best(view, rel, k, diversity.HALF, diversity.reciprocal)
