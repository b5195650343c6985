"""How the lists of a measure make one number, bound to columns and to other measures."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from scorer.challenge.measures import MeasureSpec
from scorer.challenge.model import Challenge
from scorer.core.expressions import Range, parse_formula, quote_name
from scorer.core.text import join_first, nearest, quoted, suggest
from scorer.metrics.aggregate import COMPOSITE, SIZE, Combination, composite
from scorer.metrics.api import Better, Metric
from scorer.metrics.notation import Measure, parse_measure
from scorer.scoring.rules import Fault
from scorer.scoring.tables import read_header
from scorer.stats.aggregate import MEAN, Aggregate, aggregate

LIST_WORDS = ("lists", "list")  # what `average` calls them
OF_LISTS = ("average", "aggregate", "weights", "group", "where")  # keys that no formula has
DEEPEST = 20  # composites of composites
PER = "leave it out; a score is of its measures' values of the whole submission"
WITHOUT_WEIGHTS = ("quantile", "stability", "dispersion")  # aggregates that take none
OF_HIGHER = ("stability", "dispersion")  # aggregates that need a measure where higher is better


def list_column_names(challenge: Challenge) -> tuple[str, ...]:
    """Return the columns of the lists' file, by the names that measures call them."""
    source = challenge.lists
    is_private = "group" in challenge.truth.columns
    if source is None:
        return ("group",) if challenge.has_parts or is_private else ()
    words = read_header(challenge, source)
    names = sorted(words - {source.columns.get("list", "list")})
    has_groups = source.columns.get("group", "group") in words or source.parts or is_private
    return tuple(names) if "group" in names or not has_groups else ("group", *names)


class Combiner:
    """Binds the keys of measures that combine lists; adds their faults to `faults`."""

    def __init__(self, challenge: Challenge, faults: list[Fault]) -> None:
        self.challenge = challenge
        self.faults = faults
        self.columns = list_column_names(challenge)

    def find_params(self, spec: MeasureSpec, metric: Metric) -> dict[str, Any]:
        """Return the parameters of a metric, also those with the name of a key of measures."""
        fields = metric.parameters.model_fields
        values = dict(spec.params)
        for name in ("aggregate", "weights", "group", "where", "unit"):
            if name in fields and name in spec.model_fields_set:
                value = getattr(spec, name)
                values[name] = value[0] if isinstance(value, tuple) and len(value) == 1 else value
        inner = self._first_average(spec)
        if "average" not in fields or not inner:
            return values
        if inner in LIST_WORDS:
            values["average"] = "lists"
        elif f"'{inner}'" in str(fields["average"].annotation) or not nearest(inner, self.columns):
            values["average"] = inner
        else:
            self._require_column(spec, "average", inner)  # a group that is written wrongly
        return values

    def _first_average(self, spec: MeasureSpec) -> str:
        """Return the first word of `average` if it is about the lists; '' if it names a group."""
        first = spec.average[0] if spec.average else ""
        return "" if first == "group" or first in self.columns else first

    def combine(self, spec: MeasureSpec, measure: Measure) -> Measure:
        """Return the measure with the combination of lists and groups that its spec asks for."""
        faults_before = len(self.faults)
        combination = self._find_combination(spec, measure)
        if combination.plain or len(self.faults) > faults_before:
            return measure
        name = measure.name + combination.suffix
        return replace(measure, combination=combination, name=name, id=spec.id or name)

    def _find_combination(self, spec: MeasureSpec, measure: Measure) -> Combination:
        metric = measure.metric
        own = set() if spec.score is not None else {*metric.parameters.model_fields}
        grouped_by = self._find_grouping(spec, metric, "average" in own)
        texts = () if "aggregate" in own else spec.aggregate
        of_lists, of_groups = self._split_levels(spec, "aggregate", texts, measure, grouped_by)
        self._check_aggregates(spec, metric, of_lists, of_groups)
        names = () if "weights" in own else spec.weights
        list_weights, group_weights = self._split_levels(
            spec, "weights", names, measure, grouped_by
        )
        if list_weights == SIZE:
            self._add(spec, "weights", f"{SIZE} is the weight of groups; a list has a column")
        for name in dict.fromkeys((list_weights, group_weights)):
            if name not in ("", SIZE):
                self._require_column(spec, "weights", name)
        for text, weight in ((of_lists, list_weights), (of_groups, group_weights)):
            if weight and text.startswith(WITHOUT_WEIGHTS):
                self._add(spec, "weights", f"{text} takes no weights")
        group = None if "group" in own else spec.group
        if group is not None:
            self._require_column(spec, "group", "group")
        unit = "list" if "unit" in own else spec.unit
        if unit == "group" and grouped_by is None:
            self._require_column(spec, "unit", "group")
        if "weight" in self.challenge.truth.columns and (of_lists or list_weights):
            self._add(spec, "aggregate", "the truth's rows have weights, which make a mean")
        combination = Combination(
            aggregate(of_lists) if of_lists else MEAN,
            list_weights or None,
            grouped_by,
            aggregate(of_groups) if of_groups else MEAN,
            group_weights or None,
            group,
            unit,
            None if "where" in own else spec.where,
        )
        is_sum = metric.aggregate == "sum" and spec.score is None and not of_lists
        return (
            replace(combination, lists=Aggregate("sum"))
            if is_sum and not combination.plain
            else combination
        )

    def _find_grouping(self, spec: MeasureSpec, metric: Metric, pools: bool) -> str | None:
        """Return the column of groups in `average`; `pools` is whether the metric has that key."""
        words = spec.average
        if inner := self._first_average(spec):
            words = words[1:]
            if not pools and inner == "pooled":
                message = f"{metric.name} is no ratio of sums that could be pooled"
                self._add(spec, "average", message)
                return None
            if not pools and inner not in LIST_WORDS:
                self._require_column(spec, "average", inner, ("lists", "pooled"))
                return None
        if len(words) > 1:
            message = "groups are those of one column: average: type, or [pooled, type]"
            self._add(spec, "average", message)
        for name in words[:1]:
            self._require_column(spec, "average", name)
        return words[0] if words else None

    def _check_aggregates(
        self, spec: MeasureSpec, metric: Metric, of_lists: str, of_groups: str
    ) -> None:
        """Refuse aggregates that are not of lists, or not of measures such as this one."""
        if of_lists.startswith("stability"):
            message = "stability is of groups in their order, such as weeks: average: week"
            self._add(spec, "aggregate", message)
        text = next((text for text in (of_lists, of_groups) if text.startswith(OF_HIGHER)), "")
        if text and metric.better == "lower":
            word = text.partition("(")[0]
            message = f"{word} is of measures of which higher is better, not {metric.name}"
            self._add(spec, "aggregate", message)

    def _split_levels(
        self,
        spec: MeasureSpec,
        key: str,
        texts: Sequence[str],
        measure: Measure,
        grouped_by: str | None,
    ) -> tuple[str, str]:
        """Return the text of a key for the lists, and its text for their groups; '' for nothing.

        A single text is about the groups, or about the lists if they have no groups.
        """
        both = measure.of_lists and grouped_by is not None
        if not texts:
            return "", ""
        if not measure.of_lists and grouped_by is None:
            message = "its lists are pooled, so that there is nothing to put together"
            self._add(spec, key, message)
            return "", ""
        if len(texts) == 1:
            return (texts[0], "") if grouped_by is None else ("", texts[0])
        if both and len(texts) == 2:
            return texts[0], texts[1]
        members = "lists" if grouped_by is None else "groups"
        possible = f"1 is possible: of the {members}"
        if both:
            possible = "at most 2 are possible: of the lists, and of the groups"
        self._add(spec, key, f"{len(texts)} are given, and {possible}")
        return "", ""

    def _require_column(
        self, spec: MeasureSpec, key: str, name: str, others: tuple[str, ...] = ()
    ) -> None:
        """Refuse the name of a column that the lists do not have; `others` could be meant, too."""
        if name in self.columns:
            return
        if self.challenge.lists is None:
            message = f"{quoted(name)} is a column of the lists, and this challenge has no lists"
            help = f"write lists: {{file: lists.csv}}, with the columns list and {name}"
            help += "; or truth: {columns: {group: COLUMN}}, private" if name == "group" else ""
            self._add(spec, key, message, "C121", help)
            return
        hint = suggest(name, [*others, *self.columns], f" ({join_first(self.columns, 8)})")
        self._add(spec, key, f"the lists have no column {quoted(name)}{hint}", "C121")

    def _add(
        self, spec: MeasureSpec, key: str, message: str, code: str = "C114", help: str | None = None
    ) -> None:
        fault = Fault(f"{spec.key}.{key}", code, message, help)
        if fault not in self.faults:  # one of a formula is found for each formula that names it
            self.faults.append(fault)

    def bind_composites(
        self, specs: Sequence[MeasureSpec], measures: Mapping[int, Measure]
    ) -> dict[int, Measure]:
        """Return all measures by their position in `specs`: `measures`, and formulas of them."""
        bound = dict(measures)
        ids = [bound[n].id if n in bound else spec.id or "" for n, spec in enumerate(specs)]
        positions = {name: ids.index(name) for name in ids}

        def bind(at: int, above: tuple[int, ...] = ()) -> Measure | None:
            """Return the measure at a position after binding its parts; None if it is wrong."""
            spec = specs[at]
            if at in bound or spec.score is None:
                return bound.get(at)
            parts = []
            for name in parse_formula(spec.score).names:
                position = positions.get(name)
                if position is None:
                    others = [other for other in positions if other != spec.id]
                    known = join_first([quote_name(other) for other in others], 8)
                    hint = suggest(name, others, f" (ids: {known})")
                    message = f"no measure has the id {quoted(name)}{hint}"
                elif position in (*above, at):
                    message = f"{quoted(name)} is made of itself"
                elif len(above) >= DEEPEST:
                    message = "scores of scores are nested too deeply"
                else:
                    part = bind(position, (*above, at))
                    if part is None:
                        return None
                    parts.append(part)
                    continue
                self._add(spec, "score", message, "C125")
                return None
            composed = self._compose(spec, spec.score, parts)
            if composed is not None:
                bound[at] = composed
            return composed

        for n in range(len(specs)):
            bind(n)
        return bound

    def _compose(self, spec: MeasureSpec, score: str, parts: Sequence[Measure]) -> Measure | None:
        """Return the measure of a formula; None, after a fault, if a key does not fit it."""
        others = {part.combination.grouped_by for part in parts} - {None, "group"}
        written = [key for key in OF_LISTS if getattr(spec, key) not in ((), None)]
        low, high, rises, falls = parse_formula(score).range({p.id: _range(p) for p in parts})
        derived: Better | None = None
        if rises != falls:
            derived = "higher" if rises else "lower"
        key = "score"
        help = None
        if spec.notation != "score" or spec.params:
            key = next(iter(spec.params), "metric")
            message = "a score has no metric, and no parameters; they belong to its measures"
            help = PER if key == "per" else None
        elif written:
            key = written[0]
            message = "a score takes its measures as they are; write it at each of them"
        elif spec.unit == "group" and others:
            key = "unit"
            name = next(iter(others))
            message = f"its measures have groups of {quoted(name)}, not of group, which are drawn"
        elif not rises and not falls:
            message = "the formula does not depend on its measures"
        elif derived is None and spec.better is None:
            message = "whether higher is better does not follow from its measures"
            help = "write better: higher, or better: lower"
        elif derived is not None and spec.better not in (None, derived):
            key = "better"
            message = f"by its measures {derived} is better"
        else:
            better = derived or spec.better
            assert better is not None
            ends = (end if math.isfinite(end) else None for end in (low, high))
            metric = composite(parts[0].metric.view, better, *ends)
            plain = parse_measure(metric, COMPOSITE, {"score": score}, spec.id, spec.primary)
            return self.combine(spec, replace(plain, parts=tuple(parts)))
        self._add(spec, key, message, "C125", help)
        return None


def _range(part: Measure) -> Range:
    """Return the range of a measure, as part of a formula."""
    low, high = part.range
    is_better = part.metric.better == "higher"
    return Range(
        -math.inf if low is None else low,
        math.inf if high is None else high,
        rises=is_better,
        falls=not is_better,
    )
