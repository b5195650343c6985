"""What metrics of subtopics share: gains that shrink with what was seen, and their best."""

from __future__ import annotations

from collections.abc import Callable
from typing import Annotated

import numpy as np
from pydantic import Field

from scorer.core.arrays import Floats
from scorer.metrics.explain.steps import Sentence, Steps, formula
from scorer.metrics.explain.tables import Listing, only_judged, ranked_table
from scorer.views.diverse import Diverse, Facets
from scorer.views.hits import Judged

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
    """The sum over ranks of the gain there, by a weight of the rank."""
    return facets.total(facets.gain(alpha) * weight(facets.rank.astype(np.float64)))


def limit(subtopics: Floats, alpha: float, weights: Floats) -> Floats:
    """What a list would gain were every item relevant to every subtopic."""
    gain = (1 - alpha) ** np.arange(weights.size, dtype=np.float64)
    found: Floats = subtopics * float((gain * weights).sum())
    return found


def logarithmic(rank: Floats) -> Floats:
    """The discount of DCG."""
    found: Floats = 1 / np.log2(rank + 1)
    return found


def reciprocal(rank: Floats) -> Floats:
    """The discount of ERR."""
    return 1 / rank


def explained(
    name: str,
    one: Listing[Diverse],
    facets: Facets,
    weight: Floats,
    parts: tuple[str, float, float],
    value: float,
    k: int | None = None,
    judged_only: bool = False,
) -> Steps:
    """The list with what each hit adds, and the quotient that is the value.

    Args:
        name: the metric's.
        one: the list.
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
    judged: Listing[Judged] = only_judged(Listing(one.view.judged, one.names), judged_only)
    hits = judged.view.hits.top(k)
    added = np.bincount(facets.rank, weight, int(hits.rank.max(initial=0)) + 1)[hits.rank]
    new = np.bincount(facets.rank, minlength=int(hits.rank.max(initial=0)) + 1)[hits.rank]
    columns = {"subtopics": new, "adds": added, "running total": np.cumsum(added)}
    yield ranked_table(judged, hits, columns, k)
    yield formula(name, symbols, "{} / {}", part, whole, value=value)
