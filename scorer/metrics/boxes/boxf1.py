"""F1 of boxes."""

from __future__ import annotations

from collections.abc import Callable
from typing import Annotated, Any, Literal

import numpy as np
from pydantic import Field

from scorer.core.arrays import Floats, Mask
from scorer.metrics.base import metric
from scorer.metrics.boxes.overlap import Empty, boxes_shown, matches
from scorer.metrics.explain.steps import Steps, formula
from scorer.metrics.explain.tables import Listing
from scorer.metrics.params import Beta, Pooling
from scorer.metrics.statistic import Sums
from scorer.metrics.thresholds import Thresholds
from scorer.views.boxes import Boxes, ClassBoxes
from scorer.views.pooled import Statistics

Ratio = Annotated[
    Literal["f", "jaccard"],
    Field(
        description="f: the F measure of right boxes; jaccard: right ones over all that are right, "
        "too many or missed, which several Kaggle rules call precision."
    ),
]


def counted(boxes: Boxes, width: int, match: Callable[[ClassBoxes], Mask]) -> Floats:
    """Of each list the right boxes at each threshold, the submitted and the true ones.

    `match` gives the boxes of a class that are right, shape (boxes, width). The result has shape
    (lists, width + 2).
    """
    table = np.zeros((boxes.lists, width + 2))
    for pair in boxes.pairs():
        table[pair.in_list, :width] += match(pair).sum(axis=0)
        table[pair.in_list, width:] += pair.sent.code.size, pair.true.code.size
    return table


def ratio_of(table: Floats, ratio: str, beta: float, empty: str = "skip") -> Floats:
    """The mean over thresholds of the ratio, from rows of `counted`; of neither as `empty` says."""
    right, sent, true = table[:, :-2], table[:, -2:-1], table[:, -1:]
    part, whole = (1 + beta**2) * right, beta**2 * true + sent
    if ratio == "jaccard":
        part, whole = right, true + sent - right
    neither = 1.0 if empty == "one" else np.nan
    whole = np.broadcast_to(whole, part.shape)
    values = np.divide(part, whole, out=np.full(part.shape, neither), where=whole > 0)
    mean: Floats = values.mean(axis=1)
    return mean


def of_counts(sums: Floats, *, ratio: str = "f", beta: float = 1.0, **_: Any) -> Floats:
    """The value of all lists' counts together."""
    return ratio_of(sums, ratio, beta)


def settled(
    boxes: Boxes, table: Floats, average: str, ratio: str, beta: float, empty: str
) -> Floats | Statistics:
    """The value of each list, or if pooled the counts."""
    if average == "pooled":
        return Statistics(np.arange(boxes.lists, dtype=np.int64), table, boxes.lists)
    return ratio_of(table, ratio, beta, empty)


def _explain(
    listing: Listing[Boxes], value: float, *, iou: tuple[float, ...], ratio: str, **_: Any
) -> Steps:
    yield from boxes_shown(listing.view, lambda pair: matches(pair, iou))
    symbols = "mean over thresholds of " + ("F" if ratio == "f" else "right / all")
    yield formula("BoxF1", symbols, "{}", value, value=value)


@metric(
    "BoxF1",
    title="F1 of boxes",
    source="Global Wheat Detection, Kaggle 2020; Data Science Bowl, Kaggle 2018",
    formula=lambda params: (
        r"\frac{1}{\lvert Z \rvert} \sum_{z \in Z} \frac{(1 + $beta^2) h_z}{$beta^2 "
        r"t + p}, \qquad Z = $iou, \qquad h_z = \text{boxes that match at an "
        r"overlap of } z, \qquad t, p = \text{true and submitted boxes}"
        if params["ratio"] == "f"
        else r"\frac{1}{\lvert Z \rvert} \sum_{z \in Z} \frac{h_z}{t + p - h_z}, "
        r"\qquad Z = $iou, \qquad h_z = \text{boxes that match at an overlap of } "
        r"z, \qquad t, p = \text{true and submitted boxes}"
    ),
    undefined="with `empty=skip`, there is no box on either side",
    statistic=Sums(of_counts),
    explain=_explain,
)
def boxf1(
    boxes: Boxes,
    *,
    iou: Thresholds = (0.5,),
    average: Pooling = "lists",
    ratio: Ratio = "f",
    beta: Beta = 1,
    empty: Empty = "one",
) -> Floats | Statistics:
    """The F measure of boxes that match a true one of their class and image.

    A box matches by an intersection over union of at least `iou`; the surer ones choose
    first, each true box is matched once. The mean over thresholds is taken in each image, or
    with `average=pooled` of the counts of all. `iou: '0.5:0.75:0.05', ratio: jaccard` is the
    rule of Global Wheat Detection. An image without any box in either has 1, with
    `empty=skip` no value. Boxes of a class that the truth lacks are wrong.

    One of two boxes is right, of one true one:

    >>> boxf1(Boxes.of_cells(("a .9 0 0 9 9 a .4 5 5 9 9", "a 0 0 9 9"))).round(4)
    array([0.6667])
    """
    table = counted(boxes, len(iou), lambda pair: matches(pair, iou))
    return settled(boxes, table, average, ratio, beta, empty)
