"""How a list comes by its values: each metric's own explanation, and what the rules make of it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from scorer.core.errors import PluginError, ScorerError
from scorer.core.text import printable
from scorer.metrics.base import Measure
from scorer.metrics.explain.steps import Steps, Working, formula
from scorer.metrics.explain.tables import Listing, ranked_table, rated, returned, single_list
from scorer.results.explanation import Explained
from scorer.results.scorecard import MISSING, UNDEFINED, Rules, Scorecard
from scorer.scoring.settle import settle
from scorer.views.hits import Judged, Ranked
from scorer.views.names import Names
from scorer.views.returned import Returned

Named = Callable[[type], Names]  # what the list's items are called, as that view has them


def explained(
    measure: Measure,
    card: Scorecard,
    views: Mapping[type, Any],
    named: Named,
    at: int,
    rules: Rules,
) -> Explained:
    """The value that scoring gave list number `at`, worked out.

    Raises:
        PluginError: the metric's explanation failed.
    """
    metric = measure.metric
    view = Judged if metric.view is Ranked else metric.view
    one = Listing(single_list(views[view], at), named(view))
    value = raw(measure, card, at)
    try:
        steps = tuple((metric.explain or plain(measure))(one, value, **measure.params))
    except ScorerError:
        raise
    except Exception as error:
        message = f"{type(error).__name__}: {printable(error)}"
        raise PluginError(f"metric {metric.name} cannot explain itself: {message}") from error
    working = Working(f"{measure.id}: {metric.title}", steps, value)
    counts, notes = _disposed(measure, card, at, rules)
    return Explained(measure, working, counts, notes)


def raw(measure: Measure, card: Scorecard, at: int) -> float:
    """A list's value before any rule; of a whole-challenge measure, that of this list alone."""
    if (statistics := card.of_figure(measure.id)) is not None:
        assert measure.metric.figure is not None
        whole = "labels" in measure.metric.kinds  # explained by what the row adds to it
        only = (np.arange(len(card.lists)) == at) | whole
        return float(measure.metric.figure(statistics.of(only), **measure.params))
    return float(card.values[measure.id][at])


def plain(measure: Measure) -> Callable[..., Steps]:
    """The explanation of a metric that has none of its own: what it looks at, and its value."""

    def steps(one: Listing[Any], value: float, **_: Any) -> Steps:
        match one.view:
            case Judged():
                yield ranked_table(one, one.view.hits, {})
            case Returned():
                yield returned(one, one.view, {"grade": one.view.grade})
            case _ if hasattr(one.view, "prediction"):
                yield rated(one, {})
        yield formula(measure.metric.name, "", "{}", value, value=value)

    return steps


def _disposed(
    measure: Measure, card: Scorecard, at: int, rules: Rules
) -> tuple[float, tuple[str, ...]]:
    """The value after the missing and undefined rules, with notes that say why."""
    found, name = settle(card, measure, rules), measure.id
    notes = []
    if not card.answered[at]:
        notes.append("The submission leaves this list out; it is worked as an empty list.")
    if found.per_list is None:
        whole = f"{found.mean:.6g}" if found.mean == found.mean else "undefined"
        rows = "rows" if "labels" in measure.metric.kinds else "lists"
        notes.append(
            f"{name} is one figure of all {found.lists:,} {rows} together: {whole}. "
            "The working shows what "
            + ("this row adds to it." if rows == "rows" else "it would be of this list alone.")
        )
        return float("nan"), tuple(notes)
    state, counts = card.states(name, rules)[at], float(found.per_list[at])
    if state == MISSING and rules.missing == "skip":
        notes.append("Lists that are left out do not count (missing_list: skip).")
    elif state == UNDEFINED:
        does = {
            "zero": "it counts as 0",
            "skip": "the list does not count",
            "error": "the submission is rejected",
        }[rules.undefined]
        notes.append(
            f"{name} is undefined for this list, so {does} (undefined: {rules.undefined})."
        )
    return counts, tuple(notes)
