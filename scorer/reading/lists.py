"""One list a line: `s1: 4, 9, 12`, best item first.

A line that begins with # is a comment, unless it is a list whose name begins so: `#1: 4, 9`.
"""

from __future__ import annotations

from collections.abc import Mapping

import polars as pl

from scorer.core.text import printable, quoted
from scorer.reading.formats import Format, Rows
from scorer.reading.limits import UnreadableError, accept_rows
from scorer.reading.lines import BLANKS
from scorer.reading.table import IN_LINE, CellPlace, Cells, LineTexts, ReadRequest

COMMENT = "^#(?:[ \t]|[^:]*$)"  # with a blank behind the mark, or without a colon


def write_lists(rows: Rows, columns: Mapping[str, str]) -> bytes:
    """Return rows of list and item, best first, as lists."""
    items: dict[object, list[str]] = {}
    for row in rows:
        items.setdefault(row["list"], []).append(str(row["item"]))
    return "".join(f"{name}: {', '.join(each)}\n" for name, each in items.items()).encode()


def read_lists(lines: pl.DataFrame, request: ReadRequest) -> Cells:
    """Return the items of each list. If several lines have one list, the first of them counts."""
    # A line holds a list and its items, so that a schema cannot require anything else.
    fitting = [s for s in request.schemas if {"list"} <= set(s.required) <= {"list", "item"}]
    if not fitting:
        first = request.schemas[0]
        names = printable(", ".join(map(first.column_name, first.required)))
        message = f"one list a line cannot hold the columns that are needed here ({names})"
        raise UnreadableError("S201", message)
    schema, text = fitting[0], pl.col("text")
    lines = lines.with_columns(text.str.strip_chars(BLANKS))
    lines = lines.filter(text != "", ~text.str.contains(COMMENT))
    has_colon = text.str.contains(":", literal=True)
    for line, wrong in lines.filter(~has_colon).iter_rows():
        message = f"no colon in {quoted(wrong)}; expected 'list: item, item, ...'"
        request.report("S207", message, line)
    # The struct is named `text`, as the column that it is made from.
    parts = text.str.splitn(":", 2).struct.rename_fields(["list", "item"])
    lists = lines.filter(has_colon).select("line", parts).unnest("text")
    lists = lists.with_columns(pl.col("list", "item").str.strip_chars(BLANKS))
    lists = lists.with_columns(first=pl.col("line").first().over("list"))
    word = printable(schema.column_name("list"), 60)
    for line, name, _, first_line in lists.filter(pl.col("line") != pl.col("first")).iter_rows():
        message = f"{word} {quoted(name)} appears in two separate places"
        request.report("S303", f"{message} (first on line {first_line})", line, list=name)
    lists = lists.filter(pl.col("line") == pl.col("first"))
    empty = lists.filter(pl.col("item") == "").select("list", "line")
    rows = lists.filter(pl.col("item") != "")
    counts = rows["item"].str.count_matches(",", literal=True) + 1
    rows = rows.head(accept_rows(rows["line"], request.limits, request.findings, counts))
    rows = rows.with_columns(pl.col("item").str.split(","))
    places = pl.int_ranges(pl.col("item").list.len(), dtype=pl.UInt32)
    rows = rows.with_columns(places.alias(IN_LINE))
    rows = rows.explode("item", IN_LINE).with_columns(pl.col("item").str.strip_chars(BLANKS))
    frame = rows.select("line", *schema.required, IN_LINE)
    return Cells(frame, schema, empty_lists=dict(empty.iter_rows()), find_cells=_find_cells)


def _find_cells(texts: LineTexts, line: int, role: str) -> list[CellPlace]:
    """Return the name of the list on a line, or its items."""
    name, _, rest = texts[line - 1].partition(":")
    places, start = [], 0 if role == "list" else len(name) + 1
    for cell in [name] if role == "list" else rest.split(","):
        column = start + len(cell) - len(cell.lstrip(BLANKS)) + 1
        places.append(CellPlace(cell.strip(BLANKS), line, column))
        start += len(cell) + 1
    return places


FORMAT = Format("lists", write_lists, read_lists)
