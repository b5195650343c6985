"""Serendipity: relevant and unexpected."""

from typing import Annotated, Any, Literal

import numpy as np
from pydantic import Field, Strict

from scorer.core.arrays import Floats, Ints
from scorer.metrics.base import metric
from scorer.metrics.params import Cutoff, Distance, Relevant, distances
from scorer.metrics.quotient import Quotient, Table
from scorer.views.returned import Returned


def _needs(params: Any) -> tuple[str, ...]:
    if params["expected"] == "history":
        return "history", "items.features"
    return ("history or items.users",)


@metric(
    "Serendipity",
    title="Serendipity",
    source="Ge, Delgado-Battenfeld and Jannach, RecSys 2010, doi:10.1145/1864708.1864761; "
    "with expected=history Zhang et al. (Auralist), WSDM 2012, doi:10.1145/2124295.2124300",
    formula=r"\frac{1}{$k} \sum_{i=1}^{$k} r_i e_i, \qquad e_i = \text{how unexpected the "
    r"item at rank } i \text{ is}",
    range=(0, 2),
    needs=_needs,
)
def serendipity(
    returned: Returned,
    *,
    k: Cutoff,
    expected: Annotated[
        Annotated[int, Strict(), Field(ge=1)] | Literal["history"],
        Field(
            description="What is expected: so many of the most popular items, such as 100, "
            "or what is like the list's history."
        ),
    ],
    distance: Distance = "cosine",
    rel: Relevant = 1,
) -> Quotient:
    """How many of the first k ranks hold an item that is relevant and yet unexpected.

    With a number, the items that most past users know are expected (equal
    counts in the order of their ids), and the value is the share of the k ranks
    with a relevant item that is none of them. Ge et al. leave open which
    primitive recommender sets the expectations; here it is popularity. With
    `expected=history` a relevant item counts by how unlike the items of the
    list's history it is: its mean `distance` from them by the feature columns,
    and fully where there is no history. Microsoft's recommenders compute that
    with a cosine of co-occurrence and divide by what was returned; a list
    shorter than k is divided by k here, as in P.

    a is known to most; a and b are relevant, c is not:

    >>> users, features = {"a": 9, "b": 2, "c": 1}, {"a": [1, 0], "b": [1, 1], "c": [0, 1]}
    >>> truth = {"a": 1, "b": 1}
    >>> lists = (["a", "b", "c"], truth)
    >>> returned = Returned.of(lists, users=users, features=features, history=[["a"]])
    >>> serendipity(returned, k=4, expected=1).values            # b / 4
    array([0.25])
    >>> serendipity(returned, k=4, expected="history").values.round(4)  # (0 + (1 - 1/sqrt(2))) / 4
    array([0.0732])
    """
    top_items = returned.top(k)
    relevant = top_items.where(top_items.grade >= rel)
    surprise = _surprise(returned, relevant, expected, distance)

    def table() -> Table:
        columns: dict[str, Floats | Ints] = {"grade": relevant.grade, "unexpected": surprise}
        if expected != "history":
            columns["place by popularity"] = returned.catalogue.popularity()[relevant.item]
        return relevant, columns

    known = f"is none of the {expected} most known"
    how = "is unlike the history" if expected == "history" else known
    note = f"A relevant item (grade {rel:g} or more) counts as far as it {how}."
    return Quotient(
        relevant.total(surprise), k, "sum of unexpected / k", table, notes=lambda: [note]
    )


def _surprise(returned: Returned, relevant: Returned, expected: int | str, distance: str) -> Floats:
    """How far each of the relevant items is unexpected, 0 to 1 or, by cosine, 2."""
    if not isinstance(expected, str):
        return (returned.catalogue.popularity()[relevant.item] > expected).astype(np.float64)
    features = returned.catalogue.features
    distance_sums, past = np.zeros(relevant.item.size), np.zeros(relevant.item.size)
    for row, item in relevant.past():
        distance_sums[row] += distances(features[relevant.item[row]], features[item], distance)
        past[row] += 1
    return np.divide(distance_sums, past, out=np.ones_like(distance_sums), where=past > 0)
