"""Normalised novelty- and rank-biased precision."""

from scorer.metrics import diversity
from scorer.metrics.base import metric
from scorer.metrics.params import Persistence, Relevant
from scorer.metrics.quotient import Quotient
from scorer.views.diverse import Diverse


@metric(
    "nNRBP",
    title="Normalised novelty- and rank-biased precision",
    source="Clarke et al., ICTIR 2009, doi:10.1007/978-3-642-04417-5_17; as TREC's ndeval",
    elsewhere={
        "ndeval": "nNRBP",
        "ir_measures": "nNRBP",
    },
    formula=r"\frac{\sum_{i=1}^{n} $beta^{i-1} \sum_{s=1}^{S} r_{i,s} (1 - "
    r"$alpha)^{c_{i,s}}}{\sum_{i=1}^{J} $beta^{i-1} \sum_{s=1}^{S} r^*_{i,s} (1 - "
    r"$alpha)^{c^*_{i,s}}}, \qquad c_{i,s} = \sum_{j=1}^{i-1} r_{j,s}, \qquad "
    r"c^*_{i,s} = \sum_{j=1}^{i-1} r^*_{j,s}, \qquad r^* = \text{as } r \text{, of "
    r"the judged items, each rank with what gains the most there}",
    undefined="no subtopic has a relevant item",
    range=(0, None),
    peers=diversity.PEERS,
)
def nnrbp(
    diverse: Diverse,
    *,
    alpha: diversity.Redundancy = diversity.HALF,
    beta: Persistence = diversity.HALF,
    rel: Relevant = 1,
) -> Quotient:
    """`NRBP` of a list over that of the best order of the judged items.

    The best order puts at each rank the item that gains the most there, as in
    `alpha_nDCG`.

    a is relevant to subtopics 1 and 2, b to 1; returned b, a:

    >>> truth = {"a": {"1": 1, "2": 1}, "b": {"1": 1}}
    >>> diverse = Diverse.of((["b", "a"], truth))
    >>> nnrbp(diverse).values.round(6)         # (1 + 1.5 / 2) / (2 + 0.5 / 2)
    array([0.777778])
    """
    return diversity.over_best(diverse, rel, None, alpha, lambda rank: beta ** (rank - 1))
