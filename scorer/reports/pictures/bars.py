"""Intervals as bars in the cells of a table, on one scale."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from scorer.metrics.api import Better
from scorer.reports.document import IntervalSpan
from scorer.reports.pictures.draw import place


class IntervalBar(NamedTuple):
    """An interval on a scale from 0 to 200; what lies `beyond` it (-1, 1) has no dot."""

    left: str
    right: str
    dot: str
    beyond: int = 0


def bar(span: IntervalSpan) -> IntervalBar:
    """An interval as a bar with a dot; what lies beyond the scale is cut off there.

    The picture is no more exact than the numbers that are shown.
    """
    low, high, left, middle, right = (
        round(number, span.decimals)
        for number in (*span.scale, span.ends[0], span.value, span.ends[1])
    )
    wide = (high - low) or 1.0

    def at(value: float) -> str:
        return place(200 * min(max((value - low) / wide, 0.0), 1.0))

    return IntervalBar(at(left), at(right), at(middle), int(middle > high) - int(middle < low))


def scale_of(values: Sequence[tuple[float, float, float]], better: Better) -> tuple[float, float]:
    """The ends of the scale of bars: over all intervals but those far behind the others.

    Args:
        values: low end, value and high end of each; NaN where there is none.
        better: which values are; the best ones are always on the scale.

    Returns:
        The lowest and the highest end of those whose value is at most one and a half
        interquartile ranges worse than the worse quartile (Tukey's fence).
    """
    valued = np.array([row for row in values if not math.isnan(row[1])], dtype=float)
    if not len(valued):
        return 0.0, 1.0
    first, third = np.quantile(valued[:, 1], [0.25, 0.75])
    wide = 1.5 * (third - first)
    behind = valued[:, 1] < first - wide if better == "higher" else valued[:, 1] > third + wide
    inside = ~behind if wide > 0 else np.full(len(valued), True)
    return float(np.nanmin(valued[inside])), float(np.nanmax(valued[inside]))
