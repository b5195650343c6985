"""Figures of hits, predicted and true rows: Precision, Recall and their kin."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from typing import Any

import numpy as np

from scorer.core.arrays import Floats
from scorer.core.text import join_first
from scorer.metrics.explain.steps import Steps, formula, grid
from scorer.metrics.explain.tables import Listing
from scorer.metrics.formulas import DEFINES
from scorer.metrics.labels.base import (
    SETTLE,
    cells,
    counts,
    divided,
    list_counts,
    place,
    whole_number,
)
from scorer.metrics.notation import NotationError
from scorer.metrics.statistic import Sums, fewest
from scorer.views.labelled import Labelled
from scorer.views.pooled import Statistics

# from hits, predicted and true rows, all of one shape, to values; beside them a metric's own
# parameters
Rate = Callable[..., Floats]


def _formula(of_class: str, params: Mapping[str, Any]) -> str:
    """The formula in LaTeX, from a class's in h_c, t_c and p_c."""
    average = params["average"]
    if average in ("micro", "binary"):
        rows = "all classes together" if average == "micro" else "the positive class"
        letters = rf"{DEFINES}h, t, p = \text{{hits, true and predicted rows of {rows}}}"
        return of_class.replace("_c", "") + letters
    if average == "weighted":
        return rf"\sum_{{c=1}}^{{C}} \frac{{t_c}}{{n}} \cdot {of_class}"
    classes = rf"{DEFINES}K = \text{{classes of the truth or the submission}}"
    return rf"\frac{{1}}{{\lvert K \rvert}} \sum_{{c \in K}} {of_class}" + classes


def of_tallies(name: str, symbols: str, rate: Rate, of_class: str) -> dict[str, Any]:
    """Arguments of `metric` for a figure of the statistics that `tallied` gives.

    `of_class` is the formula in LaTeX of one class, in its hits h_c, true rows t_c and predicted
    rows p_c.
    """

    def of_sums(
        sums: Floats,
        *,
        average: str,
        positive: str | None = None,
        threshold: float = 0.5,
        **params: Any,
    ) -> Floats:
        return averaged(sums, average, partial(rate, **params))

    def figure(statistics: Statistics, **params: Any) -> float:
        return float(of_sums(counts(statistics).reshape(1, -1), **params)[0])

    def explain(
        listing: Listing[Labelled],
        value: float,
        *,
        average: str,
        positive: str | None,
        threshold: float,
        **params: Any,
    ) -> Steps:
        parts = symbols, partial(rate, **params)
        return by_class(listing, value, name, parts, average, positive, threshold)

    return {
        "aggregate": "pooled",
        "settle": SETTLE,
        "statistic": Sums(of_sums, list_counts, figure, fewest(3, 1, 2)),
        "explain": explain,
        "formula": partial(_formula, of_class),
        "undefined": "there are no rows",
    }


def tallied(
    labelled: Labelled, average: str | None, positive: str | None, threshold: float
) -> Statistics:
    """The statistics of Precision, Recall and similar metrics, from `Labelled.tallies`.

    Args:
        average: binary keeps the rows of the positive class only; the others keep all.
        threshold: the lowest probability of the positive class, or of each of several labels.

    Raises:
        NotationError: the positive class is missing or unknown.
    """
    code = place(labelled, positive)
    statistics = labelled.tallies(code, threshold)
    if average != "binary":
        if code is not None and len(labelled.classes) > 2:
            raise NotationError("positive= is for average=binary", "positive")
        return statistics
    if code is None:
        message = f"average=binary needs positive=, one of {join_first(labelled.classes)}"
        raise NotationError(message, "positive")
    of_positive = statistics.rows[:, 0] == code
    return Statistics(
        statistics.in_list[of_positive], statistics.rows[of_positive], statistics.lists
    )


def averaged(sums: Floats, average: str | None, rate: Rate) -> Floats:
    """The figure of each row of sums.

    `sums`, shape (draws, 3 x classes), are of `list_counts`; `rate` makes values of hits, predicted
    and true rows, all of one shape. The result has shape (draws,); NaN where there is no row at
    all.
    """
    if sums.shape[1] == 0:
        return np.full(len(sums), np.nan if average != "binary" else 0.0)
    hits, predicted, true = np.moveaxis(sums.reshape(len(sums), -1, 3), 2, 0)
    if average == "micro":
        return rate(*(part.sum(axis=1) for part in (hits, predicted, true)))
    class_values = rate(hits, predicted, true)
    weight = true if average == "weighted" else ((predicted + true) > 0).astype(np.float64)
    return divided((class_values * weight).sum(axis=1), weight.sum(axis=1))


def by_class(
    listing: Listing[Labelled],
    value: float,
    name: str,
    parts: tuple[str, Rate],
    average: str | None,
    positive: str | None,
    threshold: float,
) -> Steps:
    """The steps from the classes' counts to Precision, Recall or a similar metric.

    `parts` has the formula in symbols and its function; `value` is the statistic of all rows;
    `threshold` is the lowest probability of the positive class.
    """
    view, (symbols, function) = listing.view, parts
    yield from cells(listing, view.decided(place(view, positive), threshold))
    hits, predicted, true = counts(tallied(view, average, positive, threshold)).T
    present = np.flatnonzero(predicted + true > 0)
    class_values = function(hits, predicted, true)
    columns: dict[str, list[Any]] = {
        "class": [view.classes[n] for n in present.tolist()],
        "hits": [whole_number(n) for n in hits[present]],
        "predicted": [whole_number(n) for n in predicted[present]],
        "true": [whole_number(n) for n in true[present]],
    }
    if average == "micro":
        columns["class"].append("all")
        for key, part in {"hits": hits, "predicted": predicted, "true": true}.items():
            columns[key].append(whole_number(part.sum()))
        yield grid(f"{symbols}, of all classes together", columns)
        yield formula(name, f"{symbols}, of the last line", "{}", value, value=value)
        return
    yield grid(f"Each class: {symbols}", columns | {name: class_values[present].tolist()})
    if average == "binary":
        yield formula(name, f"of {positive}", "{}", value, value=value)
    else:
        what = "mean of the classes" if average == "macro" else "mean weighted by true rows"
        yield formula(name, what, "{}", value, value=value)
