"""Normalised novelty- and rank-biased precision."""

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
    gained, best = (
        diversity.gained(facets, alpha, lambda rank: beta ** (rank - 1))
        for facets in (view.found(rel), view.best(rel, alpha, None))
    )
    return gained, best


def _explain(
    one: Listing[Diverse], value: float, *, alpha: float, beta: float, rel: float
) -> Steps:
    view = one.view
    facets = view.found(rel)
    weight = facets.gain(alpha) * beta ** (facets.rank - 1.0)
    gained, whole = _parts(one.view, alpha, beta, rel)
    parts = ("gain / gain of the best order", float(gained[0]), float(whole[0]))
    yield from diversity.explained("nNRBP", one, facets, weight, parts, value, None)


@metric(
    "nNRBP",
    title="Normalised novelty- and rank-biased precision",
    source="Clarke et al., ICTIR 2009, doi:10.1007/978-3-642-04417-5_17; as TREC's ndeval",
    range=(0, None),
    peers=diversity.PEERS,
    explain=_explain,
)
def nnrbp(
    diverse: Diverse,
    *,
    alpha: diversity.Redundancy = diversity.HALF,
    beta: Persistence = diversity.HALF,
    rel: Relevant = 1,
) -> Floats:
    """`NRBP` of a list over that of the best order of the judged items.

    The best order puts at each rank the item that gains the most there, as in
    `alpha_nDCG`.

    a is relevant to subtopics 1 and 2, b to 1; returned b, a:

    >>> truth = {"a": {"1": 1, "2": 1}, "b": {"1": 1}}
    >>> diverse = Diverse.of((["b", "a"], truth))
    >>> nnrbp(diverse).round(6)                # (1 + 1.5 / 2) / (2 + 0.5 / 2)
    array([0.777778])
    """
    return ratio(*_parts(diverse, alpha, beta, rel))
