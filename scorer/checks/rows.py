"""What checks ask of rows: which repeat, and the first of an unknown or missing id."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from scorer.challenge.public import Public
from scorer.checks.base import Submitted
from scorer.checks.ids import IdFault, Known, by_codes, nameless
from scorer.core.arrays import Floats, Ints, Mask, starts
from scorer.core.problems import KEPT, Problem
from scorer.tables.columns import CodedColumn
from scorer.tables.table import Table
from scorer.views.ranked import RankedRows, keys, named

Rows = NDArray[np.intp]


def places(rows: Rows | Ints, problem: Callable[[int], Problem]) -> Iterator[Problem]:
    """One problem a row; beyond the number that is kept, one stands for the rest."""
    for row in rows[:KEPT].tolist():
        yield problem(row)
    if rows.size > KEPT:
        yield replace(problem(int(rows[KEPT])), times=rows.size - KEPT)


def repeated(*columns: Ints, rows: Rows) -> tuple[Rows, Rows]:
    """Those of `rows` that repeat an earlier row, and that earlier row of each.

    `columns` are codes, one a row of the table, that together make its key; `rows` ascend.
    """
    key = np.zeros(rows.size, dtype=np.int64)
    for codes in columns:
        width = int(codes.max(initial=0)) + 1
        if int(key.max(initial=0)) > 2**62 // width:
            key = np.unique(key, return_inverse=True)[1]
        key = key * width + codes[rows]
    if (key[1:] > key[:-1]).all():  # in order, as lists in many files are
        return rows[:0], rows[:0]
    ordered = np.sort(key)
    if not (ordered[1:] == ordered[:-1]).any():  # the usual case, which is cheaper to find out
        return rows[:0], rows[:0]
    order = np.argsort(key, kind="stable")
    new = starts(key[order])
    first = order[new][np.cumsum(new) - 1]
    again, of = order[~new], first[~new]
    by = np.argsort(again)
    return rows[again[by]], rows[of[by]]


def first_pairs(submitted: Submitted, rows: Rows | Ints, role: str) -> Ints:
    """The first of some rows for each list and item, of that role, in the file's order."""
    line, key = submitted.table.line[rows], keys(submitted.table.ids[role])[rows]
    in_list = submitted.lists.codes[rows]
    by = np.lexsort((rows, line, key, in_list))
    first = by[starts(in_list[by], key[by])]
    ordered: Ints = rows[first[np.lexsort((rows[first], line[first]))]]
    return ordered


def first_rows(ids: CodedColumn, wanted: Mapping[str, object]) -> Iterator[tuple[str, int, int]]:
    """Each wanted id with its first row and the number of its rows, in the file's order."""
    if not wanted or wanted.keys().isdisjoint(ids.names):
        return
    mask = np.array([name in wanted for name in ids.names], dtype=bool)
    codes, rows, counts = occurrences(ids, mask)
    for code, row, count in zip(codes.tolist(), rows.tolist(), counts.tolist(), strict=True):
        yield ids.names[code], row, count


def occurrences(
    ids: CodedColumn, wanted: Mask, line: Ints | None = None
) -> tuple[Ints, Ints, Ints]:
    """The codes, first rows and numbers of rows of the wanted ids that have rows, by first rows.

    `line` tells which row is first; without it, the order of the rows does.
    """
    rows = np.flatnonzero(by_codes(wanted, ids.codes))
    codes = ids.codes[rows].astype(np.int64)
    by = np.lexsort((rows, codes) if line is None else (rows, line[rows], codes))
    rows, codes = rows[by], codes[by]
    new = np.flatnonzero(starts(codes))
    counts = np.diff(np.append(new, codes.size))
    first = rows[new]
    by = np.argsort(first if line is None else line[first], kind="stable")
    return codes[new][by], first[by], counts[by]


def unknown(ids: CodedColumn, known: Known) -> dict[str, IdFault | None]:
    """The unknown ids of a column, each with what explains it."""
    strange = named(ids, np.flatnonzero(known.places(ids) < 0))
    decimals = bool(strange) and all(name.endswith(".0") for name in ids.names if name)
    return {name: known.fault(name, decimals) for name in strange}


def repeated_items(submitted: Submitted, known: Mapping[str, object] | None) -> tuple[Rows, Rows]:
    """The rows that repeat an item of their list, and the earlier row of each.

    `known` are the items of which one may be called "nan".
    """
    table, items = submitted.table, submitted.table.ids["item"]
    if submitted.unread:  # rows without a place count as well
        bare = replace(table, numbers={})
        rows = RankedRows.of(bare, submitted.in_named)
    else:
        rows = submitted.ranked
    if not (repeats := rows.items.repeated).size:
        return repeats, repeats
    repeated_rows = np.sort(rows.at(repeats))
    texts = items.texts(repeated_rows)  # two ids can have one hash
    named = np.array([not nameless(name, known) for name in texts], dtype=bool)
    index: dict[str, int] = {}
    codes = np.array([index.setdefault(text, len(index)) for text in texts], dtype=np.int64)
    by = np.argsort(table.line[repeated_rows], kind="stable")
    repeated_rows, codes, named = repeated_rows[by], codes[by], named[by]
    lists = submitted.lists.codes[repeated_rows]
    again, first = repeated(lists, codes, rows=np.flatnonzero(named))
    return repeated_rows[again], repeated_rows[first]


def numbered_rows(public: Public, lists: CodedColumn) -> Mask:
    """Which rows have a number to be predicted, where others have a class."""
    return by_codes(np.array(public.numbered(lists.names), dtype=bool), lists.codes)


def describe_fault(fault: IdFault, word: str, rows: int) -> str:
    """The message about an id's fault in so many rows; `word` is the challenge's for the id."""
    many = f"{rows:,} row{'s' if rows > 1 else ''}"
    if fault.code == "S309":
        return f"empty id: the {word} has no name in {many}"
    if fault.code == "S310":
        because = 'an id such as "NA" became a missing value on writing'
        return f"{fault.message} in {many} ({word}); {because}"
    return f"{word} {fault.message}" if fault.code in ("S312", "S313") else fault.message


def rows_of_values(
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
