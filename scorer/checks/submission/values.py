"""Is each value given once, of every list, and in its range?"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import partial

import numpy as np

from scorer.checks.base import Submitted, check
from scorer.checks.rows import places, repeated, rows_of_values
from scorer.core.arrays import Floats
from scorer.core.problems import Problem
from scorer.core.text import join_first, nearest, printable, quoted


@check("S526", kinds=("values",))
def value_twice(submitted: Submitted) -> Iterator[Problem]:
    """A value of a list is given once."""
    lists, word = submitted.lists, submitted.public.word("list")
    apart = [submitted.table.ids.get(role) for role in ("measure", "system", "run")]
    measure = apart[0]
    rows = np.flatnonzero(submitted.in_named)
    codes = [column.codes for column in apart if column is not None]
    again, first = repeated(lists.codes, *codes, rows=rows)
    of = dict(zip(again.tolist(), first.tolist(), strict=True))

    def problem(row: int) -> Problem:
        name = lists.text(row)
        what = "" if measure is None else f"{quoted(measure.text(row))} of "
        earlier = f"first on line {submitted.line(of[row]):,}"
        message = f"{what}{word} {quoted(name)} is given twice ({earlier})"
        return Problem("S526", message, line=submitted.line(row), list=name, role="list")

    yield from places(again, problem)


@check("S505", kinds=("values",))
def value_out_of_range(submitted: Submitted) -> Iterator[Problem]:
    """A value lies in the range that the challenge says; a quotient where its whole is not 0."""
    rules = submitted.rules
    for name, (numbers, rows) in rows_of_values(submitted.table, rules.value_columns).items():
        low, high = rules.given[name].range or (None, None)
        values = numbers if numbers.ndim == 1 else _quotients(*numbers.T)
        outside = np.zeros(rows.size, dtype=bool)
        outside |= False if low is None else values < low
        outside |= False if high is None else values > high
        value_of = dict(zip(rows[outside].tolist(), values[outside].tolist(), strict=True))
        yield from places(rows[outside], partial(_outside, submitted, name, value_of))


def _quotients(part: Floats, whole: Floats) -> Floats:
    quotients = np.full(part.size, np.nan)
    np.divide(part, whole, out=quotients, where=whole != 0)
    return quotients


def _outside(submitted: Submitted, name: str, value_of: Mapping[int, float], row: int) -> Problem:
    low, high = submitted.rules.given[name].range or (None, None)
    ends = f"{'-∞' if low is None else f'{low:.12g}'} to {'∞' if high is None else f'{high:.12g}'}"
    message = f"{printable(name, 60)} {value_of[row]:.12g} is outside {ends}"
    return Problem("S505", message, line=submitted.line(row), list=submitted.lists.text(row))


@check("S527", kinds=("values",))
def unknown_measure(submitted: Submitted) -> Iterator[Problem]:
    """A row is of a value that the challenge names."""
    measure = submitted.table.ids.get("measure")
    if measure is None:
        return
    known = submitted.rules.given
    strange = np.array([name not in known for name in measure.names], dtype=bool)
    rows = np.flatnonzero(strange[measure.codes])

    def problem(row: int) -> Problem:
        name = measure.text(row)
        close = nearest(name, known)
        hint = f"; did you mean {quoted(close)}?" if close else f" ({join_first(list(known))})"
        message = f"{quoted(name)} is no value of this challenge{hint}"
        return Problem("S527", message, line=submitted.line(row), list=submitted.lists.text(row))

    yield from places(rows, problem)


@check("S528", kinds=("values",))
def several_systems(submitted: Submitted) -> Iterator[Problem]:
    """All rows of a submission are of one system, and of one run of it."""
    for role in ("system", "run"):
        yield from _several(submitted, role)


def _several(submitted: Submitted, role: str) -> Iterator[Problem]:
    column = submitted.table.ids.get(role)
    if column is None or not column.codes.size or submitted.unread:
        return
    rows = np.flatnonzero(column.codes != column.codes[0])[:1]

    def problem(row: int) -> Problem:
        called, first = printable(submitted.table.called(role), 60), column.text(0)
        message = f"{called} is {quoted(column.text(row))}, and {quoted(first)} in earlier rows"
        return Problem("S528", message, line=submitted.line(row), list=submitted.lists.text(row))

    yield from places(rows, problem)
