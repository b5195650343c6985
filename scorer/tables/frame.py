"""Files read as tables of arrays, which checks, kinds and views look at."""

from __future__ import annotations

import numpy as np
import polars as pl

from scorer.reading.schema import TEXT
from scorer.reading.table import Table as FrameTable
from scorer.tables.columns import CodedColumn, TextColumn, series_of
from scorer.tables.table import Table

EMPTY, COLUMNS = "empty", "columns"  # facts of a table: lists without items, and all columns


def as_columns(table: FrameTable) -> Table:
    """Return a table with its rows as arrays, which are made once."""
    arrays: Table | None = vars(table).get("arrays")
    if arrays is None:
        arrays = vars(table)["arrays"] = _as_columns(table)
    return arrays


def _as_columns(table: FrameTable) -> Table:
    frame = table.frame
    ids: dict[str, CodedColumn] = {}
    numbers = {}
    for role in frame.columns[1:]:
        if role in TEXT:
            ids[role] = _id_column(frame[role])
        else:
            numbers[role] = frame[role].to_numpy()
    facts = dict(table.facts)
    if table.header:
        facts[COLUMNS] = table.header
    if table.empty_lists:
        facts[EMPTY] = tuple(table.empty_lists.items())
    line = frame["line"].to_numpy().astype(np.int64)
    return Table(ids, numbers, line, table.schema, facts)


def _id_column(ids: pl.Series) -> CodedColumn:
    """Return a column of ids, which has each id once if equal ones stand together."""
    column = TextColumn(ids)
    if not column.in_runs:
        return column
    names = series_of(column.runs.held)
    return column.runs if names.n_unique() == len(names) else column
