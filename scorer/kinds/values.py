"""Values of lists that another tool computed; and files that metrics read as data frames."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass
from random import Random
from typing import Any, ClassVar

import numpy as np

from scorer.challenge.public import Public
from scorer.challenge.submission import Submission
from scorer.core.arrays import at_or_missing, first_positions
from scorer.core.problems import Findings
from scorer.kinds.base import Kind, OpenTruth, SideTables, Views
from scorer.metrics.api import Metric
from scorer.metrics.values import share_metric, value_metric
from scorer.reading.schema import Schema
from scorer.reading.table import Table
from scorer.views.join import answered_lists, number_lists, sorted_names
from scorer.views.ranked import Ties
from scorer.views.values import Given

EVERY_COLUMN = Schema(("list",), uses_all=True)


@dataclass(kw_only=True, eq=False)
class Values(OpenTruth):
    """The lists whose values are given."""

    side: SideTables
    own_views: ClassVar[frozenset[type]] = frozenset({Given})

    def find_views(self, submission: Table, ties: Ties, views: frozenset[type]) -> Views:
        """Return the values of each list.

        All are 0 in a list that the submission leaves out. In another list, a value without a row
        is NaN.
        """
        frame = submission.frame
        in_list = number_lists(frame["list"], self.lists)
        answered = np.zeros(len(self.lists), dtype=bool)
        answered[in_list[in_list >= 0]] = True
        values = {}
        for name, roles in self.side.rules.value_columns.items():
            rows = np.arange(in_list.size)
            if "measure" in submission:
                rows = rows[(frame["measure"] == name).to_numpy()]
            columns = [frame[role].to_numpy()[rows] for role in roles]
            numbers = columns[0] if len(columns) == 1 else np.column_stack(columns)
            first = first_positions(in_list[rows], len(self.lists))
            values[name] = at_or_missing(numbers, first, np.nan)
            values[name][~answered] = 0
        return Views(answered, {Given: Given(self.lists, values)})

    def answers(self, roles: Collection[str]) -> dict[str, Any]:
        """Return 1 for each value that a submission can have, since there is no truth."""
        values = self.side.rules.value_columns
        given = self.side.given_values
        value_roles = [role for columns in values.values() for role in columns]
        if "measure" not in roles:
            return {"list": self.lists, **dict.fromkeys(value_roles, np.ones(len(self.lists)))}
        pairs = [(value, name) for value in values for name in self.lists]
        # A value that no submission has of a list is NaN here, so that no submission lacks it.
        is_given = [not given or value in given.get(name, ()) for value, name in pairs]
        return {
            "list": [name for _, name in pairs],
            "measure": [value for value, _ in pairs],
            **dict.fromkeys(value_roles, np.where(is_given, 1.0, np.nan)),
        }


def value_shapes(rules: Submission, needed: frozenset[str]) -> tuple[Schema, ...]:
    """Return the shape of a submission: a row for each list, or for each value of a list."""
    columns = dict[str, str]()
    for value_columns in rules.value_columns.values():
        columns |= value_columns
    measure = ("measure",) if "measure" in rules.columns else ()
    systems = [role for role in ("system", "run") if role in rules.columns]
    return (Schema(("list", *measure, *columns, *systems), (), rules.columns | columns),)


def value_metrics(rules: Submission) -> Mapping[str, Metric]:
    """Return a metric for each value, by its name; one of two columns is their quotient."""
    columns = rules.value_columns
    return {
        name: (share_metric if len(columns[name]) == 2 else value_metric)(
            name, value.better, value.range or (None, None)
        )
        for name, value in rules.all_values.items()
    }


SAMPLE_CELLS = {"system": "mine", "run": "1"}  # role -> cell, the same in all rows


def sample_values(rules: Submission, public: Public, rng: Random) -> Iterator[dict[str, Any]]:
    """Yield rows with a random value of each list."""
    for name in public.lists:
        row: dict[str, Any] = {"list": name}
        row |= {role: cell for role, cell in SAMPLE_CELLS.items() if role in rules.columns}
        for value, columns in rules.value_columns.items():
            low, high = rules.all_values[value].range or (0.0, 1.0)
            if low is None:
                low = 0.0 if high is None else min(0.0, high - 1)
            number = round(rng.uniform(low, low + 1 if high is None else high), 3)
            cells = dict(zip(columns, (number, 1), strict=False))  # a divisor is 1
            if "measure" in rules.columns:
                yield {**row, "measure": value, **cells}
            row |= cells
        if "measure" not in rules.columns:
            yield row


def open_values(table: Table, side: SideTables, findings: Findings) -> Values:
    """Return the lists, in the order of their names."""
    return Values(lists=sorted_names(table.frame["list"]), side=side)


@dataclass(kw_only=True, eq=False)
class FrameTruth(OpenTruth):
    """The ids of a truth that metrics read as a frame, in which rows may share an id."""

    def find_views(self, submission: Table, ties: Ties, views: frozenset[type]) -> Views:
        """Return which lists are answered."""
        return Views(answered_lists(submission.frame, self.lists), {})


def _frame_shapes(rules: Submission, needed: frozenset[str]) -> tuple[Schema, ...]:
    return (Schema(("list",), (), rules.columns, uses_all=True),)


def open_frames(table: Table, side: SideTables, findings: Findings) -> FrameTruth:
    """Return the ids of a file that metrics read as a frame."""
    return FrameTruth(lists=sorted_names(table.frame["list"]))


VALUES = Kind(
    "values",
    truth=(),
    public_truth=(),
    submission=value_shapes,
    open=open_values,
    metrics=value_metrics,
    sample=sample_values,
)
FRAMES = Kind(
    "frames",
    truth=(EVERY_COLUMN,),
    public_truth=(EVERY_COLUMN,),
    submission=_frame_shapes,
    open=open_frames,
)
