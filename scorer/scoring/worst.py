"""The lists that a submission is worst in, and what each of them costs it."""

from __future__ import annotations

import numpy as np

from scorer.core.arrays import Floats
from scorer.core.errors import UsageError
from scorer.metrics.explain import Cell, Grid, Sentence, Step, Working
from scorer.metrics.notation import Measure
from scorer.results.explanation import Explained
from scorer.results.scorecard import Rules, Scorecard
from scorer.scoring.settle import of_lists, settle

SHOWN = 10
MOST = 10_000  # lists that are left out of a figure one by one


def worst_lists(
    measure: Measure, card: Scorecard, rules: dict[str, Rules], word: str, plural: str
) -> Explained:
    """The worst lists by a measure: their values, and its number without each.

    `rules` are by measure id; `word` and `plural` are the challenge's for lists. `UsageError` if
    there are too many lists, none of which has a value of its own.
    """
    whole = settle(card, measure, rules)
    values = (
        of_lists(card, measure, rules)[0]
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
    return settle(card, measure, rules, keep).mean


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
