"""The curves of a submission of labels: confusion, calibration, ROC, precision, predictions.

Each is made of the rows that a measure of the board keeps. Curves that show single rows are for
organizers alone: a participant could compute the truth from them and their own answers.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple

import numpy as np

from scorer.core.arrays import Floats
from scorer.core.text import printable
from scorer.metrics.notation import Measure
from scorer.metrics.ratios import Figure
from scorer.reports.base import Options
from scorer.reports.charts import charts
from scorer.reports.charts.charts import Field, MatrixCell, Point
from scorer.reports.charts.svg import padded
from scorer.reports.document import Picture, texts
from scorer.results.report import Report, Scored

CONFUSION_METRICS = ("MCC", "BalancedAccuracy", "F1", "FBeta", "Precision", "Recall", "Jaccard")
THRESHOLD_METRICS = ("AUROC", "AveragePrecision", "PRTrapezoids")
NUMBER_METRICS = ("R2", "ExplainedVariance", "Pearson", "Spearman")
MAX_CLASSES = 30  # of a confusion matrix
MAX_POINTS = 101  # of a curve over thresholds
MAX_ROWS = 2000  # rows that are drawn as predicted against true
DIAGONAL = ((0.0, 0.0), (1.0, 1.0))
MAX_TITLED = 60  # points of a curve that all show their numbers on hover

Draw = Callable[[Measure, Figure], Picture | None]


def curves(scored: Scored, report: Report, options: Options) -> Iterator[Picture]:
    """Yield the pictures of one submission, each from the first measure that keeps its rows.

    Those that show single rows are drawn only if `options.private`.
    """
    if scored.card is None:
        return
    pictures: list[tuple[tuple[str, ...], Draw]] = [
        (CONFUSION_METRICS, confusion),
        (("ECE",), calibration),
    ]
    if options.private:
        pictures += [
            (THRESHOLD_METRICS, roc),
            (THRESHOLD_METRICS, precision_recall),
            (NUMBER_METRICS, predicted),
        ]
    for names, draw in pictures:
        for measure in report.measures:
            figure = scored.card.figures.get(measure.id)
            fits = "labels" in measure.metric.kinds and measure.metric.name in names
            if fits and isinstance(figure, Figure) and (picture := draw(measure, figure)):
                yield picture
                break


def confusion(measure: Measure, figure: Figure) -> Picture | None:
    """Return the numbers of rows by true and predicted class; None where rows have several."""
    code, true, answer, weight = (
        figure.columns[name] for name in ("code", "true", "predicted", "weight")
    )
    classes, size, in_list = measure.classes, len(measure.classes), figure.in_list
    rows = int(in_list.max(initial=-1)) + 1
    if not 0 < size <= MAX_CLASSES or (np.bincount(in_list, true) > 1).any():
        return None
    true_class, answered_class = (np.full(rows, -1) for _ in range(2))
    true_class[in_list[true > 0]] = code[true > 0]
    answered_class[in_list[answer > 0]] = code[answer > 0]
    weights = np.ones(rows)
    weights[in_list] = weight
    if measure.params.get("average") == "binary":
        if size != 2 or measure.weighted:
            return None
        # The figure has the positive class alone: rows it does not name are of the other class.
        other = 1 - classes.index(measure.params["positive"])
        true_class[true_class < 0] = other
        answered_class[answered_class < 0] = other
    # A row without a prediction is counted in the last column, which is that of class -1.
    table = np.zeros((size, size + 1))
    labelled = true_class >= 0
    cells = true_class[labelled], answered_class[labelled]
    np.add.at(table, cells, weights[labelled])
    names = [printable(name, 40) for name in classes]
    unanswered = table[:, -1].any()
    counts = table if unanswered else table[:, :-1]
    heads = [*names, *(["no prediction"] if unanswered else [])]
    return confusion_matrix(names, heads, counts.tolist())


def confusion_matrix(
    names: Sequence[str], heads: Sequence[str], counts: Sequence[Sequence[float]]
) -> Picture:
    """Return the counts of rows by true class, `names`, and by predicted class, `heads`."""
    title = "Confusion matrix: rows of each class, by predicted class"
    cells, rows = list[MatrixCell](), list[list[str]]()
    for i, (name, row) in enumerate(zip(names, counts, strict=True)):
        rows.append([name, *(f"{count:,.10g}" for count in row)])
        for j, (head, count) in enumerate(zip(heads, row, strict=True)):
            text = f"{count:,.10g}"
            depth = 0.08 + 0.92 * count / (sum(row) or 1.0) if count else 1.0
            look, shown = ("fill", text) if count else ("cell", "")
            title_of_cell = f"{name}, predicted {head}: {text}"
            cells.append(MatrixCell(i, j, look, depth, shown, title_of_cell))
    return Picture(
        "confusion",
        title,
        "Deeper for a larger share of the rows of a class; the diagonal is right.",
        lambda width: charts.matrix(names, heads, cells, width, "predicted, across; true, down"),
        texts(title, ["true, down; predicted, across", *heads], rows),
    )


def calibration(measure: Measure, figure: Figure) -> Picture | None:
    """Return the share of right rows by confidence, in the bins of the measure."""
    bins = int(measure.params["bins"])
    code, weight = figure.columns["bin"], figure.columns["weight"]
    right, confidence = figure.columns["right"], figure.columns["confidence"]
    totals, confidences, rights = (
        np.bincount(code, part, minlength=bins)
        for part in (weight, weight * confidence, weight * right)
    )
    used = np.flatnonzero(totals > 0)
    if not used.size:
        return None
    mean_confidence, share_right = confidences[used] / totals[used], rights[used] / totals[used]
    points = list(zip(mean_confidence.tolist(), share_right.tolist(), strict=True))
    rows = [
        [f"{n / bins:.3g} to {(n + 1) / bins:.3g}", f"{totals[n]:,.10g}", f"{x:.3f}", f"{y:.3f}"]
        for n, (x, y) in zip(used.tolist(), points, strict=True)
    ]
    title = "Calibration: how often it is right, by how sure it is"
    numbers = texts(title, ["confidence", "rows", "mean confidence", "right"], rows)
    field, dots = Field("mean confidence", "share that is right"), _titled(points)
    return Picture(
        "calibration",
        title,
        "The dashed line is perfect; above it one is too modest.",
        lambda width: charts.points(field, dots, width, line=points, rule=DIAGONAL),
        numbers,
        small=True,
    )


def _titled(points: Sequence[tuple[float, float]]) -> list[Point]:
    """Return the points of a curve with their numbers; none of a curve of many points."""
    if len(points) > MAX_TITLED:
        return []
    return [Point(x, y, f"{x:.4g}, {y:.4g}") for x, y in points]


class Thresholds(NamedTuple):
    """The rows that each threshold accepts, from the highest threshold down; arrays (thresholds,).

    Attributes:
        scores: The thresholds: a row with at least this probability is accepted.
        positives: The weight of the accepted rows that are true.
        negatives: The weight of the accepted rows that are not.
        suffix: The end of the title if several classes are counted together.
    """

    scores: Floats
    positives: Floats
    negatives: Floats
    suffix: str


def _thresholds(figure: Figure) -> Thresholds | None:
    """Return up to `MAX_POINTS` of the thresholds; None if no row is true, or all are."""
    weight, true, score = (figure.columns[name] for name in ("weight", "true", "score"))
    classes = true.shape[1]  # of several, each row counts once for each of them
    weight, true, score = np.repeat(weight, classes), true.ravel(), score.ravel()
    by = np.argsort(-score, kind="stable")
    ends = np.flatnonzero(np.append(score[by][1:] != score[by][:-1], True))
    positives, negatives = (np.cumsum((weight * side)[by]) for side in (true, 1 - true))
    if not score.size or not positives[-1] or not negatives[-1]:
        return None
    drawn = ends[np.unique(np.linspace(0, ends.size - 1, min(MAX_POINTS, ends.size)).astype(int))]
    suffix = " of all classes together" if classes > 1 else ""
    return Thresholds(score[by][drawn], positives[drawn], negatives[drawn], suffix)


def roc(measure: Measure, figure: Figure) -> Picture | None:
    """Return the true positive rate against the false positive rate, over all thresholds."""
    if (found := _thresholds(figure)) is None:
        return None
    x, y = (np.append(0, side / side[-1]) for side in (found.negatives, found.positives))
    rows = [
        [f"{s:.4g}", f"{b:.3f}", f"{a:.3f}"]
        for s, a, b in zip(found.scores, x[1:], y[1:], strict=True)
    ]
    title = f"ROC curve{found.suffix}"
    numbers = texts(title, ["probability from", "true positives", "false positives"], rows)
    points = list(zip(x.tolist(), y.tolist(), strict=True))
    field, dots = Field("share of false positives", "share of true positives"), _titled(points)
    return Picture(
        "roc",
        title,
        "The dashed line is chance.",
        lambda width: charts.points(field, dots, width, line=points, rule=DIAGONAL),
        numbers,
        small=True,
    )


def precision_recall(measure: Measure, figure: Figure) -> Picture | None:
    """Return the precision against the recall, over all thresholds."""
    if (found := _thresholds(figure)) is None:
        return None
    kept = found.positives + found.negatives > 0  # rows may weigh nothing
    scores = found.scores[kept]
    positives, negatives = found.positives[kept], found.negatives[kept]
    x, y = positives / positives[-1], positives / (positives + negatives)
    rows = [[f"{s:.4g}", f"{a:.3f}", f"{b:.3f}"] for s, a, b in zip(scores, x, y, strict=True)]
    title = f"Precision by recall{found.suffix}"
    numbers = texts(title, ["probability from", "recall", "precision"], rows)
    points = [(0.0, float(y[0])), *zip(x.tolist(), y.tolist(), strict=True)]
    chance = ((0.0, float(y[-1])), (1.0, float(y[-1])))
    field, dots = Field("recall", "precision"), _titled(points)
    return Picture(
        "recall-precision",
        title,
        "The dashed line is chance, the share of true rows.",
        lambda width: charts.points(field, dots, width, line=points, stepped=True, rule=chance),
        numbers,
        small=True,
    )


def predicted(measure: Measure, figure: Figure) -> Picture | None:
    """Return each row's predicted number against its true one."""
    target, prediction, rest = _predictions(figure)
    if not target.size:
        return None
    ends = padded(
        float(min(target.min(), prediction.min())), float(max(target.max(), prediction.max()))
    )
    rows = [
        [f"{number:z.6g}" for number in (a, b, a - b)]
        for a, b in zip(target.tolist(), prediction.tolist(), strict=True)
    ]
    points = list(zip(target.tolist(), prediction.tolist(), strict=True))
    field, dots = Field("true", "predicted", ends, ends), counted_points(points)
    rule = ((ends[0], ends[0]), (ends[1], ends[1]))
    title = "Predicted against true"
    return Picture(
        "predicted",
        title,
        f"The dashed line is perfect.{rest}",
        lambda width: charts.points(field, dots, width, rule=rule, cloud=() if dots else points),
        texts(title, ["true", "predicted", "residual"], rows),
        small=True,
    )


def counted_points(points: Sequence[tuple[float, float]]) -> list[Point]:
    """Return a dot for each distinct point, larger if it occurs more often; none if many differ."""
    counts = Counter(points).most_common()
    if len(counts) > MAX_TITLED:
        return []
    largest = counts[0][1]
    radius = min(3.0 * np.sqrt(largest), 11.0)  # of the most frequent point
    return [
        Point(
            x,
            y,
            f"true {x:.4g}, predicted {y:.4g}{f', {count:,} of them' if count > 1 else ''}",
            radius=max(3.0, float(radius * np.sqrt(count / largest))),
        )
        for (x, y), count in counts
    ]


def _predictions(figure: Figure) -> tuple[Floats, Floats, str]:
    """Return the true and the predicted numbers, and a sentence on the rows that are left out."""
    target, prediction = figure.columns["target"], figure.columns["prediction"]
    drawn = np.flatnonzero(~np.isnan(prediction))
    rest = f" The first {MAX_ROWS:,} of {drawn.size:,} rows." if drawn.size > MAX_ROWS else ""
    return target[drawn[:MAX_ROWS]], prediction[drawn[:MAX_ROWS]], rest
