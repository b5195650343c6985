"""Coverage of the catalogue."""

import numpy as np

from scorer.metrics.base import metric
from scorer.metrics.explain.steps import Steps, formula
from scorer.metrics.explain.tables import Listing, catalogued
from scorer.metrics.params import Catalogued, Cutoff
from scorer.metrics.statistic import Unbootstrappable
from scorer.views.pooled import Statistics
from scorer.views.returned import Returned


def _figure(statistics: Statistics, *, catalogue: int, **_: object) -> float:
    return np.unique(statistics.rows).size / catalogue


def _explain(listing: Listing[Returned], value: float, *, k: int, catalogue: int) -> Steps:
    items = catalogued(listing, k)
    yield items
    count, symbols = len(set(items.items)), "|items| / catalogue"
    yield formula("CatalogueCoverage", symbols, "{} / {}", count, catalogue, value=value)


@metric(
    "CatalogueCoverage",
    title="Coverage of the catalogue",
    source="Ge, Delgado-Battenfeld and Jannach, RecSys 2010, doi:10.1145/1864708.1864761",
    elsewhere={
        "Elliot": "ItemCoverage; the count alone",
    },
    formula=r"\frac{u}{$catalogue}, \qquad u = \text{different items at the first $k ranks of "
    r"all lists}",
    aggregate="pooled",
    aliases=("CatalogCoverage",),
    settle={"catalogue": lambda constants: constants.catalogue},
    statistic=Unbootstrappable(
        _figure, "a draw of lists holds fewer different items than the lists do"
    ),
    needs=("items",),
    explain=_explain,
)
def cataloguecoverage(
    returned: Returned, *, k: Cutoff, catalogue: Catalogued | None = None
) -> Statistics:
    """The share of all items that at least one list recommends in its first k ranks.

    All items are those of the challenge's `items`. Elliot's ItemCoverage is the
    count alone; others divide by the items of the training set, or take every
    item that could be predicted at all (prediction coverage).

    Two lists recommend a and b, and a; of four items:

    >>> returned = Returned.of((["a", "b"], {}), (["a"], {}), users=dict.fromkeys("abcd", 1))
    >>> statistics = cataloguecoverage(returned, k=2)
    >>> figure = cataloguecoverage.__scorer__.statistic.figure
    >>> figure(statistics, catalogue=4)      # {a, b} / 4
    0.5
    """
    return returned.top(k).spread()
