"""Do the ranks count 1, 2, 3, ...?"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from scorer.checks.base import Submitted, check
from scorer.checks.rows import places
from scorer.core.arrays import Floats, Ints, starts
from scorer.core.problems import Problem
from scorer.core.text import quoted

LAST_SLOT = 4_000_000  # of a list whose length the challenge does not bound
SHOWN_RANKS = 6  # ranks of a list that has a gap


@check("S405", "S407", kinds=("grades", "preferences"))
def ranks(submitted: Submitted) -> Iterator[Problem]:
    """Where ranks decide, each is a whole number, and stands once in its list."""
    if (odd_ranks := _odd(submitted)) is None:
        return
    lists, rank = submitted.lists, submitted.table.numbers["rank"]

    def fraction(row: int) -> Problem:
        message = f"rank '{rank[row]:.12g}' is not a whole number"
        return Problem("S407", message, line=submitted.line(row), list=lists.text(row))

    yield from places(np.flatnonzero(np.isfinite(rank) & (rank != np.floor(rank))), fraction)

    rows, value, word = odd_ranks.rows, odd_ranks.value, submitted.public.word("list")
    begins = np.zeros(rows.size, dtype=bool)
    begins[odd_ranks.starts] = True
    same = 1 + np.flatnonzero((value[1:] == value[:-1]) & ~begins[1:])

    def twice(at: int) -> Problem:
        row, before = rows[at], rows[at - 1]
        name = lists.text(row)
        message = (
            f"rank {value[at]:.12g} is used twice in {word} {quoted(name)} "
            f"(lines {submitted.line(before):,} and {submitted.line(row):,})"
        )
        return Problem("S405", message, line=submitted.line(row), list=name)

    yield from places(same[np.argsort(submitted.table.line[rows[same]], kind="stable")], twice)


@check("S404", "S402", kinds=("grades", "preferences"), complete=True)
def rank_gaps(submitted: Submitted) -> Iterator[Problem]:
    """Where ranks decide, a list leaves none out.

    A list of n rows that leaves no rank out goes to n at most, whatever it has twice.
    """
    if (odd_ranks := _odd(submitted)) is None:
        return
    if submitted.rules.rank_gaps == "keep":
        yield from _beyond(submitted, odd_ranks)
        return
    lists, word = submitted.lists, submitted.public.word("list")
    rows, value, starts = odd_ranks.rows, odd_ranks.value, odd_ranks.starts
    sizes = np.diff(np.append(starts, rows.size))
    ends = starts + sizes - 1
    gaps = np.flatnonzero((value[starts] >= 1) & (value[ends] > sizes))

    def gap(n: int) -> Problem:
        list_ranks = value[starts[n] : ends[n] + 1]
        at = int(np.flatnonzero(list_ranks > np.append(0, list_ranks[:-1]) + 1)[0])
        row, missing = rows[starts[n] + at], list_ranks[at - 1] + 1 if at else 1
        name, window = lists.text(row), slice(max(at - SHOWN_RANKS + 1, 0), at + SHOWN_RANKS // 2)
        listed = ", ".join(f"{r:.12g}" for r in list_ranks[window])
        listed = (
            ("..., " if window.start else "")
            + listed
            + (", ..." if window.stop < list_ranks.size else "")
        )
        message = f"rank {missing:.12g} is missing in {word} {quoted(name)} ({listed})"
        return Problem("S404", message, line=submitted.line(row), list=name)

    yield from places(gaps[np.argsort(submitted.table.line[rows[starts[gaps]]])], gap)


def _beyond(submitted: Submitted, odd_ranks: _Ranks) -> Iterator[Problem]:
    """Problems of ranks below the last slot, where omitted ranks are empty slots."""
    rules, word = submitted.rules, submitted.public.word("list")
    length = rules.length
    most = LAST_SLOT if length is None or length.max is None else length.max
    at = np.flatnonzero(odd_ranks.value > most)

    def beyond(n: int) -> Problem:
        row = int(odd_ranks.rows[at[n]])
        name = submitted.lists.text(row)
        message = (
            f"rank {odd_ranks.value[at[n]]:.12g} in {word} {quoted(name)}; the last is {most:,}"
        )
        return Problem("S402", message, line=submitted.line(row), list=name)

    order = np.argsort(submitted.table.line[odd_ranks.rows[at]], kind="stable")
    yield from places(order, beyond)


@check("S406", kinds=("grades", "preferences"))
def first_ranks(submitted: Submitted) -> Iterator[Problem]:
    """Where ranks decide, they start at 1."""
    if (odd_ranks := _odd(submitted)) is None:
        return
    low = odd_ranks.starts[odd_ranks.value[odd_ranks.starts] < 1]
    if not low.size:
        return
    at = low[np.argmin(submitted.table.line[odd_ranks.rows[low]])]
    row, rank = int(odd_ranks.rows[at]), odd_ranks.value[at]
    name = submitted.lists.text(row)
    many = f"{low.size:,} lists, first" if low.size > 1 else submitted.public.word("list")
    message = f"ranks start at {rank:.12g} in {many} {quoted(name)}; they start at 1"
    yield Problem("S406", message, line=submitted.line(row), list=name)


class _Ranks(NamedTuple):
    """The rows of lists whose every rank is a whole number, list by list, in their order."""

    rows: Ints
    value: Floats
    starts: Ints  # where each list begins


def _odd(submitted: Submitted) -> _Ranks | None:
    """The ranks to look at; None where each list has 1, 2, 3, ..., or ranks do not decide."""
    numbers, lists = submitted.table.numbers, submitted.lists
    if "rank" not in numbers or "score" in numbers or not len(submitted.table):
        return None
    if not submitted.unread and submitted.counts_up:
        return None
    rank = numbers["rank"]
    sound = np.ones(len(lists.held), dtype=bool)
    sound[lists.codes[np.isnan(rank) | (rank != np.floor(rank))]] = False
    rows = np.flatnonzero(submitted.in_named & sound[lists.codes])
    rows = rows[np.lexsort((submitted.table.line[rows], rank[rows], lists.codes[rows]))]
    heads = np.flatnonzero(starts(lists.codes[rows]))
    return _Ranks(rows, rank[rows], heads)
