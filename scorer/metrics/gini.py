"""Gini index of how recommendations spread."""

import numpy as np

from scorer.metrics.base import metric
from scorer.metrics.explain.steps import Sentence, Steps, formula
from scorer.metrics.explain.tables import Listing, catalogued
from scorer.metrics.params import Catalogued, Cutoff
from scorer.metrics.statistic import Unbootstrappable
from scorer.views.pooled import Statistics
from scorer.views.returned import Returned


def _figure(statistics: Statistics, *, catalogue: int, **_: object) -> float:
    times = np.unique(statistics.rows, return_counts=True)[1]
    if catalogue < 2 or not times.size:
        return float("nan")
    place = np.arange(catalogue - times.size + 1, catalogue + 1)  # items never returned come first
    weight = (2 * place - catalogue - 1) * np.sort(times)
    return float(weight.sum() / times.sum() / (catalogue - 1))


def _explain(listing: Listing[Returned], value: float, *, k: int, catalogue: int) -> Steps:
    items = catalogued(listing, k)
    yield items
    n = len(items.items)
    if not n or catalogue < 2:
        yield Sentence("There is nothing to compare, so Gini is undefined.")
        return
    yield Sentence(
        f"In one list each of its n items is recommended once, the other {catalogue - n} never."
    )
    symbols, numbers = "(catalogue - n) / (catalogue - 1)", "({} - {}) / ({} - 1)"
    yield formula("Gini", symbols, numbers, catalogue, n, catalogue, value=value)


@metric(
    "Gini",
    title="Gini index of how recommendations spread",
    source="Shani and Gunawardana, Recommender Systems Handbook, 2011, section 8.3.3",
    elsewhere={
        "Elliot": "Gini; 1 less the value",
        "RankSys": "Gini; 1 less the value",
    },
    formula=r"\frac{\sum_{j=1}^{$catalogue} (2 j - $catalogue - 1) q_j}{$catalogue - 1}, "
    r"\qquad q_j = \text{share of the } j \text{-th least recommended item in the "
    r"first $k ranks of all lists}",
    undefined="nothing is returned, or there is one item alone",
    better="lower",
    aggregate="pooled",
    settle={"catalogue": lambda constants: constants.catalogue},
    statistic=Unbootstrappable(
        _figure, "a draw of lists repeats rare items, so that it is more unequal than the lists are"
    ),
    needs=("items",),
    explain=_explain,
)
def gini(returned: Returned, *, k: Cutoff, catalogue: Catalogued | None = None) -> Statistics:
    """How unequally the first k ranks of all lists spread over the catalogue.

    0: every item is recommended equally often; 1: it is always the same one.
    The sum of (2j - n - 1) p_j over the n items, from the least recommended to
    the most, divided by n - 1. Items that are never recommended count. Lower is
    better; Elliot and RankSys report 1 - Gini, and those that divide by n
    instead of n - 1 never reach 1. What insurers call the normalized Gini, of a
    ranking of risks, is `NormalizedGini`.

    a is recommended three times, b once, c never:

    >>> lists = (["a", "b"], {}), (["a"], {}), (["a"], {})
    >>> statistics = gini(Returned.of(*lists, users=dict.fromkeys("abc", 1)), k=2)
    >>> figure = gini.__scorer__.statistic.figure
    >>> figure(statistics, catalogue=3)    # (-2 * 0 + 0 * 1/4 + 2 * 3/4) / 2
    0.75
    """
    return returned.top(k).spread()
