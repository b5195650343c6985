"""Novelty: how little known the recommended items are."""

from typing import Annotated, Any, Literal

import numpy as np
from pydantic import Field, Strict

from scorer.core.arrays import Floats
from scorer.core.errors import ChallengeError
from scorer.metrics.base import metric
from scorer.metrics.params import Cutoff
from scorer.metrics.quotient import Quotient
from scorer.views.returned import Returned


def _needs(params: Any) -> tuple[str, ...]:
    users = params["base"] == "users" and params["users"] is None
    return ("history",) if users else ("history or items.users",)


@metric(
    "Novelty",
    title="Novelty (mean self-information)",
    source="Zhou et al., PNAS 107(10), 2010, doi:10.1073/pnas.1000488107",
    elsewhere={
        "RankSys": "free discovery",
        "Elliot": "EFD; with base=interactions, and weighed by rank and relevance",
    },
    formula=r"-\frac{1}{m} \sum_{i=1}^{m} \log_2(\frac{\max(u_i, 1)}{N}), \qquad m = \min($k, "
    r"n), \qquad u_i = \text{past users, or interactions, of the item at rank } i, "
    r"\qquad N = \text{all past users, or interactions}",
    undefined="nothing is returned",
    range=(0, None),
    settle={"users": lambda constants: constants.users},
    needs=_needs,
)
def novelty(
    returned: Returned,
    *,
    k: Cutoff,
    base: Annotated[
        Literal["users", "interactions"],
        Field(description="Shares of the past users, or of all (user, item) pairs of the past."),
    ] = "users",
    users: Annotated[
        int,
        Strict(),
        Field(ge=1, description="How many past users there are; settled by the history's lists."),
    ]
    | None = None,
) -> Quotient:
    """How surprising it is that anybody knows the recommended items, in bits.

    The mean over a list's first k items of -log2 of the share of past users
    that know the item (`base=users`, as Zhou et al. and RankSys's free
    discovery) or of the share of past interactions that were with it
    (`base=interactions`, as Elliot's EFD and Microsoft's recommenders). How
    many know an item is counted from the challenge's `history`, and without one
    it is the column `users` of its `items`; how many users there were must then
    be given (`users=`). An item that nobody knows counts as if one user did.
    EFD weighs by rank and relevance as well, and Microsoft's averages over all
    recommendations instead of list by list.

    Of 8 past users 4 know a, 1 knows b, nobody knows c:

    >>> returned = Returned.of((["a", "b", "c"], {}), users={"a": 4, "b": 1, "c": 0})
    >>> novelty(returned, k=2, users=8).values                   # (1 + 3) / 2
    array([2.])
    >>> novelty(returned, k=3, users=8).values.round(4)          # (1 + 3 + 3) / 3
    array([2.3333])
    """
    top_items = returned.top(k)
    known_to, past = _known_to(returned, base, users)
    if base == "users" and users is not None and known_to.max() > users:
        most = f"an item is known to {known_to.max():,.12g} past users"
        raise ChallengeError(f"Novelty: there cannot be {users:,} past users where {most}")
    bits = -np.log2(known_to[top_items.item] / past)
    columns = {"known to": known_to[top_items.item], "-log2 of the share": bits}
    note = f"The past has {past:,.12g} {base}; what nobody knows counts as known to one."
    return Quotient(
        top_items.total(bits),
        top_items.total(),
        "sum / items",
        lambda: (top_items, columns | {"running total": np.cumsum(bits)}),
        notes=lambda: [note],
    )


def _known_to(returned: Returned, base: str, users: int | None) -> tuple[Floats, float]:
    """How many users, or interactions, each item of the catalogue has, and their total."""
    past = returned.catalogue.users.sum() if base == "interactions" else users
    return np.maximum(returned.catalogue.users, 1.0), float(past or 0)
