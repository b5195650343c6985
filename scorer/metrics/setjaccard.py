"""Jaccard coefficient of sets."""

from typing import Annotated, Literal

import numpy as np
from pydantic import Field

from scorer.metrics.base import metric
from scorer.metrics.params import Pooling, Relevant
from scorer.metrics.quotient import NOTHING_RELEVANT, Quotient, found
from scorer.metrics.statistic import Share
from scorer.views.hits import Judged

Empty = Annotated[
    Literal["one", "skip"],
    Field(
        description="The value of a list without a relevant item: 1 where nothing is returned and "
        "0 elsewhere, or none."
    ),
]


@metric(
    "SetJaccard",
    title="Jaccard coefficient of sets",
    source="Jaccard, New Phytologist 11(2), 1912",
    statistic=Share(),
)
def setjaccard(
    judged: Judged, *, rel: Relevant = 1, average: Pooling = "lists", empty: Empty = "skip"
) -> Quotient:
    """The relevant items that were returned, over all that are relevant or returned.

    A list without a relevant item has no value; with `empty=one` it has 1 where nothing was
    returned, as in rules that ask for empty answers, and 0 elsewhere. Then lists without rows in
    the truth stand in the public `lists`.

    Returned a, x; a, b and c are relevant:

    >>> setjaccard(Judged.of((["a", "x"], {"a": 1, "b": 1, "c": 1}))).values      # 1 / 4
    array([0.25])
    """
    count, relevant = judged.hits.count(rel), judged.ideal.count(rel)
    either = relevant + judged.returned - count
    if empty == "one" and average != "pooled":
        neither = (either == 0).astype(np.float64)
        count, either = count + neither, either + neither
    elif average != "pooled":
        either = either * (relevant > 0)
    return Quotient(
        count, either, "found / (R + n - found)", found(judged.hits, rel), relevant=rel,
        undefined=NOTHING_RELEVANT,
    )  # fmt: skip
