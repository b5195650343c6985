"""Metrics of predictions that are more than one number: distributions, quantiles, early decisions.

What a prediction has beside its number or class are further columns of the submission.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import partial
from math import inf, pi, sqrt
from typing import Annotated, Any, Literal

import numpy as np
from pydantic import Field

from scorer.core.arrays import Floats
from scorer.metrics.api import metric
from scorer.metrics.notation import NotationError
from scorer.metrics.numbers import error_metric
from scorer.metrics.parameters import AfterAt, Needs, Positive, SubmissionColumn, TruthColumn
from scorer.metrics.ratios import Figure, Ratio, mean_of_rows
from scorer.metrics.rows import number_column, positive_code, refuse_several_labels
from scorer.reading.schema import NUMBER
from scorer.stats.aggregate import median
from scorer.views.rows import Labelled, Targets

MAX_EXPONENT = 700  # e to that power is still finite
ERISK_PENALTY = 0.0078
PREDICTION = "prediction"  # names the column of predictions among further columns


def _submission_needs(names: Any, _: Mapping[str, Any]) -> tuple[str, ...]:
    """What a challenge must declare, so that its submissions have these columns."""
    return tuple(f"submission.extra.{name}" for name in names or () if name != PREDICTION)


def _spread_needs(name: str, params: Mapping[str, Any]) -> tuple[str, ...]:
    return (f"submission.extra.{name}",) if params["form"] == "normal" else ()


DistributionForm = Annotated[
    Literal["normal", "ensemble", "steps"],
    Field(
        description="What a submission says of a row: the mean, `prediction`, and standard "
        "deviation, `spread`, of a normal distribution; the numbers of an ensemble, `members`; or "
        "the probabilities that the number is at most each of the `steps`."
    ),
]
SPREAD = "The further column of the submission with each prediction's standard deviation."
Spread = Annotated[SubmissionColumn, Field(description=SPREAD)]
NormalSpread = Annotated[str, Field(min_length=1, description=SPREAD), Needs(_spread_needs)]
Members = Annotated[
    tuple[str, ...],
    Field(min_length=1, description="Columns of the submission: `prediction`, or further numbers."),
    Needs(_submission_needs),
]
Steps = Annotated[
    Mapping[str, float],
    Field(min_length=1, description="The number that each column is about: {P0: 0, P1: 1}."),
    Needs(_submission_needs),
]
Quantiles = Annotated[
    Mapping[str, Annotated[float, Field(gt=0, lt=1)]],
    Field(min_length=1, description="The quantile of each column: {prediction: 0.5, low: 0.1}."),
    Needs(_submission_needs),
]
Scale = Annotated[TruthColumn, Field(description="The column that a row's score is divided by.")]
Floor = Annotated[float, Field(gt=0, description="The least spread that counts.")]
Cap = Annotated[float, Field(gt=0, description="The largest error that counts.")]
DelayColumn = Annotated[SubmissionColumn, Field(description="Observations before the decision.")]
Deadline = Annotated[
    float, Field(gt=0, le=1e9, description="The delay at which a hit costs half."), AfterAt()
]
Cost = Annotated[float, Field(ge=0, le=1e9, description="What such an error costs.")]
Penalty = Annotated[float, Field(gt=0, le=1e6, description="How fast a delay is punished.")]


def _submission_columns(view: Targets, names: Iterable[str], metric: str) -> Floats:
    """Some columns of the submission side by side, shape (rows, columns)."""
    further = view.extras.submission
    columns = [
        view.prediction if name == PREDICTION else number_column(further, name, metric)
        for name in names
    ]
    return np.column_stack(columns).astype(np.float64)


@error_metric(
    "CRPS",
    title="Continuous ranked probability score",
    source="Gneiting and Raftery, JASA 102(477), 2007, doi:10.1198/016214506000001437; "
    "Hersbach, Weather and Forecasting 15(5), 2000",
    latex=r"\frac{1}{n} \sum_{i=1}^{n} \sigma_i \left(z_i (2 \Phi(z_i) - 1) + 2 \phi(z_i) "
    r"- \frac{1}{\sqrt{\pi}}\right), \qquad z_i = \frac{y_i - \hat{y}_i}{\sigma_i}, "
    r"\qquad \sigma_i = \text{spread of row } i, "
    r"\qquad \Phi, \phi = \text{the normal distribution and its density}",
    tools="scoringrules: crps_normal, crps_ensemble",
    undefined="a spread is below 0",
)
def crps(
    view: Targets,
    *,
    form: DistributionForm = "normal",
    spread: NormalSpread = "spread",
    members: Members | None = None,
    steps: Steps | None = None,
) -> Ratio:
    """How far the predicted distribution is from the target, squared and summed over all numbers.

    The integral of (F(x) - [target <= x])², where F is the predicted probability of at most x: the
    absolute error, where all of the distribution is one number. `form` says how it is predicted. Of
    `steps` it is the mean over these numbers instead, as in Kaggle's Data Science Bowl of 2016 and
    the Big Data Bowl of 2020.

    Normal around 0 with deviation 1, and the target 0: (√2 - 1) / √π.

    >>> crps(targets_view([0], [0], submission={"spread": [1]})).values().round(4)
    array([0.2337])

    Members 9 and 13 for the target 10, |x - 10| is 2 on average, and half of |9 - 13| / 2:

    >>> view = targets_view([10], [9], submission={"more": [13]})
    >>> crps(view, form="ensemble", members=("prediction", "more")).values()
    array([1.])
    """
    if form == "ensemble":
        if members is None:
            raise NotationError("CRPS(form=ensemble) needs members=, its columns", "members")
        scores = _crps_of_ensemble(view.target, _submission_columns(view, members, "CRPS"))
    elif form == "steps":
        if steps is None:
            raise NotationError("CRPS(form=steps) needs steps=, its columns", "steps")
        is_reached = view.target[:, None] <= np.array(list(steps.values()))
        probabilities = _submission_columns(view, steps, "CRPS")
        scores = ((probabilities - is_reached) ** 2).mean(axis=1)
    else:
        deviation = number_column(view.extras.submission, spread, "CRPS")
        scores = _crps_of_normal(view.target, view.prediction, deviation)
    return mean_of_rows(view, scores, "score")


def _crps_of_normal(target: Floats, mean: Floats, deviation: Floats) -> Floats:
    """The score of normal distributions, all of shape (rows,); NaN of deviations below 0.

    A deviation of 0 gives the absolute error.
    """
    from scipy.special import ndtr  # slow to import

    positive = np.where(deviation > 0, deviation, np.nan)
    z = (target - mean) / positive
    density = np.exp(-(z**2) / 2) / sqrt(2 * pi)
    score = positive * (z * (2 * ndtr(z) - 1) + 2 * density - 1 / sqrt(pi))
    return np.where(deviation == 0, np.abs(target - mean), score)


def _crps_of_ensemble(target: Floats, members: Floats) -> Floats:
    """The score of the empirical distribution of `members`, shape (rows, n).

    The mean distance from the target less half of the mean distance of two members.
    """
    n = members.shape[1]
    ordered = np.sort(members, axis=1)
    # The place of each member says how often it is the larger of two.
    half_distance = (ordered * (2 * np.arange(1, n + 1) - n - 1)).sum(axis=1) / n**2
    return np.asarray(np.abs(members - target[:, None]).mean(axis=1) - half_distance)


@error_metric(
    "QuantileScore",
    title="Quantile score of several quantiles",
    source="Gneiting and Raftery, JASA 102(477), 2007, doi:10.1198/016214506000001437; the M5's "
    "uncertainty competition (WSPL)",
    latex=r"\frac{1}{n Q} \sum_{i=1}^{n} \sum_{q=1}^{Q} "
    r"\max(\tau_q (y_i - x_{i,q}), (\tau_q - 1) (y_i - x_{i,q})), "
    r"\qquad x_{i,q} = \text{predicted quantile } \tau_q",
    aliases=("WSPL", "MeanPinball"),
    undefined="a scale is 0 or less",
)
def quantilescore(view: Targets, *, quantiles: Quantiles, scale: Scale | None = None) -> Ratio:
    """The mean pinball loss of all predicted quantiles of a row.

    The quantiles are columns of the submission, `prediction` and further ones: `extra: {low:
    number, high: number}`. With `scale` each row's score is divided by a further column of the
    truth, so that with a column `weight` it is the weighted scaled pinball loss of the M5: each row
    has the scale and the weight of its series.

    A target of 10; its median predicted as 9, its upper decile as 11:

    >>> rows = targets_view([10], [9], submission={"high": [11]})
    >>> quantilescore(rows, quantiles={"prediction": 0.5, "high": 0.9}).values().round(4)
    array([0.3])
    """
    levels = np.array(list(quantiles.values()))
    predicted = _submission_columns(view, quantiles, "QuantileScore")
    below = view.target[:, None] - predicted
    losses = np.maximum(levels * below, (levels - 1) * below)
    values = losses.mean(axis=1)
    if scale is not None:
        divisor = number_column(view.extras.truth, scale, "QuantileScore")
        values = values / np.where(divisor > 0, divisor, np.nan)
    columns = {f"loss of {name}": loss for name, loss in zip(quantiles, losses.T, strict=True)}
    return mean_of_rows(view, values, "score", columns=columns)


@metric(
    "LaplaceLogLikelihood",
    title="Laplace log likelihood",
    source="OSIC Pulmonary Fibrosis Progression, Kaggle 2020",
    latex=r"-\frac{1}{n} \sum_{i=1}^{n} \left(\frac{\sqrt{2} e_i}{\sigma_i} "
    r"+ \ln(\sqrt{2} \sigma_i)\right), \qquad e_i = \lvert y_i - \hat{y}_i \rvert, "
    r"\qquad \sigma_i = \text{spread of row } i",
    range=(None, None),
    undefined="without a floor, a spread is 0 or less",
    columns=("prediction",),
    zero_is_bad=False,
)
def laplaceloglikelihood(
    view: Targets, *, spread: Spread = "spread", floor: Floor | None = None, cap: Cap | None = None
) -> Ratio:
    """How likely the targets are by Laplace distributions around the predictions, as logarithms.

    The mean of -√2 |error| / spread - ln(√2 spread), where the spread, the standard deviation, is a
    further column of the submission, `extra: {spread: number}`. A spread is at least `floor`, an
    error at most `cap`; in the OSIC challenge `floor=70, cap=1000`.

    An error of 100 with a spread of 100:

    >>> rows = targets_view([2000], [1900], submission={"spread": [100]})
    >>> laplaceloglikelihood(rows).values().round(4)  # -√2 - ln(141.42)
    array([-6.366])
    """
    deviation = number_column(view.extras.submission, spread, "LaplaceLogLikelihood")
    error = np.abs(view.error)
    if floor is not None:
        deviation = np.maximum(deviation, floor)
    if cap is not None:
        error = np.minimum(error, cap)
    scale = np.sqrt(2) * np.where(deviation > 0, deviation, np.nan)
    values = -2 * error / scale - np.log(scale)
    columns = {"|error|": error, "spread": deviation}
    heading = "-√2 |error| / spread - ln(√2 spread)"
    return mean_of_rows(view, values, heading, columns=columns)


def _decision_columns(
    view: Labelled, name: str, positive: str | None, delay: str
) -> dict[str, Floats]:
    """Of each row whether it is positive, whether it was decided so, both 0 or 1, and when.

    The delay of a decision is the observations before it.

    Raises:
        NotationError: No class is positive, or the delay is no number.
    """
    refuse_several_labels(view, name)
    code = positive_code(view, positive)
    if code is None:
        raise NotationError(f"{name} needs positive=, the class that is to be detected", "positive")
    return {
        "positive": (view.truth == code).astype(np.float64),
        "predicted": (view.predicted_classes(code) == code).astype(np.float64),
        "delay": np.nan_to_num(number_column(view.extras.submission, delay, name)),
        "weight": view.weights,
    }


def _early_detection_cost(
    columns: Mapping[str, Any], row_weight: Floats, *, c_fp: float | None
) -> float:
    weight = columns["weight"] * row_weight
    rows = weight.sum()
    if not rows:
        return float("nan")
    alarm_cost = (weight * columns["positive"]).sum() / rows if c_fp is None else c_fp
    alarms = (weight * columns["false alarm"]).sum()
    return float((alarms * alarm_cost + (weight * columns["cost"]).sum()) / rows)


def _delays(params: Mapping[str, Any]) -> Mapping[str, tuple[float, float]]:
    """The domain of delays, which are numbers of observations."""
    return {f"{NUMBER}{params['delay']}]": (0.0, inf)}


@metric(
    "ERDE",
    title="Early risk detection error",
    source="Losada and Crestani, CLEF 2016, doi:10.1007/978-3-319-44564-9_3; CLEF eRisk",
    latex=r"\frac{1}{n} \sum_{i=1}^{n} \left((1 - y_i) \hat{y}_i \cdot \bar{y} "
    r"+ y_i (1 - \hat{y}_i) \cdot c_{\mathrm{fn}} + y_i \hat{y}_i \cdot c_{\mathrm{tp}} "
    r"\cdot (1 - \frac{1}{1 + e^{k_i - o}})\right), "
    r"\qquad k_i = \text{delay of row } i, \qquad \bar{y} = \frac{1}{n} \sum_{i=1}^{n} y_i",
    tools="eRisk: ERDE_5, ERDE_50 (in percent)",
    range=(0, None),
    better="lower",
    undefined="there are no rows",
    domain=_delays,
)
def erde(
    view: Labelled,
    *,
    o: Deadline,
    positive: Positive = None,
    delay: DelayColumn = "delay",
    c_fp: Cost | None = None,
    c_fn: Cost = 1,
    c_tp: Cost = 1,
) -> Figure:
    """The mean cost of decisions: false alarms, misses, and hits that came too late.

    A false alarm costs c_fp, by default the share of positive rows; a miss costs c_fn; a hit after
    k observations costs c_tp (1 - 1 / (1 + e^(k - o))), which is half at k = o; a rightly negative
    row costs nothing. eRisk writes ERDE_5 and ERDE_50, and gives percent. The delay k is a further
    column of the submission, `extra: {delay: number}`.

    Two risks found after 1 and 10 observations, and a false alarm; o = 5:

    >>> delays = {"delay": [1, 10, 3]}
    >>> rows = labelled_view(["1", "1", "0"], ["1", "1", "1"], submission=delays)
    >>> round(erde(rows, o=5, positive="1").pooled(), 6)  # (.017986 + .993307 + 2/3) / 3
    0.55932
    """
    decisions = _decision_columns(view, "ERDE", positive, delay)
    is_positive, is_predicted = decisions["positive"], decisions["predicted"]
    exponent = np.clip(o - decisions["delay"], -MAX_EXPONENT, MAX_EXPONENT)
    hit_cost = c_tp / (1 + np.exp(exponent))
    columns = {
        **decisions,
        "false alarm": (1 - is_positive) * is_predicted,
        "cost": is_positive * np.where(is_predicted > 0, hit_cost, c_fn),
    }
    function = partial(_early_detection_cost, c_fp=c_fp)
    return Figure(function, columns, view.in_list, formula="sum of costs / rows")


def _f_latency(columns: Mapping[str, Any], row_weight: Floats, *, p: float) -> float:
    positive, predicted = columns["positive"], columns["predicted"]
    weight = columns["weight"] * row_weight
    if not weight.any():
        return float("nan")
    is_hit = (positive * predicted * weight) > 0
    if not is_hit.any():
        return 0.0
    total = float((weight * (positive + predicted)).sum())
    f1 = 2 * float((weight * positive * predicted).sum()) / total
    penalty = np.tanh(p * (columns["delay"][is_hit] - 1) / 2)  # -1 + 2 / (1 + e^(-p (k - 1)))
    return f1 * (1 - median(penalty, weight[is_hit]))


@metric(
    "FLatency",
    title="Latency-weighted F1",
    source="Sadeque, Xu and Bethard, WSDM 2018, doi:10.1145/3159652.3159725; CLEF eRisk",
    latex=r"\frac{2 h}{t + s} (1 - m), \qquad m = \text{median over the hits of } "
    r"\frac{2}{1 + e^{-p (k - 1)}} - 1, \qquad k = \text{delay of a hit}, \qquad "
    r"h = \text{hits}, \qquad t, s = \text{rows that are positive, and are given as positive}",
    tools="eRisk: F-latency",
    range=(None, 1),
    undefined="there are no rows",
    domain=_delays,
)
def flatency(
    view: Labelled,
    *,
    p: Penalty = ERISK_PENALTY,
    positive: Positive = None,
    delay: DelayColumn = "delay",
) -> Figure:
    """F1 of the positive class, times how soon its hits were decided.

    The speed is 1 less the median over the hits of -1 + 2 / (1 + e^(-p (k - 1))), where the delay
    k, the observations before the decision, is a further column of the submission, `extra: {delay:
    number}`; eRisk takes p = .0078. Without a hit it is 0.

    Two risks, one found after 1 observation, one missed, and no false alarm:

    >>> delays = {"delay": [1, 10, 3]}
    >>> rows = labelled_view(["1", "1", "0"], ["1", "0", "0"], submission=delays)
    >>> round(flatency(rows, positive="1").pooled(), 6)  # 2/3 * (1 - 0)
    0.666667
    """
    columns = _decision_columns(view, "FLatency", positive, delay)
    formula = "F1 × (1 - median penalty of the hits)"
    return Figure(partial(_f_latency, p=p), columns, view.in_list, formula=formula)
