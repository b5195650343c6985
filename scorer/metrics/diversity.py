"""What metrics of subtopics share: gains that shrink with what was seen, and their best."""

from __future__ import annotations

from collections.abc import Callable
from typing import Annotated, Any, NamedTuple

import numpy as np
from pydantic import Field

from scorer.core.arrays import Floats
from scorer.metrics.explain.steps import Sentence, Steps, formula
from scorer.metrics.explain.tables import Listing, only_judged, ranked_table
from scorer.views.diverse import Diverse, Facets
from scorer.views.hits import Judged, ratio

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

    Args:
        facets: the relevant subtopics of the items.
        alpha: the share of its gain that a subtopic loses with each item that has it.
        weight: from ranks to their weights, of the same shape.

    Returns:
        Shape (lists,).
    """
    return facets.total(gains(facets, alpha, weight))


def limit(subtopics: Floats, alpha: float, weights: Floats) -> Floats:
    """The gain of a list whose every item is relevant to every subtopic.

    Args:
        subtopics: shape (lists,): how many subtopics of each list have a relevant item.
        alpha: the share of its gain that a subtopic loses with each item that has it.
        weights: shape (k,): of the ranks from 1 to k.

    Returns:
        Shape (lists,).
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


class Quotient(NamedTuple):
    """What the hits of each list add, and what it is divided by."""

    facets: Facets  # of the hits, down to the cut-off
    weight: Floats  # what each of these adds
    whole: Floats  # of each list
    factor: float = 1.0  # of every sum

    @property
    def gained(self) -> Floats:
        """The sum of each list's hits."""
        return self.facets.total(self.weight) * self.factor

    @property
    def values(self) -> Floats:
        """The quotient of each list; NaN where no subtopic has a relevant item."""
        return ratio(self.gained, self.whole)


def gains(facets: Facets, alpha: float, weight: Callable[[Floats], Floats]) -> Floats:
    """The gain of each subtopic of an item, by a weight of the item's rank.

    Args:
        facets: the relevant subtopics of the items.
        alpha: the share of its gain that a subtopic loses with each item that has it.
        weight: from ranks to their weights, of the same shape.

    Returns:
        Shape (facets,).
    """
    return facets.gain(alpha) * weight(facets.rank.astype(np.float64))


def restricted(view: Diverse, judged_only: bool) -> Diverse:
    """The lists, without the unjudged items if `judged_only`."""
    return view.only_judged() if judged_only else view


def of_quotient(name: str, symbols: str, quotient: Callable[..., Quotient]) -> dict[str, Any]:
    """Arguments of `metric` for a measure that is a quotient of sums over subtopics.

    Args:
        name: the metric's.
        symbols: what is divided, in words.
        quotient: from the lists and the metric's parameters to the quotient; `k` is the cut-off,
            and with `judged_only` what nobody judged is left out.
    """

    def explain(listing: Listing[Diverse], value: float, **params: Any) -> Steps:
        of_list = quotient(listing.view, **params)
        parts = symbols, float(of_list.gained[0]), float(of_list.whole[0])
        left_out, k = params.get("judged_only", False), params.get("k")
        weight = of_list.weight * of_list.factor
        yield from _explained(name, listing, of_list.facets, weight, parts, value, k, left_out)

    return {"peers": PEERS, "explain": explain}


def _explained(
    name: str,
    listing: Listing[Diverse],
    facets: Facets,
    weight: Floats,
    parts: tuple[str, float, float],
    value: float,
    k: int | None,
    judged_only: bool,
) -> Steps:
    """The list with what each hit adds, and the quotient that is the value.

    Args:
        name: the metric's.
        listing: the list.
        facets: of its hits, down to k.
        weight: what each of these adds.
        parts: what is divided, in symbols, and the two numbers.
        value: the value.
        k: the cut-off.
        judged_only: whether what nobody judged is left out.
    """
    symbols, part, whole = parts
    if value != value:
        yield Sentence(f"No subtopic has a relevant item, so {name} is undefined.")
        return
    judged: Listing[Judged] = only_judged(Listing(listing.view.judged, listing.names), judged_only)
    hits = judged.view.hits.top(k)
    added = np.bincount(facets.rank, weight, int(hits.rank.max(initial=0)) + 1)[hits.rank]
    new = np.bincount(facets.rank, minlength=int(hits.rank.max(initial=0)) + 1)[hits.rank]
    columns = {"subtopics": new, "adds": added, "running total": np.cumsum(added)}
    yield ranked_table(judged, hits, columns, k)
    yield formula(name, symbols, "{} / {}", part, whole, value=value)
