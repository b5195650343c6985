"""Intra-list distance."""

import numpy as np

from scorer.core.arrays import Floats
from scorer.metrics.base import metric
from scorer.metrics.explain.steps import Steps, formula, grid
from scorer.metrics.explain.tables import Listing
from scorer.metrics.params import Cutoff, Distance, distances
from scorer.views.hits import ratio
from scorer.views.returned import Returned


def _explain(listing: Listing[Returned], value: float, *, k: int, distance: str) -> Steps:
    top_items, names = listing.view.top(k), listing.names.returned
    pairs = [(f, s) for rows in top_items.pairs() for f, s in zip(*rows, strict=True)]
    features = listing.view.catalogue.features[top_items.item]
    first, second = np.array(pairs, dtype=np.int64).reshape(-1, 2).T
    far = distances(features[first], features[second], distance)
    columns = {"one": [names[n] for n in first], "another": [names[n] for n in second]}
    yield grid(f"All pairs of the first {k:,} items", {**columns, f"{distance} distance": far})
    yield formula("ILD", "sum / pairs", "{} / {}", far.sum(), far.size, value=value)


@metric(
    "ILD",
    title="Intra-list distance",
    source="Smyth and McClave, ICCBR 2001; Ziegler et al., WWW 2005, doi:10.1145/1060745.1060754",
    formula=r"\frac{2}{m (m - 1)} \sum_{i=1}^{m} \sum_{j=i+1}^{m} d_{i,j}, \qquad m = "
    r"\min($k, n), \qquad d_{i,j} = \text{distance of the features at ranks } i "
    r"\text{ and } j",
    undefined="fewer than two items are returned",
    range=(0, 2),
    needs=("items.features",),
    explain=_explain,
)
def ild(returned: Returned, *, k: Cutoff, distance: Distance = "cosine") -> Floats:
    """How different a list's first k items are from one another.

    The mean distance over all pairs of them, by the feature columns of the
    challenge's `items`. Ziegler's intra-list similarity is a sum and grows with
    the list; RankSys weighs pairs by rank and relevance where asked to. An item
    without features is at cosine distance 1 from all, as in scikit-learn; two
    such items are at Jaccard distance 0. Fewer than two items: undefined.

    a and b are comedies, c is a thriller:

    >>> features = {"a": [1, 0], "b": [1, 0], "c": [0, 1]}
    >>> returned = Returned.of((["a", "b", "c"], {}), (["a"], {}), features=features)
    >>> ild(returned, k=10).round(4)                             # (0 + 1 + 1) / 3
    array([0.6667,    nan])
    """
    top_items = returned.top(k)
    features = returned.catalogue.features[top_items.item]
    distance_sums, pairs = np.zeros(top_items.lists), np.zeros(top_items.lists)
    for first, second in top_items.pairs():
        far = distances(features[first], features[second], distance)
        distance_sums += np.bincount(top_items.in_list[first], far, top_items.lists)
        pairs += np.bincount(top_items.in_list[first], minlength=top_items.lists)
    return ratio(distance_sums, pairs)
