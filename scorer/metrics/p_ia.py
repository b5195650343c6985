"""Intent-aware precision."""

import numpy as np

from scorer.core.arrays import Floats
from scorer.metrics import diversity
from scorer.metrics.base import metric
from scorer.metrics.explain.steps import Steps
from scorer.metrics.explain.tables import Listing
from scorer.metrics.params import Cutoff, Relevant
from scorer.views.diverse import Diverse
from scorer.views.hits import ratio


def _parts(view: Diverse, k: int, rel: float, judged_only: bool) -> tuple[Floats, Floats]:
    """What a list gains, and what it is divided by."""
    view = view.only_judged() if judged_only else view
    return view.found(rel).top(k).total(), k * view.subtopics(rel)


def _explain(
    one: Listing[Diverse], value: float, *, k: int, rel: float, judged_only: bool
) -> Steps:
    view = one.view.only_judged() if judged_only else one.view
    facets = view.found(rel).top(k)
    weight = np.ones(facets.rank.size)
    gained, whole = _parts(one.view, k, rel, judged_only)
    parts = ("relevant subtopics of the items / (k × subtopics)", float(gained[0]), float(whole[0]))
    yield from diversity.explained("P_IA", one, facets, weight, parts, value, k, judged_only)


@metric(
    "P_IA",
    title="Intent-aware precision",
    source="Agrawal et al., WSDM 2009, doi:10.1145/1498759.1498766; as TREC's ndeval",
    peers=diversity.PEERS,
    explain=_explain,
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
    return ratio(*_parts(diverse, k, rel, judged_only))
