"""`list|item|score` a line; a line that begins with # is a comment."""

from __future__ import annotations

from collections.abc import Mapping

import polars as pl

from scorer.reading.formats import Rows, format
from scorer.reading.limits import UnreadableError
from scorer.reading.table import Cells, ReadRequest

ROLES = ("list", "item", "score")


def write_pipes(rows: Rows, columns: Mapping[str, str]) -> bytes:
    """Return rows of list and item, best first, with descending scores."""
    lines = (f"{row['list']}|{row['item']}|{len(rows) - n}\n" for n, row in enumerate(rows))
    return "".join(lines).encode()


@format("pipes", ".pipes", write=write_pipes)
def read_pipes(lines: pl.DataFrame, request: ReadRequest) -> Cells:
    """Return the three cells of each line, with a pipe between them."""
    schemas = [schema for schema in request.schemas if {*schema.required} <= {*ROLES}]
    if not schemas:
        raise UnreadableError("S201", "pipes hold a list, an item and a score")
    schema = next((schema for schema in schemas if "score" in schema.roles), schemas[0])
    text = pl.col("text").str
    rows = lines.filter(text.contains(r"\S") & ~text.starts_with("#"))
    cells = rows.select("line", text.split("|"))
    for line, found in cells.filter(pl.col("text").list.len() != len(ROLES)).iter_rows():
        message = f"{len(found)} cells, expected {len(ROLES)}"
        request.report("S207", message, line)
    cells = cells.filter(pl.col("text").list.len() == len(ROLES))
    columns = [pl.col("text").list.get(ROLES.index(role)).alias(role) for role in ROLES]
    roles = [role for role in ROLES if role in schema.roles]
    return Cells(cells.select("line", *columns).select("line", *roles), schema)
