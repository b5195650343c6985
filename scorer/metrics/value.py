"""Metrics of values that were computed elsewhere: each of a challenge's values is one."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Any, Literal

from scorer.core.arrays import Floats
from scorer.metrics.base import Better, Metric
from scorer.metrics.quotient import Quotient
from scorer.metrics.statistic import Share
from scorer.views.given import Given

SOURCE = "this challenge"
Ends = tuple[float | None, float | None]


def value_metric(name: str, better: Better, range: Ends) -> Metric:
    """The metric of a value of each list, of which a board has the mean."""

    def value(lists: Given) -> Floats:
        """The value that the submission gives of each list, as another tool computed it."""
        return lists.values[name]

    again = partial(value_metric, name, better, range)
    return Metric(
        name, "value computed elsewhere", SOURCE, value, range=range, better=better, again=again,
        formula=r"v", undefined="the submission gives no value of the list",
    )  # fmt: skip


def share_metric(name: str, better: Better, range: Ends) -> Metric:
    """The metric of parts and wholes of each list, of which a board has the quotient of sums."""

    def share(lists: Given, *, average: Literal["pooled", "lists"] = "pooled") -> Quotient:
        """The sum of the parts over that of the wholes, as another tool counted them."""
        part, whole = lists.values[name].T
        return Quotient(part, whole, "part / whole")

    again = partial(share_metric, name, better, range)
    return Metric(
        name, "quotient of sums counted elsewhere", SOURCE, share, range=range, better=better,
        statistic=Share(), again=again, formula=r"\frac{\mathrm{part}}{\mathrm{whole}}",
        undefined="the whole is 0",
    )  # fmt: skip


def value_fields(metric: Metric) -> list[object] | None:
    """What makes the metric of a value, as JSON has it; None of others."""
    if not isinstance(metric.again, partial) or metric.again.func not in (
        value_metric,
        share_metric,
    ):
        return None
    low, high = metric.range
    return [metric.name, metric.better, low, high, metric.again.func is share_metric]


def of_value_fields(fields: Sequence[Any]) -> Metric:
    """The metric of which `value_fields` are these."""
    name, better, low, high, shared = fields
    return (share_metric if shared else value_metric)(name, better, (low, high))
