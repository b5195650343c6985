"""Measures: a metric with its parameters settled, from a notation."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from scorer.core.text import nearest, quoted
from scorer.metrics.base import Metric
from scorer.metrics.combination import PLAIN, Combination
from scorer.metrics.notation import NotationError, parse, written

HALVED = ("Accuracy", "BalancedAccuracy")  # which are 1/2 by chance, if there are two classes


@dataclass(frozen=True)
class Measure:
    """A metric with its parameters settled: `nDCG@10`."""

    metric: Metric
    params: dict[str, Any]  # all of them, defaults too
    name: str  # the canonical one; what the challenge settles does not change it
    id: str
    primary: bool = False
    weighted: bool = False  # lists have weights, so that a mean is a figure of all of them
    classes: tuple[str, ...] = ()  # the labels there are, of a table of classes
    combination: Combination = PLAIN  # how its lists make one number
    parts: tuple[Measure, ...] = ()  # of a composite: the measures of its formula, by their ids

    @property
    def aggregate(self) -> str:
        """How lists make one number; a metric with an `average` can pool them."""
        if self.parts and self.params["per"] == "mean":
            return "formula"
        if not self.combination.plain:
            return self.combination.word
        pooled = self.weighted or self.params.get("average") == "pooled"
        return "pooled" if pooled else self.metric.aggregate

    @property
    def needs(self) -> tuple[str, ...]:
        """What the challenge must have beside its truth, as `metric` says."""
        needs = self.metric.needs
        return needs(self.params) if callable(needs) else needs

    @property
    def of_lists(self) -> bool:
        """Whether each list has a value of its own."""
        pooled = self.weighted or self.params.get("average") == "pooled"
        return not (pooled or self.metric.aggregate == "pooled" or self.aggregate == "formula")

    @property
    def all_parts(self) -> tuple[Measure, ...]:
        """This measure and, recursively, the measures it is composed of."""
        return (self, *(inner for part in self.parts for inner in part.all_parts))

    @property
    def decimals(self) -> bool:
        """Whether its values are anything but counts."""
        return self.metric.aggregate != "sum"

    @property
    def range(self) -> tuple[float | None, float | None]:
        """The lowest and the highest value that it can have."""
        low, high = self.metric.range
        aggregates = (self.combination.lists, *self.combination.aggregates)
        if any(aggregate.name == "sum" for aggregate in aggregates):
            return (low if low == 0 else None, high if high == 0 else None)
        if any(aggregate.name in ("stability", "dispersion") for aggregate in aggregates):
            return None, high
        return low, high

    @property
    def chance(self) -> float | None:
        """The value of guesses, which reversed answers mirror; None if the metric has none."""
        if self.parts or self.metric.better != "higher" or self.range != self.metric.range:
            return None
        halved = self.metric.name in HALVED and len(self.classes) == 2
        if self.metric.name == "AUROC" or halved:
            return 0.5
        return 0.0 if self.metric.range == (-1, 1) else None

    @property
    def mark(self) -> str:
        """An arrow behind its name, where lower is better."""
        return " ↓" if self.metric.better == "lower" else ""

    def heading(self, word: str = "list") -> str:
        """The heading of its column in a report: the id, or the name and how it is averaged."""
        if self.metric.heading is None or self.id not in (self.name, self.metric.name):
            return self.id
        return self.metric.heading(self.id, self.params, word)

    def settled(self, constants: object) -> Measure:
        """The measure with what the challenge and its truth decide, such as `max_grade`."""
        params = {
            key: settle(constants)
            for key, settle in self.metric.settle.items()
            if self.params[key] is None
        }
        return replace(
            self,
            params={**self.params, **params},
            weighted=bool(getattr(constants, "weighted", False)),
            classes=getattr(constants, "classes", ()),
            parts=tuple(part.settled(constants) for part in self.parts),
        )

    def signature(self, **circumstances: object) -> str:
        """All that changes its value; only values of one signature can be compared.

        >>> from scorer.metrics.p import p
        >>> measure(p.__scorer__, "P@5").signature(lists=2000)
        'P|k:5|rel:1|denominator:k|judged_only:false|lists:2000'
        """
        fields = self.metric.parameters.model_fields
        parts = [self.metric.name]
        for key, value in self.params.items():
            extra = fields[key].json_schema_extra
            schema_extra = extra if isinstance(extra, dict) else {}
            if schema_extra.get("quiet") and value == fields[key].default:
                continue  # added after signatures were published
            symbol = schema_extra.get("symbol", key)
            text = written(value).replace("\\", "\\\\").replace("|", "\\|")
            parts.append(f"{symbol}:{text}")
        for key, value in self.combination.facts().items():
            if key != "unit":  # which changes no number
                parts.append(f"{key}:{written(value)}")
        for part in self.parts:
            parts.append(f"{part.id}:({part.signature()})")
        return "|".join([*parts, *(f"{key}:{value}" for key, value in circumstances.items())])


def measure(
    metric: Metric,
    notation: str,
    params: Mapping[str, Any] | None = None,
    id: str | None = None,
    primary: bool = False,
) -> Measure:
    """The measure that a notation and further parameters make of `metric`.

    Args:
        notation: as a challenge writes it, with parameters and cut-off, if any.
        id: what reports and rules call the measure; by default its canonical name.

    Raises:
        NotationError: parameters are unknown, missing or impossible.
    """
    from pydantic import ValidationError

    # a metric of a challenge's own may have any name
    _, inside, at = (notation, {}, None) if notation == metric.name else parse(notation)
    given: dict[str, Any] = {}
    for key, value in [*inside.items(), *(params or {}).items()]:
        for ours, setting in _ours(metric, key, value).items():
            if ours in given:
                raise NotationError(f"{metric.name}: {quoted(ours)} is given twice", key)
            given[ours] = setting
    names = list(metric.parameters.model_fields)
    if at is not None:
        if metric.at not in names:
            raise NotationError(f"{metric.name} takes no cut-off; write {metric.name}")
        if metric.at in given:
            raise NotationError(f"{metric.name}: the cut-off is given twice", metric.at)
        single = isinstance(at, tuple) and metric.at == "k"
        if single:
            raise NotationError(f"{metric.name} takes one cut-off, such as {metric.name}@{at[0]}")
        given[metric.at] = (at,) if metric.at == "cutoffs" and not isinstance(at, tuple) else at
    for key in given:
        if key not in names:
            hint = f"; did you mean {quoted(closest)}?" if (closest := nearest(key, names)) else ""
            has = f"it has {', '.join(names)}" if names else "it has none"
            raise NotationError(f"{metric.name} has no parameter {quoted(key)}{hint} ({has})", key)
    try:
        settled = metric.parameters(**given)
    except ValidationError as error:
        fault = error.errors()[0]
        key = str(fault["loc"][0])
        if fault["type"] == "missing":
            example = f"{metric.name}@10" if key == "k" else f"{metric.name}({key}=...)"
            raise NotationError(
                f"{metric.name} needs its {_called(metric, key)}, such as {example}", key
            ) from None
        message = _possible(metric, key)
        raise NotationError(
            f"{metric.name}: {_called(metric, key)} cannot be {written(given.get(key))}; {message}",
            key,
        ) from None
    settings = {key: getattr(settled, key) for key in names}
    name = _canonical(metric, settings)
    return Measure(metric, settings, name, id or name, primary)


def find(measures: Sequence[Measure], word: str) -> Measure | None:
    """The measure that a word names: by its id, its name, or any other notation of it.

    The name of a metric alone is that of its one measure, if there is one only.

    >>> from scorer.metrics.ndcg import ndcg
    >>> measures = [measure(ndcg.__scorer__, "nDCG@10")]
    >>> find(measures, "ndcg_cut_10").id, find(measures, "ndcg").id
    ('nDCG@10', 'nDCG@10')
    """
    by_name = {name.casefold(): m for m in reversed(measures) for name in (m.name, m.id)}
    if (match := by_name.get(word.casefold())) is not None:
        return match
    try:
        name = parse(word)[0]
        for candidate in measures:
            metric = candidate.metric
            if _names(metric, name):
                found = by_name.get(measure(metric, word).name.casefold())
                if found is not None:
                    return found
    except NotationError:
        pass
    of_name = [m for m in measures if _names(m.metric, word)]
    return of_name[0] if len(of_name) == 1 else None


def _names(metric: Metric, word: str) -> bool:
    return word.casefold() in (name.casefold() for name in (metric.name, *metric.aliases))


def _canonical(metric: Metric, params: Mapping[str, Any]) -> str:
    """The metric's name with what is not at its default; the cut-off stands behind the @."""
    fields = metric.parameters.model_fields
    at = params.get(metric.at)
    entries = {
        key: value
        for key, value in params.items()
        if key != metric.at and (fields[key].is_required() or value != fields[key].default)
    }
    inside = ", ".join(f"{key}={written(value)}" for key, value in entries.items())
    return (
        metric.name
        + (f"({inside})" if inside else "")
        + (f"@{written(at)}" if at is not None else "")
    )


def _ours(metric: Metric, key: str, value: Any) -> dict[str, Any]:
    """The metric's own parameters for one of another tool."""
    if key in metric.peers:
        equivalents = metric.peers[key]
        if "*" in equivalents:  # renamed only
            return {equivalents["*"]: value}
        if str(value) in equivalents:
            return dict(equivalents[str(value)])
        raise NotationError(
            f"{metric.name}: {key}={written(value)} is unknown; it can be {', '.join(equivalents)}",
            key,
        )
    return {key: value}


def _called(metric: Metric, key: str) -> str:
    return "cut-off" if key == metric.at == "k" else key


def _possible(metric: Metric, key: str) -> str:
    """The values that a parameter can have, from its model."""
    schema = metric.parameters.model_json_schema()["properties"].get(key, {})
    choices = [
        str(written(choice))
        for part in (schema, *schema.get("anyOf", ()))
        for choice in part.get("enum", [part["const"]] if "const" in part else [])
    ]
    message = f"it can be {', '.join(choices)}" if choices else ""
    described = str(schema.get("description", "")).strip()
    return "; ".join(part for part in (message, described) if part) or "see its page"
