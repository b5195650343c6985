"""Metrics of values that other tools computed: each of a challenge's values is one."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Any

from scorer.core.arrays import Floats
from scorer.metrics.api import Better, Bounds, Metric, Ratio
from scorer.views.values import Given

SOURCE = "this challenge"


def value_metric(name: str, better: Better, range: Bounds) -> Metric:
    """The metric of a given value of each list; a board shows their mean."""

    def value(view: Given) -> Floats:
        """The value that the submission gives of each list, as another tool computed it."""
        return view.values[name]

    return Metric(
        name=name,
        function=value,
        title="value computed elsewhere",
        source=SOURCE,
        latex="v",
        range=range,
        better=better,
        undefined="the submission gives no value of the list",
        remake=partial(value_metric, name, better, range),
    )


def share_metric(name: str, better: Better, range: Bounds) -> Metric:
    """The metric of given parts and wholes of lists; a board shows the quotient of their sums."""

    def share(view: Given) -> Ratio:
        """The sum of the parts over the sum of the wholes, as another tool counted them."""
        part, whole = view.values[name].T
        return Ratio(part, whole, "part / whole", {"part": part, "whole": whole})

    return Metric(
        name=name,
        function=share,
        title="quotient of sums counted elsewhere",
        source=SOURCE,
        latex=r"\frac{\mathrm{part}}{\mathrm{whole}}",
        range=range,
        better=better,
        aggregate="pooled",
        undefined="the whole is 0",
        remake=partial(share_metric, name, better, range),
    )


def value_fields(metric: Metric) -> list[object] | None:
    """What makes the metric of a value, as JSON has it; None of other metrics."""
    remake = metric.remake
    if not isinstance(remake, partial) or remake.func not in (value_metric, share_metric):
        return None
    low, high = metric.range
    return [metric.name, metric.better, low, high, remake.func is share_metric]


def metric_of_fields(fields: Sequence[Any]) -> Metric:
    """The metric that `value_fields` made these fields of."""
    name, better, low, high, is_share = fields
    return (share_metric if is_share else value_metric)(name, better, (low, high))
