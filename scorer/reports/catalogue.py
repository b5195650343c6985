"""The catalogue of metrics as fields."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from scorer.metrics.api import Metric
from scorer.metrics.catalogue import (
    aggregate_of_lists,
    all_kinds,
    first_sentence,
    format_notation,
    formula_lines,
    tool_names,
)
from scorer.metrics.notation import describe_parameters
from scorer.results.json import VERSION


@dataclass(frozen=True, slots=True)
class ParameterFields:
    """A parameter of a metric."""

    name: str
    required: bool
    default: Any  # null also where it must be given
    choices: tuple[str, ...]  # none where it is no choice of words
    description: str

    @classmethod
    def all_of(cls, metric: Metric) -> tuple[ParameterFields, ...]:
        """The fields of each parameter of a metric."""
        return tuple(cls(name, *each) for name, each in describe_parameters(metric).items())


@dataclass(frozen=True, slots=True)
class ToolFields:
    """What another tool calls a metric, and how its values differ."""

    tool: str
    names: tuple[str, ...]
    remark: str


@dataclass(frozen=True, slots=True)
class MetricFields:
    """A metric; two functions of one name, for different kinds of challenge, are two of them."""

    name: str
    notation: str  # such as P@k, and AP[@k] where the cut-off may be omitted
    title: str
    meaning: str
    kinds: tuple[str, ...]
    formula: tuple[str, ...]  # LaTeX, then the definitions of its letters
    parameters: tuple[ParameterFields, ...]
    range: tuple[float | None, float | None]  # null: there is no limit
    better: str
    aggregate: str
    undefined: str
    aliases: tuple[str, ...]
    tools: tuple[ToolFields, ...]
    source: str

    @classmethod
    def of(cls, metric: Metric) -> MetricFields:
        """The fields of a metric."""
        return cls(
            name=metric.name,
            notation=format_notation(metric),
            title=metric.title,
            meaning=first_sentence(metric),
            kinds=tuple(sorted(all_kinds(metric))),
            formula=tuple(formula_lines(metric)),
            parameters=ParameterFields.all_of(metric),
            range=metric.range,
            better=metric.better,
            aggregate=aggregate_of_lists(metric),
            undefined=metric.undefined,
            aliases=metric.aliases,
            tools=tuple(ToolFields(*tool) for tool in tool_names(metric)),
            source=metric.source,
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Catalogue:
    """All metrics, or those that a name or words find."""

    schema: str = "catalogue/1"
    scorer: str = VERSION
    metrics: tuple[MetricFields, ...]

    @classmethod
    def of(cls, metrics: Iterable[Metric]) -> Catalogue:
        """The fields of metrics, each function once."""
        return cls(metrics=tuple(map(MetricFields.of, metrics)))
