"""Novelty- and rank-biased precision."""

from scorer.core.arrays import Floats
from scorer.metrics import diversity
from scorer.metrics.base import metric
from scorer.metrics.params import Persistence, Relevant
from scorer.views.diverse import Diverse


def _quotient(view: Diverse, alpha: float, beta: float, rel: float) -> diversity.Quotient:
    facets = view.hit_facets(rel)
    return diversity.Quotient(
        facets,
        diversity.gains(facets, alpha, lambda rank: beta ** (rank - 1)),
        view.subtopics(rel),
        1 - (1 - alpha) * beta,
    )


@metric(
    "NRBP",
    title="Novelty- and rank-biased precision",
    source="Clarke et al., ICTIR 2009, doi:10.1007/978-3-642-04417-5_17; as TREC's ndeval",
    **diversity.of_quotient("NRBP", "gain / subtopics", _quotient),
)
def nrbp(
    diverse: Diverse,
    *,
    alpha: diversity.Redundancy = diversity.HALF,
    beta: Persistence = diversity.HALF,
    rel: Relevant = 1,
) -> Floats:
    """The gain of new subtopics for a reader who goes on with chance beta each time.

    The gain of rank i, as in `alpha_DCG`, weighs beta^(i - 1). The sum is
    multiplied by 1 - (1 - alpha) beta and divided by the number of subtopics,
    so that a list whose every item is relevant to all of them comes to 1.

    a is relevant to subtopics 1 and 2, b to 1; returned b, a:

    >>> truth = {"a": {"1": 1, "2": 1}, "b": {"1": 1}}
    >>> diverse = Diverse.of((["b", "a"], truth))
    >>> nrbp(diverse)                          # 3/4 * (1 + 1.5 / 2) / 2
    array([0.65625])
    """
    return _quotient(diverse, alpha, beta, rel).values
