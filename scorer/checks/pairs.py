"""What is wrong with pairs of preferences: contradictions, cycles, repetitions."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator

import numpy as np

from scorer.core.arrays import Ints, starts
from scorer.core.problems import Problem
from scorer.core.text import printable, quoted
from scorer.tables.columns import CodedColumn, grouped
from scorer.tables.table import Table
from scorer.views.ranked import is_hashed

LONGEST_CYCLE = 8  # items of a cycle that are all named


def faults(table: Table, word: str) -> Iterator[Problem]:
    """The problems of the preferences of a file, a participant's or the organizer's."""
    lists, line = table.ids["list"], table.line
    ids = table.ids["better"], table.ids["worse"]
    better, worse = row_codes(*ids)

    def pair(row: int) -> str:
        return " > ".join(printable(column.text(row), 60) for column in ids)

    def place(row: int) -> str:
        return f"{word} {quoted(lists.text(row))}"

    for row in np.flatnonzero(better == worse).tolist():
        item = ids[0].text(row)
        message = f"{quoted(item)} is preferred to itself in {place(row)}"
        yield Problem("S701", message, line=int(line[row]), list=lists.text(row), item=item)

    rows = np.flatnonzero(better != worse)
    by = rows[np.lexsort((rows, worse[rows], better[rows], lists.codes[rows]))]
    new = starts(lists.codes[by], better[by], worse[by])
    earliest = by[new][np.cumsum(new) - 1]
    for row, first in zip(by[~new].tolist(), earliest[~new].tolist(), strict=True):
        message = f"{pair(row)} is given twice in {place(row)} (first on line {line[first]})"
        yield Problem("S705", message, "warning", line=int(line[row]), list=lists.text(row))

    rows = by[new]
    low, high = np.minimum(better[rows], worse[rows]), np.maximum(better[rows], worse[rows])
    by = rows[np.lexsort((rows, high, low, lists.codes[rows]))]
    ends = np.stack([lists.codes[by], better[by] + worse[by], abs(better[by] - worse[by])])
    same = np.flatnonzero(~np.diff(ends).any(axis=0))
    for first, row in zip(by[same].tolist(), by[same + 1].tolist(), strict=True):
        message = (
            f"both {pair(first)} and {pair(row)} in {place(row)} "
            f"(lines {line[first]} and {line[row]})"
        )
        yield Problem("S702", message, line=int(line[row]), list=lists.text(row))

    rows = np.sort(np.setdiff1d(by, [*by[same], *by[same + 1]]))
    for cycle in _cycles(lists.codes[rows], better[rows], worse[rows]):
        around = rows[cycle].tolist()
        items = [printable(ids[0].text(row), 60) for row in (*around, around[0])]
        lines = sorted(int(line[row]) for row in around)
        where = f"lines {', '.join(map(str, lines[:-1]))} and {lines[-1]}"
        if len(around) > LONGEST_CYCLE:
            items[LONGEST_CYCLE - 2 : -2] = ["…"]
            where = f"{len(lines):,} lines, up to {lines[-1]}"
        message = (
            f"the preferences of {place(around[0])} form a cycle: {' > '.join(items)} ({where})"
        )
        yield Problem("S703", message, line=lines[-1], list=lists.text(around[0]))


def improbable(table: Table, word: str) -> Iterator[Problem]:
    """The problems of the probabilities of an organizer's `likelihood` file."""
    lists, line, likely = table.ids["list"], table.line, table.numbers["probability"]
    names, (better, worse) = joined(table.ids["better"], table.ids["worse"])
    for row in np.flatnonzero(better == worse).tolist():
        message = f"{quoted(names[better[row]])} is preferred to itself"
        yield Problem("S701", message, line=int(line[row]), list=lists.text(row))
    for row in np.flatnonzero((likely < 0) | (likely > 1)).tolist():
        message = f"{printable(table.called('probability'), 60)} {likely[row]:g} is outside 0 to 1"
        yield Problem("S505", message, line=int(line[row]), list=lists.text(row))
    low, high = np.minimum(better, worse), np.maximum(better, worse)
    upward = np.where(better == low, likely, 1 - likely)
    by = np.lexsort((np.arange(len(table)), high, low, lists.codes))
    same = ~np.diff(np.stack([lists.codes[by], low[by], high[by]])).any(axis=0)
    differs = same & (abs(np.diff(upward[by])) > 1e-9)
    for first, row in zip(by[:-1][differs].tolist(), by[1:][differs].tolist(), strict=True):
        message = (
            f"{quoted(names[better[row]])} and {quoted(names[worse[row]])} have two "
            f"probabilities in {word} {quoted(lists.text(row))} "
            f"(lines {line[first]} and {line[row]})"
        )
        yield Problem("T707", message, line=int(line[row]), list=lists.text(row))


def joined(*columns: CodedColumn) -> tuple[list[str], tuple[Ints, ...]]:
    """The ids of several columns under one numbering: the names, and each column's codes."""
    index: dict[str, int] = {}
    codes = []
    for ids in columns:
        numbers = [index.setdefault(name, len(index)) for name in ids.names]
        codes.append(np.array(numbers, dtype=np.int64)[ids.codes])
    return list(index), tuple(codes)


def row_codes(*columns: CodedColumn) -> tuple[Ints, ...]:
    """A number for each row of several columns, equal where the ids are."""
    if not all(map(is_hashed, columns)):
        return joined(*columns)[1]
    codes, _ = grouped(np.concatenate([column.row_hashes for column in columns]))
    return tuple(np.split(codes.astype(np.int64), len(columns)))


def _cycles(in_list: Ints, better: Ints, worse: Ints) -> Iterator[list[int]]:
    """Cycles of preferences, a short one for each strongly connected component."""
    if not in_list.size:
        return
    from scipy.sparse import coo_array
    from scipy.sparse.csgraph import connected_components

    width = int(max(better.max(), worse.max())) + 1
    ends = np.stack([better, worse]) + in_list.astype(np.int64) * width  # codes are of 32 bits
    nodes, (start, end) = np.unique(ends, return_inverse=True)
    start, end = start.reshape(-1), end.reshape(-1)
    graph = coo_array((np.ones(start.size, np.int8), (start, end)), (nodes.size, nodes.size))
    count, knot = connected_components(graph.tocsr(), connection="strong")
    if count == nodes.size:
        return
    inside: dict[int, list[int]] = {}
    for n in np.flatnonzero(knot[start] == knot[end]).tolist():
        inside.setdefault(int(knot[start[n]]), []).append(n)
    for edges in inside.values():
        yield _shortest(edges, start, end)


def _shortest(edges: list[int], start: Ints, end: Ints) -> list[int]:
    """The shortest cycle through the first of these preferences."""
    leaving: dict[int, list[int]] = {}
    for n in edges:
        leaving.setdefault(int(start[n]), []).append(n)
    home = int(start[edges[0]])
    came: dict[int, int] = {}
    waiting = deque([home])
    while home not in came:
        for n in leaving[waiting.popleft()]:
            if (node := int(end[n])) not in came:
                came[node] = n
                waiting.append(node)
    way = [came[home]]
    while (node := int(start[way[-1]])) != home:
        way.append(came[node])
    return way[::-1]
