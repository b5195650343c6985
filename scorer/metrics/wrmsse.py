"""Weighted root mean squared scaled error."""

from __future__ import annotations

from typing import Annotated

import numpy as np
from pydantic import Field

from scorer.core.arrays import Floats
from scorer.core.errors import ChallengeError
from scorer.core.text import quoted
from scorer.metrics.base import metric
from scorer.metrics.explain.steps import Steps, formula
from scorer.metrics.explain.tables import Listing, rated
from scorer.metrics.statistic import Share
from scorer.views.hits import ratio
from scorer.views.pooled import Statistics
from scorer.views.rated import Rated

SCALE, WEIGHT = "scale", "weight"

ListColumn = Annotated[
    str, Field(min_length=1, description="A further column of `lists`, of the kind number.")
]


def _parts(rated: Rated, scale: str) -> tuple[Floats, Floats]:
    """The mean squared error of each list, and what it is divided by."""
    by = rated.list[scale]
    if by.dtype == object or (wrong := np.flatnonzero(~(by > 0))).size:
        name = "" if by.dtype == object else f" of {quoted(rated.names[int(wrong[0])])}"
        raise ChallengeError(f"WRMSSE: {scale}{name} in lists must be a number above 0")
    return ratio(rated.total((rated.prediction - rated.rating) ** 2), rated.total()), by


def _explain(listing: Listing[Rated], value: float, *, scale: str, weight: str) -> Steps:
    yield rated(listing, {"squared error": (listing.view.prediction - listing.view.rating) ** 2})
    error, by = _parts(listing.view, scale)
    parts = float(error[0]), float(by[0])
    yield formula("RMSSE", "sqrt(mean squared error / scale)", "sqrt({} / {})", *parts, value=value)


@metric(
    "WRMSSE",
    title="Weighted root mean squared scaled error",
    source="Makridakis et al., Int. Journal of Forecasting 38(4), 2022; the M5 competition",
    formula=r"\frac{\sum_{\ell} w_{\ell} \sqrt{\frac{e_{\ell}}{s_{\ell}}}}{\sum_{\ell} "
    r"w_{\ell}}, \qquad e_{\ell} = \text{mean squared error of list } \ell, \qquad "
    r"s_{\ell}, w_{\ell} = \text{its scale and weight}",
    undefined="all weights are 0",
    range=(0, None),
    better="lower",
    aggregate="pooled",
    needs=lambda params: tuple(f"lists.extra.{params[key]}" for key in ("scale", "weight")),
    statistic=Share(),
    explain=_explain,
)
def wrmsse(rated: Rated, *, scale: ListColumn = SCALE, weight: ListColumn = WEIGHT) -> Statistics:
    """The error of each series over that of the naive forecast of its past, weighted.

    A list is a series, its items are days: sqrt(mean squared error / scale), where
    the scale is the mean squared difference from one day to the next in the series'
    past, and the mean over series is weighted, in the M5 by their sales. Both are
    further columns of the public `lists`: `extra: {scale: number, weight: number}`.
    The M5's series of higher levels are lists of their own: nothing is summed up here.

    Errors of 1 and 1 with scale 4, weight 3; no error in another series, weight 1:

    >>> from scorer.views.extras import Extras, NamedColumns
    >>> from dataclasses import replace
    >>> columns = {"scale": np.array([4.0, 1.0]), "weight": np.array([3.0, 1.0])}
    >>> extras = NamedColumns(columns, "list")
    >>> rated = Rated.of(([5, 3], [4, 4]), ([2], [2]))
    >>> wrmsse(replace(rated, extras=Extras(list=extras))).share()      # 3/4 * sqrt(1/4)
    0.375
    """
    error, by = _parts(rated, scale)
    weights = np.where(np.isnan(error), 0.0, rated.list[weight])
    return rated.pooled(weights * np.sqrt(np.nan_to_num(error) / by), weights)
