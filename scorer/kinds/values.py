"""Values of each list that were computed elsewhere: there is no truth, and nothing is predicted."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from random import Random
from typing import Any, NamedTuple

import numpy as np

from scorer.challenge.public import Public
from scorer.challenge.submission import Submission
from scorer.core.arrays import Floats, Ints, Mask
from scorer.core.problems import Findings, Problem
from scorer.kinds.base import Constants, SideTables, kind
from scorer.kinds.labels import places_of
from scorer.metrics.api import Metric
from scorer.metrics.values import share_metric, value_metric
from scorer.reading.schema import Schema
from scorer.reading.table import Table as FrameTable
from scorer.tables.frame import as_columns
from scorer.tables.table import Table
from scorer.views.extras import Extras
from scorer.views.given import Given
from scorer.views.hits import Ties
from scorer.views.meeting import Views
from scorer.views.names import Names


class Values(NamedTuple):
    """The lists whose values are given."""

    lists: Sequence[str]
    constants: Constants
    aids: SideTables
    extras: Extras  # of lists, one element a list
    void: Mapping[str, Mask]  # of each value, the lists of which no submission has it; or nothing

    def meet(self, submission: Table, ties: Ties, views: frozenset[type]) -> Views:
        """The values of each list; 0 of the lists that the submission lacks."""
        place = places_of(submission.ids["list"], self.lists)
        answered = np.zeros(len(self.lists), dtype=bool)
        answered[place[place >= 0]] = True
        values = {
            name: _at_lists(columns, rows, place, answered)
            for name, (columns, rows) in _rows_of_values(
                submission, self.aids.rules.value_columns
            ).items()
        }
        view = Given(self.lists, answered, values, self.extras, self.void)
        return Views(answered, {Given: view})

    def named(self, submission: Table, ties: Ties, view: type, at: int) -> Names:
        """A value has no items."""
        return Names()


def _at_lists(values: Floats, rows: Ints, place: Ints, answered: Mask) -> Floats:
    """Values at their lists, NaN where a list that is there has none; of two rows the first."""
    at = place[rows]
    if at.size == answered.size and at[0] == 0 and (np.diff(at) == 1).all():
        return values.astype(np.float64)
    given = np.full((answered.size, *values.shape[1:]), np.nan)
    given[~answered] = 0
    known = np.flatnonzero(at >= 0)[::-1]
    given[at[known]] = values[known]
    return given


def _rows_of_values(
    table: Table, roles: Mapping[str, Iterable[str]]
) -> dict[str, tuple[Floats, Ints]]:
    """Of each value its numbers, (n,) or with parts and wholes (n, 2), and the n rows of these.

    `roles` are those of the columns of each value.
    """
    measure, every = table.ids.get("measure"), np.arange(len(table))
    codes = {name: code for code, name in enumerate(() if measure is None else measure.names)}
    given = {}
    for name, of_value in roles.items():
        columns = [table.numbers[role] for role in of_value]
        rows = every if measure is None else np.flatnonzero(measure.codes == codes.get(name, -1))
        numbers = columns[0] if len(columns) == 1 else np.column_stack(columns)
        given[name] = numbers[rows], rows
    return given


def shapes(rules: Submission, needed: frozenset[str]) -> tuple[Schema, ...]:
    """What a submission may look like: a row for each list, or for each value of a list."""
    columns = {role: name for each in rules.value_columns.values() for role, name in each.items()}
    long = ("measure",) if "measure" in rules.columns else ()
    several = [role for role in ("system", "run") if role in rules.columns]
    return (Schema(("list", *long, *columns, *several), (), rules.columns | columns),)


def metrics_of(rules: Submission) -> Mapping[str, Metric]:
    """A metric for each value, by its name."""
    columns = rules.value_columns
    return {
        name: (share_metric if len(columns[name]) == 2 else value_metric)(
            name, value.better, value.range or (None, None)
        )
        for name, value in rules.given.items()
    }


SAMPLED = {"system": "mine", "run": "1"}  # of rows that say whose they are


def by_lot(rules: Submission, public: Public, chance: Random) -> Iterator[dict[str, Any]]:
    """Rows with a value by lot of each list."""
    for name in public.lists:
        row: dict[str, Any] = {"list": name}
        row |= {role: word for role, word in SAMPLED.items() if role in rules.columns}
        for (value, columns), given in zip(
            rules.value_columns.items(), rules.given.values(), strict=True
        ):
            low, high = given.range or (0.0, 1.0)
            low = low if low is not None else 0.0 if high is None else min(0.0, high - 1)
            drawn = round(chance.uniform(low, low + 1 if high is None else high), 3)
            cells = dict(zip(columns, (drawn, 1), strict=False))
            if "measure" in rules.columns:
                yield {**row, "measure": value, **cells}
            row |= cells
        if "measure" not in rules.columns:
            yield row


@kind("values", truth=(), known=(), submission=shapes, metrics=metrics_of, sample=by_lot)
def given_values(file: FrameTable, aids: SideTables, findings: Findings) -> Values:
    """The lists, in the order of their names."""
    table = as_columns(file)
    lists = tuple(sorted(table.ids["list"].names))
    if not lists:
        findings.add(Problem("S103", "there are no lists, and so no values"))
    return Values(
        lists, Constants(), aids, Extras(list=aids.of_lists(lists)), dict(_void(lists, aids))
    )


def _void(lists: Sequence[str], aids: SideTables) -> Iterator[tuple[str, Mask]]:
    """Of each value, where rows name values, the lists of which no submission has it."""
    found, none = aids.found, frozenset[str]()
    if "measure" in aids.rules.columns and found:
        for value in aids.rules.given:
            yield value, np.array([value not in found.get(name, none) for name in lists])
