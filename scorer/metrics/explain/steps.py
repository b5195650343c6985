"""An explanation as data: the steps from what a list holds to its value.

Nothing here knows a metric, and nothing prints. Numbers stay numbers until
they are shown.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any, NamedTuple

Cell = str | int | float | None  # None: nothing stands there
Write = Callable[[float], str]

ROWS = 24  # of a table that are shown before it is abbreviated
FIRST_ROWS, LAST_ROWS = 28, 12  # of a table's rows that matter
ITEMS = 40  # of a set


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
    """A table. Of a long one the rows that matter are shown."""

    title: str
    columns: tuple[str, ...]
    rows: tuple[tuple[Cell, ...], ...]
    matter: tuple[bool, ...] = ()  # one a row; none: all do

    def abbreviated(self) -> Iterator[tuple[Cell, ...] | int]:
        """The rows to show; a number stands for that many rows left out."""
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


class Formula(NamedTuple):
    """A line such as `P@5 = c / k = 2 / 5 = 0.4`."""

    name: str
    symbols: str
    numbers: str  # the same with {} for each of `parts`: arithmetic that anybody can redo
    parts: tuple[float, ...]
    value: float

    def put_in(self, write: Write) -> str:
        """The formula in numbers."""
        return self.numbers.format(*map(write, self.parts))


Step = Sentence | NamedItems | Grid | Formula
Steps = Iterable[Step]


class Working(NamedTuple):
    """The steps to one list's value, which the last step ends in; NaN where it is undefined."""

    title: str
    steps: tuple[Step, ...]
    value: float


def grid(title: str, columns: Mapping[str, Iterable[Any]], matter: Iterable[bool] = ()) -> Grid:
    """A table from its columns; rows that `matter` stay when it is abbreviated."""
    rows = zip(*(map(_plain, column) for column in columns.values()), strict=True)
    return Grid(title, tuple(columns), tuple(rows), tuple(map(bool, matter)))


def formula(name: str, symbols: str, numbers: str, *parts: float, value: float) -> Formula:
    """A formula with its numbers put in, {} standing for each of `parts`.

    `numbers` is the formula with a {} for each of `parts`; a `value` of NaN is undefined.
    """
    return Formula(name, symbols, numbers, tuple(map(float, parts)), float(value))


def summed(name: str, symbols: str, numbers: str, terms: Iterable[float], value: float) -> Formula:
    """A formula over a sum: the {} of `numbers` becomes the terms if they are few, else their sum.

    >>> summed("CG", "sum of gains", "{}", [3, 2], 5).put_in("{:g}".format)
    '3 + 2'

    `numbers` is the formula with a {} for the sum of `terms`; a `value` of NaN is undefined.
    """
    summands = [float(term) for term in terms]
    if len(summands) > 8 or not summands:
        return formula(name, symbols, numbers, math.fsum(summands), value=value)
    inside = " + ".join(["{}"] * len(summands))
    bare = numbers == "{}" or len(summands) == 1
    return formula(
        name,
        symbols,
        numbers.replace("{}", inside if bare else f"({inside})"),
        *summands,
        value=value,
    )


def _plain(cell: object) -> Cell:
    """A cell as a plain Python value; None for NaN."""
    value: Cell = cell.item() if hasattr(cell, "item") else cell  # type: ignore[assignment]
    if isinstance(value, float):
        return None if math.isnan(value) else value + 0.0  # never -0
    return int(value) if isinstance(value, bool) else value
