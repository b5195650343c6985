"""What metrics of subtopics share: gains that shrink with what was seen, and their best."""

from __future__ import annotations

from collections.abc import Callable
from typing import Annotated

import numpy as np
from pydantic import Field

from scorer.core.arrays import Floats
from scorer.metrics.quotient import Quotient, Table
from scorer.views.diverse import Diverse, Facets

HALF = 0.5
DEEPEST = 1_000_000

Redundancy = Annotated[
    float,
    Field(
        ge=0,
        le=1,
        description="The share of its gain that a subtopic loses with each item that has it.",
    ),
]
Shallow = Annotated[
    int,
    Field(
        strict=True,
        ge=1,
        le=DEEPEST,
        description="Look at the first k ranks only; a positive whole number.",
    ),
]
PEERS = {"cutoff": {"*": "k"}}


def gained(facets: Facets, alpha: float, weight: Callable[[Floats], Floats]) -> Floats:
    """The sum over ranks of the gain there, by a weight of the rank.

    `weight` makes weights of ranks, of the same shape; `alpha` is the share of its gain that a
    subtopic loses with each item that has it. The result has shape (lists,).
    """
    return facets.total(gains(facets, alpha, weight))


def limit(subtopics: Floats, alpha: float, weights: Floats) -> Floats:
    """The gain of a list whose every item is relevant to every subtopic.

    `subtopics`, shape (lists,), is the number of subtopics of each list with a relevant item;
    `weights`, shape (k,), is of the ranks from 1 to k. The result has shape (lists,).
    """
    gain = (1 - alpha) ** np.arange(weights.size, dtype=np.float64)
    limits: Floats = subtopics * float((gain * weights).sum())
    return limits


def logarithmic(rank: Floats) -> Floats:
    """The discount of DCG."""
    discount: Floats = 1 / np.log2(rank + 1)
    return discount


def reciprocal(rank: Floats) -> Floats:
    """The discount of ERR."""
    return 1 / rank


def quotient(
    view: Diverse, facets: Facets, weight: Floats, whole: Floats, says: str, factor: float = 1.0
) -> Quotient:
    """The sum of `weight` over each list's facets, times `factor`, over `whole`.

    `facets` and `weight`, shape (facets,), are of the relevant subtopics of the hits down to the
    cut-off; `whole`, shape (lists,), is 0 where no subtopic has a relevant item; `factor`
    multiplies every sum.
    """

    def table() -> Table:
        hits = view.judged.hits
        size = int(hits.rank.max(initial=0)) + 1
        added = np.bincount(facets.rank, weight * factor, size)[hits.rank]
        new = np.bincount(facets.rank, minlength=size)[hits.rank]
        return hits, {"subtopics": new, "adds": added, "running total": np.cumsum(added)}

    return Quotient(
        facets.total(weight) * factor,
        whole,
        says,
        table,
        undefined="No subtopic has a relevant item",
    )


def over_best(
    view: Diverse,
    rel: float,
    k: int | None,
    alpha: float,
    weight: Callable[[Floats], Floats],
    says: str = "gain / gain of the best order",
) -> Quotient:
    """The gain of each list down to rank k over the gain of the best order of its judged items."""
    facets, ideal = view.hit_facets(rel).top(k), view.best_order(rel, alpha, k)
    whole = gained(ideal, alpha, weight)
    return quotient(view, facets, gains(facets, alpha, weight), whole, says)


def gains(facets: Facets, alpha: float, weight: Callable[[Floats], Floats]) -> Floats:
    """The gain of each subtopic of an item, by a weight of the item's rank.

    As in `gained`. The result has shape (facets,).
    """
    return facets.gain(alpha) * weight(facets.rank.astype(np.float64))


def restricted(view: Diverse, judged_only: bool) -> Diverse:
    """The lists, without the unjudged items if `judged_only`."""
    return view.only_judged() if judged_only else view
