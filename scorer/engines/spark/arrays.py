"""Rows of data frames that hold several items each, as Spark's recommenders give them."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from typing import Any

from scorer.formats.form import PLAIN, FileForm, NoColumns, cut_schema
from scorer.tables.table import ORDERED, Schema

PLACE, CELL = "place in the array", "cell of the array"  # columns beside those of the frame


def spread_arrays(frame: Any, shapes: Sequence[Schema]) -> Any:
    """The frame with a row for each element of its arrays, whose places are in `PLACE`.

    Arrays of structures with wanted fields, or arrays that are wanted columns, are spread; places
    in them rank where nothing else does. An empty array is a row without a place. Frames without
    such arrays stay as they are.
    """
    from pyspark.sql import functions as F
    from pyspark.sql import types as T

    types = {each.name: each.dataType for each in frame.schema.fields}
    elements = {
        name: each.elementType for name, each in types.items() if isinstance(each, T.ArrayType)
    }
    wanted = {shape.called(role) for shape in shapes for role in shape.roles}
    structures = [
        name
        for name, each in elements.items()
        if isinstance(each, T.StructType) and wanted.intersection(each.names)
    ]
    nested = (T.ArrayType, T.MapType, T.StructType)
    cells = [
        name for name in wanted.intersection(elements) if not isinstance(elements[name], nested)
    ]
    if len(structures) + bool(cells) != 1:
        return frame
    inner = elements[structures[0]].names if structures else sorted(cells)
    others = [name for name in types if name not in structures and name not in cells]
    if set(inner).intersection(others):
        return frame
    array = _escaped(structures[0]) if structures else F.arrays_zip(*map(_escaped, inner))
    spread = frame.select(*map(_escaped, others), F.posexplode_outer(array).alias(PLACE, CELL))
    columns = [F.col(f"`{CELL}`").getField(name).alias(name) for name in inner]
    order = {shape.called(role) for shape in shapes for role in ORDERED & {*shape.roles}}
    if order and order.isdisjoint([*others, *inner]):
        rank = next(shape.called("rank") for shape in shapes if "rank" in shape.roles)
        columns.append((_escaped(PLACE) + 1).alias(rank))
    return spread.select(*map(_escaped, others), *columns, _escaped(PLACE))


def spread_truth(truth: Any, shapes: Sequence[Schema], form: FileForm) -> Any:
    """The frame of a truth with a row for each element of its arrays; `form` says of cells."""
    if frame_form(truth, shapes, form) != PLAIN:
        return truth
    frame = spread_arrays(truth, shapes)
    if PLACE not in frame.columns:
        return frame
    return frame.where(_escaped(PLACE).isNotNull()).drop(PLACE)


def frame_form(frame: Any, shapes: Sequence[Schema], form: FileForm) -> FileForm:
    """What a challenge's form says of the rows of a data frame: its cells, or its wide columns.

    It says nothing of a frame without these, which may have a row for each item.
    """
    of_rows = PLAIN._replace(cells=form.cells, wide=form.wide, known=form.known)
    present = set(frame.columns)
    for shape in shapes:
        if form.cells and any(shape.called(role) in present for role, _ in form.cells):
            return of_rows._replace(candidates=form.candidates)
    if form.wide is None:
        return PLAIN
    for shape in shapes:
        with suppress(NoColumns):
            cut_schema(of_rows._replace(known=()), shape, frame.columns)
            return of_rows
    return PLAIN


def as_line(frame: Any, names: Sequence[str]) -> Any:
    """The column that has each row as an object of JSON with these columns."""
    from pyspark.sql import functions as F
    from pyspark.sql import types as T

    wider = {T.FloatType(): "double", T.ArrayType(T.FloatType()): "array<double>"}
    columns = []
    for name in names:
        column, type_ = _escaped(name), frame.schema[name].dataType
        column = next((column.cast(w) for narrow, w in wider.items() if type_ == narrow), column)
        columns.append(column.alias(name))
    return F.to_json(F.struct(*columns), {"ignoreNullFields": "false"})


def _escaped(name: str) -> Any:
    from pyspark.sql import functions as F

    return F.col("`" + name.replace("`", "``") + "`")
