"""Ids that are wrong, each reported once: at its first row, with the number of its rows."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from typing import NamedTuple

import numpy as np

from scorer.checks.base import Submitted
from scorer.checks.ids import by_codes
from scorer.checks.rows import occurrences
from scorer.core.arrays import Mask
from scorer.core.problems import KEPT, Problem
from scorer.tables.columns import CodedColumn, TextColumn, text_of
from scorer.views.ranked import is_hashed, named

# Ids of a column that are looked at one by one. Reading ends after as many problems, so that those
# beyond are only counted.
MOST_NAMED = 200_000


class WrongId(NamedTuple):
    """An id with a problem, at its first row."""

    name: str
    line: int
    rows: int  # how many have it
    list: str | None = None  # that of the first row, where the id is no list itself


class WrongIds(NamedTuple):
    """The different ids of a column that have a problem."""

    first: Sequence[WrongId]  # the first `MOST_NAMED`, by their lines
    total: int

    @property
    def all_decimals(self) -> bool:
        """Whether all that have a name end in `.0`."""
        return all(each.name.endswith(".0") for each in self.first if each.name)


def find_ids(
    submitted: Submitted, ids: CodedColumn, wanted: Mask, most: int | None = MOST_NAMED
) -> WrongIds:
    """Return some of the different ids of a column, in the order of the file.

    Args:
        submitted: The submission.
        ids: The column; it may be that of the lists.
        wanted: Which of its different ids are meant, shape (ids,).
        most: How many are named at most; None: all.
    """
    rows = np.flatnonzero(by_codes(wanted, ids.codes))
    if not rows.size:
        return WrongIds((), 0)
    some = ids.where(rows)
    if is_hashed(some):  # which may have an id twice
        some = TextColumn(text_of(some))
    every = np.ones(len(some.held), dtype=bool)
    codes, at, counts = occurrences(some, every, submitted.table.line[rows])
    total = codes.size
    codes, rows, counts = codes[:most], rows[at[:most]], counts[:most]
    lines = submitted.table.line[rows].tolist()
    lists: Sequence[str | None] = (
        [None] * len(lines) if ids is submitted.lists else submitted.lists.texts(rows)
    )
    found = zip(named(some, codes), lines, counts.tolist(), lists, strict=True)
    return WrongIds([WrongId(*each) for each in found], total)


def report_ids(
    ids: WrongIds, kind_of: Callable[[str], str], problem_of: Callable[[WrongId], Problem]
) -> Iterator[Problem]:
    """Yield a problem for each id; of each kind the first `KEPT`, and one for all others.

    Args:
        ids: The ids.
        kind_of: The kind of an id, such as the code of its problem.
        problem_of: The problem of an id, which may take long to describe.
    """
    counts, last = Counter[str](), dict[str, Problem]()
    kind = ""
    for each in ids.first:
        kind = kind_of(each.name)
        counts[kind] += 1
        if counts[kind] <= KEPT:
            last[kind] = problem_of(each)
            yield last[kind]
    counts[kind] += ids.total - len(ids.first)  # of those that have no name here
    for kind, problem in last.items():
        if (others := counts[kind] - KEPT) > 0:
            yield replace(problem, times=others)
