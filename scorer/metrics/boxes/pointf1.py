"""F1 of points in boxes."""

from __future__ import annotations

from typing import Any

import numpy as np

from scorer.core.arrays import Floats, Mask
from scorer.metrics.base import metric
from scorer.metrics.boxes.boxf1 import counted, of_counts, settled
from scorer.metrics.boxes.overlap import Empty, boxes_shown
from scorer.metrics.explain.steps import Steps, formula
from scorer.metrics.explain.tables import Listing
from scorer.metrics.params import Beta, Pooling
from scorer.metrics.statistic import Sums
from scorer.views.boxes import Boxes, ClassBoxes
from scorer.views.pooled import Statistics


def _inside(pair: ClassBoxes) -> Mask:
    """Which points are taken by a true box: each box takes the first free one inside it."""
    middle = (pair.sent.corners[:, :2] + pair.sent.corners[:, 2:]) / 2
    taken = np.zeros(len(middle), dtype=bool)
    for corners in pair.true.corners:
        inside = ((corners[:2] < middle) & (middle < corners[2:])).all(axis=1) & ~taken
        if inside.any():
            taken[np.argmax(inside)] = True
    return taken[:, None]


def _explain(listing: Listing[Boxes], value: float, **_: Any) -> Steps:
    yield from boxes_shown(listing.view, _inside)
    yield formula("PointF1", "F of the points in boxes", "{}", value, value=value)


@metric(
    "PointF1",
    title="F1 of points in boxes",
    source="Kuzushiji Recognition, Kaggle 2019",
    formula=r"\frac{(1 + $beta^2) h}{$beta^2 t + p}, \qquad h = \text{true boxes with a "
    r"point}, \qquad t, p = \text{true boxes and submitted points}",
    undefined="with `empty=skip`, there is neither box nor point",
    statistic=Sums(of_counts),
    explain=_explain,
)
def pointf1(
    boxes: Boxes, *, average: Pooling = "pooled", beta: Beta = 1, empty: Empty = "one"
) -> Floats | Statistics:
    """The F measure of points that lie inside a true box of their class and image.

    A submission gives points, `each: [class, x, y]`, or boxes, whose middle counts; the truth
    boxes. Each true box takes one point, the first by score, then as they are written; points on
    its edge are outside. The counts of all images make one value; with `average=lists`
    it is the mean of the images' own, where one without any in either has 1.

    One of two points is inside the only box:

    >>> parts = dict(each=("class", "x", "y"), truth=("class", "x", "y", "w", "h"))
    >>> pointf1(Boxes.of_cells(("a 3 3 a 20 3", "a 0 0 9 9"), **parts), average="lists").round(4)
    array([0.6667])
    """
    return settled(boxes, counted(boxes, 1, _inside), average, "f", beta, empty)
