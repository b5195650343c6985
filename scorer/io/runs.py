"""Tables in which the rows of each list stand together, cut between lists and put together."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from scorer.core.arrays import Ints, distinct
from scorer.core.arrays import starts as run_starts
from scorer.io.table import CodedColumn, Codes, Hashes, Table, TextColumn, series_of, text_of

if TYPE_CHECKING:
    import polars as pl


class Apart(Exception):
    """The rows of a list do not stand together."""


def together(table: Table) -> bool:
    """Whether the rows of each list stand together."""
    return _starts(table.ids["list"]) is not None


def by_runs(table: Table) -> Table:
    """The table with its lists numbered in their order.

    Raises:
        Apart: the rows of a list do not stand together.
    """
    lists = table.ids["list"]
    if (starts := _starts(lists)) is None:
        raise Apart
    column = RunColumn(lists, starts) if isinstance(lists, TextColumn) else _runs(lists, starts)
    return replace(table, ids={**table.ids, "list": column})


def _starts(lists: CodedColumn) -> Ints | None:
    """Where the rows of each list begin; None where they do not stand together."""
    own = lists.row_hashes if isinstance(lists, TextColumn) else lists.codes
    starts = np.flatnonzero(run_starts(own))
    return starts if distinct(own[starts]).size == starts.size else None


class RunColumn(TextColumn):
    """A column of ids as polars has it, of which each run of rows has a code of its own.

    Args:
        column: the column.
        starts: where each run begins.
    """

    def __init__(self, column: TextColumn, starts: Ints) -> None:
        super().__init__(column.series, column.usual)
        vars(self)["row_hashes"] = column.row_hashes
        self.starts = starts

    @cached_property
    def codes(self) -> Codes:  # type: ignore[override]
        """The code of each row."""
        return _codes(self.starts, len(self.row_hashes))

    @cached_property
    def held(self) -> pl.Series:  # type: ignore[override]
        """The id of each run."""
        return self.series.gather(self.starts)

    @cached_property
    def hashes(self) -> Hashes:
        """The hash of each run's id."""
        return self.row_hashes[self.starts]


def _runs(lists: CodedColumn, starts: Ints) -> CodedColumn:
    """A column of which each run has an id of its own."""
    texts = lists.gathered(starts)
    return CodedColumn(
        _codes(starts, len(lists.codes)), tuple(texts) if isinstance(texts, list) else texts
    )


def _codes(starts: Ints, rows: int) -> Codes:
    """The number of each row's run."""
    return np.repeat(np.arange(starts.size, dtype=np.int32), np.diff(np.append(starts, rows)))


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
    vars(part)["row_hashes"] = column.row_hashes[start:stop]
    return part


def _cut_runs(lists: CodedColumn, start: int, stop: int) -> CodedColumn:
    """As `_cut`, of a column whose codes ascend from 0, run by run."""
    codes = lists.codes[start:stop]
    first, last = int(codes[0]), int(codes[-1]) + 1
    if isinstance(lists, RunColumn):
        part = _cut(lists, start, stop)
        assert isinstance(part, TextColumn)
        return RunColumn(part, np.maximum(lists.starts[first:last] - start, 0))
    return CodedColumn(codes - first, lists.held[first:last])


def own_memory(table: Table, of: int) -> Table:
    """A table that does not keep the memory of the one that it is few rows of."""
    if 2 * len(table) > of:
        return table
    ids = dict[str, CodedColumn]()
    for role, column in table.ids.items():
        if isinstance(column, TextColumn):
            ids[role] = TextColumn(series_of(column.series.to_list()), column.usual)
            vars(ids[role])["row_hashes"] = column.row_hashes.copy()
        else:
            ids[role] = CodedColumn(column.codes, tuple(column.names))
    numbers = {role: values.copy() for role, values in table.numbers.items()}
    return replace(table, ids=ids, numbers=numbers, line=table.line.copy())


def concatenated(tables: Sequence[Table], lists: CodedColumn) -> Table:
    """The rows of several tables, with a column of lists of their own."""
    first = tables[0]
    facts = dict(first.facts)
    if "empty" in facts:
        facts["empty"] = [each for table in tables for each in table.facts["empty"]]
    ids = {role: [table.ids[role] for table in tables] for role in first.ids if role != "list"}
    return Table(
        {"list": lists, **{role: _joined(columns) for role, columns in ids.items()}},
        {role: np.concatenate([t.numbers[role] for t in tables]) for role in first.numbers},
        np.concatenate([table.line for table in tables]),
        first.wanted,
        facts,
    )


def _joined(columns: Sequence[CodedColumn]) -> CodedColumn:
    import polars as pl

    usual = all(column.usual for column in columns)
    column = TextColumn(pl.concat([text_of(each) for each in columns], rechunk=False), usual)
    vars(column)["row_hashes"] = np.concatenate([each.row_hashes for each in columns])
    return column
