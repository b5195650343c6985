"""Explanations of a list's value: steps as data, made from what a metric returns.

Nothing here prints. Numbers stay numbers until a report writes them.

>>> ratio = Ratio([2.0], 5, "found / k", {"found": [2.0], "k": 5})
>>> equation = explain_ratio("P@5", ratio, 0)
>>> print(equation.name, "=", equation.formula, "=", equation.write_numbers("{:g}".format))
P@5 = found / k = 2 / 5
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from scorer.core.arrays import Floats, Ints
from scorer.metrics.notation import Measure
from scorer.metrics.ratios import Figure, Ratio, Result, Table
from scorer.views.diverse import Diverse
from scorer.views.ranked import Hits, Judged, Names, Ranked
from scorer.views.recommendations import Returned
from scorer.views.rows import LabelledRows, Targets
from scorer.views.texts import Texts

Cell = str | int | float | None  # None: nothing stands there
Write = Callable[[float], str]

ROWS = 24  # of a table that are shown before it is abbreviated
FIRST_ROWS, LAST_ROWS = 28, 12  # of a table's rows that matter
ITEMS = 40  # of a set
SUMMANDS = 8  # of a sum that are written out
TIED = "items with equal scores stand at each of their ranks alike (ties: expected)"


class Sentence(NamedTuple):
    """A step in words."""

    text: str


class NamedItems(NamedTuple):
    """A named set of items."""

    name: str
    items: tuple[str, ...]

    def __str__(self) -> str:
        """The set as text; the end of a long one is left out."""
        beyond = len(self.items) - ITEMS
        items = self.items if beyond <= 1 else (*self.items[:ITEMS], f"… {beyond:,} more")
        return "{" + ", ".join(items) + "}"


class Grid(NamedTuple):
    """A table; a long one is shown abbreviated."""

    title: str
    columns: tuple[str, ...]
    rows: tuple[tuple[Cell, ...], ...]
    matter: tuple[bool, ...] = ()  # whether each row stays when it is abbreviated; empty: all do

    def abbreviated(self) -> Iterator[tuple[Cell, ...] | int]:
        """The rows to show, and in place of rows left out their number."""
        last = len(self.rows) - 1
        rows = list(range(len(self.rows)))
        if len(rows) > ROWS:
            rows = [n for n in rows if n in (0, last) or not self.matter or self.matter[n]]
        if len(rows) > FIRST_ROWS + LAST_ROWS:
            rows = [*rows[:FIRST_ROWS], *rows[-LAST_ROWS:]]
        following = 0
        for n in rows:
            if n - following > 1:
                yield n - following
            elif n > following:
                yield self.rows[following]
            yield self.rows[n]
            following = n + 1


class Equation(NamedTuple):
    """A line such as `P@5 = found / k = 2 / 5 = 0.4`; a value of NaN is undefined."""

    name: str
    formula: str
    numbers: str  # the formula with {} in place of each of `parts`
    parts: tuple[float, ...]
    value: float

    def write_numbers(self, write: Write) -> str:
        """The formula in numbers."""
        return self.numbers.format(*map(write, self.parts))


Step = Sentence | NamedItems | Grid | Equation
Steps = Iterator[Step]


class Working(NamedTuple):
    """The steps to one list's value, which the last step ends in; NaN where it is undefined."""

    title: str
    steps: tuple[Step, ...]
    value: float


class OneList(NamedTuple):
    """One list: what a metric sees of it, and what its items are called."""

    view: Any
    names: Names

    def name_items(self, hits: Hits) -> tuple[str, ...]:
        """The names of the items of hits, or of an ideal."""
        return tuple(self.names.truth[place - 1] for place in hits.place.tolist())

    def without_unjudged(self) -> OneList:
        """The list without unjudged items, as `Judged.only_judged`."""
        view = self.view.only_judged()
        hits, ranks = _judged(view).hits, _judged(self.view).hits.relevant(0).rank
        returned = tuple(self.names.returned[rank - 1] for rank in ranks.tolist())
        return OneList(view, Names(self.names.truth, returned, hits.tie_start, hits.tied))


def grid(title: str, columns: Mapping[str, Any], matter: Iterable[bool] = ()) -> Grid:
    """A table from its columns; rows that `matter` stay when it is abbreviated."""
    rows = zip(*(map(_plain, column) for column in columns.values()), strict=True)
    return Grid(title, tuple(columns), tuple(rows), tuple(map(bool, matter)))


def equation(name: str, formula: str, numbers: str, *parts: float, value: float) -> Equation:
    """An equation; `numbers` is the formula with a {} for each of `parts`."""
    return Equation(name, formula, numbers, tuple(map(float, parts)), float(value))


def sum_equation(
    name: str, formula: str, numbers: str, summands: Iterable[float], value: float
) -> Equation:
    """An equation over a sum: the {} of `numbers` becomes the summands if they are few.

    >>> sum_equation("CG", "sum of gains", "{}", [3, 2], 5).write_numbers("{:g}".format)
    '3 + 2'
    """
    terms = [float(term) for term in summands]
    if len(terms) > SUMMANDS or not terms:
        return equation(name, formula, numbers, math.fsum(terms), value=value)
    numbers = numbers.replace("{}", _blanks(len(terms), alone=numbers == "{}"))
    return equation(name, formula, numbers, *terms, value=value)


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
        if 1 < len(summands) <= SUMMANDS and math.isclose(sum(summands), term, abs_tol=1e-12):
            parts.extend(summands)
            return _blanks(len(summands), alone=ratio.formula == match[0])
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


def ranked_table(
    one: OneList, rows: Any, columns: Mapping[str, ArrayLike], k: int | None = None
) -> Grid:
    """The returned items down to rank k, with the grades of judged lists.

    Args:
        one: The list.
        rows: What has cells in the columns, such as hits; it has `rank`.
        columns: The columns' cells by heading, shape (rows,) each.
        k: The last rank that is shown; None: all are.
    """
    names, n = one.names, len(one.names.returned)
    hits = None if isinstance(one.view, Returned) else _judged(one.view).hits
    spread, middle = (False, False) if hits is None else (hits.spread, hits.middle)
    has_ties = spread or middle  # where tied items have their ranks in common
    above = names.tie_start if has_ties else np.arange(n)
    count = n if k is None else int((above < k).sum())
    title = f"first {count:,} of {n:,} ranks" if count < n else f"all {n:,} ranks"
    if spread and (names.tied[:count] > 1).any():
        title += f"; {TIED}"
    ranks: list[Cell] = list(range(1, n + 1))
    if has_ties:
        ends = zip(
            (names.tie_start + 1).tolist(), (names.tie_start + names.tied).tolist(), strict=True
        )
        ranks = [first if first == last else f"{first}-{last}" for first, last in ends]
    cells = {} if hits is None else {"grade": _at_ranks(n, hits.rank, hits.grade)}
    cells |= {name: _at_ranks(n, rows.rank, each) for name, each in columns.items()}
    shown: dict[str, Any] = {"rank": ranks, "item": names.returned, **cells}
    return grid(
        f"The list, {title}" if n else "The list",
        {name: values[:count] for name, values in shown.items()},
        np.isin(np.arange(1, count + 1), rows.rank),
    )


def _judged(view: Any) -> Judged:
    """A view of ranked lists, or the one that it holds."""
    judged: Judged = view if isinstance(view, Judged) else view.judged
    return judged


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
            judged = _judged(view)
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


def _at_ranks(size: int, rank: Ints, values: ArrayLike) -> Floats:
    """`values` at their ranks, NaN at the others."""
    cells = np.full(size, np.nan)
    cells[rank - 1] = values
    return cells


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


def _blanks(count: int, *, alone: bool) -> str:
    """The sum of that many {}, in parentheses unless it stands alone or is one."""
    blanks = " + ".join(["{}"] * count)
    return blanks if alone or count == 1 else f"({blanks})"


def _plain(cell: object) -> Cell:
    """A cell as a plain Python value; None for NaN."""
    value: Cell = cell.item() if hasattr(cell, "item") else cell  # type: ignore[assignment]
    if isinstance(value, float):
        return None if math.isnan(value) else value + 0.0  # never -0
    return int(value) if isinstance(value, bool) else value
