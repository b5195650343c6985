"""Rows of a file that is not plain, from the cells that its format cuts.

Each step is a function from cells to cells, so that what follows sees the same columns, lines and
problems as of a plain file.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace

import polars as pl

from scorer.core.problems import Problem
from scorer.core.text import printable, quoted
from scorer.reading.layout import (
    BEFORE_EACH,
    WHITESPACE,
    CutSchema,
    Layout,
    RowKeys,
    RowKeysFile,
    joined_name,
    offsets_in_cell,
    split_cell,
)
from scorer.reading.layout import PART as PART_OF_NAME
from scorer.reading.limits import refuse_many_careful, refuse_many_rows
from scorer.reading.schema import TEXT, Schema
from scorer.reading.table import PART, CellPlace, Cells, FindCells, LineTexts, ReadRequest

BRACKETED = r"(?s)^(?:\[.*\]|\(.*\))$"
ReadRowKeys = Callable[[RowKeysFile], RowKeys]


def drop_lines(lines: pl.DataFrame, layout: Layout) -> pl.DataFrame:
    """Return the lines of a file that may be rows: those that are neither skipped nor comments."""
    lines = lines.slice(layout.skip)
    for mark in layout.comment:
        lines = lines.filter(~pl.col("text").str.starts_with(mark))
    return lines


def reshape(
    cells: Cells, lines: pl.DataFrame, request: ReadRequest, read_row_keys: ReadRowKeys
) -> Cells:
    """Return the rows that a layout makes of the records of a file.

    Args:
        cells: The cells of the records.
        lines: `line` and `text` of each line that the layout does not leave out.
        request: What is asked of the file.
        read_row_keys: Reads the files that say what lines or values are about.

    Raises:
        UnreadableError: They would be more than are accepted, or such a file cannot be read.
    """
    schema, layout = cells.schema, request.layout
    if not isinstance(schema, CutSchema):
        return cells
    if layout.lines is not None:
        cells = _add_row_keys(cells, lines, read_row_keys(layout.lines), request)
    if layout.wide is not None:
        cells = _unpivot(cells, schema, layout.wide[0], request)
    elif layout.cells:
        candidates = None
        if layout.is_vector and layout.candidates is not None:
            candidates = read_row_keys(layout.candidates).by_list
        cells = _split_cells(cells, schema.outer, candidates, request)
    frame = cells.frame
    roles = [role for role in schema.outer.roles if role in frame.columns]
    part = [PART] if PART in frame.columns else []
    return replace(cells, frame=frame.select("line", *roles, *part), schema=schema.outer)


def _add_row_keys(cells: Cells, lines: pl.DataFrame, keys: RowKeys, request: ReadRequest) -> Cells:
    """Return the cells with the ids of the public file whose rows the lines follow."""
    roles = [role for role in cells.frame.columns if role != "line"]
    body = lines.filter(pl.col("line") >= cells.first_line)
    blank = body.filter(~pl.col("text").str.contains(r"\S"))
    if "cell[item]" in roles:  # a blank line is an answer of no items
        answers = blank.select("line", *(pl.lit("").alias(role) for role in roles))
        cells = replace(cells, frame=pl.concat([cells.frame, answers]).sort("line"))
    else:
        body = body.join(blank, on="line", how="anti", maintain_order="left")
    name = quoted(keys.file_name)
    row = body["line"].search_sorted(cells.frame["line"])
    has_key = row < len(keys.lists)
    for line in cells.frame["line"].filter(~has_key):
        if not request.findings.count_if_full("S210"):
            message = f"a line too many; the file has one for each of the {len(keys.lists):,} rows"
            request.findings.add(Problem("S210", f"{message} of {name}", line=line))
    if body.height < len(keys.lists):
        message = f"{body.height:,} line{'s' * (body.height != 1)}, expected {len(keys.lists):,}"
        message += f": one for each row of {name}"
        request.findings.add(Problem("S210", message, line=max(len(request.texts()), 1)))
    row = row.filter(has_key)
    columns = [pl.Series("list", keys.lists, dtype=pl.String).gather(row)]
    if keys.items is not None:
        columns.append(pl.Series("item", keys.items, dtype=pl.String).gather(row))
    return replace(cells, frame=cells.frame.filter(has_key).with_columns(columns))


def _unpivot(cells: Cells, schema: CutSchema, role: str, request: ReadRequest) -> Cells:
    """Return a row for each wide column of a record, which are named by a role."""
    value, wide = schema.value, schema.wide_roles
    frame, find_inner = cells.frame, cells.find_cells
    widths = pl.repeat(len(wide), frame.height, eager=True)
    refuse_many_rows(frame["line"], request.limits, widths)
    if len({frame[each].dtype for each in wide}) > 1:  # numbers, some of which are wrong
        frame = frame.with_columns(pl.col(wide).cast(pl.String))
    parts = pl.lit(list(range(len(wide))), dtype=pl.List(pl.UInt32))
    frame = frame.with_columns(pl.concat_list(wide).alias(value), parts.alias(PART))
    frame = frame.drop(wide).explode(value, PART)
    labels = pl.Series(schema.labels, dtype=pl.String)
    label = labels.gather(frame[PART])
    if role == "list":
        frame = frame.with_columns((label + PART_OF_NAME + frame["list"]).alias("list"))
    else:
        frame = frame.with_columns(label.alias(role))
    if value in TEXT:  # no item at a rank
        frame = frame.filter(pl.col(value).str.strip_chars(" \t") != "")

    def find_cells(texts: LineTexts, line: int, asked: str) -> list[CellPlace]:
        if find_inner is None:
            return []
        if asked == role:  # its cells are names of columns, or begin with them
            places = find_inner(texts, line, role) if role == "list" else ()
            return [
                place._replace(text=joined_name(label, place.text))
                for label in schema.labels
                for place in places
            ]
        roles = wide if asked == value else [asked]
        return [place for each in roles for place in find_inner(texts, line, each)]

    names = [schema.column_name(each) for each in wide]
    return replace(cells, frame=frame, find_cells=find_cells, part_columns={value: names})


def _split_cells(
    cells: Cells,
    schema: Schema,
    candidates: Mapping[str, Sequence[str]] | None,
    request: ReadRequest,
) -> Cells:
    """Return a row for each of the several values in the cells of a record.

    Args:
        cells: The cells of the records.
        schema: The schema of the rows.
        candidates: The items of each list, if cells hold values of them.
        request: What is asked of the file.
    """
    separators = dict(request.layout.cells)
    roles = [role for role in separators if f"cell[{role}]" in cells.frame.columns]
    if not roles:
        return cells
    frame = cells.frame
    for role in roles:
        values = _split_column(frame[f"cell[{role}]"], frame["line"], separators[role], request)
        frame = frame.with_columns(values.alias(role)).drop(f"cell[{role}]")
    if candidates is not None:
        frame = _add_candidates(frame, candidates, roles[0])
        roles = [*roles, "item"]
    sizes = [pl.col(role).list.len() for role in roles]
    is_even = pl.all_horizontal(size == sizes[0] for size in sizes)
    uneven = frame.filter(~is_even).select("line", "list", *sizes)
    for line, name, *counts in uneven.iter_rows():
        if not request.findings.count_if_full("S211"):
            counted = dict(zip(roles, counts, strict=True))
            problem = _uneven_problem(cells, schema, line, name, counted, request)
            request.findings.add(problem)
    if request.layout.lines is None:
        _report_repeated_lists(frame, schema, request)
    frame = frame.filter(is_even)
    empty = frame.filter(sizes[0] == 0)
    frame = frame.filter(sizes[0] > 0)
    frame = frame.with_columns(pl.int_ranges(sizes[0], dtype=pl.UInt32).alias(PART))
    return replace(
        cells,
        frame=frame.explode(*roles, PART),
        empty_lists={**cells.empty_lists, **dict(empty.select("list", "line").iter_rows())},
        find_cells=_find_in_cells(cells, separators),
    )


def _split_column(
    cells: pl.Series, lines: pl.Series, separator: str, request: ReadRequest
) -> pl.Series:
    """Return the several values of each cell, as `split_cell` does."""
    is_array = cells.str.starts_with(BEFORE_EACH)
    text = cells.str.strip_chars()
    is_bracketed = text.str.contains(BRACKETED)
    inner = text.to_frame("text").select(
        pl.when(is_bracketed)
        .then(pl.col("text").str.slice(1, pl.col("text").str.len_chars() - 2).str.strip_chars())
        .otherwise("text")
    )["text"]
    mark = separator
    if separator in (" ", WHITESPACE):
        mark = " "
        inner = inner.str.replace_all(r"\s+", mark)
    counts = (inner.str.count_matches(mark, literal=True) + 1) * (inner != "")
    refuse_many_rows(lines, request.limits, counts)
    values = inner.str.split(mark)
    if mark != " " and inner.str.contains(r"\s").any():
        values = values.list.eval(pl.element().str.strip_chars())
    is_odd = is_array | (inner == "") | (is_bracketed & inner.str.contains("['\"]"))
    odd = is_odd.arg_true()
    if odd.is_empty():
        return values
    refuse_many_careful(len(odd))
    split = [split_cell(cell, separator) for cell in cells.gather(odd)]
    by_hand = pl.DataFrame({"row": odd, "by_hand": pl.Series(split, dtype=pl.List(pl.String))})
    frame = values.to_frame("values").with_row_index("row").join(by_hand, on="row", how="left")
    return frame.select(pl.coalesce("by_hand", "values")).to_series()


def _add_candidates(
    frame: pl.DataFrame, candidates: Mapping[str, Sequence[str]], role: str
) -> pl.DataFrame:
    """Return the records with the candidates of their list as items.

    A list without candidates has as many unnamed ones as values: the check of unknown lists
    reports it.
    """
    items = [
        candidates.get(name, ["?"] * size)
        for name, size in frame.select("list", pl.col(role).list.len()).iter_rows()
    ]
    return frame.with_columns(pl.Series("item", items, dtype=pl.List(pl.String)))


def _uneven_problem(
    cells: Cells,
    schema: Schema,
    line: int,
    name: str,
    counts: Mapping[str, int],
    request: ReadRequest,
) -> Problem:
    """Return the problem of a record whose cells hold different numbers of values."""
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
    return Problem("S211", message, line=place.line, column=place.column, list=name)


def _report_repeated_lists(frame: pl.DataFrame, schema: Schema, request: ReadRequest) -> None:
    """Report the lines whose list an earlier line has answered."""
    if not frame["list"].is_duplicated().any():
        return
    word = printable(schema.column_name("list"), 60)
    first = pl.col("line").first().over("list")
    repeated = frame.select("line", "list", first=first).filter(pl.col("line") != pl.col("first"))
    for line, name, first_line in repeated.iter_rows():
        if not request.findings.count_if_full("S303"):
            message = f"{word} {quoted(name)} appears on two lines (first on line {first_line:,})"
            request.findings.add(Problem("S303", message, line=line, list=name))


def _find_in_cells(cells: Cells, separators: Mapping[str, str]) -> FindCells:
    """Return a function that finds each of the several values of a cell."""
    find_inner = cells.find_cells

    def find_cells(texts: LineTexts, line: int, role: str) -> list[CellPlace]:
        if find_inner is None:
            return []
        if role not in separators:
            return list(find_inner(texts, line, role))
        whole, *elements = find_inner(texts, line, f"cell[{role}]")
        if whole.text.startswith(BEFORE_EACH):  # an array, whose elements follow
            return elements
        if whole.column is None:
            return []
        is_quoted = texts[whole.line - 1][whole.column - 1] == '"'
        values = split_cell(whole.text, separators[role])
        offsets = offsets_in_cell(whole.text, separators[role])
        return [
            CellPlace(value, whole.line, whole.column + is_quoted + offset)
            for value, offset in zip(values, offsets, strict=False)
        ]

    return find_cells
