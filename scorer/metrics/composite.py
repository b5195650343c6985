"""Measures made of measures: a formula of their values."""

from __future__ import annotations

from functools import cache, partial
from typing import Any, Literal

from scorer.core.errors import PluginError
from scorer.core.formula import Node, parse
from scorer.metrics.base import Better, Metric

COMPOSITE = "Composite"

PAGE = """A formula of other measures of the challenge.

Numbers, measure ids, + - * / ** ( ), min, max, sqrt, log, exp and round, and mean, sum, median,
geometric, quantile and power of several. `per: mean` takes the measures of the whole submission,
`per: list` those of each list, and then the mean. Where it divides by 0, or takes the root or the
logarithm of a negative number, there is no value. Every draw of a bootstrap, and every exchange of
a test, works all its measures out anew from the same lists.
"""


def composite(view: type, better: Better, low: float | None, high: float | None) -> Metric:
    """The metric of a composite measure."""

    def whole(lists: Any, *, score: str, per: Literal["mean", "list"] = "mean") -> Any:
        raise PluginError("a composite is made of other measures' values")

    whole.__doc__ = PAGE
    whole.__annotations__["lists"] = view
    return Metric(
        COMPOSITE,
        "A formula of other measures",
        "this challenge",
        whole,
        range=(low, high),
        better=better,
        again=partial(composite, view, better, low, high),
    )


@cache
def formula_of(score: str) -> Node:
    """The syntax tree of a composite's formula, which has been validated before."""
    return parse(score)
