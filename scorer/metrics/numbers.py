"""Metrics of predicted numbers: their errors.

The numbers are the rows of a table, each a list of its own, or the ratings of lists. Means of rows
are a `Ratio`; any other value is a `Figure` of all rows and their weights.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import Annotated, Any, Literal

import numpy as np
from pydantic import Field

from scorer.core.arrays import Floats
from scorer.core.errors import ChallengeError
from scorer.core.text import quoted
from scorer.metrics.api import metric
from scorer.metrics.parameters import ListColumn, SubmissionColumn
from scorer.metrics.ratios import Figure, Ratio, Table, divide, mean_of_rows, square_root
from scorer.metrics.rows import number_column
from scorer.stats.aggregate import median
from scorer.views.rows import Targets

# Decorators of metrics of predicted numbers, and of errors: 0 is perfect, and errors have no upper
# bound.
number_metric = partial(metric, columns=("prediction",))
error_metric = partial(number_metric, range=(0, None), better="lower")

GAUSS = "Gauss, Theoria combinationis observationum, 1823"
HERLOCKER = "Herlocker et al., ACM TOIS 22(1), 2004, doi:10.1145/963770.963772"
MEAN_SQUARE = r"\frac{1}{n} \sum_{i=1}^{n} (y_i - \hat{y}_i)^2"
INSIDE = r"\frac{1}{n} \sum_{i=1}^{n} [l_i \le y_i \le u_i], \qquad l_i, u_i = "

Log = Annotated[
    Literal["log1p", "plain"], Field(description="ln(1 + x), or ln(x) of numbers above 0.")
]
Quantile = Annotated[float, Field(ge=0, le=1, description="Which quantile is predicted.")]
LowColumn = Annotated[SubmissionColumn, Field(description="The column where intervals begin.")]
HighColumn = Annotated[SubmissionColumn, Field(description="The column where intervals end.")]
ListNumber = Annotated[ListColumn, Field(description="A further column of `lists`, of numbers.")]


@error_metric(
    "MAE",
    title="Mean absolute error",
    source=f"Willmott and Matsuura, Climate Research 30, 2005, doi:10.3354/cr030079; {HERLOCKER}",
    latex=r"\frac{1}{n} \sum_{i=1}^{n} \lvert y_i - \hat{y}_i \rvert",
    tools="scikit-learn: mean_absolute_error; torchmetrics: MeanAbsoluteError; Surprise: mae",
    undefined="a list has no rating",
)
def mae(view: Targets) -> Ratio:
    """How far predictions are from the targets, on average.

    Of ratings it is the mean over all of them, as scikit-learn, Surprise and Kaggle take it.
    `average=lists` takes each list's own mean, then the mean of those, so that a user with many
    ratings counts as much as one with few.

    A list of two ratings, 5 and 3, predicted as 4 and 3, and one of 2 predicted as 4:

    >>> ratio = mae(ratings_view(([5, 3], [4, 3]), ([2], [4])))
    >>> ratio.pooled()  # (1 + 0 + 2) / 3
    1.0
    >>> ratio.values()  # (1 + 0) / 2, and 2 / 1
    array([0.5, 2. ])
    """
    return mean_of_rows(view, np.abs(view.error), "|error|")


@error_metric(
    "MSE",
    title="Mean squared error",
    source=GAUSS,
    latex=MEAN_SQUARE,
    tools="scikit-learn: mean_squared_error; torchmetrics: MeanSquaredError; Surprise: mse",
    undefined="a list has no rating",
)
def mse(view: Targets) -> Ratio:
    """The mean of the squared errors: large ones weigh more.

    >>> mse(targets_view([3, 5], [1, 5])).values()
    array([4., 0.])
    """
    return mean_of_rows(view, view.error**2, "error²")


@error_metric(
    "RMSE",
    title="Root mean squared error",
    source=f"{GAUSS}; {HERLOCKER}",
    latex=rf"\sqrt{{{MEAN_SQUARE}}}",
    tools="scikit-learn: root_mean_squared_error; Surprise: rmse",
    undefined="a list has no rating, or a row no prediction",
    pooling="default",
)
def rmse(view: Targets) -> Ratio:
    """The root of the mean squared error, in the targets' own unit.

    One root of all rows, not a mean of rows; so, too, of ratings, as the Netflix Prize,
    scikit-learn, Surprise and Kaggle take it. `average=lists` takes a root for each list, such as a
    user, and then their mean: every list counts alike, however many ratings it has.

    >>> rmse(targets_view([3, 5], [3, 3])).pooled()  # sqrt((0 + 4) / 2)
    1.4142135623730951

    A list of two ratings, 5 and 3, predicted as 4 and 3, and one of 2 predicted as 4:

    >>> view = ratings_view(([5, 3], [4, 3]), ([2], [4]))
    >>> rmse(view).values().round(4)  # sqrt(1 / 2), sqrt(4 / 1)
    array([0.7071, 2.    ])
    """
    return mean_of_rows(view, view.error**2, "error²", transform=square_root)


@error_metric(
    "RMSLE",
    title="Root mean squared logarithmic error",
    source="scikit-learn, root_mean_squared_log_error",
    latex=r"\sqrt{\frac{1}{n} \sum_{i=1}^{n} (\ln(1 + \hat{y}_i) - \ln(1 + y_i))^2}",
    tools="scikit-learn: root_mean_squared_log_error",
    undefined="a target or a prediction is -1 or less, or with `log=plain` 0 or less",
    pooling="default",
)
def rmsle(view: Targets, *, log: Log = "log1p") -> Ratio:
    """The root mean squared error of ln(1 + x): an error of ten percent costs the same anywhere.

    `log=plain` takes ln(x), as Kaggle's House Prices does. Where such a logarithm is undefined, so
    is the value; `submission.range` refuses such predictions.

    >>> round(rmsle(targets_view([0, 9], [0, 99])).pooled(), 6)  # ln(10) / sqrt(2)
    1.628174
    """
    logarithm, one = (np.log1p, "1 + ") if log == "log1p" else (np.log, "")
    with np.errstate(invalid="ignore", divide="ignore"):
        differences = logarithm(view.prediction) - logarithm(view.target)
    squares = np.where(np.isfinite(differences), differences, np.nan) ** 2
    heading = f"(ln({one}prediction) - ln({one}target))²"
    return mean_of_rows(view, squares, heading, transform=square_root)


@error_metric(
    "RMSPE",
    title="Root mean squared percentage error",
    source="Kaggle, Rossmann Store Sales, 2015",
    latex=r"\sqrt{\frac{\sum_{i=1}^{n} [y_i \ne 0] \left(\frac{y_i - "
    r"\hat{y}_i}{y_i}\right)^2}{\sum_{i=1}^{n} [y_i \ne 0]}}",
    tools="Kaggle: RMSPE",
    undefined="all targets are 0",
    pooling="default",
)
def rmspe(view: Targets) -> Ratio:
    """The root of the mean squared error, each error divided by its target.

    Rows whose target is 0 do not count, as in the Rossmann challenge. It is a share, so .1 is ten
    percent.

    >>> round(rmspe(targets_view([2, 4, 0], [1, 4, 9])).pooled(), 6)  # sqrt((1/4 + 0) / 2)
    0.353553
    """
    is_counted = view.target != 0
    shares = np.divide(view.error, view.target, out=np.zeros_like(view.target), where=is_counted)
    weights = view.weights * is_counted
    heading = "(error / target)²"
    return mean_of_rows(view, shares**2, heading, weights=weights, transform=square_root)


@error_metric(
    "MAPE",
    title="Mean absolute percentage error",
    source="Makridakis, International Journal of Forecasting 9(4), 1993",
    latex=r"\frac{1}{n} \sum_{i=1}^{n} \frac{\lvert y_i - \hat{y}_i \rvert}{\max(\lvert y_i "
    r"\rvert, 2^{-52})}",
    tools="scikit-learn: mean_absolute_percentage_error; torchmetrics: MeanAbsolutePercentageError",
)
def mape(view: Targets) -> Ratio:
    """How large the error is beside the target: 0.1 is 10 %.

    As in scikit-learn a target of 0 counts as 2.2e-16, which makes the value huge: use another
    measure where targets can be 0.

    >>> mape(targets_view([4, 5], [3, 5])).values()
    array([0.25, 0.  ])
    """
    smallest = np.finfo(np.float64).eps
    errors = np.abs(view.error) / np.maximum(np.abs(view.target), smallest)
    return mean_of_rows(view, errors, "|error| / |target|")


@error_metric(
    "SMAPE",
    title="Symmetric mean absolute percentage error",
    source="Makridakis and Hibon, International Journal of Forecasting 16(4), 2000",
    latex=r"\frac{1}{n} \sum_{i=1}^{n} [\lvert y_i \rvert + \lvert \hat{y}_i \rvert > 0] "
    r"\frac{2 \lvert y_i - \hat{y}_i \rvert}{\lvert y_i \rvert + \lvert \hat{y}_i "
    r"\rvert}",
    tools="torchmetrics: SymmetricMeanAbsolutePercentageError",
    range=(0, 2),
)
def smape(view: Targets) -> Ratio:
    """How large the error is beside the mean of target and prediction, 0 to 2.

    0 where both are 0. Some contests give it in percent, 100 times as much.

    >>> smape(targets_view([4, 0], [12, 0])).values()
    array([1., 0.])
    """
    size = np.abs(view.target) + np.abs(view.prediction)
    errors = 2 * np.abs(view.error) / np.where(size == 0, 1, size)  # 0 / 1 where both are 0
    return mean_of_rows(view, errors, "2 |error| / (|target| + |prediction|)")


@error_metric(
    "Pinball",
    title="Pinball loss, quantile loss",
    source="Koenker and Bassett, Econometrica 46(1), 1978, doi:10.2307/1913643",
    latex=r"\frac{1}{n} \sum_{i=1}^{n} \max(\tau (y_i - \hat{y}_i), (\tau - 1) (y_i - \hat{y}_i))",
    tools="scikit-learn: mean_pinball_loss",
    aliases=("QuantileLoss",),
)
def pinball(view: Targets, *, quantile: Quantile = 0.5) -> Ratio:
    """What a prediction of a quantile costs: too low costs `quantile`, too high the rest.

    With `quantile=0.5` it is half of MAE.

    >>> pinball(targets_view([10, 10], [9, 11]), quantile=0.9).values().round(2)
    array([0.9, 0.1])
    """
    too_low = -view.error  # the target less the prediction, below 0 where that is too high
    losses = np.maximum(quantile * too_low, (quantile - 1) * too_low)
    return mean_of_rows(view, losses, "loss")


def figure_of_numbers(view: Targets, function: Any, formula: str, **fields: Any) -> Figure:
    """A figure of the columns `target`, `prediction` and `weight`.

    `fields` are fields of `Figure` that are not the default.
    """
    columns = {"target": view.target, "prediction": view.prediction, "weight": view.weights}
    # A missing prediction is NaN and makes a sum NaN, also if it is multiplied by a weight of 0.
    is_complete = not np.isnan(view.prediction).any()
    return Figure(
        function, columns, view.in_list, zero_weights=is_complete, formula=formula, **fields
    )


def weighted_numbers(
    columns: Mapping[str, Any], row_weight: Floats
) -> tuple[Floats, Floats, Floats]:
    """Targets, predictions and weights of the rows of `figure_of_numbers`."""
    return columns["target"], columns["prediction"], columns["weight"] * row_weight


def _median_error(columns: Mapping[str, Any], row_weight: Floats) -> float:
    target, prediction, weight = weighted_numbers(columns, row_weight)
    return median(np.abs(prediction - target), weight)


@error_metric(
    "MedAE",
    title="Median absolute error",
    source="scikit-learn, median_absolute_error",
    latex=r"\mathrm{median}_{1 \le i \le n} \lvert y_i - \hat{y}_i \rvert",
    tools="scikit-learn: median_absolute_error",
    aliases=("MedianAbsoluteError",),
    undefined="a row has no prediction",
)
def medae(view: Targets) -> Figure:
    """Half of the errors are smaller than this: outliers do not matter.

    >>> medae(targets_view([1, 2, 3], [1, 4, 103])).pooled()
    2.0
    """
    return figure_of_numbers(view, _median_error, "median |error|", smooth=False)


def _largest_error(columns: Mapping[str, Any], row_weight: Floats) -> float:
    target, prediction, weight = weighted_numbers(columns, row_weight)
    errors = np.abs(prediction - target)[weight > 0]
    return float(errors.max()) if errors.size else float("nan")


@error_metric(
    "MaxError",
    title="Largest error",
    source="scikit-learn, max_error",
    latex=r"\max_{1 \le i \le n} \lvert y_i - \hat{y}_i \rvert",
    tools="scikit-learn: max_error",
    undefined="a row has no prediction",
)
def maxerror(view: Targets) -> Figure:
    """The largest of the errors.

    >>> maxerror(targets_view([1, 2, 3], [1, 4, 2])).pooled()
    2.0
    """
    reason = "the largest of these errors says nothing of the largest of others"
    return figure_of_numbers(view, _largest_error, "largest |error|", no_bootstrap=reason)


@number_metric(
    "IntervalCoverage",
    title="Coverage of prediction intervals",
    source="Gneiting and Raftery, JASA 102(477), 2007, section 6.2, doi:10.1198/016214506000001437",
    latex=INSIDE + r"\text{ends of the interval of row } i",
    kind="labels",
)
def intervalcoverage(view: Targets, *, low: LowColumn = "low", high: HighColumn = "high") -> Ratio:
    """The share of the targets that lie inside the interval given for them.

    Both ends are further columns of the submission, `extra: {low: number, high: number}`, and
    belong to the interval. One that should hold 90 % of the targets is honest where the value is
    near 0.9. Wide intervals score high for nothing: rank by `QuantileScore`, whose quantiles 0.05
    and 0.95 are these ends, and show the coverage beside it.

    >>> ends = {"low": [2, 1], "high": [4, 4]}
    >>> intervalcoverage(targets_view([3, 5], [3, 4], submission=ends)).values()
    array([1., 0.])
    """
    columns = view.extras.submission
    begin, end = (number_column(columns, name, "IntervalCoverage") for name in (low, high))
    inside = (begin <= view.target) & (view.target <= end)
    return mean_of_rows(view, inside, "inside", columns={"low": begin, "high": end})


@metric(
    "IntervalCoverage",
    title="Coverage of prediction intervals",
    source="Shani and Gunawardana, Recommender Systems Handbook, 2011, section 8.3.4 (confidence)",
    latex=INSIDE + r"\text{ends of the interval of rating } i",
    undefined="a list has no rating",
    columns=("low", "high"),
    kind="ratings",
)
def intervalcoverage_of_ratings(view: Targets) -> Ratio:
    """The share of the ratings that lie inside the interval given for them.

    The submission says for each prediction from where (`low`) to where (`high`) it expects the
    rating; both ends belong to the interval. An interval that should hold 90 % of the ratings is
    honest where the value is near 0.9. Wide intervals score high for nothing: look at an error
    measure as well.

    A rating of 3 inside 2 to 4, one of 5 outside 1 to 4:

    >>> view = ratings_view(([3, 5], [3, 4]), submission={"low": [2, 1], "high": [4, 4]})
    >>> intervalcoverage_of_ratings(view).values()  # 1 / 2
    array([0.5])
    """
    return intervalcoverage(view)


@metric(
    "WRMSSE",
    title="Weighted root mean squared scaled error",
    source="Makridakis et al., Int. Journal of Forecasting 38(4), 2022; the M5 competition",
    latex=r"\frac{\sum_{\ell} w_{\ell} \sqrt{\frac{e_{\ell}}{s_{\ell}}}}{\sum_{\ell} "
    r"w_{\ell}}, \qquad e_{\ell} = \text{mean squared error of list } \ell, \qquad "
    r"s_{\ell}, w_{\ell} = \text{its scale and weight}",
    range=(0, None),
    better="lower",
    undefined="all weights are 0",
    pooling="always",
    kind="ratings",
)
def wrmsse(view: Targets, *, scale: ListNumber = "scale", weight: ListNumber = "weight") -> Ratio:
    """The error of each series over the error of the naive forecast of its past, weighted.

    A list is a series, its items are days: sqrt(mean squared error / scale), where the scale is the
    mean squared difference from one day to the next in the series' past, and the mean over series
    is weighted, in the M5 by their sales. Both are further columns of the public `lists`: `extra:
    {scale: number, weight: number}`. The M5's series of higher levels are lists of their own:
    nothing is summed up here.

    Errors of 1 and 1 with scale 4, weight 3; no error in another series, weight 1:

    >>> columns = {"scale": [4, 1], "weight": [3, 1]}
    >>> view = ratings_view(([5, 3], [4, 4]), ([2], [2]), list=columns)
    >>> wrmsse(view).pooled()  # 3/4 * sqrt(1/4)
    0.375
    """
    scales = number_column(view.extras.list, scale, "WRMSSE")
    if not (scales > 0).all():
        name = quoted(view.names[int(np.argmin(scales > 0))])
        raise ChallengeError(f"WRMSSE: {scale} of {name} in lists must be a number above 0")
    squares = view.error**2
    total, count = view.total(squares), view.total()
    mean_square = divide(total, count)  # NaN in a list without rows, which then has the weight 0
    weights = number_column(view.extras.list, weight, "WRMSSE")
    weights = np.where(np.isnan(mean_square), 0.0, weights)
    return Ratio(
        weights * np.sqrt(np.nan_to_num(mean_square) / scales),
        weights,
        "weight × sqrt(sum of error² / rows / scale) / weight",
        {"weight": weights, "sum of error²": total, "rows": count, "scale": scales},
        Table(view, {"error²": squares}),
    )
