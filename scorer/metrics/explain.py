"""Explanations of a list's value: steps as data, made from what a metric returns.

>>> ratio = Ratio([2.0], 5, "found / k", {"found": [2.0], "k": 5})
>>> equation = explain_ratio("P@5", ratio, 0)
>>> print(equation.name, "=", equation.formula, "=", equation.write_numbers("{:g}".format))
P@5 = found / k = 2 / 5
"""

from __future__ import annotations

import math
import re
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from scorer.metrics.notation import Measure
from scorer.metrics.ratios import Figure, Ratio, Result, Table
from scorer.metrics.steps import (
    MAX_SUMMANDS,
    Equation,
    Grid,
    NamedItems,
    OneList,
    Sentence,
    Steps,
    equation,
    grid,
    judged_of,
    ranked_table,
    sum_of_placeholders,
)
from scorer.views.diverse import Diverse
from scorer.views.ranked import Judged, Ranked
from scorer.views.recommendations import Returned
from scorer.views.rows import LabelledRows, Targets
from scorer.views.texts import Texts


def explain(measure: Measure, one: OneList, value: float) -> Steps:
    """The steps to a list's value, by the metric's own function or from what it returns.

    Args:
        measure: The measure, whose parameters are settled.
        one: The list; of a table the whole view, with the row marked (`LabelledRows.at`).
        value: The value that scoring gave the list.
    """
    metric, params = measure.metric, measure.params
    if params.get("judged_only") and "judged_only" in metric.options:
        one = one.without_unjudged()
    result = None if metric.view is Ranked else measure.evaluate(one.view)
    own = {name: setting for name, setting in params.items() if name not in metric.options}
    steps = list(metric.explain(one, **own) if metric.explain else _inputs(measure, one, result))
    yield from steps
    if any(isinstance(step, Equation) for step in steps):
        return  # the last one is the value's
    if math.isnan(value) and metric.undefined:
        yield Sentence(f"{metric.name} is undefined where {metric.undefined}.")
    elif isinstance(result, Ratio):
        index: int | None = 0
        if isinstance(one.view, LabelledRows) and one.view.at >= 0:
            index = None if measure.pooled else one.view.at
        if _term_of_list(result.denominator, index) == 0 and not math.isnan(value):
            yield Sentence(f"{result.formula} is 0 / 0 here, which counts as {value:g}.")
            yield equation(metric.name, "", "{}", value, value=value)
        else:
            yield explain_ratio(metric.name, result, index)
    else:
        formula = result.formula if isinstance(result, Figure) else ""
        yield equation(metric.name, formula, "{}", value, value=value)


def explain_ratio(name: str, ratio: Ratio, index: int | None) -> Equation:
    """The equation of one list's value, given by its number from 0; None: of all lists together."""
    terms = {"numerator": ratio.numerator, "denominator": ratio.denominator, **ratio.terms}
    parts: list[float] = []

    def put_blanks(match: re.Match[str]) -> str:
        term = _term_of_list(terms[match[0]], index)
        summands = _summands(ratio.table, index) if match[0].startswith("sum") else []
        if 1 < len(summands) <= MAX_SUMMANDS and math.isclose(sum(summands), term, abs_tol=1e-12):
            parts.extend(summands)
            return sum_of_placeholders(len(summands), alone=ratio.formula == match[0])
        parts.append(term)
        return "{}"

    # Longer words come first, so that "min(R, k)" is not read as "R". No letter stands beside a
    # word, so that "k" is not found in "rank"; other signs may, as in "beta²".
    words = "|".join(re.escape(word) for word in sorted(terms, key=len, reverse=True))
    escaped = ratio.formula.replace("{", "{{").replace("}", "}}")
    numbers = re.sub(rf"(?<![a-zA-Z])(?:{words})(?![a-zA-Z])", put_blanks, escaped)
    value = ratio.pooled() if index is None else float(ratio.values()[index])
    if not parts:
        return equation(name, ratio.formula, "{}", value, value=value)
    return equation(name, ratio.formula, numbers, *parts, value=value)


def _inputs(measure: Measure, one: OneList, result: Result | None) -> Steps:
    """What the list holds: its relevant items, its rows with what each adds, the best list."""
    view, params = one.view, measure.params
    table = result.table if isinstance(result, Ratio) else None
    k = params.get("k")
    columns: dict[str, Any]
    match view:
        case LabelledRows() if view.at >= 0:
            yield _row_table(view, result)
        case Targets():
            columns = {"item": one.names.truth, "target": view.target}
            columns |= {"prediction": view.prediction, **(table.columns if table else {})}
            yield grid("The numbers that were predicted", columns)
        case Texts():
            yield NamedItems("The truth", tuple(view.truth_text))
            yield NamedItems("The submission", tuple(view.text))
        case Judged() | Diverse():
            judged = judged_of(view)
            if isinstance(result, Ratio) and "R" in result.terms and "rel" in params:
                items = one.name_items(judged.ideal.relevant(params["rel"]))
                title = f"relevant (grade {params['rel']:g} or more), R = {len(items):,}"
                yield NamedItems(title, items)
            yield ranked_table(one, table.rows if table else judged.hits, _with_total(table), k)
        case Returned():
            columns = _with_total(table) if table else {"grade": view.grade}
            yield ranked_table(one, table.rows if table else view, columns, k)
        case _ if isinstance(result, Figure):
            yield _figure_table(result)
    if isinstance(result, Ratio) and result.best is not None:
        ideal = result.best.rows
        columns = {"rank": ideal.rank, "item": one.name_items(ideal), "grade": ideal.grade}
        yield grid("The best list", columns | _with_total(result.best))


def _with_total(table: Table | None) -> dict[str, ArrayLike]:
    """The columns of a table, and the running total of the last one."""
    if table is None or not table.columns:
        return {}
    *_, last = table.columns.values()
    return {**table.columns, "running total": np.cumsum(np.asarray(last, dtype=np.float64))}


def _row_table(view: LabelledRows, result: Result | None) -> Grid:
    """The row of a table that is explained."""
    columns: dict[str, Any] = {}
    if isinstance(view, Targets):
        columns = {"target": view.target, "prediction": view.prediction}
    elif isinstance(result, Figure):
        return _figure_table(result.subset_rows(result.in_list == view.at))
    if isinstance(result, Ratio) and result.table is not None:
        columns |= result.table.columns
    if view.weight is not None:
        columns["weight"] = view.weight
    return grid("This row", {name: [np.asarray(cells)[view.at]] for name, cells in columns.items()})


def _figure_table(figure: Figure) -> Grid:
    """The rows that a figure is computed from, one number a column."""
    columns = {name: each for name, each in figure.columns.items() if np.ndim(each) == 1}
    return grid("The rows of this list", columns)


def _term_of_list(term: ArrayLike, index: int | None) -> float:
    """The value of a term for one list, or its sum over all; a single number is every list's."""
    array = np.asarray(term, dtype=np.float64)
    if array.ndim == 0:
        return float(array)
    return float(array.sum() if index is None else array[index])


def _summands(table: Table | None, index: int | None) -> list[float]:
    """The cells of a table's last column that a list's sum is made of."""
    if table is None or not table.columns or index is None:
        return []
    *_, last = table.columns.values()
    cells: list[float] = np.asarray(last, dtype=np.float64)[table.rows.in_list == index].tolist()
    return cells
