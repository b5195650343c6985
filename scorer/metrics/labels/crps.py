"""Continuous ranked probability score."""

from __future__ import annotations

from collections.abc import Mapping
from math import pi, sqrt
from typing import Annotated, Any, Literal

import numpy as np
from pydantic import Field

from scorer.core.arrays import Floats
from scorer.metrics.base import metric
from scorer.metrics.labels.further import PREDICTION, SentColumns, numbers, sent, sent_columns
from scorer.metrics.labels.laplaceloglikelihood import SPREAD, SpreadColumn
from scorer.metrics.notation import NotationError
from scorer.metrics.quotient import Rowwise
from scorer.metrics.statistic import Share
from scorer.views.labelled import Targets

Form = Annotated[
    Literal["normal", "ensemble", "steps"],
    Field(
        description="What a submission says of a row: the mean, `prediction`, and standard "
        "deviation, `spread`, of a normal distribution; the numbers of an ensemble, `members`; or "
        "the probabilities that the number is at most each of the `steps`."
    ),
]
Steps = Annotated[
    Mapping[str, float],
    Field(
        min_length=1,
        description="Of each column of the submission the number that its probability is about: "
        "{P0: 0, P1: 1, prediction: 2}.",
    ),
]


def of_normal(target: Floats, mean: Floats, deviation: Floats) -> Floats:
    """The score of normal distributions, all of shape (rows,); NaN of deviations below 0.

    A deviation of 0 gives the absolute error.
    """
    from scipy.special import ndtr  # slow to import

    wide = np.where(deviation > 0, deviation, np.nan)
    z = (target - mean) / wide
    density = np.exp(-(z**2) / 2) / sqrt(2 * pi)
    score = wide * (z * (2 * ndtr(z) - 1) + 2 * density - 1 / sqrt(pi))
    return np.where(deviation == 0, np.abs(target - mean), score)


def of_ensemble(target: Floats, members: Floats) -> Floats:
    """The score of the empirical distribution of `members`, shape (rows, n).

    The mean distance from the target less half of the mean distance of two members.
    """
    n = members.shape[1]
    ordered = np.sort(members, axis=1)
    # each member's place says how often it is the larger of two
    apart = (ordered * (2 * np.arange(1, n + 1) - n - 1)).sum(axis=1) / n**2
    score: Floats = np.abs(members - target[:, None]).mean(axis=1) - apart
    return score


def of_steps(target: Floats, likely: Floats, steps: Floats) -> Floats:
    """The mean squared distance of probabilities, shape (rows, n), from 0 below the target, else 1.

    `steps`, shape (n,), are the numbers that the probabilities are about.
    """
    reached = target[:, None] <= steps
    score: Floats = ((likely - reached) ** 2).mean(axis=1)
    return score


def _needed(params: Mapping[str, Any]) -> tuple[str, ...]:
    named = {
        "normal": [params["spread"]],
        "ensemble": params["members"] or (),
        "steps": params["steps"] or (),
    }
    return sent_columns(named[params["form"]])


FORMULAS = {
    "normal": r"\frac{1}{n} \sum_{i=1}^{n} \sigma_i \left(z_i (2 \Phi(z_i) - 1) + 2 \phi(z_i) "
    r"- \frac{1}{\sqrt{\pi}}\right), \qquad z_i = \frac{y_i - \hat{y}_i}{\sigma_i}, "
    r"\qquad \sigma_i = \text{spread of row } i, "
    r"\qquad \Phi, \phi = \text{the normal distribution and its density}",
    "ensemble": r"\frac{1}{n} \sum_{i=1}^{n} \left(\frac{1}{M} \sum_{m=1}^{M} "
    r"\lvert x_{i,m} - y_i \rvert - \frac{1}{2 M^2} \sum_{m=1}^{M} \sum_{l=1}^{M} "
    r"\lvert x_{i,m} - x_{i,l} \rvert\right), \qquad x_{i,m} = \text{member } m \text{ of } M",
    "steps": r"\frac{1}{n M} \sum_{i=1}^{n} \sum_{m=1}^{M} (x_{i,m} - [y_i \le t_m])^2, "
    r"\qquad x_{i,m} = \text{probability of at most } t_m",
}


@metric(
    "CRPS",
    title="Continuous ranked probability score",
    source="Gneiting and Raftery, JASA 102(477), 2007, doi:10.1198/016214506000001437; "
    "Hersbach, Weather and Forecasting 15(5), 2000",
    elsewhere={
        "scoringrules": "crps_normal, crps_ensemble",
    },
    formula=lambda params: FORMULAS[params["form"]],
    undefined="a spread is below 0",
    range=(0, None),
    better="lower",
    columns=("prediction",),
    needs=_needed,
    statistic=Share(),
)
def crps(
    targets: Targets,
    *,
    form: Form = "normal",
    spread: SpreadColumn = SPREAD,
    members: SentColumns | None = None,
    steps: Steps | None = None,
) -> Rowwise:
    """How far the predicted distribution is from the target, squared and summed over all numbers.

    The integral of (F(x) - [target <= x])², where F is the predicted probability of at most
    x: the absolute error, where all of the distribution is one number. `form` says how it is
    predicted. Of `steps` it is the mean over these numbers instead, as in Kaggle's Data
    Science Bowl of 2016 and the Big Data Bowl of 2020. A spread below 0 gives no value.

    Normal around 0 with deviation 1, and the target 0: (√2 - 1) / √π.

    >>> from scorer.views.extras import Extras, NamedColumns
    >>> from scorer.views.labelled import targets
    >>> sent = Extras(submission=NamedColumns({"spread": np.array([1.0])}, "submission"))
    >>> crps(targets([0], [0], extras=sent)).given.round(4)
    array([0.2337])

    Members 9 and 13 for the target 10, |x - 10| is 2 on average, and half of |9 - 13| / 2:

    >>> sent = Extras(submission=NamedColumns({"more": np.array([13.0])}, "submission"))
    >>> crps(targets([10], [9], extras=sent), form="ensemble", members=("prediction", "more")).given
    array([1.])
    """
    if form == "ensemble":
        if members is None:
            raise NotationError("CRPS(form=ensemble) needs members=, its columns", "members")
        scores = of_ensemble(targets.target, sent(targets, members, "CRPS"))
    elif form == "steps":
        if steps is None:
            raise NotationError("CRPS(form=steps) needs steps=, its columns", "steps")
        likely = sent(targets, steps, "CRPS")
        scores = of_steps(targets.target, likely, np.array(list(steps.values())))
    else:
        deviation = numbers(targets.submission, spread, "CRPS")
        scores = of_normal(targets.target, targets.prediction, deviation)
    return Rowwise(targets.mean(scores), lambda: {PREDICTION: targets.prediction}, "{}")
