"""Alpha normalised discounted cumulative gain."""

import numpy as np

from scorer.core.arrays import Floats
from scorer.metrics import diversity
from scorer.metrics.base import metric
from scorer.metrics.explain.steps import Steps
from scorer.metrics.explain.tables import Listing
from scorer.metrics.params import Relevant
from scorer.views.diverse import Diverse
from scorer.views.hits import ratio


def _parts(
    view: Diverse, k: int, alpha: float, rel: float, judged_only: bool
) -> tuple[Floats, Floats]:
    """What a list gains, and what it is divided by."""
    view = view.only_judged() if judged_only else view
    gained = diversity.gained(view.found(rel).top(k), alpha, diversity.logarithmic)
    return gained, diversity.gained(view.best(rel, alpha, k), alpha, diversity.logarithmic)


def _explain(
    one: Listing[Diverse], value: float, *, k: int, alpha: float, rel: float, judged_only: bool
) -> Steps:
    view = one.view.only_judged() if judged_only else one.view
    facets = view.found(rel).top(k)
    weight = facets.gain(alpha) * diversity.logarithmic(facets.rank.astype(np.float64))
    gained, whole = _parts(one.view, k, alpha, rel, judged_only)
    parts = ("alpha-DCG / that of the best order", float(gained[0]), float(whole[0]))
    yield from diversity.explained("alpha_nDCG", one, facets, weight, parts, value, k, judged_only)


@metric(
    "alpha_nDCG",
    title="Alpha normalised discounted cumulative gain",
    source="Clarke et al., SIGIR 2008, doi:10.1145/1390334.1390446; as TREC's ndeval",
    range=(0, None),
    aliases=("α_nDCG",),
    peers=diversity.PEERS,
    explain=_explain,
)
def alpha_ndcg(
    diverse: Diverse,
    *,
    k: diversity.Shallow,
    alpha: diversity.Redundancy = diversity.HALF,
    rel: Relevant = 1,
    judged_only: bool = False,
) -> Floats:
    """The discounted gain of new subtopics, over that of the best order of the judged items.

    The gains are those of `alpha_DCG`. The best order puts at each rank the item
    that gains the most there; ties go by item id downwards, as in ndeval and
    ir_measures. To find the very best order is NP-hard, so that a list may exceed 1.

    a is relevant to subtopics 1 and 2, b to 1; returned b, a:

    >>> truth = {"a": {"1": 1, "2": 1}, "b": {"1": 1}}
    >>> diverse = Diverse.of((["b", "a"], truth))
    >>> alpha_ndcg(diverse, k=2).round(6)      # (1 + 1.5 / log2(3)) / (2 + 0.5 / log2(3))
    array([0.840606])
    """
    return ratio(*_parts(diverse, k, alpha, rel, judged_only))
