"""Novelty- and rank-biased precision."""

from scorer.core.arrays import Floats
from scorer.metrics import diversity
from scorer.metrics.base import metric
from scorer.metrics.explain.steps import Steps
from scorer.metrics.explain.tables import Listing
from scorer.metrics.params import Persistence, Relevant
from scorer.views.diverse import Diverse
from scorer.views.hits import ratio


def _parts(view: Diverse, alpha: float, beta: float, rel: float) -> tuple[Floats, Floats]:
    """What a list gains, and what it is divided by."""
    gained = diversity.gained(view.found(rel), alpha, lambda rank: beta ** (rank - 1))
    return gained * (1 - (1 - alpha) * beta), view.subtopics(rel)


def _explain(
    one: Listing[Diverse], value: float, *, alpha: float, beta: float, rel: float
) -> Steps:
    view = one.view
    facets = view.found(rel)
    weight = facets.gain(alpha) * beta ** (facets.rank - 1.0) * (1 - (1 - alpha) * beta)
    gained, whole = _parts(one.view, alpha, beta, rel)
    parts = ("gain / subtopics", float(gained[0]), float(whole[0]))
    yield from diversity.explained("NRBP", one, facets, weight, parts, value, None)


@metric(
    "NRBP",
    title="Novelty- and rank-biased precision",
    source="Clarke et al., ICTIR 2009, doi:10.1007/978-3-642-04417-5_17; as TREC's ndeval",
    peers=diversity.PEERS,
    explain=_explain,
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
    return ratio(*_parts(diverse, alpha, beta, rel))
