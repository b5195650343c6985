"""The rows of a file whose layout is not one row a line: wide columns, cells of several values.

Each step is a function from cells to cells, so that all later code sees the columns, lines and
problems of a plain file.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

import polars as pl

from scorer.core.text import printable, quoted
from scorer.reading.layout import (
    BEFORE_EACH,
    PART_MARK,
    WHITESPACE,
    FileSchema,
    Layout,
    RowKeys,
    locate_in_cell,
    split_cell,
)
from scorer.reading.limits import accept_rows, refuse_many_slow_lines
from scorer.reading.schema import Schema, holds_text
from scorer.reading.table import IN_LINE, CellPlace, Cells, FindCells, LineTexts, ReadRequest

BRACKETED = r"(?s)^(?:\[.*\]|\(.*\))$"
LISTED = r"^(?:\[[^\[\]]*\]|\([^()]*\))$"  # without brackets inside


def drop_lines(lines: pl.DataFrame, layout: Layout) -> pl.DataFrame:
    """Return the lines of a file that may be rows: those that are neither skipped nor comments."""
    lines = lines.slice(layout.skip)
    for mark in layout.comment:
        lines = lines.filter(~pl.col("text").str.starts_with(mark))
    return lines


def reshape(
    cells: Cells,
    lines: pl.DataFrame,
    line_keys: RowKeys | None,
    candidates: RowKeys | None,
    request: ReadRequest,
) -> Cells:
    """Return the rows that the layout makes of the cells of a file; the cells if it is plain.

    Args:
        cells: The cells.
        lines: `line` and `text` of each line that the layout does not leave out.
        line_keys: The ids of each line, in order, if the layout names a file of them.
        candidates: The items of the values in a cell, if the layout names a file of them.
        request: Receives the problems.
    """
    schema, layout = cells.schema, request.layout
    if not isinstance(schema, FileSchema):
        return cells
    if line_keys is not None:
        cells = _add_row_keys(cells, lines, line_keys, request)
    if layout.wide is not None:
        cells = _unpivot(cells, schema, layout.wide.role, request)
    elif layout.cells:
        items = candidates.by_list if candidates is not None and layout.is_vector else None
        cells = _split_cells(cells, schema.row_schema, items, request)
    columns = ("line", *schema.row_schema.roles, IN_LINE)
    frame = cells.frame.select(name for name in columns if name in cells.frame.columns)
    return replace(cells, frame=frame, schema=schema.row_schema)


def _add_row_keys(cells: Cells, lines: pl.DataFrame, keys: RowKeys, request: ReadRequest) -> Cells:
    """Return the cells with the ids of the public file whose rows the lines follow."""
    frame = cells.frame
    body = lines.filter(pl.col("line") >= cells.first_line)
    blank = body.filter(~pl.col("text").str.contains(r"\S"))
    # A blank line is a list without items, or an empty text; but not behind the last row.
    if "cell[item]" in frame.columns or frame.columns == ["line", "text"]:
        blank = blank.filter(body["line"].search_sorted(blank["line"]) < len(keys.lists))
        answers = blank.select("line", *(pl.lit("").alias(role) for role in frame.columns[1:]))
        frame = pl.concat([frame, answers]).sort("line")
    else:
        body = body.join(blank, on="line", how="anti", maintain_order="left")
    name = quoted(keys.file_name)
    row = body["line"].search_sorted(frame["line"])
    has_key = row < len(keys.lists)
    for line in frame["line"].filter(~has_key):
        message = f"a line too many; the file has one for each of the {len(keys.lists):,} rows"
        request.report("S210", f"{message} of {name}", line)
    if body.height < len(keys.lists):
        message = f"{body.height:,} line{'s' * (body.height != 1)}, expected {len(keys.lists):,}"
        last_line = max(len(request.texts()), 1)
        request.report("S210", f"{message}: one for each row of {name}", last_line)
    row = row.filter(has_key)
    ids = {"list": keys.lists, "item": keys.items}
    columns = [
        pl.Series(role, texts, dtype=pl.String).gather(row)
        for role, texts in ids.items()
        if texts is not None
    ]
    return replace(cells, frame=frame.filter(has_key).with_columns(columns))


def _unpivot(cells: Cells, schema: FileSchema, role: str, request: ReadRequest) -> Cells:
    """Return a row for each wide column of a line; the columns' names hold the cells of `role`."""
    value, labels = schema.value, schema.labels
    wide = [f"{value}[{n}]" for n in range(len(labels))]
    frame, find_inner = cells.frame, cells.find_cells
    widths = pl.repeat(len(wide), frame.height, eager=True)
    frame = frame.head(accept_rows(frame["line"], request.limits, request.findings, widths))
    if len({frame[each].dtype for each in wide}) > 1:  # text if a number in it is wrong
        frame = frame.with_columns(pl.col(wide).cast(pl.String))
    numbers = pl.lit(list(range(len(wide))), dtype=pl.List(pl.UInt32))
    frame = frame.with_columns(pl.concat_list(wide).alias(value), numbers.alias(IN_LINE))
    frame = frame.drop(wide).explode(value, IN_LINE)
    label = pl.Series(labels, dtype=pl.String).gather(frame[IN_LINE])
    name = label + PART_MARK + frame["list"] if role == "list" else label
    frame = frame.with_columns(name.alias(role))
    if holds_text(value):  # a list need not have an item at each rank
        frame = frame.filter(pl.col(value).str.strip_chars(" \t") != "")

    def find_cells(texts: LineTexts, line: int, wanted: str) -> list[CellPlace]:
        if find_inner is None:
            return []
        if wanted != role:
            roles = wide if wanted == value else [wanted]
            return [place for each in roles for place in find_inner(texts, line, each)]
        if role != "list":  # the cells of this role are in the header, not on the line
            return []
        places = find_inner(texts, line, role)
        return [p._replace(text=f"{label}{PART_MARK}{p.text}") for label in labels for p in places]

    names = [schema.column_name(each) for each in wide]
    return replace(cells, frame=frame, find_cells=find_cells, wide_names={value: names})


def _split_cells(
    cells: Cells,
    schema: Schema,
    candidates: Mapping[str, Sequence[str]] | None,
    request: ReadRequest,
) -> Cells:
    """Return a row for each of the several values in the cells of a record.

    If cells hold values of candidates, these are the items. A list without candidates is unknown,
    which a later check reports: here each of its values gets the item "?".
    """
    separators, frame = dict(request.layout.cells), cells.frame
    roles = [role for role in separators if f"cell[{role}]" in frame.columns]
    if not roles:
        return cells
    for role in roles:
        frame = _split_column(frame, role, separators[role], request)
    if candidates is not None:
        sizes_of_lists = frame.select("list", pl.col(roles[0]).list.len()).iter_rows()
        items = [candidates.get(name, ["?"] * size) for name, size in sizes_of_lists]
        frame = frame.with_columns(pl.Series("item", items, dtype=pl.List(pl.String)))
        roles.append("item")
    sizes = [pl.col(role).list.len() for role in roles]
    are_equal = pl.all_horizontal(size == sizes[0] for size in sizes)
    for line, name, *counts in frame.filter(~are_equal).select("line", "list", *sizes).iter_rows():
        if not request.findings.count_if_full("S211"):
            counted = dict(zip(roles, counts, strict=True))
            _report_uneven(cells, schema, line, name, counted, request)
    if request.layout.lines is None and frame["list"].is_duplicated().any():
        _report_repeated_lists(frame, schema, request)
    frame = frame.filter(are_equal)
    empty = frame.filter(sizes[0] == 0).select("list", "line")
    frame = frame.filter(sizes[0] > 0)
    frame = frame.with_columns(pl.int_ranges(sizes[0], dtype=pl.UInt32).alias(IN_LINE))
    return replace(
        cells,
        frame=frame.explode(*roles, IN_LINE),
        empty_lists={**cells.empty_lists, **dict(empty.iter_rows())},
        find_cells=_find_in_cells(cells, separators),
    )


def _split_column(
    frame: pl.DataFrame, role: str, separator: str, request: ReadRequest
) -> pl.DataFrame:
    """Return the rows with the values of each cell of a role, as far as they are accepted.

    Cells are split as `split_cell` does, which is called for odd ones alone.
    """
    cells = frame[f"cell[{role}]"]
    is_array, text = cells.str.starts_with(BEFORE_EACH), cells.str.strip_chars()
    mark = separator
    if separator in (" ", WHITESPACE):
        mark = " "
        text = text.str.replace_all(r"\s+", mark)
    is_bracketed = text.str.contains(BRACKETED)
    is_list = is_bracketed & text.str.contains(LISTED)
    unbracketed = text.str.head(-1).str.slice(1).str.strip_chars()
    joined = unbracketed.zip_with(is_list, text)  # the values with marks between them
    counts = (joined.str.count_matches(mark, literal=True) + 1) * (joined != "")
    accepted = accept_rows(frame["line"], request.limits, request.findings, counts)
    if accepted < frame.height:
        return _split_column(frame.head(accepted), role, separator, request)
    values = joined.str.split(mark)
    if mark != " " and joined.str.contains(r"\s").any():
        values = values.list.eval(pl.element().str.strip_chars())
    has_odd_brackets = is_bracketed & (~is_list | joined.str.contains("['\"]"))
    is_odd = is_array | (joined == "") | has_odd_brackets
    odd = is_odd.arg_true()
    if not odd.is_empty():
        refuse_many_slow_lines(len(odd))
        split = [split_cell(cell, separator) for cell in cells.gather(odd)]
        by_hand = pl.DataFrame({"row": odd, "by_hand": pl.Series(split, dtype=pl.List(pl.String))})
        both = values.to_frame("values").with_row_index("row").join(by_hand, on="row", how="left")
        values = both.select(pl.coalesce("by_hand", "values")).to_series()
    return frame.with_columns(values.alias(role)).drop(cells.name)


def _report_uneven(
    cells: Cells,
    schema: Schema,
    line: int,
    name: str,
    counts: Mapping[str, int],
    request: ReadRequest,
) -> None:
    """Report a record whose cells hold different numbers of values: role -> number."""
    first = next(iter(counts))
    places = cells.find_cells(request.texts(), line, f"cell[{first}]") if cells.find_cells else ()
    place = next(iter(places), CellPlace("", line, None))
    columns = {role: quoted(schema.column_name(role)) for role in counts}
    if request.layout.is_vector:
        word = printable(schema.column_name("list"), 60)
        message = f"{counts[first]:,} values in {columns[first]}; {word} {quoted(name)} has "
        message += f"{counts['item']:,} candidates, which have one each"
    else:
        found = " and ".join(f"{count:,} in {columns[role]}" for role, count in counts.items())
        message = f"{found}; each item has one of each"
    request.report("S211", message, place.line, place.column, list=name)


def _report_repeated_lists(frame: pl.DataFrame, schema: Schema, request: ReadRequest) -> None:
    """Report the lines whose list an earlier line has answered."""
    word = printable(schema.column_name("list"), 60)
    first = pl.col("line").first().over("list")
    repeated = frame.select("line", "list", first=first).filter(pl.col("line") != pl.col("first"))
    for line, name, first_line in repeated.iter_rows():
        message = f"{word} {quoted(name)} appears on two lines (first on line {first_line:,})"
        request.report("S303", message, line, list=name)


def _find_in_cells(cells: Cells, separators: Mapping[str, str]) -> FindCells:
    """Return a function that finds each of the several values of a cell."""
    find_inner = cells.find_cells

    def find_cells(texts: LineTexts, line: int, role: str) -> list[CellPlace]:
        if find_inner is None or role not in separators:
            return list(find_inner(texts, line, role)) if find_inner else []
        cell, *elements = find_inner(texts, line, f"cell[{role}]")
        if cell.text.startswith(BEFORE_EACH):  # an array, whose elements follow
            return elements
        if cell.column is None:
            return []
        start = cell.column + (texts[cell.line - 1][cell.column - 1] == '"')  # behind a quote
        values = locate_in_cell(cell.text, separators[role])
        return [CellPlace(value, cell.line, start + at) for value, at in values]

    return find_cells
