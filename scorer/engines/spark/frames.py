"""Data frames as submissions, of which many are counted in one job."""

from __future__ import annotations

import json
import sys
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from scorer.bytes.limits import ReadLimits
from scorer.core.problems import Findings
from scorer.engines.spark.arrays import PLACE, as_line, frame_form, spread_arrays
from scorer.engines.spark.pack import AS_ROWS_ASK, Buckets
from scorer.engines.spark.reading import EMPTY, Reading, SparkPart
from scorer.engines.spark.sources import (
    SparkRows,
    SparkSource,
    refuse_form,
    refuse_rows,
    role_columns,
    united,
    unreadable,
    wanted_columns,
)
from scorer.formats.form import PLAIN, FileForm
from scorer.tables.table import Schema

LINE = "value"  # the column of what is read as text


def frame_source(
    frame: Any,
    name: str,
    shapes: Sequence[Schema],
    limits: ReadLimits,
    findings: Findings,
    buckets: Buckets = AS_ROWS_ASK,
    form: FileForm = PLAIN,
) -> SparkSource:
    """The rows of a data frame, which have no lines.

    Args:
        buckets: into which it is cut; rows are counted where their number is not said.
        form: of the challenge's files, whose cells and wide columns a frame may have.

    Raises:
        Unreadable: it cannot be read.
        NoTable: it has other columns than are wanted.
    """
    rows = frame_rows(frame, name, shapes, limits, findings, form)
    if buckets.count:
        return rows.source(buckets)
    [source] = sources_of([rows], buckets)
    refuse_rows(source.size, limits)
    return source


def frame_rows(
    frame: Any,
    name: str,
    shapes: Sequence[Schema],
    limits: ReadLimits,
    findings: Findings,
    form: FileForm = PLAIN,
) -> SparkRows:
    """The rows of a data frame; the arguments and errors are those of `frame_source`."""
    from pyspark.sql import functions as F

    try:
        frame.schema  # noqa: B018  # Spark Connect looks for what the frame is made of only now
    except Exception as error:
        raise unreadable(error) from error
    if (rows_form := frame_form(frame, shapes, form)) != PLAIN:
        return _rows_of_lines(frame, name, shapes, limits, findings, rows_form)
    frame = spread_arrays(frame, shapes)
    keys = {EMPTY: F.col(f"`{PLACE}`").isNull()} if PLACE in frame.columns else {}
    rows = role_columns(frame, keys, name, shapes, limits, findings, {})
    return rows._replace(reading=replace(rows.reading, whole=SparkPart(name)))


def _rows_of_lines(
    frame: Any,
    name: str,
    shapes: Sequence[Schema],
    limits: ReadLimits,
    findings: Findings,
    form: FileForm,
) -> SparkRows:
    """The rows of a data frame of cells, or of wide columns, read as JSON Lines are."""
    from pyspark.sql import functions as F

    refuse_form(form)
    _, _, names = wanted_columns(frame, name, shapes, limits, findings, form=form)
    lines = frame.select(as_line(frame, names).alias(LINE))
    head = json.dumps(dict.fromkeys(names)) + "\n"  # all columns, whatever the rows of a part have
    limits = limits._replace(careful=sys.maxsize)  # nobody can write them otherwise
    whole = SparkPart(name, head=head.encode())

    reading = Reading("jsonl", tuple(shapes), limits, AS_ROWS_ASK, {}, form=form, whole=whole)
    keyed = lines.select(F.col(LINE).cast("binary"), F.spark_partition_id().alias("part"))
    return SparkRows(keyed, reading)


def refuse_failing(frame: Any) -> None:
    """Refuse, as `Unreadable`, a data frame that Spark cannot compute, if it computes others."""
    try:
        frame.write.format("noop").mode("overwrite").save()
    except Exception as error:
        try:
            frame.sparkSession.range(1).collect()
        except Exception:
            return
        raise unreadable(error) from error


def sources_of(frames: Sequence[SparkRows], buckets: Buckets = AS_ROWS_ASK) -> list[SparkSource]:
    """Data frames as Spark reads them, cut as their rows ask, which one job counts.

    `Unreadable` if one cannot be read.
    """
    from pyspark.sql import functions as F

    def sized(number: int, frame: Any) -> Any:
        size = F.octet_length(LINE) if LINE in frame.columns else F.lit(0)
        return frame.select(F.lit(number).alias("number"), size.cast("bigint").alias("size"))

    every = [sized(number, rows.frame) for number, rows in enumerate(frames)]
    try:
        counted = (
            united(every)
            .groupBy("number")
            .agg(F.count(F.lit(1)).alias("rows"), F.sum("size").alias("size"))
        )
        found = {row["number"]: (row["rows"], row["size"]) for row in counted.collect()}
    except Exception as error:
        raise unreadable(error) from error
    sources = []
    for number, rows in enumerate(frames):
        count, size = found.get(number, (0, 0))
        sources.append(replace(rows.source(buckets.for_rows(count, size)), size=count))
    return sources
