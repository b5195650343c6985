"""Metrics of predicted probabilities of classes: logarithmic loss, Brier score, calibration."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import Annotated, Any, Literal

import numpy as np
from pydantic import Field, Strict

from scorer.core.arrays import Floats
from scorer.metrics.curves import binary_problems, probability_metric
from scorer.metrics.notation import NotationError
from scorer.metrics.parameters import Beta, Cutoff, FromChallenge, Positive, has_two_classes
from scorer.metrics.ratios import Figure, Ratio, divide, mean_of_rows
from scorer.metrics.rows import refuse_several_labels
from scorer.views.rows import Labelled, indicator_matrix

EPSILON = float(np.finfo(np.float64).eps)
CLIPPED = r", \qquad q_{i,c} = \min(\max(p_{i,c}, \epsilon), 1 - \epsilon)"

SmallestProbability = Annotated[
    float, Field(gt=0, lt=0.5, description="The lowest probability; the highest is 1 less this.")
]
BrierScale = Annotated[
    Literal["half", "whole"] | None,
    Field(
        description="whole: the sum over the classes, 0 to 2; half: half of that, which for two "
        "classes is the squared error of the positive one. Default: half for two classes."
    ),
    FromChallenge(lambda constants: "half" if has_two_classes(constants) else "whole"),
]
Bins = Annotated[int, Strict(), Field(ge=1, le=1000, description="How many intervals there are.")]


@probability_metric(
    "LogLoss",
    title="Logarithmic loss, cross-entropy",
    source="Good, Journal of the Royal Statistical Society B 14, 1952; scikit-learn, log_loss",
    latex=r"-\frac{1}{n} \sum_{i=1}^{n} \sum_{c=1}^{C} y_{i,c} \ln q_{i,c}" + CLIPPED,
    tools="scikit-learn: log_loss",
    aliases=("CrossEntropy",),
    range=(0, None),
    better="lower",
    soft_truth=True,
)
def logloss(view: Labelled, *, eps: SmallestProbability = EPSILON) -> Ratio:
    """How surprising the true classes are, given their probabilities: mean of -ln(p).

    As in scikit-learn a probability is at least `eps`, 2.2e-16, and at most 1 less that, so that a
    wrong certainty costs 36.04 and not infinitely much; with `eps=1e-15`, as in older rules, 34.54.
    Where the truth has shares of classes, it is the mean of -Σ share × ln(p).

    >>> logloss(labelled_view(["a", "b"], {"a": [0.5, 0.2], "b": [0.5, 0.8]})).values().round(4)
    array([0.6931, 0.2231])
    """
    refuse_several_labels(view, "LogLoss")
    if view.class_shares is None:
        losses = -np.log(np.clip(view.true_probability, eps, 1 - eps))
    else:
        logs = np.log(np.clip(view.require_probabilities(), eps, 1 - eps))
        losses = -(view.class_shares * logs).sum(axis=1)
    return mean_of_rows(view, losses, "-ln(probability)", columns=view.likelihoods())


@probability_metric(
    "KL",
    title="Kullback-Leibler divergence",
    source="Kullback and Leibler, Annals of Mathematical Statistics 22(1), 1951; scipy, rel_entr",
    latex=r"\frac{1}{n} \sum_{i=1}^{n} \sum_{c=1}^{C} [y_{i,c} > 0] y_{i,c} "
    r"\ln(\frac{y_{i,c}}{q_{i,c}})" + CLIPPED,
    tools="scipy: rel_entr (summed over the classes); torchmetrics: KLDivergence",
    aliases=("KullbackLeibler",),
    range=(0, None),
    better="lower",
    soft_truth=True,
)
def kl(view: Labelled, *, eps: SmallestProbability = EPSILON) -> Ratio:
    """How far the probabilities are from the true shares of the classes: mean of Σ y ln(y / q).

    Of each class y is the true share and q the probability, which is at least `eps` and at most 1
    less that; Kaggle's rules write `eps=1e-15`. Where the truth names one class a row, that class
    has the whole share, and the divergence is LogLoss.

    >>> kl(labelled_view(["a", "b"], {"a": [0.5, 0.2], "b": [0.5, 0.8]})).values().round(4)
    array([0.6931, 0.2231])
    """
    refuse_several_labels(view, "KL")
    share, probability = view.class_shares, np.clip(view.require_probabilities(), eps, 1 - eps)
    if share is None:
        share = indicator_matrix(view.truth, len(view.classes))
    logs = np.log(np.where(share > 0, share, 1) / probability)  # a share of 0 adds 0
    divergences = (share * logs).sum(axis=1)
    return mean_of_rows(view, divergences, "Σ share × ln(share / p)", columns=view.likelihoods())


@probability_metric(
    "Brier",
    title="Brier score",
    source="Brier, Monthly Weather Review 78(1), 1950",
    latex=r"\frac{1}{n} \sum_{i=1}^{n} \sum_{c=1}^{C} (p_{i,c} - y_{i,c})^2",
    tools="scikit-learn: brier_score_loss",
    range=(0, 2),
    better="lower",
)
def brier(view: Labelled, *, scale: BrierScale = None) -> Ratio:
    """How far the probabilities are from 1 for the true class and 0 for the others, squared.

    The convention for the scale is scikit-learn's `scale_by_half="auto"`.

    >>> rows = labelled_view(["a", "b"], {"a": [0.5, 0.2], "b": [0.5, 0.8]})
    >>> brier(rows, scale="half").values().round(2)
    array([0.25, 0.04])
    """
    refuse_several_labels(view, "Brier")
    true = indicator_matrix(view.truth, len(view.classes))
    squares = ((view.require_probabilities() - true) ** 2).sum(axis=1)
    if scale == "half":
        return mean_of_rows(view, squares / 2, "half of Σ (p - y)²", columns=view.likelihoods())
    return mean_of_rows(view, squares, "Σ (p - y)²", columns=view.likelihoods())


def _relative_cross_entropy(columns: Mapping[str, Any], row_weight: Floats) -> float:
    """By how many percent the cross-entropy is lower than if the classes' shares are predicted."""
    weight = columns["weight"] * row_weight
    class_weight = np.bincount(columns["class"], weight)
    total = class_weight.sum()
    if total <= 0:
        return float("nan")
    shares = class_weight[class_weight > 0] / total
    naive = -(shares * np.log(shares)).sum()
    entropy = (weight * columns["-ln(probability)"]).sum() / total
    return float(100 * (1 - divide(entropy, naive)))


@probability_metric(
    "RCE",
    title="Relative cross-entropy",
    source="RecSys Challenge 2020, Belli et al., arXiv:2004.13715",
    latex=r"100 \left(1 - \frac{L}{L^*}\right), \qquad L = -\frac{1}{n} \sum_{i=1}^{n} "
    r"\sum_{c=1}^{C} y_{i,c} \ln q_{i,c}, \qquad L^* = -\sum_{c=1}^{C} [t_c > 0] "
    r"\frac{t_c}{n} \ln(\frac{t_c}{n}), \qquad q_{i,c} = \min(\max(p_{i,c}, 2^{-52}), "
    r"1 - 2^{-52})",
    range=(None, 100),
    undefined="all rows are of one class",
)
def rce(view: Labelled) -> Figure:
    """By how many percent the cross-entropy is lower than if the classes' shares are predicted.

    100 (1 - CE / CE of the naive prediction), where the naive one gives every row the share that
    each class has among the true ones. 0 is as good as that, 100 perfect, below 0 worse.
    Probabilities are clipped as in `LogLoss`. With one class alone it is undefined. As in the
    challenge the shares are among the rows that are scored, so that a split of them has its own
    naive prediction.

    >>> rows = labelled_view(["a", "b"], {"a": [0.5, 0.25], "b": [0.5, 0.75]})
    >>> round(rce(rows).pooled(), 4)  # 1 - (ln 2 + ln 4/3) / (2 ln 2), in percent
    29.2481
    """
    refuse_several_labels(view, "RCE")
    losses = -np.log(np.clip(view.true_probability, EPSILON, 1 - EPSILON))
    columns = {"class": view.truth, "-ln(probability)": losses, "weight": view.weights}
    formula = "100 × (1 - log loss / log loss of the classes' shares)"
    return Figure(_relative_cross_entropy, columns, view.in_list, formula=formula)


@probability_metric(
    "TopK",
    title="Top-k accuracy",
    source="scikit-learn, top_k_accuracy_score",
    latex=r"\frac{1}{n} \sum_{i=1}^{n} [a_i < k], \qquad a_i = \text{classes likelier than "
    r"the true one of row } i",
    tools="scikit-learn: top_k_accuracy_score",
    aliases=("TopKAccuracy",),
)
def topk(view: Labelled, *, k: Cutoff) -> Ratio:
    """How many of the rows have their class among the k likeliest.

    Of classes with equal probabilities the later one in the order of the classes stands above, as
    in scikit-learn.

    >>> rows = labelled_view(["a", "b"], {"a": [0.2, 0.6], "b": [0.3, 0.1], "c": [0.5, 0.3]})
    >>> topk(rows, k=2).values()
    array([0., 0.])
    """
    refuse_several_labels(view, "TopK")
    own, probability = view.true_probability[:, None], view.require_probabilities()
    is_later = np.arange(len(view.classes)) > view.truth[:, None]
    is_above = (probability > own) | ((probability == own) & is_later)
    # A row without an answer counts as if all classes stood above the true one.
    above = np.where(view.answered, is_above.sum(axis=1), len(view.classes)).astype(float)
    columns = {**view.likelihoods(), "classes above it": above}
    right = (above < k) & view.answered  # k may be larger than the number of classes
    return mean_of_rows(view, right, f"fewer than {k} above it", columns=columns)


def _calibration_error(columns: Mapping[str, Any], row_weight: Floats, *, bins: int) -> float:
    """The gaps between right rows and confidence, summed over the bins, over the weight of rows."""
    weight = columns["weight"] * row_weight
    # the sums of each bin
    right, confidence, rows = (
        np.bincount(columns["bin"], weight * values, minlength=bins)
        for values in (columns["right"], columns["confidence"], 1.0)
    )
    return float(divide(np.abs(right - confidence).sum(), rows.sum()))


@probability_metric(
    "ECE",
    title="Expected calibration error",
    source="Guo et al., ICML 2017, arXiv:1706.04599",
    latex=r"\sum_{b=1}^{B} \frac{n_b}{n} \lvert a_b - c_b \rvert, \qquad n_b = "
    r"\text{rows with a confidence in the interval } b, \qquad a_b = \text{share of "
    r"them that is right}, \qquad c_b = \text{their mean confidence}",
    tools="torchmetrics: CalibrationError",
    better="lower",
    undefined="there are no rows",
)
def ece(view: Labelled, *, bins: Bins = 15) -> Figure:
    """How far confidence and accuracy are apart: of rows with 0.8, four in five should be right.

    The confidence of a row is the probability of its likeliest class. Rows fall into `bins`
    intervals of equal width, the upper end of each included; the gaps are weighted by the rows. 0
    is perfect. It depends on the bins: compare equal ones.

    Two rows of 0.8, one of them right: |1 / 2 - 0.8|:

    >>> rows = labelled_view(["a", "b"], {"a": [0.8, 0.8], "b": [0.2, 0.2]})
    >>> round(ece(rows, bins=10).pooled(), 6)
    0.3
    """
    refuse_several_labels(view, "ECE")
    probability = np.nan_to_num(view.require_probabilities())
    predicted, confidence = probability.argmax(axis=1), probability.max(axis=1)
    columns = {
        # bin 0 is 0 to 1 / bins, both included, bin 1 is above 1 / bins to 2 / bins, and so on
        "bin": np.clip(np.ceil(confidence * bins) - 1, 0, bins - 1).astype(np.int64),
        "right": (view.truth == predicted).astype(np.float64),
        "confidence": confidence,
        "weight": view.weights,
    }
    function = partial(_calibration_error, bins=bins)
    return Figure(function, columns, view.in_list, formula="Σ |right - confidence| / rows")


def _probabilistic_f(columns: Mapping[str, Any], row_weight: Floats, *, beta: float) -> float:
    """The F measure of rows that are predicted positive in part; NaN if no row is positive."""
    weight = columns["weight"] * row_weight
    positive, probability = columns["positive"], columns["probability"]
    right = (weight * positive * probability).sum()
    predicted, true = (weight * probability).sum(), (weight * positive).sum()
    if true <= 0:
        return float("nan")
    return float((1 + beta**2) * right / (beta**2 * true + predicted))


@probability_metric(
    "ProbabilisticF1",
    title="Probabilistic F1",
    source="Yacouby and Axman, Eval4NLP 2020, doi:10.18653/v1/2020.eval4nlp-1.9; RSNA Screening "
    "Mammography, Kaggle 2023",
    latex=r"\frac{(1 + \beta^2) \sum_{i=1}^{n} y_i p_i}{\beta^2 \sum_{i=1}^{n} y_i + "
    r"\sum_{i=1}^{n} p_i}, \qquad y_i = \text{1 of a positive row, else 0}, \qquad "
    r"p_i = \text{probability of the positive class}",
    tools="Kaggle: pF1",
    aliases=("pF1",),
    undefined="no row is positive",
)
def probabilisticf1(view: Labelled, *, beta: Beta = 1, positive: Positive = None) -> Figure:
    """F1 whose counts are sums of probabilities: a row with 0.7 is 0.7 of a positive one.

    Precision is the sum of the positive rows' probabilities over the sum of all, recall the same
    over the number of positive rows. Of two classes; undefined where no row is positive. It is no
    proper
    score: probabilities of 0 and 1 gain by it.

    Probabilities 0.8 of a positive row and 0.4 of another:

    >>> rows = labelled_view(["b", "a"], {"a": [0.2, 0.6], "b": [0.8, 0.4]})
    >>> round(probabilisticf1(rows).pooled(), 6)  # 2 × 0.8 / (1 + 1.2)
    0.727273
    """
    if len(view.classes) != 2 or view.multilabel:
        raise NotationError("ProbabilisticF1 is for two classes")
    view.require_probabilities()
    is_positive, score = binary_problems(view, positive)
    columns = {
        "positive": is_positive[:, 0],
        "probability": np.clip(score[:, 0], 0, 1),  # a row without an answer has an infinite score
        "weight": view.weights,
    }
    formula = "F of sums of probabilities"
    return Figure(partial(_probabilistic_f, beta=beta), columns, view.in_list, formula=formula)
