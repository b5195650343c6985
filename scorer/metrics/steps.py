"""The steps of an explanation, as data: sentences, sets, tables, equations.

Nothing here prints. Numbers stay numbers until a report writes them.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from scorer.core.arrays import Floats, Ints
from scorer.views.ranked import Hits, Judged, Names
from scorer.views.recommendations import Returned

Cell = str | int | float | None  # None: nothing stands there
Write = Callable[[float], str]

MAX_ROWS = 24  # a longer table is abbreviated to its first, its last and its key rows
FIRST_KEY_ROWS = 28  # of more key rows than this and the next number, those between are left out
LAST_KEY_ROWS = 12
MAX_ITEMS = 40  # of a set that are written out
MAX_SUMMANDS = 8  # of a sum that are written out
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
        beyond = len(self.items) - MAX_ITEMS
        items = self.items if beyond <= 1 else (*self.items[:MAX_ITEMS], f"… {beyond:,} more")
        return "{" + ", ".join(items) + "}"


class Grid(NamedTuple):
    """A table; a long one is shown abbreviated."""

    title: str
    columns: tuple[str, ...]
    rows: tuple[tuple[Cell, ...], ...]
    is_key_row: tuple[bool, ...] = ()  # which rows an abbreviated table keeps; empty: all

    def abbreviated(self) -> Iterator[tuple[Cell, ...] | int]:
        """Yield the rows to show, and in place of rows left out their number."""
        last = len(self.rows) - 1
        rows = list(range(len(self.rows)))
        if len(rows) > MAX_ROWS:
            rows = [n for n in rows if n in (0, last) or not self.is_key_row or self.is_key_row[n]]
        if len(rows) > FIRST_KEY_ROWS + LAST_KEY_ROWS:
            rows = [*rows[:FIRST_KEY_ROWS], *rows[-LAST_KEY_ROWS:]]
        next_row = 0
        for n in rows:
            left_out = n - next_row
            if left_out == 1:  # the row takes no more room than its number
                yield self.rows[next_row]
            elif left_out:
                yield left_out
            yield self.rows[n]
            next_row = n + 1


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
    """The steps by which the value of one list is computed; the last one ends in the value."""

    title: str
    steps: tuple[Step, ...]
    value: float  # NaN if it is undefined


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
        hits, ranks = judged_of(view).hits, judged_of(self.view).hits.relevant(0).rank
        returned = tuple(self.names.returned[rank - 1] for rank in ranks.tolist())
        return OneList(view, Names(self.names.truth, returned, hits.tie_start, hits.tied))


def grid(title: str, columns: Mapping[str, Any], is_key_row: Iterable[bool] = ()) -> Grid:
    """A table from its columns, by heading; `is_key_row` as in `Grid`."""
    rows = zip(*(map(_plain_cell, column) for column in columns.values()), strict=True)
    return Grid(title, tuple(columns), tuple(rows), tuple(map(bool, is_key_row)))


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
    if len(terms) > MAX_SUMMANDS or not terms:
        return equation(name, formula, numbers, math.fsum(terms), value=value)
    numbers = numbers.replace("{}", sum_of_placeholders(len(terms), alone=numbers == "{}"))
    return equation(name, formula, numbers, *terms, value=value)


def ranked_table(
    one: OneList, rows: Any, columns: Mapping[str, ArrayLike], k: int | None = None
) -> Grid:
    """The returned items down to rank k, with the grades of judged lists.

    Args:
        rows: The items that have cells in the columns, such as hits, with their `rank`.
        columns: The columns' cells by heading, shape (rows,) each.
        k: The last rank that is shown; None: all are.
    """
    names = one.names
    n = len(names.returned)
    hits = None if isinstance(one.view, Returned) else judged_of(one.view).hits
    # Under `ties: expected` and `mean-rank` tied items share their ranks.
    share_ranks = hits is not None and (hits.spread or hits.middle)
    above = names.tie_start if share_ranks else np.arange(n)  # how many items are before each one
    count = n if k is None else int((above < k).sum())
    title = f"first {count:,} of {n:,} ranks" if count < n else f"all {n:,} ranks"
    if hits is not None and hits.spread and (names.tied[:count] > 1).any():
        title += f"; {TIED}"
    ranks: list[Cell] = list(range(1, n + 1))
    if share_ranks:
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


def judged_of(view: Any) -> Judged:
    """A view of judged lists: the view itself, or the one that it holds."""
    judged: Judged = view if isinstance(view, Judged) else view.judged
    return judged


def _at_ranks(size: int, rank: Ints, values: ArrayLike) -> Floats:
    """`values` at their ranks, NaN at the others."""
    cells = np.full(size, np.nan)
    cells[rank - 1] = values
    return cells


def sum_of_placeholders(count: int, *, alone: bool) -> str:
    """`{} + {}` for so many summands; in parentheses if it is a part of a longer formula.

    >>> sum_of_placeholders(2, alone=False)
    '({} + {})'
    """
    placeholders = " + ".join(["{}"] * count)
    return placeholders if alone or count == 1 else f"({placeholders})"


def _plain_cell(cell: object) -> Cell:
    """A cell as a plain Python value; None for NaN."""
    value: Cell = cell.item() if hasattr(cell, "item") else cell  # type: ignore[assignment]
    if isinstance(value, float):
        return None if math.isnan(value) else value + 0.0  # never -0
    return int(value) if isinstance(value, bool) else value


def format_count(count: float) -> float | int:
    """A count as a whole number, a sum of weights as it is."""
    return int(count) if float(count).is_integer() else float(count)
