"""Intent-aware expected reciprocal rank."""

import numpy as np

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
    ranks = np.arange(1, k + 1, dtype=np.float64)
    limit = diversity.limit(view.subtopics(rel), diversity.HALF, diversity.reciprocal(ranks))
    return gained, limit


def _explain(
    one: Listing[Diverse], value: float, *, k: int, rel: float, judged_only: bool
) -> Steps:
    view = one.view.only_judged() if judged_only else one.view
    facets = view.found(rel).top(k)
    weight = facets.gain(diversity.HALF) / facets.rank
    gained, whole = _parts(one.view, k, rel, judged_only)
    parts = ("gain / gain of the limit", float(gained[0]), float(whole[0]))
    yield from diversity.explained("ERR_IA", one, facets, weight, parts, value, k, judged_only)


@metric(
    "ERR_IA",
    title="Intent-aware expected reciprocal rank",
    source="Chapelle et al., Information Retrieval 14(6), 2011; as TREC's ndeval",
    peers=diversity.PEERS,
    explain=_explain,
)
def err_ia(
    diverse: Diverse,
    *,
    k: diversity.Shallow,
    rel: Relevant = 1,
    judged_only: bool = False,
) -> Floats:
    """Expected reciprocal rank over subtopics, over that of items relevant to every subtopic.

    For each subtopic a reader is satisfied by a relevant item with chance 1/2, as
    `ERR` has it of two grades, and ends; subtopics count alike. It is divided
    by what k items that are relevant to all subtopics would have, as in ndeval
    and ir_measures; ndeval forgets that division at k = 1, so that its ERR-IA@1
    is that times the number of subtopics.

    a is relevant to subtopics 1 and 2, b to 1; returned b, a:

    >>> truth = {"a": {"1": 1, "2": 1}, "b": {"1": 1}}
    >>> diverse = Diverse.of((["b", "a"], truth))
    >>> err_ia(diverse, k=2)                   # (1 + (1/2 + 1) / 2) / (2 * (1 + 1/4))
    array([0.7])
    """
    return ratio(*_parts(diverse, k, rel, judged_only))
