"""Metrics of masks, boxes and points in images."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Annotated, Any, Literal

import numpy as np
from pydantic import Field, Strict

from scorer.core.arrays import Floats, Mask
from scorer.metrics.api import metric
from scorer.metrics.parameters import Average, Beta, Thresholds
from scorer.metrics.ratios import Figure, Ratio, divide
from scorer.metrics.steps import OneList, Sentence, Steps, grid
from scorer.views.images import Boxes, ClassBoxes, Masks

COCO_THRESHOLDS = tuple(round(0.5 + n * 0.05, 2) for n in range(10))
COCO_RECALLS = np.linspace(0, 1, 101)
VOC2007_RECALLS = np.arange(11) / 10 - 1e-12  # lower by more than recalls can be rounded down

EmptyImage = Annotated[
    Literal["one", "skip"],
    Field(description="The value of a list where truth and submission both have none: 1, or none."),
]
ApRule = Annotated[
    Literal["coco", "voc", "voc2007"],
    Field(
        description="coco: the precision at 101 recalls, a box may match its second best true one; "
        "voc: the area under the curve, a box whose best true one is taken is wrong; voc2007: "
        "the same matches, the precision at 11 recalls."
    ),
]
MaxBoxes = Annotated[
    int, Strict(), Field(ge=1, description="The surest boxes of a class in an image that count.")
]
BoxRatio = Annotated[
    Literal["f", "jaccard"],
    Field(
        description="f: the F measure of right boxes; jaccard: right ones over all that are right, "
        "too many or missed, which several Kaggle rules call precision."
    ),
]
Match = Callable[[ClassBoxes], Mask]  # which submitted boxes are right, shape (boxes, thresholds)


@metric(
    "Dice",
    title="Dice coefficient of masks",
    source="Dice, Ecology 26(3), 1945, doi:10.2307/1932409",
    latex=r"\frac{2 \lvert A \cap B \rvert}{\lvert A \rvert + \lvert B \rvert}, \qquad A, B "
    r"= \text{pixels of the true and of the submitted mask}",
    tools="torchmetrics: DiceScore",
    undefined="with `empty=skip`, neither mask has a pixel",
)
def dice(view: Masks, *, empty: EmptyImage = "one") -> Ratio:
    """Twice the pixels that both masks have, over the pixels of either.

    A mask is the run lengths in a cell, `start length start length ..` with pixels counted from 1,
    in rows or in columns, but the same in truth and submission. A list is an image.
    `average=pooled` counts the pixels of all images together. It is the F1 of pixels.

    Pixels 1 to 4 submitted, 3 to 6 true; and an image with neither:

    >>> dice(masks_view(("1 4", "3 4"), ("", "-"))).values()  # 2 × 2 / (4 + 4)
    array([0.5, 1. ])
    """
    both, true, submitted = view.counts()
    return Ratio(
        2 * both,
        true + submitted,
        "2 × common / (true + submitted)",
        {"common": both, "true": true, "submitted": submitted},
        empty=1.0 if empty == "one" else np.nan,
    )


@metric(
    "IoU",
    title="Intersection over union of masks",
    source="Jaccard, New Phytologist 11(2), 1912; TGS Salt Identification, Kaggle 2018",
    latex=r"\frac{\lvert A \cap B \rvert}{\lvert A \cup B \rvert}, \qquad A, B = "
    r"\text{pixels of the true and of the submitted mask}",
    tools="torchmetrics: JaccardIndex",
    undefined="with `empty=skip`, neither mask has a pixel",
)
def iou(view: Masks, *, empty: EmptyImage = "one", thresholds: Thresholds | None = None) -> Ratio:
    """The pixels that both masks have over those that either has.

    A mask is the run lengths in a cell, as `Dice` reads them. With `thresholds` an image has the
    share of them that its value is above: `thresholds: '0.5:0.95:0.05'` in the TGS challenge.

    Pixels 1 to 4 submitted, 3 to 6 true:

    >>> iou(masks_view(("1 4", "3 4"))).values().round(4)  # 2 / 6
    array([0.3333])
    >>> iou(masks_view(("1 4", "1 3")), thresholds=(0.5, 0.7, 0.8)).values().round(4)
    array([0.6667])
    """
    both, true, submitted = view.counts()
    either = true + submitted - both
    terms = {"common": both, "either": either}
    value_of_empty = 1.0 if empty == "one" else np.nan
    ratio = Ratio(both, either, "common / either", terms, empty=value_of_empty)
    return ratio if thresholds is None else ratio.share_above(thresholds)


def box_overlaps(first: Floats, second: Floats) -> Floats:
    """Intersection over union of boxes, of shapes (n, 4) and (m, 4); the result has (n, m)."""
    low = np.maximum(first[:, None, :2], second[None, :, :2])
    high = np.minimum(first[:, None, 2:], second[None, :, 2:])
    common = np.prod(np.maximum(high - low, 0), axis=2)
    first_area = np.prod(first[:, 2:] - first[:, :2], axis=1)
    second_area = np.prod(second[:, 2:] - second[:, :2], axis=1)
    union = first_area[:, None] + second_area[None, :] - common
    return np.nan_to_num(divide(common, union))


def match_boxes(pair: ClassBoxes, thresholds: Sequence[float], best_only: bool = False) -> Mask:
    """Which submitted boxes match a true one, shape (boxes, thresholds).

    Submitted boxes choose in the order of their scores, highest first. Each takes the true box with
    the largest overlap among those that no box has taken, if that overlap reaches the threshold.

    Args:
        pair: The boxes of one class in an image, the submitted ones ordered by score.
        thresholds: The lowest overlaps at which two boxes match.
        best_only: Whether a box can match only the true one with the largest overlap of all. If
            that is taken, the box matches none, as in VOC.
    """
    overlap = box_overlaps(pair.submitted.corners, pair.true.corners)
    matched = np.zeros((len(overlap), len(thresholds)), dtype=bool)
    if not overlap.size:
        return matched
    largest = overlap.max(axis=1)
    for column, threshold in enumerate(thresholds):
        # As in COCO's program: rounding may leave the overlap of equal boxes just below 1.
        needed = min(threshold, 1 - 1e-10)
        is_free = np.ones(overlap.shape[1], dtype=bool)
        for box in np.flatnonzero(largest >= needed).tolist():
            # Of equal overlaps COCO's program takes the last, VOC's the first.
            if best_only:
                best = int(np.argmax(overlap[box]))
            else:
                overlap_with_free = np.where(is_free, overlap[box], -1.0)
                best = is_free.size - 1 - int(np.argmax(overlap_with_free[::-1]))
            if is_free[best] and overlap[box, best] >= needed:
                is_free[best] = False
                matched[box, column] = True
    return matched


def _match_points(pair: ClassBoxes) -> Mask:
    """Which points lie in a true box: each box takes the first free one inside it."""
    middle = (pair.submitted.corners[:, :2] + pair.submitted.corners[:, 2:]) / 2
    taken = np.zeros(len(middle), dtype=bool)
    for corners in pair.true.corners:
        inside = ((corners[:2] < middle) & (middle < corners[2:])).all(axis=1) & ~taken
        if inside.any():
            taken[np.argmax(inside)] = True
    return taken[:, None]


def _explain_boxes(
    one: OneList, *, iou: tuple[float, ...] | None = None, rule: str = "coco", **_: Any
) -> Steps:
    """The submitted boxes of a list, which of them are right at the first threshold, and counts."""
    boxes: Boxes = one.view
    match: Match = _match_points
    if iou is not None:
        match = partial(match_boxes, thresholds=iou, best_only=rule != "coco")
    rows, true_boxes = list[tuple[Any, ...]](), 0
    for pair in boxes.by_class():
        class_name = boxes.classes[pair.code] if pair.code >= 0 else "no class of the truth"
        corners, is_right = pair.submitted.corners.tolist(), match(pair)[:, 0].astype(int).tolist()
        cells = zip(pair.submitted.score.tolist(), corners, is_right, strict=True)
        rows += [(class_name, score, *box, right) for score, box, right in cells]
        true_boxes += len(pair.true.corners)
    headings = ("class", "score", "x1", "y1", "x2", "y2", "right")
    columns = {heading: [row[n] for row in rows] for n, heading in enumerate(headings)}
    yield grid("Submitted boxes", columns, columns["right"])
    yield Sentence(f"{sum(columns['right'])} of {len(rows)} are right, of {true_boxes} true ones.")


def _box_ap(columns: Mapping[str, Any], row_weight: Floats, *, rule: str) -> float:
    """The mean average precision over classes and thresholds, from the columns of `boxap`.

    A row with a score is a submitted box. A row without one has in `true` how many true boxes of a
    class are in an image.
    """
    is_box = ~np.isnan(columns["score"])
    code = columns["class"]
    true_count = np.bincount(code[~is_box], columns["true"][~is_box] * row_weight[~is_box])
    order = np.lexsort((-columns["score"][is_box], code[is_box]))
    code, matched, weight = (
        column[is_box][order] for column in (code, columns["matched"], row_weight[:, None])
    )
    edges = np.searchsorted(code, np.arange(true_count.size + 1))  # where the rows of a class begin
    values: list[float] = []
    for n in np.flatnonzero(true_count > 0).tolist():
        of_class = slice(edges[n], edges[n + 1])
        right = np.cumsum(matched[of_class] * weight[of_class], axis=0)
        submitted = np.cumsum(weight[of_class], axis=0)
        values += _average_precisions(right, submitted, float(true_count[n]), rule)
    return float(np.mean(values)) if values else float("nan")


def _average_precisions(right: Floats, submitted: Floats, true: float, rule: str) -> list[float]:
    """The average precision of one class at each threshold.

    Args:
        right: The weight of the right boxes down to each box, shape (boxes, thresholds).
        submitted: The weight of all boxes down to each box, shape (boxes, 1).
    """
    precision = np.nan_to_num(divide(right, submitted))
    recall = right / true
    highest = np.maximum.accumulate(precision[::-1])[::-1]  # at this box or a later one
    if rule == "voc":
        areas = (np.diff(recall, axis=0, prepend=0.0) * highest).sum(axis=0)
        return [float(area) for area in areas]
    levels = COCO_RECALLS if rule == "coco" else VOC2007_RECALLS
    # One more row: the precision at recalls that are never reached is 0.
    highest = np.concatenate([highest, np.zeros((1, highest.shape[1]))])
    return [
        float(precisions[np.searchsorted(recalls, levels)].mean())
        for recalls, precisions in zip(recall.T, highest.T, strict=True)
    ]


@metric(
    "BoxAP",
    title="Average precision of boxes",
    source="Lin et al., ECCV 2014, doi:10.1007/978-3-319-10602-1_48; COCO; Everingham et al., "
    "IJCV 88(2), 2010; PASCAL VOC",
    latex=r"\frac{1}{\lvert K \rvert \cdot \lvert Z \rvert} \sum_{c \in K} \sum_{z \in Z} "
    r"A_{c,z}, \qquad K = \text{classes of the truth}, \qquad Z = \mathrm{iou}, \qquad "
    r"A_{c,z} = \text{average precision of the boxes of class } c \text{ at an "
    r"overlap of } z",
    tools="pycocotools: COCOeval; torchmetrics: MeanAveragePrecision",
    aliases=("mAP", "COCO"),
    undefined="the truth has no box",
    explain=_explain_boxes,
)
def boxap(
    view: Boxes,
    *,
    iou: Thresholds = COCO_THRESHOLDS,
    rule: ApRule = "coco",
    most: MaxBoxes = 100,
) -> Figure:
    """The mean, over classes and thresholds of overlap, of the average precision of boxes.

    The boxes of a class in all images are ranked by their scores; a box is right that matches a
    true box of its image, by an intersection over union of at least `iou`. By default the
    thresholds are COCO's ten, `0.5:0.95:0.05`; `iou=0.5, rule=voc` is PASCAL VOC's mean AP, without
    the pixel that its program adds to sides. Classes without a true box in any image do not count;
    crowds, sizes and difficult boxes are treated as all others.

    The surer of two boxes is right, of two true ones:

    >>> view = boxes_view(("a .9 0 0 9 9 a .4 50 50 60 60", "a 0 0 9 9 a 20 20 30 30"))
    >>> boxap(view, iou=(0.5,), rule="voc").pooled()
    0.5
    """
    rows = list[list[float]]()
    for pair in view.by_class():
        if pair.code < 0:  # boxes of a class that the truth lacks
            continue
        boxes = pair.submitted.where(np.arange(min(most, pair.submitted.score.size)))
        matches = match_boxes(pair._replace(submitted=boxes), iou, rule != "coco")
        # A row has the list, the class, the number of true boxes, a score, and the matches. Each
        # submitted box has a row, and all true boxes together have one.
        scored = zip(boxes.score, matches, strict=True)
        rows += [[pair.in_list, pair.code, 0, score, *matched] for score, matched in scored]
        if true_boxes := len(pair.true.corners):
            rows.append([pair.in_list, pair.code, true_boxes, np.nan, *np.zeros(len(iou))])
    table = np.array(rows, dtype=np.float64).reshape(-1, 4 + len(iou))
    columns = {
        "class": table[:, 1].astype(np.int64),
        "true": table[:, 2],
        "score": table[:, 3],
        "matched": table[:, 4:],
    }
    formula = "mean of average precisions over classes and overlaps"
    in_list = table[:, 0].astype(np.int64)
    return Figure(partial(_box_ap, rule=rule), columns, in_list, formula=formula)


def _mean_box_ratio(
    columns: Mapping[str, Any], row_weight: Floats, *, ratio: str, beta: float, empty: str
) -> float:
    """The mean over thresholds of the ratio of boxes, from the column of `_box_figure`.

    A row of `counts` has the right boxes at each threshold, the submitted boxes and the true ones.
    """
    counts = (columns["counts"] * row_weight[:, None]).sum(axis=0)
    right, submitted, true = counts[:-2], counts[-2], counts[-1]
    numerator, denominator = (1 + beta**2) * right, beta**2 * true + submitted
    if ratio == "jaccard":
        numerator, denominator = right, true + submitted - right
    value_of_empty = 1.0 if empty == "one" else np.nan
    return float(np.where(denominator > 0, divide(numerator, denominator), value_of_empty).mean())


def _box_figure(
    view: Boxes,
    match: Match,
    thresholds: int,
    formula: str,
    average: str,
    beta: float,
    empty: str,
    ratio: str = "f",
) -> Figure:
    """The mean over thresholds of the ratio of boxes.

    With `average="pooled"` there is no value where no list has a box on either side, whatever
    `empty` is. The column `counts` has a row for each list, as `_mean_box_ratio` reads it.
    """
    counts = np.zeros((view.lists, thresholds + 2))
    for pair in view.by_class():
        counts[pair.in_list, :-2] += match(pair).sum(axis=0)
        counts[pair.in_list, -2:] += len(pair.submitted.corners), len(pair.true.corners)
    empty = empty if average == "lists" else "skip"
    function = partial(_mean_box_ratio, ratio=ratio, beta=float(beta), empty=empty)
    return Figure(function, {"counts": counts}, np.arange(view.lists), formula=formula)


@metric(
    "BoxF1",
    title="F1 of boxes",
    source="Global Wheat Detection, Kaggle 2020; Data Science Bowl, Kaggle 2018",
    latex=r"\frac{1}{\lvert Z \rvert} \sum_{z \in Z} \frac{(1 + \beta^2) h_z}{\beta^2 t + p}, "
    r"\qquad Z = \mathrm{iou}, \qquad h_z = \text{boxes that match at an overlap of } z, "
    r"\qquad t, p = \text{true and submitted boxes}",
    undefined="with `empty=skip`, there is no box on either side",
    explain=_explain_boxes,
    pooling="optional",
)
def boxf1(
    view: Boxes,
    *,
    iou: Thresholds = (0.5,),
    average: Average = "lists",
    ratio: BoxRatio = "f",
    beta: Beta = 1,
    empty: EmptyImage = "one",
) -> Figure:
    """The F measure of boxes that match a true one of their class and image.

    A box matches by an intersection over union of at least `iou`; the surer ones choose first, each
    true box is matched once. The mean over thresholds is taken in each image, or with
    `average=pooled` of the counts of all. `iou: '0.5:0.75:0.05', ratio: jaccard` is the rule of
    Global Wheat Detection. Boxes of a class that the truth lacks are wrong.

    One of two boxes is right, of one true one:

    >>> view = boxes_view(("a .9 0 0 9 9 a .4 5 5 9 9", "a 0 0 9 9"))
    >>> boxf1(view).values(1).round(4)
    array([0.6667])
    """
    match = partial(match_boxes, thresholds=iou)
    formula = f"mean over thresholds of {'F' if ratio == 'f' else 'right / all'}"
    return _box_figure(view, match, len(iou), formula, average, beta, empty, ratio)


@metric(
    "PointF1",
    title="F1 of points in boxes",
    source="Kuzushiji Recognition, Kaggle 2019",
    latex=r"\frac{(1 + \beta^2) h}{\beta^2 t + p}, \qquad h = \text{true boxes with a point}, "
    r"\qquad t, p = \text{true boxes and submitted points}",
    undefined="with `empty=skip`, there is neither box nor point",
    explain=_explain_boxes,
    pooling="default",
)
def pointf1(
    view: Boxes, *, average: Average = "pooled", beta: Beta = 1, empty: EmptyImage = "one"
) -> Figure:
    """The F measure of points that lie inside a true box of their class and image.

    A submission gives points, `each: [class, x, y]`, or boxes, whose middle counts; the truth
    boxes. Each true box takes one point, the first by score, then as they are written; points on
    its edge are outside. The counts of all images make one value; with `average=lists` it is the
    mean of the images' own, where one without any in either has 1.

    One of two points is inside the only box:

    >>> parts = dict(parts=("class", "x", "y"), true_parts=("class", "x", "y", "w", "h"))
    >>> view = boxes_view(("a 3 3 a 20 3", "a 0 0 9 9"), **parts)
    >>> round(pointf1(view).pooled(), 4)
    0.6667
    """
    formula = "F of the points in boxes"
    return _box_figure(view, _match_points, 1, formula, average, beta, empty)
