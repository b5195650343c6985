"""Hits at k, as the Open Graph Benchmark counts them."""

import numpy as np

from scorer.core.arrays import Floats
from scorer.metrics.base import metric
from scorer.metrics.explain.steps import Sentence, Steps, formula
from scorer.metrics.explain.tables import Listing, nothing_relevant, ranked_table
from scorer.metrics.params import Cutoff, Relevant
from scorer.views import hits as views
from scorer.views.hits import Judged, ratio


def _positives(judged: Judged, k: int, rel: float) -> tuple[views.Hits, Floats]:
    """The positive items above the k-th negative, and how many items are above that one."""
    negative = judged.hits.where((judged.hits.grade >= 0) & (judged.hits.grade < rel))
    limit = np.full(judged.lists, np.inf)  # with fewer negatives every positive counts
    kth = negative.where(negative.nth() == k)
    limit[kth.in_list] = kth.before
    positive = judged.hits.relevant(rel)
    return positive.where(positive.before < limit[positive.in_list]), limit


def _explain(listing: Listing[Judged], value: float, *, k: int, rel: float) -> Steps:
    positives, limit = _positives(listing.view, k, rel)
    divisor = float(listing.view.ideal.count(rel)[0])
    if not divisor:
        yield nothing_relevant("Hits")
        return
    yield ranked_table(listing, positives, {"hit": np.ones(positives.rank.size)})
    if np.isinf(limit[0]):
        yield Sentence(f"Fewer than {k:,} negative items were returned.")
    else:
        yield Sentence(f"{int(limit[0]):,} items have a score above negative number {k:,}.")
    yield formula("Hits", "hits / positives", "{} / {}", positives.rank.size, divisor, value=value)


@metric(
    "Hits",
    title="Hits at k, against negatives",
    source="Hu et al., Open Graph Benchmark, NeurIPS 2020, arXiv:2005.00687",
    elsewhere={
        "Open Graph Benchmark": "hits@50",
    },
    formula=r"\frac{1}{R} \sum_{i=1}^{n} r_i [s_i > t], \qquad t = \text{score of the $k-th best "
    r"negative item}",
    undefined="no item of the truth is positive",
    mean_rank=True,
    explain=_explain,
)
def hits(judged: Judged, *, k: Cutoff, rel: Relevant = 1) -> Floats:
    """The share of the positive items whose score is above that of the k-th best negative.

    Positive items have a grade of `rel` or more, negative ones one from 0 to
    below it; what nobody judged is neither. A positive with the very score of
    the k-th negative is no hit. With fewer than k negatives every positive
    that was returned is one, as in the Open Graph Benchmark, where all edges are one list
    (ogbl-ppa, ogbl-collab, ogbl-ddi). In knowledge graphs Hits@k is something
    else, whether the true entity stands at the first k ranks: that is `Success`,
    with `ties: mean-rank` for the realistic rank.

    Positives a, b, c and negatives x, y; the second best negative is y:

    >>> truth = {"a": 1, "b": 1, "c": 1, "x": 0, "y": 0}
    >>> judged = Judged.of((["a", "x", "b", "y", "c"], truth))
    >>> hits(judged, k=2).round(6)                   # a and b, of 3
    array([0.666667])
    """
    positives, _ = _positives(judged, k, rel)
    return ratio(positives.total(), judged.ideal.count(rel))
