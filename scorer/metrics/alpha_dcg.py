"""Alpha discounted cumulative gain."""

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
    view: Diverse, k: int, alpha: float, rel: float, normalize: bool, judged_only: bool
) -> tuple[Floats, Floats]:
    """What a list gains, and what it is divided by."""
    view = view.only_judged() if judged_only else view
    gained = diversity.gained(view.found(rel).top(k), alpha, diversity.logarithmic)
    subtopics = view.subtopics(rel)
    ranks = np.arange(1, k + 1, dtype=np.float64)
    if not normalize:
        return gained, np.where(subtopics > 0, 1.0, 0.0)
    return gained, diversity.limit(subtopics, alpha, diversity.logarithmic(ranks))


def _explain(
    one: Listing[Diverse],
    value: float,
    *,
    k: int,
    alpha: float,
    rel: float,
    normalize: bool,
    judged_only: bool,
) -> Steps:
    view = one.view.only_judged() if judged_only else one.view
    facets = view.found(rel).top(k)
    weight = facets.gain(alpha) * diversity.logarithmic(facets.rank.astype(np.float64))
    gained, whole = _parts(one.view, k, alpha, rel, normalize, judged_only)
    parts = ("gain / gain of the limit", float(gained[0]), float(whole[0]))
    yield from diversity.explained("alpha_DCG", one, facets, weight, parts, value, k, judged_only)


@metric(
    "alpha_DCG",
    title="Alpha discounted cumulative gain",
    source="Clarke et al., SIGIR 2008, doi:10.1145/1390334.1390446; scaled as TREC's ndeval",
    range=(0, None),
    aliases=("α_DCG",),
    peers=diversity.PEERS,
    explain=_explain,
)
def alpha_dcg(
    diverse: Diverse,
    *,
    k: diversity.Shallow,
    alpha: diversity.Redundancy = diversity.HALF,
    rel: Relevant = 1,
    normalize: bool = True,
    judged_only: bool = False,
) -> Floats:
    """The discounted gain of new subtopics, over that of items relevant to every subtopic.

    A subtopic that an item is relevant to gains (1 - alpha)^c, c being the items
    above with the same subtopic; the item's gains are divided by log2(rank + 1).
    The sum is divided by what k items that are relevant to all subtopics would
    gain, as ndeval and ir_measures do it ("collection-independent"); the paper
    does not (`normalize=false`). ndeval forgets the division at k = 1, so that its
    alpha-DCG@1 can exceed 1. A subtopic counts where it has a relevant item;
    where none has, the value is undefined.

    a is relevant to subtopics 1 and 2, b to 1; returned b, a:

    >>> truth = {"a": {"1": 1, "2": 1}, "b": {"1": 1}}
    >>> diverse = Diverse.of((["b", "a"], truth))
    >>> alpha_dcg(diverse, k=2, normalize=False).round(6)      # 1 + (1/2 + 1) / log2(3)
    array([1.946395])
    >>> alpha_dcg(diverse, k=2).round(6)                       # over 2 * (1 + 1/2 / log2(3))
    array([0.739812])
    """
    return ratio(*_parts(diverse, k, alpha, rel, normalize, judged_only))
