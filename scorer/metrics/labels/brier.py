"""Brier score."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from scorer.metrics.base import metric
from scorer.metrics.labels.base import one_label, two
from scorer.metrics.quotient import Rowwise
from scorer.metrics.statistic import Share
from scorer.views.labelled import Labelled

Scale = Annotated[
    Literal["half", "whole"],
    Field(
        description="whole: the sum over the classes, 0 to 2; half: half of that, which for two "
        "classes is the squared error of the positive one. Default: half for two classes."
    ),
]


@metric(
    "Brier",
    title="Brier score",
    source="Brier, Monthly Weather Review 78(1), 1950",
    elsewhere={
        "scikit-learn": "brier_score_loss",
    },
    formula=lambda params: (
        r"\frac{1}{$half n} \sum_{i=1}^{n} \sum_{c=1}^{C} (p_{i,c} - y_{i,c})^2".replace(
            "$half ", "2 " if params["scale"] == "half" else ""
        )
    ),
    range=(0, 2),
    better="lower",
    columns=("probability",),
    settle={"scale": lambda constants: "half" if two(constants) else "whole"},
    statistic=Share(),
)
def brier(labelled: Labelled, *, scale: Scale | None = None) -> Rowwise:
    """How far the probabilities are from 1 for the true class and 0 for the others, squared.

    The convention for the scale is scikit-learn's `scale_by_half="auto"`.

    >>> from scorer.views.labelled import labelled
    >>> brier(labelled(["a", "b"], {"a": [0.5, 0.2], "b": [0.5, 0.8]}), scale="half").given.round(2)
    array([0.25, 0.04])
    """
    one_label(labelled, "Brier")
    likely = labelled.likely
    squares = ((likely - labelled.indicators(labelled.truth)) ** 2).sum(axis=1)
    half = scale == "half"
    says = "{} = half of Σ (p - y)²" if half else "{} = Σ (p - y)²"
    return Rowwise(labelled.mean(squares / 2 if half else squares), labelled.likelihoods, says)
