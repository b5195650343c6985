"""Angle between directions."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any, Literal

import numpy as np
from pydantic import Field

from scorer.core.arrays import Floats
from scorer.metrics.base import metric
from scorer.metrics.labels.further import numbers
from scorer.metrics.quotient import Rowwise
from scorer.metrics.statistic import Share
from scorer.views.labelled import Targets

ZENITH = "zenith"
Zenith = Annotated[
    str,
    Field(
        min_length=1,
        description="The further column of both truth and submission with the angle from the pole.",
    ),
]
Unit = Annotated[
    Literal["radians", "degrees"], Field(description="What all angles and the value are in.")
]


def _needed(params: Mapping[str, Any]) -> tuple[str, ...]:
    return tuple(f"{side}.extra.{params['zenith']}" for side in ("truth", "submission"))


def _direction(azimuth: Floats, zenith: Floats) -> Floats:
    """Unit vectors, shape (rows, 3), from angles in radians."""
    flat = np.sin(zenith)
    return np.column_stack([flat * np.cos(azimuth), flat * np.sin(azimuth), np.cos(zenith)])


@metric(
    "AngularError",
    title="Mean angular error",
    source="IceCube - Neutrinos in Deep Ice, Kaggle 2023",
    formula=r"\frac{1}{n} \sum_{i=1}^{n} \arccos(\sin(z_i) \sin(\hat{z}_i) \cos(y_i - "
    r"\hat{y}_i) + \cos(z_i) \cos(\hat{z}_i)), \qquad y_i = \text{azimuth}, \qquad "
    r"z_i = \text{angle from the pole}",
    range=(0, None),
    better="lower",
    columns=("prediction",),
    needs=_needed,
    statistic=Share(),
)
def angularerror(targets: Targets, *, zenith: Zenith = ZENITH, unit: Unit = "radians") -> Rowwise:
    """The mean angle between the true directions and the predicted ones.

    A direction is its azimuth, the target, and its zenith, a further column of both
    files: `extra: {zenith: number}`. Azimuths a whole turn apart are the same.

    A quarter of a turn along the horizon, in degrees:

    >>> from scorer.views.extras import Extras, NamedColumns
    >>> from scorer.views.labelled import targets
    >>> sides = [NamedColumns({"zenith": np.array([90.0])}, s) for s in ("truth", "submission")]
    >>> rows = targets([350], [80], extras=Extras(*sides))
    >>> angularerror(rows, unit="degrees").given.round(6)
    array([90.])
    """
    turn = np.pi / 180 if unit == "degrees" else 1.0
    sides = (targets.truth_columns, targets.submission)
    tilts = [numbers(side, zenith, "AngularError") for side in sides]
    true = _direction(targets.target * turn, tilts[0] * turn)
    predicted = _direction(targets.prediction * turn, tilts[1] * turn)
    sine = np.linalg.norm(np.cross(true, predicted), axis=1)  # exact where the angle is small
    angle = np.arctan2(sine, (true * predicted).sum(axis=1)) / turn
    return Rowwise(targets.mean(angle), lambda: {"angle": angle})
