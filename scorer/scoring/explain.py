"""Explains how a list comes by its values, and which lists cost a measure most."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from scorer.core.arrays import Floats
from scorer.core.errors import UsageError
from scorer.core.expressions import format_template
from scorer.core.plugins import plugin_errors
from scorer.core.text import printable
from scorer.metrics.explain import explain
from scorer.metrics.notation import Measure
from scorer.metrics.ratios import Ratio
from scorer.metrics.steps import Cell, Grid, OneList, Sentence, Step, Working, equation, grid
from scorer.results.explanation import ExplainedMeasure
from scorer.results.groups import default_value, grouped, lists_of
from scorer.results.report import Value
from scorer.results.scorecard import MISSING, NOT_GIVEN, UNDEFINED, WITHHELD, Scorecard
from scorer.scoring.aggregate import RulesById, aggregate_values, values_of_lists
from scorer.views.ranked import Judged, Names, Ranked
from scorer.views.rows import LabelledRows

SHOWN_LISTS = 10  # how many of the worst lists are shown
MOST_OMITTED = 10_000  # lists that are left out, one at a time, to see what each costs
SHOWN_GROUPS = 8  # groups whose values a note names
# Lists with the worst values, each of which is left out in turn to see what it costs: more than are
# shown, since a list with a large weight may cost more than a worse one.
CANDIDATES = 20 * SHOWN_LISTS
NamesOfView = Callable[[type], Names]  # from the type of a view to the ids of the list's items


def explain_list(
    measure: Measure,
    card: Scorecard,
    views: Mapping[type, Any],
    names_of: NamesOfView,
    index: int,
    rules: RulesById,
) -> ExplainedMeasure:
    """Return how the value of list number `index` comes about.

    A composite is explained for all lists.

    Args:
        measure: The measure.
        card: The submission's scorecard.
        views: What the measures see of this list, by type.
        names_of: Gives the ids of the list's items.
        index: The position of the list in the card.
        rules: measure id -> how lists without a value count.

    Raises:
        PluginError: The metric's explanation failed.
    """
    metric = measure.metric
    if measure.parts:
        return _explain_formula(measure, card, index, rules)
    # A metric of `Ranked` is given each list of a `Judged` in turn, so that only this is a view.
    view = Judged if metric.view is Ranked else metric.view
    one_list = OneList(views[view], names_of(view))
    value = _raw_value(measure, card, index)
    with plugin_errors(f"metric {metric.name} cannot explain itself"):
        steps = tuple(explain(measure, one_list, value))
    working = Working(f"{measure.id}: {metric.title}", steps, value)
    weighted = isinstance(one_list.view, LabelledRows) and one_list.view.weight is not None
    return _apply_rules(measure, working, card, index, rules, weighted)


def _raw_value(measure: Measure, card: Scorecard, index: int) -> float:
    """Return a list's value before the rules; for a pooled measure, its figure of this list.

    A list of labels is a single row, so its figure is of all rows. The measure has no parts.
    """
    if (figure := card.figures.get(measure.id)) is not None:
        is_table = "labels" in measure.metric.kinds
        lists = np.ones(len(card.lists), bool) if is_table else np.arange(len(card.lists)) == index
        return figure.subset(lists).pooled()
    value = float(card.values[measure.id][index])
    return math.nan if value == NOT_GIVEN else value


def _explain_formula(
    measure: Measure, card: Scorecard, index: int, rules: RulesById
) -> ExplainedMeasure:
    """Return the formula of a composite with the values of its measures put in."""

    def value_of_list(part: Measure) -> float:
        if not part.of_lists:
            return math.nan
        values, _ = values_of_lists(card, part, rules)
        return float(values[index])

    means = {part.id: aggregate_values(card, part, rules).mean for part in measure.parts}
    list_values = [value_of_list(part) for part in measure.parts]
    total = aggregate_values(card, measure, rules)
    formula = measure.params["score"]
    template, names = format_template(formula)
    columns: dict[str, list[Any]] = {
        "measure": list(means),
        "this list": list_values,
        "all lists": list(means.values()),
    }
    operands = [means[name] for name in names]
    steps = (
        grid("Its measures", columns),
        equation(measure.id, formula, template, *operands, value=total.mean),
    )
    working = Working(f"{measure.id}: {measure.metric.title}", steps, total.mean)
    note = (
        "The working is that of the whole submission: "
        f"{measure.id} is a formula of its measures' values of all lists."
    )
    return ExplainedMeasure.of(measure, working, _counted_value(total, index), [note])


def _counted_value(total: Value, index: int) -> float:
    """Return the value that a list counts with after the rules, or NaN."""
    return math.nan if total.per_list is None else float(total.per_list[index])


def _apply_rules(
    measure: Measure,
    working: Working,
    card: Scorecard,
    index: int,
    rules: RulesById,
    weighted: bool = False,
) -> ExplainedMeasure:
    """Return an explanation: the working, the value that counts after the rules, and notes on both.

    Args:
        measure: The measure.
        working: How the raw value comes about.
        card: The submission's scorecard.
        index: The position of the list in the card.
        rules: measure id -> how lists without a value count.
        weighted: Whether the rows of a table have weights.
    """
    total = aggregate_values(card, measure, rules)
    name = measure.id
    notes = list(_describe_combination(measure, card, index, rules, total.mean))
    if not card.answered[index]:
        notes.append("The submission leaves this list out; it is worked as an empty list.")
    if total.per_list is None and measure.combination.grouped_by is None:
        is_table = "labels" in measure.metric.kinds
        unit = "row" if is_table else "list"
        source = f"all {total.lists:,} {unit}s together" if total.lists > 1 else f"one {unit}"
        if weighted and isinstance(card.figures.get(name), Ratio):
            source += ", the mean of the rows by weight"
        shown = "what this row adds to it" if is_table else "what it would be of this list alone"
        notes.append(
            f"{name} is one figure of {source}: {_format_value(total.mean)}. "
            f"The working shows {shown}."
        )
    elif total.per_list is not None:
        notes += _describe_state(measure, card, index, rules)
    return ExplainedMeasure.of(measure, working, _counted_value(total, index), notes)


def _describe_state(
    measure: Measure, card: Scorecard, index: int, rules: RulesById
) -> Iterator[str]:
    """Yield a note on how a list counts that the submission omits, or that has no value."""
    _, states = values_of_lists(card, measure, rules)
    state = states[index]
    own = rules[measure.id]
    if state == MISSING and own.missing == "skip":
        yield "Lists that are left out do not count (missing_list: skip)."
    elif state in (UNDEFINED, WITHHELD):
        effect = {
            "zero": "it counts as 0",
            "skip": "the list does not count",
            "worst": "the list does not count",
            "error": "the submission is rejected",
        }[own.undefined]
        reason = f"{measure.id} is undefined for this list"
        # The submission is the cause, so that the list is not skipped.
        if state == WITHHELD and own.undefined in ("skip", "worst"):
            worst = default_value(measure, own)  # NaN for "skip", or if the range has no end
            effect = "the submission has no value" if math.isnan(worst) else f"it counts {worst:g}"
            reason += ", and the truth would have a value"
        yield f"{reason}, so {effect} (undefined: {own.undefined})."


def _describe_combination(
    measure: Measure, card: Scorecard, index: int, rules: RulesById, mean: float
) -> Iterator[str]:
    """Yield notes on how the measure combines the lists' values; none if it takes their mean."""
    combination = measure.combination
    members = lists_of(card, measure)
    if combination.group is not None and not members[index]:
        group = printable(combination.group)
        yield f"The list is in another group than {group}, and does not count."
    takes_mean = combination.plain or combination.of_lists  # of all lists, or of one group's
    if takes_mean:
        return
    if combination.grouped_by is None:
        weight = f", weighted by {combination.list_weights}" if combination.list_weights else ""
        yield (
            f"The lists' values make {measure.id} by their {combination.lists}{weight}: "
            f"{_format_value(mean)}."
        )
        return
    groups = grouped(card.columns, measure, members)
    if groups is None or groups.codes[index] < 0:  # The measure is not about this list.
        return
    parts = [
        f"{printable(name, 60)} "
        + _format_value(aggregate_values(card, measure, rules, groups.codes == n).mean)
        for n, name in enumerate(groups.names)
    ]
    more = " and more" if len(parts) > SHOWN_GROUPS else ""
    yield (
        f"The list is in {printable(groups.names[groups.codes[index]], 60)}, one of {len(parts):,} "
        f"groups ({', '.join(parts[:SHOWN_GROUPS])}{more}); they make {measure.id} by "
        f"{combination.groups}: {_format_value(mean)}."
    )


def _format_value(value: float) -> str:
    return "undefined" if math.isnan(value) else f"{value:.6g}"


def explain_worst_lists(
    measure: Measure, card: Scorecard, rules: RulesById, word: str, plural: str
) -> ExplainedMeasure:
    """Return the lists that cost a measure most, each with its value and the measure without it.

    Args:
        measure: The measure.
        card: The submission's scorecard.
        rules: measure id -> how lists without a value count.
        word: The challenge's word for a list.
        plural: The word for several.

    Raises:
        UsageError: No list has a value of its own, and there are too many to leave out in turn.
    """
    total = aggregate_values(card, measure, rules).mean
    lists = np.arange(len(card.lists))
    sign = 1 if measure.metric.better == "higher" else -1
    values = None
    candidates = lists
    has_list_values = measure.of_lists and measure.id not in card.figures
    if has_list_values:
        values, _ = values_of_lists(card, measure, rules)
        counted = lists[~np.isnan(values)]
        candidates = counted[np.argsort(sign * values[counted], kind="stable")[:CANDIDATES]]
    elif lists.size > MOST_OMITTED:
        raise UsageError(
            f"no {word} of {lists.size:,} has a value of its own by {measure.id}; "
            "name one: --list ID"
        )
    totals = [aggregate_values(card, measure, rules, lists != n).mean for n in candidates]
    gains = sign * (np.array(totals) - total)
    rows = list[tuple[Cell, ...]]()
    for n in np.argsort(-np.nan_to_num(gains, nan=-np.inf), kind="stable")[:SHOWN_LISTS].tolist():
        if gains[n] > 0:
            index = candidates[n]
            value = [] if values is None else [float(values[index])]
            note = "" if card.answered[index] else "not answered"
            rows.append((card.lists[index], *value, float(totals[n]), float(gains[n]), note))
    columns = (word, *([] if values is None else ["value"]), "without it", "costs", "note")
    if not any(row[-1] for row in rows):
        columns, rows = columns[:-1], [row[:-1] for row in rows]
    steps: list[Step] = [Grid("Greatest cost first", columns, tuple(rows))] if rows else []
    steps.append(Sentence(_describe_grid(rows, values, plural)))
    title = f"{measure.id}: the {plural} that cost most"
    return ExplainedMeasure.of(measure, Working(title, tuple(steps), total), total)


def _describe_grid(rows: Sequence[tuple[Cell, ...]], values: Floats | None, plural: str) -> str:
    """Return what the columns of the worst lists mean, and whether further lists are as bad."""
    if not rows:
        return f"None of the {plural} costs anything: without any, the value is no better."
    meaning = "The costs say how much better the value would be without it."
    if values is None or len(rows) < SHOWN_LISTS:
        return meaning
    _, last_value, *_ = rows[-1]
    ties = int((values == last_value).sum())
    if ties < 2:
        return meaning
    return f"{ties:,} {plural} have the value of the last one. {meaning}"
