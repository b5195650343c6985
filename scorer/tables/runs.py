"""Tables in which the rows of each list stand together, cut between lists and put together."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from scorer.core.arrays import distinct, ends
from scorer.tables.columns import CodedColumn, RunColumn, TextColumn, series_of, text_of
from scorer.tables.table import Table


class Apart(Exception):
    """The rows of a list do not stand together."""


def together(table: Table) -> bool:
    """Whether the rows of each list stand together."""
    try:
        by_runs(table)
    except Apart:
        return False
    return True


def by_runs(table: Table) -> Table:
    """The table with lists numbered in order, as a `RunColumn`; `Apart` if they are scattered."""
    lists = table.ids["list"]
    if isinstance(lists, TextColumn | RunColumn):
        column = lists if isinstance(lists, RunColumn) else lists.runs
        keys: NDArray[Any] = column.hashes
    else:
        codes = lists.codes
        last = np.flatnonzero(ends(codes))
        column, keys = RunColumn(last + 1, lists.gathered(last)), codes[last]
    if distinct(keys).size < keys.size:
        raise Apart
    return replace(table, ids={**table.ids, "list": column})


def cut_rows(table: Table, start: int, stop: int) -> Table:
    """Consecutive rows of a table by runs: whole lists, or rows of one.

    Lists without rows go with the first row.
    """
    if start == 0 and stop == len(table):
        return table
    facts = dict(table.facts)
    if start and "empty" in facts:
        facts["empty"] = type(facts["empty"])()
    ids = {role: _cut(column, start, stop) for role, column in table.ids.items() if role != "list"}
    return Table(
        {"list": _cut_runs(table.ids["list"], start, stop), **ids},
        {role: values[start:stop] for role, values in table.numbers.items()},
        table.line[start:stop],
        table.wanted,
        facts,
    )


def _cut(column: CodedColumn, start: int, stop: int) -> CodedColumn:
    if not isinstance(column, TextColumn):
        return CodedColumn(column.codes[start:stop], column.held)
    part = TextColumn(column.series[start:stop], column.usual)
    if "row_hashes" in vars(column):
        vars(part)["row_hashes"] = column.row_hashes[start:stop]
    return part


def _cut_runs(lists: CodedColumn, start: int, stop: int) -> RunColumn:
    """As `_cut`, run by run."""
    assert isinstance(lists, RunColumn)
    first, last = np.searchsorted(lists.ends, (start + 1, stop)).tolist()
    part = RunColumn(
        np.minimum(lists.ends[first : last + 1], stop) - start, lists.held[first : last + 1]
    )
    if "hashes" in vars(lists):
        vars(part)["hashes"] = lists.hashes[first : last + 1]
    return part


def own_memory(table: Table, of: int) -> Table:
    """A table that does not keep the memory of the one that it is few rows of."""
    if 2 * len(table) > of:
        return table
    ids = dict[str, CodedColumn]()
    for role, column in table.ids.items():
        if isinstance(column, TextColumn):
            ids[role] = TextColumn(series_of(column.series.to_list()), column.usual)
        elif isinstance(column, RunColumn):
            ids[role] = RunColumn(column.ends, column.names)
        else:
            ids[role] = CodedColumn(column.codes, column.names)
    numbers = {role: values.copy() for role, values in table.numbers.items()}
    return replace(table, ids=ids, numbers=numbers, line=table.line.copy())


def concatenated(tables: list[Table], lists: CodedColumn) -> Table:
    """The rows of several tables, with a column of lists of their own.

    The tables are taken out of `tables`, so that each column is held twice while it is joined, not
    all of them.
    """
    first = tables[0]
    facts = dict(first.facts)
    if "empty" in facts:
        facts["empty"] = [each for table in tables for each in table.facts["empty"]]
    ids = {role: [table.ids[role] for table in tables] for role in first.ids if role != "list"}
    numbers = {role: [table.numbers[role] for table in tables] for role in first.numbers}
    line, wanted = [table.line for table in tables], first.wanted
    tables.clear()
    del first
    return Table(
        {"list": lists, **{role: _joined(ids.pop(role)) for role in tuple(ids)}},
        {role: np.concatenate(numbers.pop(role)) for role in tuple(numbers)},
        np.concatenate(line),
        wanted,
        facts,
    )


def _joined(columns: Sequence[CodedColumn]) -> CodedColumn:
    import polars as pl

    usual = all(column.usual for column in columns)
    return TextColumn(pl.concat([text_of(each) for each in columns], rechunk=False), usual)
