"""What a board needs to know of its challenge as JSON, which is read back to the bit.

A record holds measures by name and parameters, a challenge as what its file says. Lines of
challenge.yaml are not kept: a challenge that is read back names none.
"""

from __future__ import annotations

import json
import math
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any, TypeVar

from cattrs import BaseValidationError, Converter
from cattrs.cols import (
    is_namedtuple,
    namedtuple_dict_structure_factory,
    namedtuple_dict_unstructure_factory,
)

from scorer.challenge.model import Challenge
from scorer.core.errors import ScorerError, UnknownName
from scorer.metrics.aggregate import PLAIN, Combination, composite
from scorer.metrics.api import Metric
from scorer.metrics.catalogue import metrics
from scorer.metrics.notation import Measure
from scorer.metrics.registry import MetricRegistry
from scorer.metrics.values import metric_of_fields, value_fields
from scorer.preferences.aggregations import aggregations
from scorer.preferences.comparisons import comparisons
from scorer.stats.aggregate import Aggregate

T = TypeVar("T")


def to_json(record: object) -> str:
    """The text of `Terms`, or of a `Measure`, for `from_json`."""
    return json.dumps(
        {"record": type(record).__name__, "data": _converter(metrics()).unstructure(record)}
    )


def from_json(type_: type[T], text: str, metrics_: MetricRegistry | None = None) -> T:
    """The record that `to_json` wrote.

    Args:
        metrics_: the metrics that it may name; default: those that are installed, to which a
            challenge's own are an overlay (`BoundChallenge.metrics`).

    Raises:
        ScorerError: the text is no record of that type.
        UnknownName: it names a metric that is not there.
    """
    try:
        fields = json.loads(text)
        if fields["record"] != type_.__name__:
            raise ValueError(f"it is a record of a {fields['record']}")
        converter = _converter(metrics() if metrics_ is None else metrics_)
        return converter.structure(fields["data"], type_)
    except ScorerError:
        raise
    except (BaseValidationError, ValueError, KeyError, TypeError) as error:
        if unknown := _cause(error):
            raise unknown from None
        message = f"this is no record of a {type_.__name__}: {error}"
        raise ScorerError(message) from error


def _cause(error: BaseException) -> ScorerError | None:
    """The error of ours within the errors of a converter."""
    if isinstance(error, ScorerError):
        return error
    inner = error.exceptions if isinstance(error, BaseValidationError) else ()
    return next((cause for part in inner if (cause := _cause(part))), None)


def _converter(registry: MetricRegistry) -> Converter:
    converter = Converter()
    converter.register_unstructure_hook(float, _float_out)
    converter.register_structure_hook(float, lambda value, _: float(value))
    converter.register_unstructure_hook(Challenge, _challenge_out)
    converter.register_structure_hook(Challenge, lambda fields, _: _challenge_from(fields))
    converter.register_unstructure_hook(Measure, lambda bound: _measure_out(bound, registry))
    converter.register_structure_hook(Measure, lambda fields, _: _measure_from(fields, registry))
    converter.register_unstructure_hook_factory(is_namedtuple, namedtuple_dict_unstructure_factory)
    converter.register_structure_hook_factory(is_namedtuple, namedtuple_dict_structure_factory)
    return converter


def _float_out(value: float) -> float | str:
    """A number as JSON has it, one that it has not as text."""
    return value if math.isfinite(value) else str(value)


def _challenge_out(challenge: Challenge) -> dict[str, object]:
    fields = challenge.model_dump(mode="json", by_alias=True, exclude_defaults=True)
    return {"path": str(challenge.path), "folder": str(challenge.folder), "fields": fields}


def _challenge_from(fields: Mapping[str, Any]) -> Challenge:
    challenge = Challenge.model_validate(fields["fields"])
    challenge._path, challenge._folder = Path(fields["path"]), Path(fields["folder"])
    return challenge


def _metrics_named(name: str, registry: MetricRegistry, kinds: Sequence[str]) -> dict[str, Metric]:
    """The metrics of that name by registry: a metric, a preference, an aggregation.

    Of several metrics with one name, the one for challenges of these kinds.
    """
    by_registry = {}
    with suppress(UnknownName):
        choices = registry.find_all(name, every=True)
        by_registry["metrics"] = next((m for m in choices if m.kinds == set(kinds)), choices[0])
    with suppress(UnknownName):
        by_registry["comparisons"] = comparisons.get(name)
    with suppress(UnknownName):
        by_registry["aggregations"] = aggregations.get(name)
    return by_registry


def _measure_out(bound: Measure, registry: MetricRegistry) -> dict[str, object]:
    fields = _bare_out(bound, registry)
    if not bound.combination.plain:
        fields["combination"] = asdict(bound.combination)
    if bound.parts:
        fields["parts"] = [_measure_out(part, registry) for part in bound.parts]
        fields["params"] = dict(bound.params)
        fields["of"] = [bound.metric.better, *bound.metric.range]
    elif (made := value_fields(bound.metric)) is not None:  # which no registry has
        fields["value"] = made
    return fields


def _bare_out(bound: Measure, registry: MetricRegistry) -> dict[str, object]:
    name, kinds = bound.metric.name, sorted(bound.metric.kinds)
    of = (
        key
        for key, metric in _metrics_named(name, registry, kinds).items()
        if metric is bound.metric
    )
    return {
        "registry": next(of, "metrics"),  # a plugin's is in the registry that reads it back
        "metric": name,
        "kinds": kinds,
        "params": _written(bound),
        "name": bound.name,
        "id": bound.id,
        "primary": bound.primary,
        "weighted": bound.weighted,
        "classes": bound.classes,
        "inferred": bound.inferred,
        "board_signature": bound.board_signature,
    }


def _written(bound: Measure) -> dict[str, Any]:
    """The parameters as JSON has them; one at its default is read back from there, as it is."""
    params = bound.metric.parameters(**bound.params)
    return params.model_dump(mode="json", exclude_defaults=True)


def _measure_from(fields: Mapping[str, Any], registry: MetricRegistry) -> Measure:
    parts = tuple(_measure_from(part, registry) for part in fields.get("parts", ()))
    bound = _bare(fields, registry, parts)
    combination = fields.get("combination")
    return replace(
        bound,
        parts=parts,
        combination=_combination(combination) if combination else PLAIN,
        weighted=fields["weighted"],
        classes=tuple(fields["classes"]),
        inferred=tuple(fields["inferred"]),
        board_signature=fields["board_signature"],
    )


def _combination(fields: Mapping[str, Any]) -> Combination:
    return Combination(
        Aggregate(**fields["lists"]),
        fields["list_weights"],
        fields["grouped_by"],
        Aggregate(**fields["groups"]),
        fields["group_weights"],
        fields["group"],
        fields["unit"],
        fields["where"],
    )


def _bare(fields: Mapping[str, Any], registry: MetricRegistry, parts: Sequence[Measure]) -> Measure:
    name = fields["metric"]
    if parts:
        better, low, high = fields["of"]
        metric = composite(parts[0].metric.view, better, low, high)
        return Measure(metric, fields["params"], fields["name"], fields["id"], fields["primary"])
    candidate = (
        metric_of_fields(fields["value"])
        if "value" in fields
        else _metrics_named(name, registry, fields["kinds"]).get(fields["registry"])
    )
    if candidate is None:
        raise UnknownName("metric", name, [each.name for each in registry])
    metric = candidate
    params = metric.parameters(**fields["params"])
    settled = {key: getattr(params, key) for key in metric.parameters.model_fields}
    return Measure(metric, settled, fields["name"], fields["id"], fields["primary"])
