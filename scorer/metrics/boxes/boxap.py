"""Average precision of boxes."""

from __future__ import annotations

from typing import Annotated, Any, Literal

import numpy as np
from pydantic import Field, Strict

from scorer.core.arrays import Floats
from scorer.metrics.base import metric
from scorer.metrics.boxes.overlap import boxes_shown, matches
from scorer.metrics.explain.steps import Steps, formula
from scorer.metrics.explain.tables import Listing
from scorer.metrics.statistic import Weighted
from scorer.metrics.thresholds import Thresholds
from scorer.views.boxes import Boxes
from scorer.views.pooled import Statistics

COCO = tuple(round(0.5 + n * 0.05, 2) for n in range(10))
RECALLS = np.linspace(0, 1, 101)
CODE, SCORE, TRUE, MATCHED = 0, 1, 2, 3  # columns of the statistics

Rule = Annotated[
    Literal["coco", "voc", "voc2007"],
    Field(
        description="coco: the precision at 101 recalls, a box may match its second best true one; "
        "voc: the area under the curve, a box whose best true one is taken is wrong; voc2007: "
        "the same matches, the precision at 11 recalls."
    ),
]
Most = Annotated[
    int, Strict(), Field(ge=1, description="The surest boxes of a class in an image that count.")
]


def areas(positives: Floats, found: Floats, truths: float, rule: str) -> list[float]:
    """The average precision at each threshold, from running weights down the boxes of a class.

    `positives`, shape (boxes, thresholds), is of those that are right, `found`, of shape
    (boxes, 1), of all.
    """
    precision = np.divide(positives, found, out=np.zeros_like(positives), where=found > 0)
    highest, recall = np.maximum.accumulate(precision[::-1])[::-1], positives / truths
    if rule == "voc":
        values: list[float] = (np.diff(recall, axis=0, prepend=0.0) * highest).sum(axis=0).tolist()
        return values
    levels = RECALLS if rule == "coco" else np.arange(11) / 10 - 1e-12
    highest = np.concatenate([highest, np.zeros((1, highest.shape[1]))])
    columns = zip(recall.T, highest.T, strict=True)
    return [float(column[np.searchsorted(r, levels)].mean()) for r, column in columns]


def _weighted(statistics: Statistics, weights: Floats, *, rule: str, **_: Any) -> float:
    weight, values = weights[statistics.in_list], list[float]()
    is_true = statistics.rows[:, TRUE] > 0
    true, sent = statistics.rows[is_true], statistics.rows[~is_true]
    truths = np.bincount(true[:, CODE].astype(np.int64), true[:, TRUE] * weight[is_true])
    by = np.lexsort((-sent[:, SCORE], sent[:, CODE]))
    sent, counted = sent[by], weight[~is_true][by][:, None]
    edges = np.searchsorted(sent[:, CODE], np.arange(truths.size + 1))
    for code in np.flatnonzero(truths > 0).tolist():
        own = slice(edges[code], edges[code + 1])
        positives = np.cumsum(sent[own, MATCHED:] * counted[own], axis=0)
        values += areas(positives, np.cumsum(counted[own], axis=0), float(truths[code]), rule)
    return float(np.mean(values)) if values else float("nan")


def _explain(
    listing: Listing[Boxes], value: float, *, iou: tuple[float, ...], rule: str, most: int
) -> Steps:
    yield from boxes_shown(listing.view, lambda pair: matches(pair, iou, rule != "coco"))
    yield formula("BoxAP", "mean of average precisions", "{}", value, value=value)


@metric(
    "BoxAP",
    title="Average precision of boxes",
    source="Lin et al., ECCV 2014, doi:10.1007/978-3-319-10602-1_48; COCO; Everingham et al., "
    "IJCV 88(2), 2010; PASCAL VOC",
    elsewhere={
        "pycocotools": "COCOeval",
        "torchmetrics": "MeanAveragePrecision",
    },
    formula=r"\frac{1}{\lvert K \rvert \cdot \lvert Z \rvert} \sum_{c \in K} \sum_{z \in Z} "
    r"A_{c,z}, \qquad K = \text{classes of the truth}, \qquad Z = $iou, \qquad "
    r"A_{c,z} = \text{average precision of the boxes of class } c \text{ at an "
    r"overlap of } z",
    undefined="the truth has no box",
    aggregate="pooled",
    aliases=("mAP", "COCO"),
    statistic=Weighted(_weighted),
    explain=_explain,
)
def boxap(
    boxes: Boxes, *, iou: Thresholds = COCO, rule: Rule = "coco", most: Most = 100
) -> Statistics:
    """The mean, over classes and thresholds of overlap, of the average precision of boxes.

    The boxes of a class in all images stand by their scores; each is right that matches a
    true box of its image, by an intersection over union of at least `iou`. By default the
    thresholds are COCO's ten, `0.5:0.95:0.05`; `iou=0.5, rule=voc` is PASCAL VOC's mean AP,
    without the pixel that its program adds to sides. Classes without a true box do not count, in no
    image; crowds, sizes and difficult boxes are not told apart.

    The surer of two boxes is right, of two true ones:

    >>> view = Boxes.of_cells(("a .9 0 0 9 9 a .4 50 50 60 60", "a 0 0 9 9 a 20 20 30 30"))
    >>> figure = boxap.__scorer__.statistic.figure
    >>> figure(boxap(view, iou=(0.5,), rule="voc"), rule="voc")
    0.5
    """
    lists, rows = [], []
    none = np.zeros(len(iou))
    for pair in boxes.pairs():
        if pair.code < 0:
            continue
        top = pair._replace(sent=pair.sent.where(np.arange(min(most, pair.sent.score.size))))
        for score, row in zip(top.sent.score, matches(top, iou, rule != "coco"), strict=True):
            lists.append(pair.in_list)
            rows.append([pair.code, score, 0.0, *row])
        if pair.true.code.size:
            lists.append(pair.in_list)
            rows.append([pair.code, np.nan, float(pair.true.code.size), *none])
    table = np.array(rows, dtype=np.float64).reshape(-1, MATCHED + len(iou))
    return Statistics(np.array(lists, dtype=np.int64), table, boxes.lists)
