"""Dice coefficient of masks."""

from scorer.metrics.base import metric
from scorer.metrics.boxes.overlap import Empty, of_sizes
from scorer.metrics.params import Pooling
from scorer.metrics.quotient import Quotient
from scorer.metrics.statistic import Share
from scorer.views.masks import Masks


@metric(
    "Dice",
    title="Dice coefficient of masks",
    source="Dice, Ecology 26(3), 1945, doi:10.2307/1932409",
    elsewhere={
        "torchmetrics": "DiceScore",
    },
    formula=r"\frac{2 \lvert A \cap B \rvert}{\lvert A \rvert + \lvert B \rvert}, \qquad A, B "
    r"= \text{pixels of the true and of the submitted mask}",
    undefined="with `empty=skip`, neither mask has a pixel",
    statistic=Share(),
)
def dice(masks: Masks, *, average: Pooling = "lists", empty: Empty = "one") -> Quotient:
    """Twice the pixels that both masks have, over the pixels of either.

    A mask is the run lengths in a cell, `start length start length ..` with pixels counted
    from 1, in rows or in columns, if only truth and submission agree. A list is an
    image; where neither mask has a pixel its value is 1, with `empty=skip` none.
    `average=pooled` counts the pixels of all images together. It is the F1 of pixels.

    Pixels 1 to 4 submitted, 3 to 6 true; and an image with neither:

    >>> dice(Masks.of_cells(("1 4", "3 4"), ("", "-"))).values           # 2 × 2 / (4 + 4)
    array([0.5, 1. ])
    """
    both, true, sent = masks.counts()
    return of_sizes(2 * both, true + sent, empty, average, "2 common / (true + submitted)")
