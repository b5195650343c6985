"""Metrics of values that other tools computed: each of a challenge's values is one."""

from __future__ import annotations

from dataclasses import dataclass

from scorer.core.arrays import Floats
from scorer.metrics.api import Better, Bounds, Metric
from scorer.metrics.ratios import Ratio
from scorer.views.values import Given

SOURCE = "this challenge"


@dataclass(frozen=True)
class GivenValue:
    """The value that the submission gives of each list, as another tool computed it."""

    name: str

    def __call__(self, view: Given) -> Floats:
        """The value of each list."""
        return view.values[self.name]


@dataclass(frozen=True)
class GivenShare:
    """The sum of the parts over the sum of the wholes, as another tool counted them."""

    name: str

    def __call__(self, view: Given) -> Ratio:
        """The part and the whole of each list."""
        part, whole = view.values[self.name].T
        return Ratio(part, whole, "part / whole", {"part": part, "whole": whole})


def value_metric(name: str, better: Better, range: Bounds) -> Metric:
    """The metric of a given value of each list; a board shows their mean."""
    return Metric(
        name,
        title="value computed elsewhere",
        source=SOURCE,
        latex="v",
        range=range,
        better=better,
        undefined="the submission gives no value of the list",
        in_catalogue=False,
    ).of(GivenValue(name))


def share_metric(name: str, better: Better, range: Bounds) -> Metric:
    """The metric of given parts and wholes of lists; a board shows the quotient of their sums."""
    return Metric(
        name,
        title="quotient of sums counted elsewhere",
        source=SOURCE,
        latex=r"\frac{\mathrm{part}}{\mathrm{whole}}",
        range=range,
        better=better,
        pooling="default",
        undefined="the whole is 0",
        in_catalogue=False,
    ).of(GivenShare(name))
