"""Do the ranks count 1, 2, 3, ...?"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from scorer.checks.base import Submitted, check, places
from scorer.core.problems import Problem
from scorer.core.text import quoted

SHOWN = 6  # ranks of a list that has a gap


@check("S404", "S405", "S406", "S407", kinds=("grades", "preferences"))
def ranks(submitted: Submitted) -> Iterator[Problem]:
    """Where ranks decide, each list has 1 to its length, each once."""
    table, lists = submitted.table, submitted.lists
    if "rank" not in table.numbers or "score" in table.numbers or not len(table):
        return
    rank, word = table.numbers["rank"], submitted.public.word("list")
    fractions = np.isfinite(rank) & (rank != np.floor(rank))

    def fraction(row: int) -> Problem:
        message = f"rank '{rank[row]:.12g}' is not a whole number"
        return Problem("S407", message, line=submitted.line(row), list=lists.text(row))

    yield from places(np.flatnonzero(fractions), fraction)

    sound = np.ones(len(lists.names), dtype=bool)  # lists whose every rank is a whole number
    sound[lists.codes[fractions | np.isnan(rank)]] = False
    rows = np.flatnonzero(submitted.in_named & sound[lists.codes])
    rows = rows[np.lexsort((rows, rank[rows], lists.codes[rows]))]
    codes, value = lists.codes[rows], rank[rows]
    starts = np.flatnonzero(np.diff(codes, prepend=-1))
    sizes = np.diff(np.append(starts, rows.size))
    begin = np.repeat(starts, sizes)  # where the list of each row begins
    if (value == np.arange(rows.size) - begin + 1).all():
        return

    low = value[starts] < 1
    if low.any():
        first = starts[low][np.argmin(rows[starts[low]])]
        name, many = lists.text(rows[first]), int(low.sum())
        where = f"{word} {quoted(name)}" if many == 1 else f"{many:,} lists, first {quoted(name)}"
        message = f"ranks start at {value[first]:.12g} in {where}; they start at 1"
        yield Problem("S406", message, line=submitted.line(rows[first]), list=name)

    same = 1 + np.flatnonzero((value[1:] == value[:-1]) & (codes[1:] == codes[:-1]))

    def twice(at: int) -> Problem:
        row, before = rows[at], rows[at - 1]
        name = lists.text(row)
        message = (
            f"rank {value[at]:.12g} is used twice in {word} {quoted(name)} "
            f"(lines {submitted.line(before):,} and {submitted.line(row):,})"
        )
        return Problem("S405", message, line=submitted.line(row), list=name)

    yield from places(same[np.argsort(rows[same])], twice)

    # a list of n rows that leaves no rank out goes to n at most, whatever it has twice
    ends = starts + sizes - 1
    gaps = np.flatnonzero(~low & (value[ends] > sizes) & (not submitted.partial))

    def gap(n: int) -> Problem:
        mine = value[starts[n] : ends[n] + 1]
        at = int(np.flatnonzero(mine > np.append(0, mine[:-1]) + 1)[0])
        row, missing = rows[starts[n] + at], mine[at - 1] + 1 if at else 1
        name, shown = lists.text(row), slice(max(at - SHOWN + 1, 0), at + SHOWN // 2)
        found = ", ".join(f"{r:.12g}" for r in mine[shown])
        found = (
            ("..., " if shown.start else "") + found + (", ..." if shown.stop < mine.size else "")
        )
        message = f"rank {missing:.12g} is missing in {word} {quoted(name)} ({found})"
        return Problem("S404", message, line=submitted.line(row), list=name)

    yield from places(gaps[np.argsort(rows[starts[gaps]])], gap)
