"""Subtopic recall."""

import numpy as np

from scorer.core.arrays import Floats
from scorer.metrics import diversity
from scorer.metrics.base import metric
from scorer.metrics.explain.steps import Steps
from scorer.metrics.explain.tables import Listing
from scorer.metrics.params import Cutoff, Relevant
from scorer.views.diverse import Diverse
from scorer.views.hits import ratio


def _parts(view: Diverse, k: int | None, rel: float) -> tuple[Floats, Floats]:
    """What a list gains, and what it is divided by."""
    facets = view.found(rel).top(k)
    return facets.where(facets.before() == 0).total(), view.subtopics(rel)


def _explain(one: Listing[Diverse], value: float, *, k: int | None, rel: float) -> Steps:
    view = one.view
    facets = view.found(rel).top(k)
    weight = (facets.before() == 0).astype(np.float64)
    gained, whole = _parts(one.view, k, rel)
    parts = ("subtopics found / subtopics", float(gained[0]), float(whole[0]))
    yield from diversity.explained("StRecall", one, facets, weight, parts, value, k)


@metric(
    "StRecall",
    title="Subtopic recall",
    source="Zhai, Cohen and Lafferty, SIGIR 2003, doi:10.1145/860435.860440; as TREC's ndeval",
    aliases=("strec",),
    peers=diversity.PEERS,
    explain=_explain,
)
def strecall(
    diverse: Diverse,
    *,
    k: Cutoff | None = None,
    rel: Relevant = 1,
) -> Floats:
    """The share of the subtopics that a relevant item among the first k covers.

    A subtopic without a relevant item does not count. Undefined where there is none.

    a is relevant to subtopics 1 and 2, b to 1; returned b, a:

    >>> truth = {"a": {"1": 1, "2": 1}, "b": {"1": 1}}
    >>> diverse = Diverse.of((["b", "a"], truth))
    >>> strecall(diverse, k=1)                 # 1 of 2
    array([0.5])
    """
    return ratio(*_parts(diverse, k, rel))
