"""How the lists of a measure make one number, bound to columns and to other measures."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

from scorer.challenge.model import Challenge, MeasureSpec
from scorer.challenge.submission import layout_of
from scorer.core.expressions import Range, parse_formula, quote_name
from scorer.core.text import join_first, nearest, quoted
from scorer.metrics.aggregate import COMPOSITE, SIZE, Combination, composite
from scorer.metrics.api import Better, Metric
from scorer.metrics.notation import Measure, parse_measure
from scorer.reading.read import header_words
from scorer.scoring.faults import Fault
from scorer.stats.aggregate import MEAN, Aggregate, aggregate

LIST_WORDS = ("lists", "list")  # what `average` calls them
DEEPEST = 20  # composites of composites
PER = "leave it out; a score is of its measures' values of the whole submission"


@dataclass(eq=False)
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
        words = spec.average
        if inner := self._inner(spec):
            words = words[1:]
            if "average" not in parameters and inner not in LIST_WORDS:
                self._not_pooled(spec, metric, inner)
                return Combination()
        if len(words) > 1:
            message = "groups are those of one column: average: type, or [pooled, type]"
            self._wrong(spec, "average", message)
        for name in words[:1]:
            self._column(spec, "average", name)
        grouped_by = words[0] if words else None
        texts = () if "aggregate" in parameters else spec.aggregate
        of_lists, of_groups = self._lists_and_groups(spec, "aggregate", texts, bound, grouped_by)
        self._check_aggregates(spec, metric, of_lists, of_groups)
        names = () if "weights" in parameters else spec.weights
        list_weights, group_weights = self._lists_and_groups(
            spec, "weights", names, bound, grouped_by
        )
        if list_weights == SIZE:
            self._wrong(spec, "weights", f"{SIZE} is the weight of groups; a list has a column")
        for name in dict.fromkeys((list_weights, group_weights)):
            if name not in ("", SIZE):
                self._column(spec, "weights", name)
        for text, weight in ((of_lists, list_weights), (of_groups, group_weights)):
            if weight and text.startswith(("quantile", "stability", "dispersion")):
                self._wrong(spec, "weights", f"{text} takes no weights")
        group = None if "group" in parameters else spec.group
        if group is not None:
            self._column(spec, "group", "group")
        unit = "list" if "unit" in parameters else spec.unit
        if unit == "group" and grouped_by is None:
            self._column(spec, "unit", "group")
        if "weight" in self.challenge.truth.columns and (of_lists or list_weights):
            self._wrong(spec, "aggregate", "the truth's rows have weights, which make a mean")
        is_sum = metric.aggregate == "sum" and spec.score is None
        combination = Combination(
            aggregate(of_lists) if of_lists else MEAN,
            list_weights or None,
            grouped_by,
            aggregate(of_groups) if of_groups else MEAN,
            group_weights or None,
            group,
            unit,
            None if "where" in parameters else spec.where,
        )
        if combination.plain or not is_sum or of_lists:
            return combination
        return replace(combination, lists=Aggregate("sum"))

    def _check_aggregates(
        self, spec: MeasureSpec, metric: Metric, of_lists: str, of_groups: str
    ) -> None:
        """Refuse aggregates that are not of lists, or not of measures such as this one."""
        if of_lists.startswith("stability"):
            message = "stability is of groups in their order, such as weeks: average: week"
            self._wrong(spec, "aggregate", message)
        for text in (of_lists, of_groups):
            if metric.better == "lower" and text.startswith(("stability", "dispersion")):
                word = text.partition("(")[0]
                message = f"{word} is of measures of which higher is better, not {metric.name}"
                self._wrong(spec, "aggregate", message)
                return

    def _lists_and_groups(
        self,
        spec: MeasureSpec,
        key: str,
        texts: Sequence[str],
        bound: Measure,
        grouped_by: str | None,
    ) -> tuple[str, str]:
        """What a key says of the lists, and of their groups; '' for nothing.

        One text is about the groups, or about the lists where there are none.
        """
        if not texts:
            return "", ""
        both = bound.of_lists and grouped_by is not None
        if not bound.of_lists and grouped_by is None:
            message = "its lists are pooled, so that there is nothing to put together"
            self._wrong(spec, key, message)
        elif len(texts) == 1:
            return (texts[0], "") if grouped_by is None else ("", texts[0])
        elif both and len(texts) == 2:
            return texts[0], texts[1]
        else:
            of = "lists" if grouped_by is None else "groups"
            what = "at most 2 are possible: of the lists, and of the groups" if both else ""
            what = what or f"1 is possible: of the {of}"
            self._wrong(spec, key, f"{len(texts)} are given, and {what}")
        return "", ""

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
        others = {part.combination.grouped_by for part in parts} - {None, "group"}
        if spec.unit == "group" and others:
            name = next(iter(others))
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
