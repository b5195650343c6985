"""Entropy of how recommendations spread."""

import numpy as np

from scorer.metrics.base import metric
from scorer.metrics.explain.steps import Sentence, Steps, formula
from scorer.metrics.explain.tables import Listing, catalogued
from scorer.metrics.params import Cutoff
from scorer.metrics.statistic import Unbootstrappable
from scorer.views.pooled import Statistics
from scorer.views.returned import Returned


def _figure(statistics: Statistics, **_: object) -> float:
    times = np.unique(statistics.rows, return_counts=True)[1]
    if not times.size:
        return float("nan")
    share = np.sort(times) / times.sum()
    return float(-(share * np.log2(share)).sum()) + 0.0  # never -0


def _explain(listing: Listing[Returned], value: float, *, k: int) -> Steps:
    items = catalogued(listing, k)
    yield items
    if not items.items:
        yield Sentence("None is recommended, so Entropy is undefined.")
        return
    yield Sentence("In one list each of its n items is recommended once.")
    yield formula("Entropy", "log2(n)", "log2({})", len(items.items), value=value)


@metric(
    "Entropy",
    title="Entropy of how recommendations spread",
    source="Shani and Gunawardana, Recommender Systems Handbook, 2011, section 8.3.3",
    elsewhere={
        "Elliot": "ShannonEntropy",
    },
    formula=r"-\sum_{x \in X} q_x \log_2 q_x, \qquad X = \text{items at the first $k ranks of "
    r"all lists}, \qquad q_x = \text{share of item } x \text{ in them}",
    undefined="nothing is returned",
    range=(0, None),
    aggregate="pooled",
    statistic=Unbootstrappable(
        _figure, "a draw of lists repeats rare items, so that it is less even than the lists are"
    ),
    needs=("items",),
    explain=_explain,
)
def entropy(returned: Returned, *, k: Cutoff) -> Statistics:
    """How evenly the first k ranks of all lists spread over the items, in bits.

    The sum of -p log2 p, where p is an item's share of all recommendations: 0
    when it is always the same item, log2 n when all n items are recommended
    equally often. Libraries that take the natural logarithm say 0.693 times as much.

    a is recommended twice, b and c once:

    >>> lists = (["a", "b"], {}), (["a", "c"], {})
    >>> statistics = entropy(Returned.of(*lists, users=dict.fromkeys("abc", 1)), k=2)
    >>> figure = entropy.__scorer__.statistic.figure
    >>> figure(statistics)              # 1/2 * 1 + 2 * 1/4 * 2
    1.5
    """
    return returned.top(k).spread()
