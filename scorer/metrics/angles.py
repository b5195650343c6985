"""Metrics of predicted places and directions: distances on a sphere, and angles."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import pairwise
from typing import Annotated, Any, Literal

import numpy as np
from pydantic import Field, Strict

from scorer.core.arrays import Floats
from scorer.metrics.api import metric
from scorer.metrics.numbers import error_metric
from scorer.metrics.parameters import BothColumn
from scorer.metrics.ratios import Ratio, Table, mean_of_rows
from scorer.metrics.rows import number_column
from scorer.views.rows import Targets

EARTH_RADIUS = 6_371_000.0  # metres
SINNOTT = "Sinnott, Sky and Telescope 68(2), 1984"
HAVERSINE = (
    r"\frac{2 \cdot \varrho}{n} \sum_{i=1}^{n} \arcsin \sqrt{s_i}, "
    r"\qquad s_i = \sin^2(\frac{\hat{y}_i - y_i}{2}) + \cos(y_i) \cos(\hat{y}_i) "
    r"\sin^2(\frac{\hat{z}_i - z_i}{2}), "
    r"\qquad y_i, z_i = \text{latitude and longitude in radians}"
)
Quantiles = Annotated[
    tuple[Annotated[float, Field(ge=0, le=1)], ...],
    Strict(False),
    Field(min_length=1, description="Quantiles of a list's distances, by linear interpolation."),
]
Longitude = Annotated[BothColumn, Field(description="The column with the longitude.")]
Radius = Annotated[float, Field(gt=0, description="The sphere's radius; distances have its unit.")]
Zenith = Annotated[BothColumn, Field(description="The column with the angle from the pole.")]
AngleUnit = Annotated[Literal["radians", "degrees"], Field(description="The unit of all angles.")]


def _distances(view: Targets, longitude: str, radius: float) -> Floats:
    """The distance of each row's points, in the unit of the radius.

    By haversines, which are exact where points are near.
    """
    true_longitude = number_column(view.extras.truth, longitude, "Haversine")
    predicted_longitude = number_column(view.extras.submission, longitude, "Haversine")
    latitude, predicted_latitude = np.deg2rad(view.target), np.deg2rad(view.prediction)
    turn = np.deg2rad(predicted_longitude - true_longitude)
    haversines = np.sin((predicted_latitude - latitude) / 2) ** 2
    haversines += np.cos(latitude) * np.cos(predicted_latitude) * np.sin(turn / 2) ** 2
    return np.asarray(2 * np.arcsin(np.sqrt(np.clip(haversines, 0, 1))) * radius)


def _latitudes(params: Mapping[str, Any]) -> Mapping[str, tuple[float, float]]:
    """The domain of the numbers that are latitudes, by their role in each file."""
    return dict.fromkeys(("prediction", "target", "rating"), (-90.0, 90.0))


@error_metric(
    "Haversine",
    title="Distance on the globe",
    source=SINNOTT,
    latex=HAVERSINE,
    tools="scikit-learn: haversine_distances (in radians, as radius=1)",
    kind="labels",
    domain=_latitudes,
)
def haversine(
    view: Targets, *, longitude: Longitude = "longitude", radius: Radius = EARTH_RADIUS
) -> Ratio:
    """The mean distance between the true points and the predicted ones, in metres.

    The target is the latitude; the longitude is a further column of both files, `extra:
    {longitude: number}`, both in degrees. The earth is taken for a sphere; `radius=6371` gives
    kilometres, `radius=1` radians.

    A quarter of the equator:

    >>> columns = {"truth": {"longitude": [0]}, "submission": {"longitude": [90]}}
    >>> haversine(targets_view([0], [0], **columns)).values().round()  # π/2 × 6,371,000
    array([10007543.])
    """
    return mean_of_rows(view, _distances(view, longitude, radius), "distance")


@metric(
    "Haversine",
    title="Distance on the globe",
    source=f"{SINNOTT}; Smartphone Decimeter Challenge, Kaggle 2022",
    latex=HAVERSINE,
    range=(0, None),
    better="lower",
    undefined="a list has no point",
    kind="ratings",
    domain=_latitudes,
)
def haversine_of_lists(
    view: Targets,
    *,
    longitude: Longitude = "longitude",
    radius: Radius = EARTH_RADIUS,
    quantiles: Quantiles | None = None,
) -> Ratio:
    """The distance between a list's true points and the predicted ones, in metres.

    The rating is the latitude; the longitude is a further column of both files, `extra:
    {longitude: number}`, both in degrees. A list has the mean of its distances, or of some of their
    quantiles: `quantiles: [0.5, 0.95]` in the Smartphone Decimeter Challenge, whose lists are
    drives.

    Two points of a list, a quarter of the equator and nothing away:

    >>> columns = {"truth": {"longitude": [0, 5]}, "submission": {"longitude": [90, 5]}}
    >>> haversine_of_lists(ratings_view(([0, 1], [0, 1]), **columns)).values().round()
    array([5003772.])
    """
    if quantiles is None:
        return haversine(view, longitude=longitude, radius=radius)
    distances = _distances(view, longitude, radius)
    edges = np.searchsorted(view.in_list, np.arange(view.lists + 1))
    by_list = [distances[first:end] for first, end in pairwise(edges)]
    means = np.array([np.quantile(own, quantiles).mean() if own.size else 0.0 for own in by_list])
    has_points = (view.total() > 0).astype(np.float64)
    formula = "mean of the quantiles"
    table = Table(view, {"distance": distances})
    return Ratio(means, has_points, formula, {formula: means}, table)


def _unit_vectors(azimuth: Floats, zenith: Floats) -> Floats:
    """Unit vectors, shape (rows, 3), from angles in radians."""
    horizontal = np.sin(zenith)
    return np.column_stack(
        [horizontal * np.cos(azimuth), horizontal * np.sin(azimuth), np.cos(zenith)]
    )


@error_metric(
    "AngularError",
    title="Mean angular error",
    source="IceCube - Neutrinos in Deep Ice, Kaggle 2023",
    latex=r"\frac{1}{n} \sum_{i=1}^{n} \arccos(\sin(z_i) \sin(\hat{z}_i) \cos(y_i - "
    r"\hat{y}_i) + \cos(z_i) \cos(\hat{z}_i)), \qquad y_i = \text{azimuth}, \qquad "
    r"z_i = \text{angle from the pole}",
)
def angularerror(view: Targets, *, zenith: Zenith = "zenith", unit: AngleUnit = "radians") -> Ratio:
    """The mean angle between the true directions and the predicted ones.

    A direction is its azimuth, the target, and its zenith, a further column of both files:
    `extra: {zenith: number}`. Azimuths a whole turn apart are the same.

    A quarter of a turn along the horizon, in degrees:

    >>> columns = {"truth": {"zenith": [90]}, "submission": {"zenith": [90]}}
    >>> rows = targets_view([350], [80], **columns)
    >>> angularerror(rows, unit="degrees").values().round(6)
    array([90.])
    """
    scale = np.pi / 180 if unit == "degrees" else 1.0
    true_zenith = number_column(view.extras.truth, zenith, "AngularError")
    predicted_zenith = number_column(view.extras.submission, zenith, "AngularError")
    true = _unit_vectors(view.target * scale, true_zenith * scale)
    predicted = _unit_vectors(view.prediction * scale, predicted_zenith * scale)
    sine = np.linalg.norm(np.cross(true, predicted), axis=1)  # exact where the angle is small
    angle = np.arctan2(sine, (true * predicted).sum(axis=1)) / scale
    return mean_of_rows(view, angle, "angle")
