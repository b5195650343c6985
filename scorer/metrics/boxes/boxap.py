"""Average precision of boxes."""

from __future__ import annotations

from typing import Annotated, Any, Literal

import numpy as np
from pydantic import Field, Strict

from scorer.core.arrays import Floats
from scorer.metrics.base import metric
from scorer.metrics.boxes.overlap import Thresholds, matches
from scorer.metrics.statistic import Weighted
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


def _rises(positives: Floats, others: Floats, truths: float) -> tuple[Floats, Floats]:
    """Recall and the highest precision from there on, down the boxes."""
    found = positives + others
    precision = np.divide(positives, found, out=np.zeros_like(found), where=found > 0)
    return positives / truths, np.maximum.accumulate(precision[::-1])[::-1]


def area(positives: Floats, others: Floats, truths: float, rule: str) -> float:
    """The average precision from the running weights of right and wrong boxes."""
    recall, precision = _rises(positives, others, truths)
    if rule == "voc":
        return float((np.diff(recall, prepend=0.0) * precision).sum())
    levels = RECALLS if rule == "coco" else np.arange(11) / 10
    at = np.searchsorted(recall, levels - 1e-12 * (rule != "coco"))
    return float(np.append(precision, 0.0)[at].mean())


def _weighted(statistics: Statistics, weights: Floats, *, rule: str, **_: Any) -> float:
    rows, weight = statistics.rows, weights[statistics.in_list]
    values = []
    for code in np.unique(rows[rows[:, TRUE] > 0, CODE]):
        own = rows[:, CODE] == code
        truths = float((rows[own, TRUE] * weight[own]).sum())
        if truths <= 0:
            continue
        sent = np.flatnonzero(own & (rows[:, TRUE] == 0) & (weight > 0))
        by = sent[np.argsort(-rows[sent, SCORE], kind="stable")]
        for matched in rows[by, MATCHED:].T:
            yes, no = (np.cumsum(weight[by] * side) for side in (matched, 1 - matched))
            values.append(area(yes, no, truths, rule))
    return float(np.mean(values)) if values else float("nan")


@metric(
    "BoxAP",
    title="Average precision of boxes",
    source="Lin et al., ECCV 2014, doi:10.1007/978-3-319-10602-1_48; COCO; Everingham et al., "
    "IJCV 88(2), 2010; PASCAL VOC",
    aggregate="pooled",
    aliases=("mAP", "COCO"),
    statistic=Weighted(_weighted),
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
