"""Arcs on a sphere, for measures of distance on the globe."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any

import numpy as np
from pydantic import Field

from scorer.core.arrays import Floats

EARTH = 6_371_000.0  # metres
LONGITUDE = "longitude"

Longitude = Annotated[
    str,
    Field(
        min_length=1,
        description="The further column of both truth and submission with the longitude.",
    ),
]
Radius = Annotated[
    float, Field(gt=0, description="The sphere's radius, in the unit that distances are to have.")
]


def both_longitudes(params: Mapping[str, Any]) -> tuple[str, ...]:
    """What a challenge must declare."""
    return tuple(f"{side}.extra.{params['longitude']}" for side in ("truth", "submission"))


def arc(latitude: Floats, longitude: Floats, other: Floats, other_longitude: Floats) -> Floats:
    """The angle between two points, in radians; all are of shape (rows,), in degrees.

    By haversines, which are exact where points are near.
    """
    north, other_north = np.deg2rad(latitude), np.deg2rad(other)
    east = np.deg2rad(other_longitude - longitude)
    half = np.sin((other_north - north) / 2) ** 2
    half = half + np.cos(north) * np.cos(other_north) * np.sin(east / 2) ** 2
    angle: Floats = 2 * np.arcsin(np.sqrt(np.clip(half, 0, 1)))
    return angle
