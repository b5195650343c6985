"""Metrics of predicted classes: accuracy, precision, recall, F and kin.

Most are computed from three counts of each class, by the rows' weights: `true`, the rows of the
class; `predicted`, the rows that were predicted as it; `hits`, the rows that are both.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import partial
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from scorer.core.arrays import Floats, Ints, Mask
from scorer.core.text import join_first
from scorer.metrics.api import metric
from scorer.metrics.notation import NotationError
from scorer.metrics.parameters import Beta, ClassAverage, Positive, Threshold
from scorer.metrics.ratios import Figure, Ratio, divide, mean_of_rows
from scorer.metrics.rows import positive_code, refuse_several_labels
from scorer.metrics.steps import OneList, Sentence, Steps, format_count, grid
from scorer.views.rows import Labelled

SHOWN_CLASSES = 12  # of a confusion matrix in an explanation
VAN_RIJSBERGEN = "van Rijsbergen, Information Retrieval, 1979, chapter 7"
OF_CLASSES = r", \qquad K = \text{classes of the truth or the submission}"


def divide_or_zero(numerator: ArrayLike, denominator: ArrayLike) -> Floats:
    """The quotients of two arrays; 0 where the denominator is 0."""
    return np.nan_to_num(divide(numerator, denominator))


def explain_classes(one: OneList, *, positive: str | None, threshold: float, **_: Any) -> Steps:
    """The row's labels, or its cell of the confusion matrix."""
    view: Labelled = one.view
    predicted = view.predicted_classes(positive_code(view, positive), threshold)
    return _explain_labels(view, predicted) if view.multilabel else _explain_cell(view, predicted)


def _explain_cell(view: Labelled, predicted: Ints | Mask) -> Steps:
    """The row's cell of the confusion matrix, and the matrix if it is small."""
    true_class, predicted_class = int(view.truth[view.at]), int(predicted[view.at])
    in_cell = (view.truth == true_class) & (predicted == predicted_class)
    count = format_count(view.weights[in_cell].sum())
    total = format_count(view.weights.sum())
    names = [*view.classes, "no prediction"]
    cell = names[true_class]
    if predicted_class >= 0:
        cell += f", predicted as {names[predicted_class]}"
    yield Sentence(
        f"This row is {cell}: one of the {count:,} in that cell of the confusion matrix, of "
        f"{total:,} in all."
    )
    size = len(view.classes)
    if size > SHOWN_CLASSES:
        return
    matrix = np.zeros((size, size + 1))
    np.add.at(matrix, (view.truth, predicted), view.weights)  # no prediction is -1: the last column
    columns: dict[str, Any] = {"true \\ predicted": view.classes}
    for name, counts in zip(names, matrix.T, strict=True):
        columns[name] = [format_count(count) for count in counts]
    if not matrix[:, -1].any():
        del columns["no prediction"]
    is_key_row = [n == true_class for n in range(size)]
    yield grid("The confusion matrix", columns, is_key_row)


def _explain_labels(view: Labelled, predicted: Ints | Mask) -> Steps:
    """The labels of the row, true and predicted."""
    true_labels = view.truth[view.at].astype(int)
    predicted_labels = predicted[view.at].astype(int)
    labels = np.flatnonzero(true_labels | predicted_labels)
    columns = {
        "label": [view.classes[n] for n in labels.tolist()],
        "true": true_labels[labels],
        "predicted": predicted_labels[labels],
    }
    yield grid("The labels of this row", columns)


class_metric = partial(metric, undefined="there are no rows", explain=explain_classes)


@metric(
    "Accuracy",
    title="Accuracy",
    source="scikit-learn, accuracy_score",
    latex=r"\frac{1}{n} \sum_{i=1}^{n} [\hat{y}_i = y_i]",
    tools="scikit-learn: accuracy_score; torchmetrics: Accuracy",
    explain=explain_classes,
)
def accuracy(view: Labelled, *, positive: Positive = None, threshold: Threshold = 0.5) -> Ratio:
    """How many of the rows have the right class.

    With several labels a row all of them must be right (subset accuracy); HammingLoss counts single
    labels.

    >>> accuracy(labelled_view(["a", "a", "b"], ["a", "b", "b"])).values()
    array([1., 0., 1.])
    """
    right = view.truth == view.predicted_classes(positive_code(view, positive), threshold)
    return mean_of_rows(view, right.all(axis=1) if view.multilabel else right, "right")


@metric(
    "HammingLoss",
    title="Hamming loss",
    source="scikit-learn, hamming_loss",
    latex=r"\frac{1}{n} \sum_{i=1}^{n} [\hat{y}_i \ne y_i]",
    tools="scikit-learn: hamming_loss",
    better="lower",
    explain=explain_classes,
)
def hammingloss(view: Labelled, *, positive: Positive = None, threshold: Threshold = 0.5) -> Ratio:
    """How many of the labels are wrong.

    With several labels a row: of all classes the share that the row has and was not given, or was
    given and does not have. With one it is 1 - Accuracy.

    >>> hammingloss(labelled_view(["a", "a", "b"], ["a", "b", "b"])).values()
    array([0., 1., 0.])
    """
    wrong = view.truth != view.predicted_classes(positive_code(view, positive), threshold)
    return mean_of_rows(view, wrong.mean(axis=1) if view.multilabel else wrong, "wrong")


class Counts(NamedTuple):
    """The rows of each class by their weights; each of shape (classes,)."""

    hits: Floats
    predicted: Floats
    true: Floats


def count_classes(columns: Mapping[str, Any], row_weight: Floats) -> Counts:
    """The counts of the classes, from the columns of `class_figure`."""
    code, weight = columns["code"], columns["weight"] * row_weight
    true, predicted = columns["true"], columns["predicted"]
    parts = (true * predicted, predicted, true)
    return Counts(*(np.bincount(code, weight * part).astype(np.float64) for part in parts))


def class_figure(
    view: Labelled,
    function: Callable[[Mapping[str, Any], Floats], float],
    formula: str,
    positive: int | None,
    threshold: float,
    class_columns: tuple[str, ...] = ("true class", "predicted class"),
) -> Figure:
    """A figure of the counts of classes.

    It has a row for each pair of a row and a class that is true or predicted there, with the
    columns of `Tallies`. `class_columns` are those in which few rows of a class make the value
    uncertain.
    """
    columns = view.tallies(positive, threshold)._asdict()
    in_list = columns.pop("in_list")
    for side in ("true", "predicted"):
        columns[f"{side} class"] = np.where(columns[side] > 0, columns["code"], -1)
    return Figure(
        function,
        columns,
        in_list,
        zero_weights=True,
        class_columns=class_columns,
        formula=formula,
    )


def _figure_of_rates(
    view: Labelled,
    rate: str,
    formula: str,
    average: str | None,
    positive: str | None,
    threshold: float,
    beta: float = 1,
) -> Figure:
    """The rates of the classes, averaged.

    Raises:
        NotationError: The positive class is missing or unknown.
    """
    code = positive_code(view, positive)
    if average == "binary" and code is None:
        message = f"average=binary needs positive=, one of {join_first(view.classes)}"
        raise NotationError(message, "positive")
    if average != "binary" and code is not None and len(view.classes) > 2:
        raise NotationError("positive= is for average=binary", "positive")
    function = partial(_average_rates, rate=rate, average=average, beta=beta)
    formula += ", averaged over classes"
    figure = class_figure(view, function, formula, code, threshold)
    if average != "binary":
        return figure
    # Perhaps no row has the positive class, truly or as predicted: then the value is 0.
    return replace(figure.subset_rows(figure.columns["code"] == code), empty=0.0)


def _average_rates(
    columns: Mapping[str, Any], row_weight: Floats, *, rate: str, average: str | None, beta: float
) -> float:
    """The mean of the classes' rates."""
    counts = count_classes(columns, row_weight)
    if average == "micro":
        total = Counts(*(part.sum(keepdims=True) for part in counts))
        return float(_rates(total, rate, beta)[0])
    is_present = (counts.predicted + counts.true) > 0
    weight = counts.true if average == "weighted" else is_present
    return float(divide_or_zero((_rates(counts, rate, beta) * weight).sum(), weight.sum()))


def _rates(counts: Counts, rate: str, beta: float) -> Floats:
    """The precision, recall, F or Jaccard index of each class; 0 where it has no rows for that."""
    hits, predicted, true = counts
    if rate == "f":
        return divide_or_zero((1 + beta**2) * hits, beta**2 * true + predicted)
    divisors = {"precision": predicted, "recall": true, "jaccard": true + predicted - hits}
    return divide_or_zero(hits, divisors[rate])


@class_metric(
    "Precision",
    title="Precision",
    source=VAN_RIJSBERGEN,
    latex=r"\frac{1}{\lvert K \rvert} \sum_{c \in K} [p_c > 0] \frac{h_c}{p_c}" + OF_CLASSES,
    tools="scikit-learn: precision_score; torchmetrics: Precision",
)
def precision(
    view: Labelled,
    *,
    average: ClassAverage = None,
    positive: Positive = None,
    threshold: Threshold = 0.5,
) -> Figure:
    """How many of the rows that were given a class have it.

    As in scikit-learn, 0 for a class that no row was given. `micro` is the accuracy where a row has
    one label; a class that neither the truth nor the submission has does not count in the mean of
    `macro`.

    Class a: 1 of 2; class b: 2 of 3:

    >>> rows = labelled_view(["a", "a", "b", "b", "b"], ["a", "b", "b", "b", "a"])
    >>> precision(rows, average="macro").pooled()
    0.5833333333333333
    """
    return _figure_of_rates(view, "precision", "hits / predicted", average, positive, threshold)


@class_metric(
    "Recall",
    title="Recall",
    source=VAN_RIJSBERGEN,
    latex=r"\frac{1}{\lvert K \rvert} \sum_{c \in K} [t_c > 0] \frac{h_c}{t_c}" + OF_CLASSES,
    tools="scikit-learn: recall_score; torchmetrics: Recall",
    aliases=("Sensitivity",),
)
def recall(
    view: Labelled,
    *,
    average: ClassAverage = None,
    positive: Positive = None,
    threshold: Threshold = 0.5,
) -> Figure:
    """How many of the rows of a class were given it; sensitivity, of the positive class.

    0 for a class that no row has, which `macro` counts if the submission names it, as in
    scikit-learn.

    Class a: 1 of 2; class b: 2 of 3:

    >>> rows = labelled_view(["a", "a", "b", "b", "b"], ["a", "b", "b", "b", "a"])
    >>> recall(rows, average="macro").pooled()
    0.5833333333333333
    """
    return _figure_of_rates(view, "recall", "hits / true", average, positive, threshold)


@class_metric(
    "F1",
    title="F1: the harmonic mean of precision and recall",
    source=VAN_RIJSBERGEN,
    latex=r"\frac{1}{\lvert K \rvert} \sum_{c \in K} \frac{2 h_c}{t_c + p_c}" + OF_CLASSES,
    tools="scikit-learn: f1_score; torchmetrics: F1Score",
    aliases=("fmeasure", "f1score"),
)
def f1(
    view: Labelled,
    *,
    average: ClassAverage = None,
    positive: Positive = None,
    threshold: Threshold = 0.5,
) -> Figure:
    """Precision and recall in one number, their harmonic mean.

    `macro` is the mean of the classes' values, as in scikit-learn, and not the harmonic mean of two
    means. `micro` is the accuracy where a row has one label.

    Class a: 2 * 1 / (2 + 2); class b: 2 * 2 / (3 + 3):

    >>> rows = labelled_view(["a", "a", "b", "b", "b"], ["a", "b", "b", "b", "a"])
    >>> f1(rows, average="macro").pooled()
    0.5833333333333333
    """
    formula = "2 hits / (true + predicted)"
    return _figure_of_rates(view, "f", formula, average, positive, threshold)


@class_metric(
    "FBeta",
    title="F-beta: precision and recall, recall beta times as important",
    source=VAN_RIJSBERGEN,
    latex=r"\frac{1}{\lvert K \rvert} \sum_{c \in K} "
    r"\frac{(1 + \beta^2) h_c}{\beta^2 t_c + p_c}" + OF_CLASSES,
    tools="scikit-learn: fbeta_score; torchmetrics: FBetaScore",
)
def fbeta(
    view: Labelled,
    *,
    beta: Beta,
    average: ClassAverage = None,
    positive: Positive = None,
    threshold: Threshold = 0.5,
) -> Figure:
    """Precision and recall in one number, recall counting beta times as much.

    `beta` is not squared by the caller; 1 is F1.

    Class a: 5 * 1 / (4 * 2 + 2); class b: 5 * 2 / (4 * 3 + 3):

    >>> rows = labelled_view(["a", "a", "b", "b", "b"], ["a", "b", "b", "b", "a"])
    >>> fbeta(rows, average="macro", beta=2).pooled()
    0.5833333333333333
    """
    formula = "(1 + beta²) hits / (beta² true + predicted)"
    return _figure_of_rates(view, "f", formula, average, positive, threshold, beta)


@class_metric(
    "Jaccard",
    title="Jaccard index",
    source="Jaccard, Bulletin de la Société vaudoise des sciences naturelles 37, 1901",
    latex=r"\frac{1}{\lvert K \rvert} \sum_{c \in K} \frac{h_c}{t_c + p_c - h_c}" + OF_CLASSES,
    tools="scikit-learn: jaccard_score; torchmetrics: JaccardIndex",
    aliases=("IoU",),
)
def jaccard(
    view: Labelled,
    *,
    average: ClassAverage = None,
    positive: Positive = None,
    threshold: Threshold = 0.5,
) -> Figure:
    """How many of the rows that have a class or were given it have both.

    Intersection over union, of each class.

    Class a: 1 of 3; class b: 2 of 4:

    >>> rows = labelled_view(["a", "a", "b", "b", "b"], ["a", "b", "b", "b", "a"])
    >>> jaccard(rows, average="macro").pooled()
    0.41666666666666663
    """
    return _figure_of_rates(
        view, "jaccard", "hits / (true + predicted - hits)", average, positive, threshold
    )


def _mean_recall(columns: Mapping[str, Any], row_weight: Floats) -> float:
    hits, _, true = count_classes(columns, row_weight)
    return float(divide(divide_or_zero(hits, true).sum(), (true > 0).sum()))


@class_metric(
    "BalancedAccuracy",
    title="Balanced accuracy",
    source="Brodersen et al., ICPR 2010, doi:10.1109/ICPR.2010.764",
    latex=r"\frac{1}{\lvert K \rvert} \sum_{c \in K} \frac{h_c}{t_c}, \qquad K = "
    r"\text{classes that the truth has}",
    tools="scikit-learn: balanced_accuracy_score",
)
def balancedaccuracy(
    view: Labelled, *, positive: Positive = None, threshold: Threshold = 0.5
) -> Figure:
    """The mean of the recalls of the truth's classes: a rare one counts as much as a common one.

    Class a: 1 of 2; class b: 2 of 3:

    >>> rows = labelled_view(["a", "a", "b", "b", "b"], ["a", "b", "b", "b", "a"])
    >>> balancedaccuracy(rows).pooled()
    0.5833333333333333
    """
    refuse_several_labels(view, "BalancedAccuracy")
    code = positive_code(view, positive)
    formula = "mean of the classes' recalls"
    return class_figure(view, _mean_recall, formula, code, threshold, ("true class",))
