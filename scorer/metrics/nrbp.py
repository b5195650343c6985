"""Novelty- and rank-biased precision."""

from scorer.metrics import diversity
from scorer.metrics.base import metric
from scorer.metrics.params import Persistence, Relevant
from scorer.metrics.quotient import Quotient
from scorer.views.diverse import Diverse


@metric(
    "NRBP",
    title="Novelty- and rank-biased precision",
    source="Clarke et al., ICTIR 2009, doi:10.1007/978-3-642-04417-5_17; as TREC's ndeval",
    elsewhere={
        "ndeval": "NRBP",
        "ir_measures": "NRBP",
    },
    formula=r"\frac{1 - (1 - $alpha) \cdot $beta}{S} \sum_{i=1}^{n} $beta^{i-1} "
    r"\sum_{s=1}^{S} r_{i,s} (1 - $alpha)^{c_{i,s}}, \qquad c_{i,s} = "
    r"\sum_{j=1}^{i-1} r_{j,s}",
    undefined="no subtopic has a relevant item",
    peers=diversity.PEERS,
)
def nrbp(
    diverse: Diverse,
    *,
    alpha: diversity.Redundancy = diversity.HALF,
    beta: Persistence = diversity.HALF,
    rel: Relevant = 1,
) -> Quotient:
    """The gain of new subtopics for a reader who goes on with chance beta each time.

    The gain of rank i, as in `alpha_DCG`, weighs beta^(i - 1). The sum is
    multiplied by 1 - (1 - alpha) beta and divided by the number of subtopics,
    so that a list whose every item is relevant to all of them comes to 1.

    a is relevant to subtopics 1 and 2, b to 1; returned b, a:

    >>> truth = {"a": {"1": 1, "2": 1}, "b": {"1": 1}}
    >>> diverse = Diverse.of((["b", "a"], truth))
    >>> nrbp(diverse).values                   # 3/4 * (1 + 1.5 / 2) / 2
    array([0.65625])
    """
    facets = diverse.hit_facets(rel)
    return diversity.quotient(
        diverse,
        facets,
        diversity.gains(facets, alpha, lambda rank: beta ** (rank - 1)),
        diverse.subtopics(rel),
        "gain / subtopics",
        1 - (1 - alpha) * beta,
    )
