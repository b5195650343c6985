"""The curves of a submission of labels: confusion, calibration, ROC, precision, predictions.

Each is made of the rows that a measure of the board keeps. The curves that show single rows
are for organizers: a participant knows their own answers.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple

import numpy as np

from scorer.core.arrays import Floats
from scorer.core.text import printable
from scorer.metrics.notation import Measure
from scorer.metrics.ratios import Figure as Pooled
from scorer.reports.base import Options
from scorer.reports.charts import charts
from scorer.reports.charts.charts import Field, MatrixCell, Point
from scorer.reports.charts.svg import padded
from scorer.reports.document import Figure, texts
from scorer.results.report import Report, Scored

COUNTED = ("MCC", "BalancedAccuracy", "F1", "FBeta", "Precision", "Recall", "Jaccard")
SCORED = ("AUROC", "AveragePrecision", "PRTrapezoids")
PAIRED = ("R2", "ExplainedVariance", "Pearson", "Spearman")
CLASSES, POINTS, ROWS = 30, 101, 2000  # that are shown
DIAGONAL = ((0.0, 0.0), (1.0, 1.0))
MOST_TITLED = 60  # points of a curve that each have their numbers where they are pointed to

Draw = Callable[[Measure, Pooled], Figure | None]


def curves(scored: Scored, report: Report, options: Options) -> Iterator[Figure]:
    """The pictures of one submission, each from the first measure that can give it.

    Those for organizers are drawn where `options` say `private`.
    """
    if scored.card is None:
        return
    pictures: list[tuple[tuple[str, ...], Draw]] = [(COUNTED, confusion), (("ECE",), calibration)]
    if options.private:
        pictures += [(SCORED, roc), (SCORED, recall), (PAIRED, predicted)]
    for names, draw in pictures:
        for measure in report.measures:
            figure = scored.card.figures.get(measure.id)
            fits = "labels" in measure.metric.kinds and measure.metric.name in names
            if fits and isinstance(figure, Pooled) and (picture := draw(measure, figure)):
                yield picture
                break


def confusion(measure: Measure, figure: Pooled) -> Figure | None:
    """How many rows of each class were predicted to be of which."""
    code, true, answer, weight = (
        figure.columns[name] for name in ("code", "true", "predicted", "weight")
    )
    classes, size, in_list = measure.classes, len(measure.classes), figure.in_list
    rows = int(in_list.max(initial=-1)) + 1
    if not 0 < size <= CLASSES or (np.bincount(in_list, true) > 1).any():
        return None
    true_class, answered_class = (np.full(rows, -1) for _ in range(2))
    true_class[in_list[true > 0]] = code[true > 0]
    answered_class[in_list[answer > 0]] = code[answer > 0]
    weights = np.ones(rows)
    weights[in_list] = weight
    if measure.params.get("average") == "binary":
        if size != 2 or measure.weighted:
            return None
        # the figure is of one class alone: what it does not touch is of the other
        other = 1 - classes.index(measure.params["positive"])
        true_class[true_class < 0], answered_class[answered_class < 0] = other, other
    table = np.zeros((size, size + 1))
    labelled = true_class >= 0
    cells = true_class[labelled], answered_class[labelled]  # -1: the last, no prediction
    np.add.at(table, cells, weights[labelled])
    names = [printable(name, 40) for name in classes]
    unanswered = table[:, -1].any()
    counts = table if unanswered else table[:, :-1]
    heads = [*names, *(["no prediction"] if unanswered else [])]
    return confusion_matrix(names, heads, counts.tolist())


def confusion_matrix(
    names: Sequence[str], heads: Sequence[str], counts: Sequence[Sequence[float]]
) -> Figure:
    """Return how many rows of each class, `names`, were predicted to be of which, `heads`."""
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
    return Figure(
        "confusion",
        title,
        "Deeper for a larger share of the rows of a class; the diagonal is right.",
        lambda width: charts.matrix(names, heads, cells, width, "predicted, across; true, down"),
        texts(title, ["true, down; predicted, across", *heads], rows),
    )


def calibration(measure: Measure, figure: Pooled) -> Figure | None:
    """How many rows are right where the submission was so sure."""
    bins = int(measure.params["bins"])
    code, weight = figure.columns["bin"], figure.columns["weight"]
    right, confidence = figure.columns["right"], figure.columns["confidence"]
    sums = [
        np.bincount(code, part, minlength=bins)
        for part in (weight, weight * confidence, weight * right)
    ]
    used = np.flatnonzero(sums[0] > 0)
    if not used.size:
        return None
    sure, correct = (part[used] / sums[0][used] for part in sums[1:])
    rows = [
        [f"{n / bins:.3g} to {(n + 1) / bins:.3g}", f"{sums[0][n]:,.10g}", f"{x:.3f}", f"{y:.3f}"]
        for n, x, y in zip(used.tolist(), sure.tolist(), correct.tolist(), strict=True)
    ]
    title = "Calibration: how often it is right, by how sure it is"
    numbers = texts(title, ["confidence", "rows", "mean confidence", "right"], rows)
    points = list(zip(sure.tolist(), correct.tolist(), strict=True))
    field, dots = Field("mean confidence", "share that is right"), _titled(points)
    return Figure(
        "calibration",
        title,
        "The dashed line is perfect; above it one is too modest.",
        lambda width: charts.points(field, dots, width, line=points, rule=DIAGONAL),
        numbers,
        small=True,
    )


def _titled(points: Sequence[tuple[float, float]]) -> list[Point]:
    """Return the points of a curve with their numbers; none where they are many."""
    some = points if len(points) <= MOST_TITLED else ()
    return [Point(x, y, f"{x:.4g}, {y:.4g}") for x, y in some]


class Falling(NamedTuple):
    """The weight of true and of other rows with at least a probability, from the highest down."""

    scores: Floats
    yes: Floats
    no: Floats
    which: str  # words for classes that are counted together


def _falling(figure: Pooled) -> Falling | None:
    """At some of the probabilities, the last always; None where no row, or every one, is true."""
    weight, true, score = (figure.columns[name] for name in ("weight", "true", "score"))
    problems = true.shape[1]  # the rows of all are taken together
    weight, true, score = np.repeat(weight, problems), true.ravel(), score.ravel()
    by = np.argsort(-score, kind="stable")
    ends = np.flatnonzero(np.append(score[by][1:] != score[by][:-1], True))
    yes, no = (np.cumsum((weight * side)[by]) for side in (true, 1 - true))
    if not score.size or not yes[-1] or not no[-1]:
        return None
    drawn = ends[np.unique(np.linspace(0, ends.size - 1, min(POINTS, ends.size)).astype(int))]
    which = " of all classes together" if problems > 1 else ""
    return Falling(score[by][drawn], yes[drawn], no[drawn], which)


def roc(measure: Measure, figure: Pooled) -> Figure | None:
    """The share of true rows against that of others, for each probability from which on."""
    if (found := _falling(figure)) is None:
        return None
    x, y = (np.append(0, side / side[-1]) for side in (found.no, found.yes))
    rows = [
        [f"{s:.4g}", f"{b:.3f}", f"{a:.3f}"]
        for s, a, b in zip(found.scores, x[1:], y[1:], strict=True)
    ]
    title = f"ROC curve{found.which}"
    numbers = texts(title, ["probability from", "true positives", "false positives"], rows)
    points = list(zip(x.tolist(), y.tolist(), strict=True))
    field, dots = Field("share of false positives", "share of true positives"), _titled(points)
    return Figure(
        "roc",
        title,
        "The dashed line is chance.",
        lambda width: charts.points(field, dots, width, line=points, rule=DIAGONAL),
        numbers,
        small=True,
    )


def recall(measure: Measure, figure: Pooled) -> Figure | None:
    """The precision of the rows from each probability on, by the recall that they reach."""
    if (found := _falling(figure)) is None:
        return None
    kept = found.yes + found.no > 0  # rows may weigh nothing
    yes, no, scores = found.yes[kept], found.no[kept], found.scores[kept]
    x, y = yes / yes[-1], yes / (yes + no)
    rows = [[f"{s:.4g}", f"{a:.3f}", f"{b:.3f}"] for s, a, b in zip(scores, x, y, strict=True)]
    title = f"Precision by recall{found.which}"
    numbers = texts(title, ["probability from", "recall", "precision"], rows)
    points = [(0.0, float(y[0])), *zip(x.tolist(), y.tolist(), strict=True)]
    chance = ((0.0, float(y[-1])), (1.0, float(y[-1])))
    field, dots = Field("recall", "precision"), _titled(points)
    return Figure(
        "recall-precision",
        title,
        "The dashed line is chance, the share of true rows.",
        lambda width: charts.points(field, dots, width, line=points, stepped=True, rule=chance),
        numbers,
        small=True,
    )


def predicted(measure: Measure, figure: Pooled) -> Figure | None:
    """Each row's number against the one that was predicted."""
    target, prediction, cut = _predictions(figure)
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
    return Figure(
        "predicted",
        title,
        f"The dashed line is perfect.{cut}",
        lambda width: charts.points(field, dots, width, rule=rule, cloud=() if dots else points),
        texts(title, ["true", "predicted", "residual"], rows),
        small=True,
    )


def counted_points(points: Sequence[tuple[float, float]]) -> list[Point]:
    """Return a dot for each place, larger for more points there; none where places are many."""
    counts = Counter(points).most_common()
    if len(counts) > MOST_TITLED:
        return []
    largest = counts[0][1]
    radius = min(3.0 * np.sqrt(largest), 11.0)  # of the place with most points
    return [
        Point(
            x,
            y,
            f"true {x:.4g}, predicted {y:.4g}{f', {count:,} of them' if count > 1 else ''}",
            radius=max(3.0, float(radius * np.sqrt(count / largest))),
        )
        for (x, y), count in counts
    ]


def _predictions(figure: Pooled) -> tuple[Floats, Floats, str]:
    """True and predicted numbers of rows, and what is said of others."""
    target, prediction = figure.columns["target"], figure.columns["prediction"]
    drawn = np.flatnonzero(~np.isnan(prediction))
    cut = f" The first {ROWS:,} of {drawn.size:,} rows." if drawn.size > ROWS else ""
    return target[drawn[:ROWS]], prediction[drawn[:ROWS]], cut
