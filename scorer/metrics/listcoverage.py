"""Coverage of the lists."""

import numpy as np

from scorer.metrics.base import metric
from scorer.metrics.explain.steps import NamedItems, Steps, formula
from scorer.metrics.explain.tables import Listing
from scorer.metrics.statistic import Share
from scorer.views.pooled import Statistics
from scorer.views.returned import Returned


def _explain(listing: Listing[Returned], value: float) -> Steps:
    yield NamedItems("returned", listing.names.returned)
    answered = min(len(listing.names.returned), 1)
    yield formula("ListCoverage", "lists answered / lists", "{} / 1", answered, value=value)


@metric(
    "ListCoverage",
    title="Coverage of the lists",
    source="Shani and Gunawardana, Recommender Systems Handbook, 2011, section 8.3.3 (user space)",
    elsewhere={
        "Elliot": "UserCoverage; the count alone",
    },
    formula=r"\frac{a}{L}, \qquad a = \text{lists with at least one item}, \qquad L = "
    r"\text{lists}",
    undefined="there are no lists",
    aggregate="pooled",
    aliases=("UserCoverage",),
    expected=True,
    statistic=Share(),
    explain=_explain,
)
def listcoverage(returned: Returned) -> Statistics:
    """The share of the lists for which anything is returned.

    Below 1 only where the challenge accepts that lists are missing or empty.
    Shani and Gunawardana ask in addition for a minimum of items or confidence;
    Elliot's UserCoverage is the count alone.

    One of two lists is answered:

    >>> listcoverage(Returned.of((["a"], {}), ([], {}))).share()          # 1 / 2
    0.5
    """
    answered = np.minimum(returned.total(), 1.0)
    every = np.arange(returned.lists, dtype=np.int64)
    return Statistics(every, np.column_stack([answered, np.ones_like(answered)]), returned.lists)
