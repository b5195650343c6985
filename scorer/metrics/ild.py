"""Intra-list distance."""

import numpy as np

from scorer.core.arrays import Floats
from scorer.metrics.base import metric
from scorer.metrics.explain.steps import Steps, formula, grid
from scorer.metrics.explain.tables import Listing
from scorer.metrics.params import Cutoff, Distance, distances
from scorer.views.hits import ratio
from scorer.views.returned import Returned


def _explain(one: Listing[Returned], value: float, *, k: int, distance: str) -> Steps:
    top, names = one.view.top(k), one.names.returned
    pairs = [(f, s) for rows in top.pairs() for f, s in zip(*rows, strict=True)]
    features = one.view.catalogue.features[top.item]
    first, second = np.array(pairs, dtype=np.int64).reshape(-1, 2).T
    far = distances(features[first], features[second], distance)
    columns = {"one": [names[n] for n in first], "another": [names[n] for n in second]}
    yield grid(f"All pairs of the first {k:,} items", {**columns, f"{distance} distance": far})
    yield formula("ILD", "sum / pairs", "{} / {}", far.sum(), far.size, value=value)


@metric(
    "ILD",
    title="Intra-list distance",
    source="Smyth and McClave, ICCBR 2001; Ziegler et al., WWW 2005, doi:10.1145/1060745.1060754",
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
    top = returned.top(k)
    features = returned.catalogue.features[top.item]
    apart, pairs = np.zeros(top.lists), np.zeros(top.lists)
    for first, second in top.pairs():
        far = distances(features[first], features[second], distance)
        apart += np.bincount(top.in_list[first], far, top.lists)
        pairs += np.bincount(top.in_list[first], minlength=top.lists)
    return ratio(apart, pairs)
