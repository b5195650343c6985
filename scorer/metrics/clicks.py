"""Clicks until something relevant is seen."""

from typing import Annotated

import numpy as np
from pydantic import Field, Strict

from scorer.core.arrays import Floats
from scorer.metrics.base import metric
from scorer.metrics.explain.steps import Sentence, Steps, formula, summed
from scorer.metrics.explain.tables import Listing, first, ranked_table
from scorer.metrics.params import Relevant
from scorer.views.hits import Judged

Page = Annotated[int, Strict(), Field(ge=1, description="How many items are seen at once.")]
Never = Annotated[
    float, Field(ge=0, description="The value of a list in which nothing relevant comes.")
]


def _explain(
    listing: Listing[Judged], value: float, *, page: int, none: float, rel: float
) -> Steps:
    hits = listing.view.hits.relevant(rel)
    yield ranked_table(listing, hits, {"relevant": np.ones(hits.rank.size)})
    ranks = list(first(hits, None)) if hits.rank.size else []
    if not ranks:
        yield Sentence("Nothing relevant stands there.")
        yield formula("Clicks", "none", "{}", none, value=value)
    elif len(ranks) == 1:
        symbols, numbers = "floor((first relevant rank - 1) / page)", "floor(({} - 1) / {})"
        yield formula("Clicks", symbols, numbers, ranks[0][0], page, value=value)
    else:
        terms = (chance * ((rank - 1) // page) for rank, chance in ranks)
        yield summed("Clicks", "sum of chance * floor((rank - 1) / page)", "{}", terms, value)


@metric(
    "Clicks",
    title="Clicks until something relevant is seen",
    source="Chen et al., RecSys Challenge 2018, RecSys 2018, doi:10.1145/3240323.3240342",
    formula=r"[h_n \ge 1] \left\lfloor \frac{f - 1}{$page} \right\rfloor + [h_n = 0] \cdot $none, "
    r"\qquad f = \text{rank of the first relevant item}",
    range=(0, None),
    better="lower",
    expected=True,
    explain=_explain,
)
def clicks(judged: Judged, *, page: Page = 10, none: Never = 51.0, rel: Relevant = 1) -> Floats:
    """How often the reader asks for the next page before the first relevant item is seen.

    floor((first relevant rank - 1) / page), and `none` where nothing relevant was
    returned: 51 after the 50 pages of the RecSys Challenge 2018, whose lists
    have 500 tracks.

    The first relevant item at rank 3, of pages of two; and none:

    >>> judged = Judged.of((["x", "y", "a"], {"a": 1}), (["x"], {"a": 1}))
    >>> clicks(judged, page=2)
    array([ 1., 51.])
    """
    saved = judged.hits.relevant(rel).first(lambda rank: none - np.floor((rank - 1) / page))
    return none - saved
