"""One list a line: `s1: 4, 9, 12`, best item first. A line that begins with # is a comment."""

from __future__ import annotations

from collections.abc import Mapping

import polars as pl

from scorer.core.problems import Problem
from scorer.core.text import printable, quoted
from scorer.reading.formats import Rows, format
from scorer.reading.limits import UnreadableError, refuse_many_cells
from scorer.reading.schema import Schema
from scorer.reading.table import PART, CellPlace, Cells, LineTexts, ReadRequest

BLANKS = " \t"


def write_lists(rows: Rows, columns: Mapping[str, str]) -> bytes:
    """Return rows of list and item, best first, as lists."""
    items: dict[object, list[str]] = {}
    for row in rows:
        items.setdefault(row["list"], []).append(str(row["item"]))
    return "".join(f"{name}: {', '.join(each)}\n" for name, each in items.items()).encode()


@format("lists", ".lists", write=write_lists)
def read_lists(lines: pl.DataFrame, request: ReadRequest) -> Cells:
    """Return the items of each list.

    Args:
        lines: `line` and `text` of each physical line that the layout does not leave out.
        request: What is asked of the file.
    """
    schema = _match_schema(request)
    text = pl.col("text").str.strip_chars(BLANKS)
    lines = lines.with_columns(text).filter(
        pl.col("text") != "", ~pl.col("text").str.starts_with("#")
    )
    has_colon = pl.col("text").str.contains(":", literal=True)
    for line, wrong in lines.filter(~has_colon).iter_rows():
        if not request.findings.count_if_full("S207"):
            message = f"no colon in {quoted(wrong)}; expected 'list: item, item, ...'"
            request.findings.add(Problem("S207", message, line=line))
    parts = pl.col("text").str.splitn(":", 2).struct.rename_fields(["list", "item"])
    lists = lines.filter(has_colon).select("line", parts).unnest("text")
    lists = lists.with_columns(pl.col("list", "item").str.strip_chars(BLANKS))
    lists = _drop_repeated(lists, schema, request)
    empty = lists.filter(pl.col("item") == "")
    rows = lists.filter(pl.col("item") != "")
    counts = rows["item"].str.count_matches(",", literal=True) + 1
    refuse_many_cells(rows["line"], counts, request.limits)
    rows = rows.with_columns(pl.col("item").str.split(","))
    rows = rows.with_columns(pl.int_ranges(pl.col("item").list.len(), dtype=pl.UInt32).alias(PART))
    rows = rows.explode("item", PART).with_columns(pl.col("item").str.strip_chars(BLANKS))
    return Cells(
        rows.select("line", *schema.required, PART),
        schema,
        empty_lists=dict(empty.select("list", "line").iter_rows()),
        find_cells=_find_cells,
    )


def _match_schema(request: ReadRequest) -> Schema:
    for schema in request.schemas:
        if {"list"} <= set(schema.required) <= {"list", "item"}:
            return schema
    first = request.schemas[0]
    names = printable(", ".join(map(first.column_name, first.required)))
    message = f"one list a line cannot hold the columns that are needed here ({names})"
    raise UnreadableError(Problem("S201", message))


def _drop_repeated(lists: pl.DataFrame, schema: Schema, request: ReadRequest) -> pl.DataFrame:
    """Return the first line of each list, after reporting the others."""
    first = lists.group_by("list").agg(first=pl.col("line").min())
    lists = lists.join(first, on="list", how="left", maintain_order="left")
    word = printable(schema.column_name("list"), 60)
    for line, name, _, first_line in lists.filter(pl.col("line") != pl.col("first")).iter_rows():
        if not request.findings.count_if_full("S303"):
            message = f"{word} {quoted(name)} appears in two separate places"
            message += f" (first on line {first_line})"
            request.findings.add(Problem("S303", message, line=line, list=name))
    return lists.filter(pl.col("line") == pl.col("first")).drop("first")


def _find_cells(texts: LineTexts, line: int, role: str) -> list[CellPlace]:
    """Return the name of the list on a line, or its items."""
    text = texts[line - 1]
    name, _, rest = text.partition(":")
    cells = [name] if role == "list" else rest.split(",")
    places = []
    start = 0 if role == "list" else len(name) + 1
    for cell in cells:
        bare = cell.strip(BLANKS)
        column = start + len(cell) - len(cell.lstrip(BLANKS)) + 1
        places.append(CellPlace(bare, line, column))
        start += len(cell) + 1
    return places
