"""Files read as tables of arrays, which checks, kinds and views look at."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import NamedTuple

import numpy as np
import polars as pl

from scorer.core.problems import Findings
from scorer.reading.layout import PLAIN, Layout
from scorer.reading.limits import ReadLimits
from scorer.reading.read import read_file
from scorer.reading.schema import TEXT, Schema
from scorer.reading.table import Table as FrameTable
from scorer.tables.columns import CodedColumn, TextColumn, series_of
from scorer.tables.table import Table

EMPTY, COLUMNS = "empty", "columns"  # facts of a table: lists without items, and all columns


class FileColumns(NamedTuple):
    """What was read of a file."""

    table: Table | None  # None if it cannot be read as one
    sha256: str | None  # of the file as it is stored
    frame: FrameTable | None  # the same without rows, by which cells are found again


def read_columns(
    path: Path,
    format: str | None,
    schemas: Sequence[Schema],
    findings: Findings,
    limits: ReadLimits | None = None,
    layout: Layout = PLAIN,
) -> Table | None:
    """Return the table of a file, or None if it cannot be read as one.

    Args:
        path: The file.
        format: The name of its format; None if the file's suffix says it.
        schemas: The shapes that it may have, the likeliest first.
        findings: Receives the problems.
        limits: What it may cost.
        layout: How it is written where it is not plain.
    """
    return read_file_columns(path, format, schemas, findings, limits or ReadLimits(), layout).table


def read_file_columns(
    path: Path,
    format: str | None,
    schemas: Sequence[Schema],
    findings: Findings,
    limits: ReadLimits,
    layout: Layout = PLAIN,
) -> FileColumns:
    """Return the table of a file, and its digest. The arguments are those of `read_columns`."""
    table, sha256 = read_file(path, format, schemas, findings, limits, layout)
    if table is None:
        return FileColumns(None, sha256, None)
    return FileColumns(as_columns(table), sha256, replace(table, frame=table.frame.clear()))


def as_columns(table: FrameTable) -> Table:
    """Return a table with its rows as arrays, and its texts as items."""
    frame = table.frame
    ids: dict[str, CodedColumn] = {}
    numbers = {}
    for role in frame.columns[1:]:
        if role in TEXT:
            ids["item" if role == "text" else role] = _id_column(frame[role])
        else:
            numbers[role] = frame[role].to_numpy()
    facts = dict(table.facts)
    if table.header:
        facts[COLUMNS] = table.header
    if table.empty_lists:
        facts[EMPTY] = tuple(table.empty_lists.items())
    line = frame["line"].to_numpy().astype(np.int64)
    return Table(ids, numbers, line, table.schema.with_items(), facts)


def _id_column(ids: pl.Series) -> CodedColumn:
    """Return a column of ids, which has each id once if equal ones stand together."""
    column = TextColumn(ids)
    if not column.in_runs:
        return column
    names = series_of(column.runs.held)
    return column.runs if names.n_unique() == len(names) else column
