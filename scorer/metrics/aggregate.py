"""How lists, and groups of lists, make one number; and measures that are formulas of others."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from typing import Any

from scorer.core.arrays import Floats
from scorer.core.errors import PluginError
from scorer.core.expressions import Formula, parse_formula
from scorer.metrics.api import Better, Metric
from scorer.stats.aggregate import MEAN, Aggregate
from scorer.views.columns import View

SIZE = "size"  # the weight of a group that is how many lists it has
COMPOSITE = "Composite"


@dataclass(frozen=True)
class Combination:
    """How lists make one number.

    Lists make a value by `lists`, unless they are pooled. If a column puts them in groups, each
    group has such a value, and these make the number by `groups`.
    """

    lists: Aggregate = MEAN
    list_weights: str | None = None  # a column of the lists
    grouped_by: str | None = None  # a column of the lists, with the group of each
    groups: Aggregate = MEAN
    group_weights: str | None = None  # a column of the lists, or SIZE
    group: str | None = None  # only lists of that group count
    unit: str = "list"  # what is resampled: list or group
    where: str | None = None  # a condition: only lists of which it is true count

    @property
    def plain(self) -> bool:
        """Whether it is the default: the mean over lists."""
        return self == PLAIN

    @property
    def of_lists(self) -> bool:
        """Whether the number is the mean of the lists' values."""
        return self.grouped_by is None and self.lists == MEAN and self.list_weights is None

    @property
    def limited(self) -> bool:
        """Whether only some of the lists count."""
        return self.group is not None or self.where is not None

    @property
    def names(self) -> tuple[str, ...]:
        """The columns of the lists whose text it needs."""
        by_role = self.group is not None or (self.unit == "group" and self.grouped_by is None)
        names = (self.grouped_by, "group" if by_role else None)
        return tuple(name for name in names if name is not None)

    @property
    def numbers(self) -> tuple[str, ...]:
        """The columns of the lists whose numbers it needs."""
        every = (self.list_weights, self.group_weights)
        return tuple(name for name in every if name is not None and name != SIZE)

    def facts(self) -> dict[str, Any]:
        """The settings that differ from the defaults, as challenge.yaml writes them."""
        facts: dict[str, Any] = {}
        aggregates, weights = [self.lists], [self.list_weights]
        if self.grouped_by is not None:
            facts["average"] = [self.grouped_by]
            aggregates.append(self.groups)
            weights.append(self.group_weights)
        if any(aggregate != MEAN for aggregate in aggregates):
            facts["aggregate"] = [str(aggregate) for aggregate in aggregates]
        if any(weights):
            facts["weights"] = weights
        if self.group is not None:
            facts["group"] = self.group
        if self.where is not None:
            facts["where"] = self.where
        if self.unit != "list":
            facts["unit"] = self.unit
        return facts

    @property
    def suffix(self) -> str:
        """The suffix of a measure's name, such as ` [group: power(-5)]`; empty for the default."""
        parts = []
        if self.lists != MEAN or self.list_weights:
            parts.append(_level_name("", self.lists, self.list_weights))
        if self.grouped_by is not None:
            parts.append(_level_name(self.grouped_by, self.groups, self.group_weights))
        if self.group is not None:
            parts.append(f"of {self.group}")
        if self.where is not None:
            parts.append(f"where {self.where}")
        return f" [{', '.join(parts)}]" if parts else ""

    @property
    def outermost(self) -> str:
        """The aggregate of the groups, or of the lists if there are no groups."""
        return str(self.lists if self.grouped_by is None else self.groups)


def _level_name(name: str, how: Aggregate, weight: str | None) -> str:
    """How lists or groups make a number, as a measure's name has it: `group: median by size`."""
    parts = [str(how)] if how != MEAN or not name else []
    parts += [f"by {weight}"] if weight else []
    return f"{name}: {' '.join(parts)}" if name and parts else name or " ".join(parts)


PLAIN = Combination()


def composite(view: type[View], better: Better, low: float | None, high: float | None) -> Metric:
    """The metric of a composite measure, which is a formula of other measures."""
    return Metric(
        COMPOSITE,
        title="A formula of other measures",
        source="this challenge",
        range=(low, high),
        better=better,
        view=view,
        in_catalogue=False,
    ).of(composed)


def composed(lists: View, *, score: str) -> Floats:
    """A formula of other measures of the challenge.

    Numbers, measure ids, + - * / ** ( ), min, max, sqrt, log, exp and round, and mean, sum, median,
    geometric, quantile and power of several. Its measures are those of the whole submission. Where
    it divides by 0, or takes the root or the logarithm of a negative number, there is no value.
    Every draw of a bootstrap, and every exchange of a test, computes all its measures anew from the
    same lists.
    """
    raise PluginError("a composite is made of other measures' values")


@cache
def formula_of(score: str) -> Formula:
    """A composite's formula, which has been validated before."""
    return parse_formula(score)
