"""Intersection over union of masks."""

from scorer.metrics.base import metric
from scorer.metrics.boxes.overlap import Empty, of_sizes
from scorer.metrics.params import Pooling
from scorer.metrics.quotient import Quotient
from scorer.metrics.statistic import Share
from scorer.metrics.thresholds import Thresholds, above
from scorer.views.masks import Masks


@metric(
    "IoU",
    title="Intersection over union of masks",
    source="Jaccard, New Phytologist 11(2), 1912; TGS Salt Identification, Kaggle 2018",
    elsewhere={
        "torchmetrics": "JaccardIndex",
    },
    formula=r"\frac{\lvert A \cap B \rvert}{\lvert A \cup B \rvert}, \qquad A, B = "
    r"\text{pixels of the true and of the submitted mask}",
    undefined="with `empty=skip`, neither mask has a pixel",
    statistic=Share(),
)
def iou(
    masks: Masks,
    *,
    average: Pooling = "lists",
    empty: Empty = "one",
    thresholds: Thresholds | None = None,
) -> Quotient:
    """The pixels that both masks have over those that either has.

    A mask is the run lengths in a cell, as `Dice` reads them; where neither mask has a
    pixel the value is 1, with `empty=skip` none. With `thresholds` an image has the share of
    them that its value is above: `thresholds: '0.5:0.95:0.05'` in the TGS challenge.

    Pixels 1 to 4 submitted, 3 to 6 true:

    >>> iou(Masks.of_cells(("1 4", "3 4"))).values.round(4)                # 2 / 6
    array([0.3333])
    >>> iou(Masks.of_cells(("1 4", "1 3")), thresholds=(0.5, 0.7, 0.8)).values.round(4)
    array([0.6667])
    """
    both, true, sent = masks.counts()
    quotient = of_sizes(both, true + sent - both, empty, average, "common / either")
    return quotient if thresholds is None else above(quotient, thresholds, average)
