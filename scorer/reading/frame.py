"""Data frames of a Python session as tables. Problems have the number of a row as their line."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import polars as pl

from scorer.core.problems import Findings
from scorer.reading.layout import PLAIN, Layout
from scorer.reading.limits import (
    DEFAULT_LIMITS,
    ReadLimits,
    ReportedError,
    UnreadableError,
    refuse_many_errors,
)
from scorer.reading.parquet import cell_column, match_columns
from scorer.reading.read import FileTable, accept_cells
from scorer.reading.schema import Schema
from scorer.reading.table import NO_ITEMS_FACT, Cells, ReadRequest, make_table

# A column with the line of each row, of a frame whose rows were read from a file; without it rows
# count from 1. No file has a column of this name, since files with a NUL are refused.
LINE = "\0line"


def read_frame(
    frame: pl.DataFrame,
    schemas: Sequence[Schema],
    findings: Findings,
    limits: ReadLimits = DEFAULT_LIMITS,
    layout: Layout = PLAIN,
) -> FileTable:
    """Return the table and the digest of a data frame whose columns are texts and numbers.

    Args:
        frame: Columns are found by name, as in a file. One of lists alone, where rows have
            items, names lists without items.
        schemas: The shapes that it may have, the likeliest first.
        layout: How files of this kind are written: wide columns and cells of several values are
            read; its keys on lines and headers are not.
    """
    in_columns = layout._replace(header=(), skip=0, comment=(), lines=None, json=(), parts=())
    for schema in schemas:
        if "item" in schema.roles and frame.columns == [schema.column_name("list")]:
            table = make_table(dict.fromkeys(schema.required, ()), schema)
            return FileTable(replace(table, facts={NO_ITEMS_FACT: True}), None)
    request = ReadRequest(Path("frame"), schemas, findings, limits, in_columns)
    try:
        cells = _find_cells(frame, request)
        table = accept_cells(cells, request).with_items()
        refuse_many_errors(findings.errors)
    except UnreadableError as error:
        findings.add(error.problem)
        return FileTable(None, None)
    except ReportedError:
        return FileTable(None, None)
    return FileTable(table, frame_digest(table.frame.drop("line")))


def _find_cells(frame: pl.DataFrame, request: ReadRequest) -> Cells:
    if LINE in frame.columns:
        line = frame[LINE].cast(pl.UInt32).alias("line")
        frame = frame.drop(LINE)
    else:
        line = pl.int_range(1, frame.height + 1, dtype=pl.UInt32, eager=True).alias("line")
    match = match_columns(frame.schema, request)
    cells = [cell_column(frame[name], role).alias(role) for role, name in match.names.items()]
    for column in cells:
        if column.dtype == pl.String and column.str.contains("\0", literal=True).any():
            at = column.str.contains("\0", literal=True).arg_max()
            request.report("S106", "a NUL character", line[at or 0])
            raise ReportedError
    header = tuple(frame.columns) if frame.height else ()  # without rows, it has no header either
    return Cells(pl.DataFrame([line, *cells]), match.schema, header)


def frame_digest(frame: pl.DataFrame) -> str:
    """Return the SHA-256 of the names and cells of a frame's columns of texts and numbers."""
    digest = hashlib.sha256()
    for column in frame.iter_columns():
        digest.update(f"{column.name}\0{column.dtype}\0{len(column)}\0".encode())
        if column.dtype == pl.String:
            lengths = column.str.len_bytes().fill_null(2**32 - 1)
            digest.update(lengths.to_numpy().tobytes())
            digest.update((column.str.join("").item() or "").encode())
        else:
            digest.update(column.cast(pl.Float64).to_numpy().tobytes())
    return digest.hexdigest()
