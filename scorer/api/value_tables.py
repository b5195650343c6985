"""Numbers of the same cases of each system, which a session has, as tables without a file."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import polars as pl

from scorer.api import data
from scorer.api.arrays import is_array
from scorer.api.systems import SubmissionFile
from scorer.core.arrays import Floats, Ints
from scorer.core.problems import Findings
from scorer.reading.numbers import LARGEST
from scorer.reading.read import FileTable
from scorer.reading.schema import Schema
from scorer.reading.table import Table, make_table
from scorer.results.scorecard import Outcome
from scorer.scoring.run import Tick
from scorer.scoring.submission import Plan, score_submission, score_table

PLAIN = re.compile(r"[A-Za-z0-9._:/-]+")  # cases that every reader takes as they are
NUMERIC = "fiub"  # kinds of arrays
Cases = tuple[str, ...] | int  # their names; of so many without names their numbers


class NumberTables(NamedTuple):
    """The numbers of all systems, sorted by the names of the cases."""

    cases: tuple[str, ...]
    line: Ints  # of each case where a file of its system would have it
    numbers: Mapping[str, Floats]  # name of a system -> (cases,)

    @property
    def ends(self) -> tuple[float, float]:
        """The lowest and the highest number."""
        return (
            float(min(values.min() for values in self.numbers.values())),
            float(max(values.max() for values in self.numbers.values())),
        )

    def tables(self, shape: Schema, value: str) -> Iterator[Table]:
        """A table for each system, whose rows say which value they are of."""
        ids = {"list": self.cases, "measure": [value] * len(self.cases)}
        table = make_table(ids, shape, self.line)
        for values in self.numbers.values():
            number = pl.Series(shape.required[-1], values)
            yield table.with_frame(table.frame.with_columns(number))


def number_tables(systems: object) -> NumberTables | None:
    """The numbers of systems, by their names; None where a file has to tell what is wrong.

    All have a finite number of the same cases, and plain names of these.
    """
    if not isinstance(systems, Mapping) or not systems or data.is_frame(systems):
        return None
    orders: dict[Cases, tuple[tuple[str, ...], Ints]] = {}
    numbers, cases, line = dict[str, Floats](), tuple[str, ...](), np.empty(0, dtype=np.int64)
    for system, given in systems.items():
        found = _finite_numbers(given)
        if found is None:
            return None
        names, values = found
        if names not in orders and (order := _sorted_cases(names)) is not None:
            orders[names] = order
        if names not in orders or (cases and orders[names][0] != cases):
            return None
        if not cases:
            cases, line = orders[names][0], orders[names][1] + 2  # below a header
        numbers[str(system)] = values[orders[names][1]]
    return NumberTables(cases, line, numbers) if len(numbers) == len(systems) else None


def _finite_numbers(given: Any) -> tuple[Cases, Floats] | None:
    """The cases of a system and its numbers; None where these are not all finite numbers."""
    if isinstance(given, Mapping):
        cells = list(given.values())
        if not all(isinstance(cell, float | int) for cell in cells):
            return None
        names: Cases = tuple(map(str, given))
        values = np.array(cells)
    elif is_array(given):
        index: Any = getattr(given, "index", None)
        values = np.asarray(given)
        # of a list it is a method
        names = len(given) if index is None or callable(index) else tuple(map(str, index))
    else:
        return None
    if values.ndim != 1 or not values.size or values.dtype.kind not in NUMERIC:
        return None
    numbers = values.astype(np.float64)
    return (names, numbers) if bool((np.abs(numbers) <= LARGEST).all()) else None


def _sorted_cases(cases: Cases) -> tuple[tuple[str, ...], Ints] | None:
    """The names of cases in order, and where each stood; None where one is not plain or repeats."""
    names = tuple(map(str, range(cases))) if isinstance(cases, int) else cases
    if len(set(names)) < len(names) or not all(map(PLAIN.fullmatch, names)):
        return None
    order = sorted(range(len(names)), key=names.__getitem__)
    return tuple(names[at] for at in order), np.array(order, dtype=np.int64)


def outcomes_of_tables(
    plan: Plan, files: Sequence[SubmissionFile], tick: Tick, read: dict[Path, FileTable]
) -> Iterator[Outcome]:
    """The outcome of each submission that has a table in place of a file, or in `read`, if any."""
    for n, file in enumerate(files):
        tick(n)
        if file.table is None:  # it is read again if it was given twice
            yield score_submission(plan, file.path, read.pop(file.path, None))
        else:
            sha256 = hashlib.sha256()
            numbers = file.table.frame.select(pl.selectors.float())
            for values in numbers:  # tells whether two hold the same
                sha256.update(values.to_numpy().tobytes())
            yield score_table(plan, file.table, Findings(file.display), sha256.hexdigest())
