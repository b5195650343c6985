"""How the lists of a measure make one number, bound to columns and to other measures."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

from scorer.challenge.forms import layout_of
from scorer.challenge.measures import MeasureSpec
from scorer.challenge.model import Challenge
from scorer.core.expressions import Range, parse_formula, quote_name
from scorer.core.text import join_first, nearest, quoted
from scorer.metrics.aggregate import COMPOSITE, SIZE, Combination, composite
from scorer.metrics.api import Better, Metric
from scorer.metrics.notation import Measure, parse_measure
from scorer.prepare.faults import Fault
from scorer.reading.read import header_words
from scorer.stats.aggregate import MEAN, Aggregate, aggregate

LIST_WORDS = ("lists", "list")  # what `average` calls them
DEEPEST = 20  # composites of composites
PER = "leave it out; a score is of its measures' values of the whole submission"


@dataclass(frozen=True)
class Combiner:
    """Binds the keys of measures that combine lists; faults are added to `faults`."""

    challenge: Challenge
    faults: list[Fault] = field(default_factory=list)

    @cached_property
    def columns(self) -> tuple[str, ...]:
        """The columns of the lists' file, by the names that measures call them."""
        source = self.challenge.lists
        private = "group" in self.challenge.truth.columns
        if source is None:
            return ("group",) if self.challenge.parted or private else ()
        words = header_words(source.file, source.format, layout_of(source))
        list_column = source.columns.get("list", "list")
        group = source.columns.get("group", "group")
        others = sorted(word for word in words if word != list_column)
        grouped = group in words or bool(source.parts) or private
        return ("group", *others) if grouped and "group" not in others else tuple(others)

    def params(self, spec: MeasureSpec, metric: Metric) -> dict[str, Any]:
        """The parameters of the metric, also those with the name of a key that is read here."""
        fields, values = metric.parameters.model_fields, dict(spec.params)
        for name in ("aggregate", "weights", "group", "where", "unit"):
            if name in fields and name in spec.model_fields_set:
                value = getattr(spec, name)
                values[name] = value[0] if isinstance(value, tuple) and len(value) == 1 else value
        if "average" in fields and (inner := self._inner(spec)):
            choices = str(fields["average"].annotation)
            if (
                inner not in LIST_WORDS
                and f"'{inner}'" not in choices
                and nearest(inner, self.columns)
            ):
                self._column(spec, "average", inner)  # a group that is written wrongly
            else:
                values["average"] = "lists" if inner in LIST_WORDS else inner
        return values

    def _inner(self, spec: MeasureSpec) -> str:
        """The first word of `average` where it is about the lists; '' where it names a group."""
        first = spec.average[0] if spec.average else ""
        return "" if first == "group" or first in self.columns else first

    def combined(self, spec: MeasureSpec, bound: Measure) -> Measure:
        """The measure with the combination of lists and groups that its spec asks for."""
        faults_before = len(self.faults)
        combination = self._combination(spec, bound)
        if combination.plain or len(self.faults) > faults_before:
            return bound
        name = bound.name + combination.suffix
        return replace(bound, combination=combination, name=name, id=spec.id or name)

    def _combination(self, spec: MeasureSpec, bound: Measure) -> Combination:
        metric = bound.metric
        parameters = set() if spec.score is not None else set(metric.parameters.model_fields)
        words = list(spec.average)
        if inner := self._inner(spec):
            words = words[1:]
            if "average" not in parameters and inner not in LIST_WORDS:
                self._not_pooled(spec, metric, inner)
                return Combination()
        groups = tuple(words)
        for name in groups:
            self._column(spec, "average", name)
        if len(set(groups)) < len(groups):
            self._wrong(spec, "average", "a column is named twice")
        of_lists = bound.of_lists
        texts = () if "aggregate" in parameters else spec.aggregate
        levels = self._levels(spec, "aggregate", texts, of_lists, len(groups))
        if any(text.startswith("stability") for text in levels[:1]):
            message = "stability is of groups in their order, such as weeks: average: week"
            self._wrong(spec, "aggregate", message)
        spread = next((t for t in levels if t.startswith(("stability", "dispersion"))), None)
        if metric.better == "lower" and spread is not None:
            word = spread.partition("(")[0]
            message = f"{word} is of measures of which higher is better, not {metric.name}"
            self._wrong(spec, "aggregate", message)
        summed = metric.aggregate == "sum" and spec.score is None
        plain = Aggregate("sum") if summed else MEAN
        aggregates = [aggregate(text) if text else None for text in levels]
        weights = self._levels(
            spec, "weights", () if "weights" in parameters else spec.weights, of_lists, len(groups)
        )
        for n, name in enumerate(weights):
            if name == SIZE and n == 0:
                self._wrong(spec, "weights", f"{SIZE} is the weight of groups; a list has a column")
            elif name and name != SIZE:
                self._column(spec, "weights", name)
        group = None if "group" in parameters else spec.group
        if group is not None:
            self._column(spec, "group", "group")
        unit = "list" if "unit" in parameters else spec.unit
        if unit == "group" and not groups:
            self._column(spec, "unit", "group")
        for text, weight in zip(levels, weights, strict=True):
            if weight and text.startswith(("quantile", "stability", "dispersion")):
                self._wrong(spec, "weights", f"{text} takes no weights")
        if "weight" in self.challenge.truth.columns and any(levels[:1] + weights[:1]):
            self._wrong(spec, "aggregate", "the truth's rows have weights, which make a mean")
        combination = Combination(
            aggregates[0] or MEAN,
            weights[0] or None,
            groups,
            tuple(level or MEAN for level in aggregates[1:]),
            tuple(level or None for level in weights[1:]),
            group,
            unit,
            None if "where" in parameters else spec.where,
        )
        return (
            combination
            if combination.plain or not summed or aggregates[0]
            else replace(combination, lists=plain)
        )

    def _levels(
        self, spec: MeasureSpec, key: str, texts: Sequence[str], of_lists: bool, groups: int
    ) -> list[str]:
        """The value of a key for the lists, then for each level of groups; '' for none."""
        places = [*([0] if of_lists else []), *range(1, groups + 1)]
        levels = [""] * (1 + groups)
        if not texts:
            return levels
        if not places:
            message = "its lists are pooled, so that there is nothing to put together"
            self._wrong(spec, key, message)
        elif len(texts) == 1:
            levels[places[-1]] = texts[0]
        elif len(texts) != len(places):
            what = " and ".join((["lists"] if of_lists else []) + (["groups"] if groups else []))
            self._wrong(
                spec, key,
                f"{len(texts)} are given, and there are {len(places)} levels: {what}; write one "
                "for the outermost, or one of each level from the innermost",
            )  # fmt: skip
        else:
            for place, text in zip(places, texts, strict=True):
                levels[place] = text
        return levels

    def _not_pooled(self, spec: MeasureSpec, metric: Metric, inner: str) -> None:
        if inner == "pooled":
            message = f"{metric.name} is no ratio of sums that could be pooled"
            self._wrong(spec, "average", message)
        else:
            self._column(spec, "average", inner, ("lists", "pooled"))

    def _column(self, spec: MeasureSpec, key: str, name: str, others: tuple[str, ...] = ()) -> None:
        """Whether the lists' file has that column."""
        if name in self.columns:
            return
        if self.challenge.lists is None:
            message = f"{quoted(name)} is a column of the lists, and this challenge has no lists"
            help = "write lists: {file: lists.csv}, with the columns list and " + name
            help += "; or truth: {columns: {group: COLUMN}}, private" if name == "group" else ""
            self._wrong(spec, key, message, "C121", help)
            return
        suggestion = nearest(name, [*others, *self.columns])
        hint = (
            f"; did you mean {quoted(suggestion)}?"
            if suggestion
            else f" ({join_first(self.columns, 8)})"
        )
        self._wrong(spec, key, f"the lists have no column {quoted(name)}{hint}", "C121")

    def _wrong(
        self, spec: MeasureSpec, key: str, message: str, code: str = "C114", help: str | None = None
    ) -> None:
        self.faults.append(Fault(f"{spec.key}.{key}", code, message, help))

    # Composites

    def composites(
        self, specs: Sequence[MeasureSpec], bound: Mapping[int, Measure]
    ) -> dict[int, Measure]:
        """All measures by places in `specs`: those `bound`, and what formulas make of them."""
        measures = dict(bound)
        ids = [bound[n].id if n in bound else spec.id or "" for n, spec in enumerate(specs)]
        by_id = {name: ids.index(name) for name in ids}

        def bind(at: int, above: tuple[int, ...]) -> Measure | None:
            spec = specs[at]
            if at in measures or spec.score is None:
                return measures.get(at)
            parts = []
            for name in parse_formula(spec.score).names:
                part = by_id.get(name)
                if part is None:
                    suggestion = nearest(name, [other for other in by_id if other != spec.id])
                    ids_text = join_first(
                        [quote_name(other) for other in by_id if other != spec.id], 8
                    )
                    hint = (
                        f"; did you mean {quoted(suggestion)}?"
                        if suggestion
                        else f" (ids: {ids_text})"
                    )
                    message = f"no measure has the id {quoted(name)}{hint}"
                    self._wrong(spec, "score", message, "C125")
                    return None
                if part in (*above, at):
                    self._wrong(spec, "score", f"{quoted(name)} is made of itself", "C125")
                    return None
                if len(above) >= DEEPEST:
                    self._wrong(spec, "score", "scores of scores are nested too deeply", "C125")
                    return None
                inner = bind(part, (*above, at))
                if inner is None:
                    return None
                parts.append(inner)
            composed = self._composite(spec, parts)
            if composed is not None:
                measures[at] = composed
            return composed

        reported: set[Fault] = set()
        for n in range(len(specs)):
            before = len(self.faults)
            bind(n, ())
            fresh = [fault for fault in self.faults[before:] if fault not in reported]
            reported.update(fresh)
            self.faults[before:] = fresh
        return measures

    def _composite(self, spec: MeasureSpec, parts: Sequence[Measure]) -> Measure | None:
        assert spec.score is not None
        if spec.notation != "score" or spec.params:
            wrong = next(iter(spec.params), "metric")
            message = "a score has no metric, and no parameters; they belong to its measures"
            help = PER if wrong == "per" else None
            self._wrong(spec, wrong, message, "C125", help)
            return None
        of_lists = ("average", "aggregate", "weights", "group", "where")
        written = [key for key in of_lists if getattr(spec, key) not in ((), None)]
        if written:
            message = "a score takes its measures as they are; write it at each of them"
            self._wrong(spec, written[0], message, "C125")
            return None
        outer = {p.combination.groups[-1] for p in parts if p.combination.groups}
        if spec.unit == "group" and outer - {"group"}:
            name = next(iter(outer - {"group"}))
            message = f"its measures have groups of {quoted(name)}, not of group, which are drawn"
            self._wrong(spec, "unit", message, "C125")
            return None
        low, high, rises, falls = parse_formula(spec.score).range(
            {part.id: _range(part) for part in parts}
        )
        if not rises and not falls:
            message = "its measures make no difference to it"
            self._wrong(spec, "score", message, "C125")
            return None
        derived: Better | None = None
        if rises != falls:
            derived = "higher" if rises else "lower"
        if derived is None and spec.better is None:
            message = "whether higher is better does not follow from its measures"
            help = "write better: higher, or better: lower"
            self._wrong(spec, "score", message, "C125", help)
            return None
        if derived is not None and spec.better is not None and spec.better != derived:
            message = f"by its measures {derived} is better"
            self._wrong(spec, "better", message, "C125")
            return None
        better = derived or spec.better
        assert better is not None
        metric = composite(parts[0].metric.view, better, _finite(low), _finite(high))
        composed = replace(
            parse_measure(metric, COMPOSITE, {"score": spec.score}, spec.id, spec.primary),
            parts=tuple(parts),
        )
        return self.combined(spec, composed)


def _range(part: Measure) -> Range:
    """The range of a measure, as part of a formula."""
    low, high = part.range
    is_better = part.metric.better == "higher"
    return Range(
        -math.inf if low is None else low,
        math.inf if high is None else high,
        rises=is_better,
        falls=not is_better,
    )


def _finite(number: float) -> float | None:
    return number if math.isfinite(number) else None
