"""Normalised intent-aware expected reciprocal rank."""

from scorer.core.arrays import Floats
from scorer.metrics import diversity
from scorer.metrics.base import metric
from scorer.metrics.explain.steps import Steps
from scorer.metrics.explain.tables import Listing
from scorer.metrics.params import Relevant
from scorer.views.diverse import Diverse
from scorer.views.hits import ratio


def _parts(view: Diverse, k: int, rel: float, judged_only: bool) -> tuple[Floats, Floats]:
    """What a list gains, and what it is divided by."""
    view = view.only_judged() if judged_only else view
    gained = diversity.gained(view.found(rel).top(k), diversity.HALF, diversity.reciprocal)
    best = view.best(rel, diversity.HALF, k)
    return gained, diversity.gained(best, diversity.HALF, diversity.reciprocal)


def _explain(
    one: Listing[Diverse], value: float, *, k: int, rel: float, judged_only: bool
) -> Steps:
    view = one.view.only_judged() if judged_only else one.view
    facets = view.found(rel).top(k)
    weight = facets.gain(diversity.HALF) / facets.rank
    gained, whole = _parts(one.view, k, rel, judged_only)
    parts = ("gain / gain of the best order", float(gained[0]), float(whole[0]))
    yield from diversity.explained("nERR_IA", one, facets, weight, parts, value, k, judged_only)


@metric(
    "nERR_IA",
    title="Normalised intent-aware expected reciprocal rank",
    source="Clarke et al., WSDM 2011, doi:10.1145/1935826.1935847; as TREC's ndeval",
    range=(0, None),
    peers=diversity.PEERS,
    explain=_explain,
)
def nerr_ia(
    diverse: Diverse,
    *,
    k: diversity.Shallow,
    rel: Relevant = 1,
    judged_only: bool = False,
) -> Floats:
    """Expected reciprocal rank over subtopics, over that of the best order of the judged items.

    As `ERR_IA`, divided by what the judged items have in the order in which each
    gains the most, as in ndeval and ir_measures; it is greedy, so that a list may
    exceed 1. Without subtopics it is `nERR` of two grades.

    a is relevant to subtopics 1 and 2, b to 1; returned b, a:

    >>> truth = {"a": {"1": 1, "2": 1}, "b": {"1": 1}}
    >>> diverse = Diverse.of((["b", "a"], truth))
    >>> nerr_ia(diverse, k=2).round(6)         # (1 + 1.5 / 2) / (2 + 0.5 / 2)
    array([0.777778])
    """
    return ratio(*_parts(diverse, k, rel, judged_only))
