"""Explanations of values: of one list, with the effect of the rules; and of the worst lists."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping
from typing import Any

import numpy as np

from scorer.core.arrays import Floats
from scorer.core.errors import PluginError, ScorerError, UsageError
from scorer.core.expressions import format_template
from scorer.core.text import printable
from scorer.metrics.api import Ratio
from scorer.metrics.explain import (
    Cell,
    Grid,
    OneList,
    Sentence,
    Step,
    Working,
    equation,
    explain,
    grid,
)
from scorer.metrics.notation import Measure
from scorer.results.explanation import Explained
from scorer.results.groups import belonging, filler, grouped
from scorer.results.scorecard import MISSING, NOT_GIVEN, UNDEFINED, WITHHELD, Rules, Scorecard
from scorer.scoring.aggregate import aggregate_values, values_of_lists
from scorer.views.ranked import Judged, Names, Ranked
from scorer.views.rows import LabelledRows

SHOWN = 10
MOST = 10_000  # lists that are left out of a figure one by one
Named = Callable[[type], Names]  # what the list's items are called, as that view has them


def explain_list(
    measure: Measure,
    card: Scorecard,
    views: Mapping[type, Any],
    named: Named,
    at: int,
    rules: Mapping[str, Rules],
) -> Explained:
    """The value that scoring gave list number `at`, worked out.

    A composite of whole submissions' values is worked out for the whole submission. `views` has
    what the measures see of this list, by type; `at` is the place of the list in the card; `rules`
    are by measure id.

    `PluginError` if the metric's explanation failed.
    """
    metric = measure.metric
    if measure.parts:
        return _of_parts(measure, card, at, rules)
    view = Judged if metric.view is Ranked else metric.view
    one = OneList(views[view], named(view))
    value = raw_value(measure, card, at)
    try:
        steps = tuple(explain(measure, one, value))
    except ScorerError:
        raise
    except Exception as error:
        message = f"{type(error).__name__}: {printable(error)}"
        raise PluginError(f"metric {metric.name} cannot explain itself: {message}") from error
    working = Working(f"{measure.id}: {metric.title}", steps, value)
    weighted = isinstance(one.view, LabelledRows) and one.view.weight is not None
    counts, notes = _after_rules(measure, card, at, rules, weighted)
    return Explained(measure, working, counts, notes)


def raw_value(measure: Measure, card: Scorecard, at: int) -> float:
    """A list's value before any rule; of a whole-challenge measure, that of this list alone.

    The measure is not a composite.
    """
    if (figure := card.figures.get(measure.id)) is not None:
        whole = "labels" in measure.metric.kinds  # explained by what the row adds to it
        return figure.subset((np.arange(len(card.lists)) == at) | whole).pooled()
    value = float(card.values[measure.id][at])
    return math.nan if value == NOT_GIVEN else value


def _of_parts(measure: Measure, card: Scorecard, at: int, rules: Mapping[str, Rules]) -> Explained:
    """A formula with the values of its measures put in."""
    means = {part.id: aggregate_values(card, part, rules).mean for part in measure.parts}
    list_values = {
        part.id: float(values_of_lists(card, part, rules)[0][at]) if part.of_lists else float("nan")
        for part in measure.parts
    }
    total = aggregate_values(card, measure, rules)
    value = float(values_of_lists(card, measure, rules)[0][at]) if measure.of_lists else total.mean
    inputs = list_values if measure.of_lists else means
    numbers, names = format_template(measure.params["score"])
    columns: dict[str, list[Any]] = {
        "measure": list(means),
        "this list": list(list_values.values()),
    }
    steps = (
        grid("Its measures", columns | {"all lists": list(means.values())}),
        equation(measure.id, measure.params["score"], numbers, *(inputs[n] for n in names),
                value=value),
    )  # fmt: skip
    counts, notes = _after_rules(measure, card, at, rules)
    if not measure.of_lists:
        kind = "The working is that of the whole submission"
        notes = (f"{kind}: {measure.id} is a formula of its measures' values of all lists.",)
    working = Working(f"{measure.id}: {measure.metric.title}", steps, value)
    return Explained(measure, working, counts, notes)


def _combined(
    measure: Measure, card: Scorecard, at: int, rules: Mapping[str, Rules], mean: float
) -> Iterator[str]:
    """How the lists' values make the measure's number, where that is not their mean."""
    how = measure.combination
    if how.group is not None and not belonging(card, measure)[at]:
        yield f"The list is in another group than {printable(how.group)}, and does not count."
    if how.plain or how.of_lists:
        return
    mean_text = f"{mean:.6g}" if mean == mean else "undefined"
    if not how.groups:
        weight = f", weighted by {how.list_weights}" if how.list_weights else ""
        yield f"The lists' values make {measure.id} by their {how.lists}{weight}: {mean_text}."
        return
    groups = grouped(card.columns, measure, belonging(card, measure))
    if groups is None or groups.codes[at] < 0:
        return
    group_name = groups.names[groups.codes[at]]
    values = [
        aggregate_values(card, measure, rules, groups.codes == n).mean
        for n in range(len(groups.names))
    ]
    parts = [f"{printable(name, 60)} {value:.6g}" if value == value else f"{name} undefined"
             for name, value in zip(groups.names, values, strict=True)]  # fmt: skip
    yield (
        f"The list is in {printable(group_name, 60)}, one of {len(parts):,} groups "
        f"({', '.join(parts[:8])}{' and more' * (len(parts) > 8)}); they make {measure.id} by "
        f"{', then '.join(map(str, how.aggregates))}: {mean_text}."
    )


def _after_rules(
    measure: Measure,
    card: Scorecard,
    at: int,
    ruled: Mapping[str, Rules],
    weighted: bool = False,
) -> tuple[float, tuple[str, ...]]:
    """The value after the missing and undefined rules, with notes that say why.

    `weighted` is whether the rows of a table have weights.
    """
    settled, name, rules = aggregate_values(card, measure, ruled), measure.id, ruled[measure.id]
    notes = list(_combined(measure, card, at, ruled, settled.mean))
    if not card.answered[at]:
        notes.append("The submission leaves this list out; it is worked as an empty list.")
    if settled.per_list is None:
        whole = f"{settled.mean:.6g}" if settled.mean == settled.mean else "undefined"
        rows = "rows" if "labels" in measure.metric.kinds else "lists"
        if measure.combination.groups:
            return float("nan"), tuple(notes)
        of = f"all {settled.lists:,} {rows} together" if settled.lists > 1 else f"one {rows[:-1]}"
        if weighted and isinstance(card.figures.get(name), Ratio):
            of += ", the mean of the rows by weight"
        notes.append(
            f"{name} is one figure of {of}: {whole}. "
            "The working shows what "
            + ("this row adds to it." if rows == "rows" else "it would be of this list alone.")
        )
        return float("nan"), tuple(notes)
    state, counts = values_of_lists(card, measure, ruled)[1][at], float(settled.per_list[at])
    if state == MISSING and rules.missing == "skip":
        notes.append("Lists that are left out do not count (missing_list: skip).")
    elif state >= UNDEFINED:
        does = {
            "zero": "it counts as 0",
            "skip": "the list does not count",
            "worst": "the list does not count",
            "error": "the submission is rejected",
        }[rules.undefined]
        if state == WITHHELD and rules.undefined in ("skip", "worst"):
            worst = filler(measure, rules)
            does = "the submission has no value" if math.isnan(worst) else f"it counts {worst:g}"
            does = f"and the truth would have a value, so {does}"
        notes.append(
            f"{name} is undefined for this list, so {does} (undefined: {rules.undefined})."
        )
    return counts, tuple(notes)


def explain_worst_lists(
    measure: Measure, card: Scorecard, rules: dict[str, Rules], word: str, plural: str
) -> Explained:
    """The worst lists by a measure: their values, and its number without each.

    `rules` are by measure id; `word` and `plural` are the challenge's for lists. `UsageError` if
    there are too many lists, none of which has a value of its own.
    """
    whole = aggregate_values(card, measure, rules)
    values = (
        values_of_lists(card, measure, rules)[0]
        if measure.of_lists and _with_values(card, measure)
        else None
    )
    candidates = np.arange(len(card.lists)) if values is None else _lowest(measure, values)
    if candidates.size > MOST:
        raise UsageError(
            f"no {word} of {len(card.lists):,} has a value of its own by {measure.id}; "
            "name one: --list ID"
        )
    without = np.array([_without(card, measure, rules, at) for at in candidates.tolist()])
    gain = (without - whole.mean) * (1 if measure.metric.better == "higher" else -1)
    order = np.argsort(-np.nan_to_num(gain, nan=-np.inf), kind="stable")[:SHOWN]
    rows = tuple(
        _list_row(card, at, values, without[n], gain[n])
        for n, at in zip(order.tolist(), candidates[order].tolist(), strict=True)
        if gain[n] > 0
    )
    columns = (word, *([] if values is None else ["value"]), "without it", "costs", "")
    title = f"{measure.id}: the {plural} that cost most"
    steps: list[Step] = [Grid("Greatest cost first", columns, rows)] if rows else []
    steps.append(Sentence(_beside_table(rows, values, plural)))
    return Explained(measure, Working(title, tuple(steps), whole.mean), whole.mean, ())


def _with_values(card: Scorecard, measure: Measure) -> bool:
    """Whether each list has a value of its own."""
    return all(part.id not in card.figures for part in measure.all_parts)


def _lowest(measure: Measure, values: Floats) -> np.ndarray:
    """Some of the lists with the worst values, more than are shown, as weights differ."""
    counted = np.flatnonzero(~np.isnan(values))
    order = values[counted] if measure.metric.better == "higher" else -values[counted]
    return counted[np.argsort(order, kind="stable")[: 20 * SHOWN]]


def _without(card: Scorecard, measure: Measure, rules: dict[str, Rules], at: int) -> float:
    """The measure's number without one list."""
    keep = np.ones(len(card.lists), dtype=bool)
    keep[at] = False
    return aggregate_values(card, measure, rules, keep).mean


def _list_row(
    card: Scorecard, at: int, values: Floats | None, without: float, gain: float
) -> tuple[Cell, ...]:
    value = [] if values is None else [float(values[at])]
    note = "" if card.answered[at] else "not answered"
    return (card.lists[at], *value, float(without), float(gain), note)


def _beside_table(rows: tuple[tuple[Cell, ...], ...], values: Floats | None, plural: str) -> str:
    """What is to be known beside the table."""
    if not rows:
        return f"None of the {plural} costs anything: without any, the value is no better."
    say = (
        "`costs` is by how much the value would be better without it; "
        f"--list {rows[0][0]} works the first one out."
    )
    if values is None or len(rows) < SHOWN:
        return say
    alike = int((values == rows[-1][1]).sum())
    return f"{alike:,} {plural} have the value of the last one. {say}" if alike > 1 else say
