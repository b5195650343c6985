"""Submissions as Spark reads them: files, folders of parts, globs, URLs, data frames."""

from __future__ import annotations

import os
import re
from collections.abc import Collection, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field, replace
from io import BufferedReader, BytesIO
from itertools import zip_longest
from pathlib import Path
from typing import Any, NamedTuple, cast
from urllib.parse import unquote

from scorer.bytes.limits import NoTable, ReadLimits, Unreadable
from scorer.core.problems import Findings, Problem
from scorer.core.text import describe_exception, printable
from scorer.engines.spark.arrays import PLACE
from scorer.engines.spark.pack import AS_ROWS_ASK, Buckets
from scorer.engines.spark.reading import (
    EMPTY,
    SCHEMA,
    Reading,
    SparkPart,
)
from scorer.formats.base import Format, formats
from scorer.formats.form import PLAIN, FileForm
from scorer.formats.header import Unused, resolve, tell_unused
from scorer.formats.parquet import refuse_types
from scorer.formats.read import COMPRESSED, format_of
from scorer.formats.text import Request
from scorer.prepare.bind import BoundChallenge
from scorer.scoring.lists import Plan
from scorer.tables.table import Schema
from scorer.views.frames import Frames

LOCAL = {  # forms that Spark does not read, and what to write
    "lines": "give each line the ids that it is about, in columns",
    "candidates": "give each value its item: a row each, or cells: {item: ...} beside it",
    "parts": "write one table, with a column for what the parts are",
}
OBJECTS = "write an object a line (format: jsonl), whose arrays are read where cells: says so"
CUT = frozenset({"csv", "jsonl", "trec"})  # forms of which every part can be read by itself
HEADED = frozenset({"csv", "jsonl"})  # of these, by what the first lines of its file say
HEAD_LINES = 200
WHOLE = 100_000  # characters of Spark's text: its cause stands after names of any length
LOST = re.compile(r"PATH_NOT_FOUND|does not exist|FileNotFoundException")
DAMAGED = re.compile(r"FAILED_READ_FILE|CANNOT_READ_FILE|is not a Parquet file|Malformed")
RAISED = re.compile(r"Traceback \(most recent call last\):\n(?:[ \t].*\n|\n)*(\S.*)")  # in Python


@dataclass(frozen=True)
class SparkSource:
    """A table that Spark reads, cut by the buckets of its lists."""

    rows: Any  # a data frame of `SCHEMA`
    buckets: Buckets
    parts: tuple[SparkPart, ...] = ()  # in the order of the rows; none where rows have no order
    shape: Schema | None = None  # where it is known before any row is read
    facts: Mapping[str, Any] = field(default_factory=dict)
    size: int = 0  # how many rows there are, or lines

    @property
    def files(self) -> list[str]:
        """The files that there are."""
        return list(dict.fromkeys(part.file for part in self.parts))

    def place(self, line: int) -> tuple[str, int] | None:
        """The file in which a row of the whole stands, and where; None where no file is known."""
        at = 0
        for n, part in enumerate(self.parts):
            if part.before < line:
                at = n
        if not self.parts:
            return None
        file = self.parts[at].file
        first = min(part.before for part in self.parts if part.file == file)
        return file, line - first


class SparkRows(NamedTuple):
    """The rows of a table as a worker reads them, before it is known how many there are."""

    frame: Any  # without `line`, where a data frame has no lines
    reading: Reading  # whose buckets are not yet said

    def source(self, buckets: Buckets | None = None) -> SparkSource:
        """The rows, cut into these buckets; without them, what is known of the rows alone."""
        reading, rows = self.reading, None
        if buckets is not None:
            rows = self.numbered().mapInArrow(reading.reader(buckets), SCHEMA)
        shape = reading.shapes[0] if reading.roles else None
        parts = tuple(reading.parts.values())
        return SparkSource(rows, buckets or AS_ROWS_ASK, parts, shape, reading.facts)

    def numbered(self) -> Any:
        """The rows, numbered as they stand where they have no lines."""
        from pyspark.sql import functions as F

        if self.reading.whole is None or not self.reading.roles:
            return self.frame
        return self.frame.withColumn("line", F.monotonically_increasing_id() + 1)


def refuse_form(form: FileForm) -> None:
    """Refuse, as `Unreadable`, a form that Spark does not read."""
    for key, instead in LOCAL.items():
        if getattr(form, key):
            message = f"Spark does not read files with {key}"
            hint = f"{instead}; the engine local reads this challenge's form"
            raise Unreadable(Problem("S107", message, help=hint))


def refuse_whole(prepared: Plan | BoundChallenge) -> None:
    """Refuse, as `Unreadable`, what is read in parts where measures read whole files."""
    if Frames in prepared.views:
        message = "Kaggle's metrics read whole files, which Spark's workers have parts of"
        hint = "the engine local reads this challenge's files, and a worker those of up to 16 MiB"
        raise Unreadable(Problem("S107", message, help=hint))


def source_of(
    session: Any,
    path: str,
    format: str | None,
    shapes: Sequence[Schema],
    limits: ReadLimits,
    findings: Findings,
    buckets: Buckets = AS_ROWS_ASK,
    form: FileForm = PLAIN,
) -> SparkSource:
    """The table at a path, read by Spark.

    Args:
        path: a file, a folder of parts, a glob, or a URL.
        format: how it is written; None: as its suffix says.

    Raises:
        Unreadable: it is not there, or no form that Spark reads.
        NoTable: it has other columns than are wanted.
    """
    refuse_form(form)
    where, options = _place(path)
    if form.json:
        format = format or "json"
    if (format or "parquet") == "parquet" and path.lower().endswith(".parquet"):
        reader = session.read.options(**options)
        return _parquet(reader, where, path, shapes, limits, findings, buckets)
    try:
        frame = session.read.options(lineSep="\n", **options).text(where)
        files = frame.inputFiles()
    except Exception as error:
        raise unreadable(error) from error
    written = _format(path, files, format)
    if written.name == "parquet":
        reader = session.read.options(**options)
        return _parquet(reader, where, path, shapes, limits, findings, buckets)
    if written.binary:
        raise Unreadable(Problem("S107", f"Spark does not read {written.name} here"))
    reading = Reading(written.name, tuple(shapes), limits, buckets, {}, form=form)
    return _text(session, frame, reading)


def _place(path: str) -> tuple[str, dict[str, str]]:
    """The URL and options that Spark reads a path by; a file of this machine is no glob."""
    if os.path.exists(path):
        return f"file://{os.path.abspath(path)}", {"__globPaths__": "false"}
    return path, {}


def _format(path: str, files: Sequence[str], name: str | None) -> Format:
    """The format of files: the one named, else by the suffix of the path, else of the first part.

    Spark gives files in no order.
    """
    if name is not None:
        return formats().get(name)
    names = [Path(path), *(Path(unquote(file).rpartition("/")[2]) for file in sorted(files)[:1])]
    for each in names:
        if each.suffix.lower() == ".zip":
            message = "Spark does not read .zip archives; unpack it, or use the engine local"
            raise Unreadable(Problem("S107", message))
        suffixes = [s.lower() for s in each.suffixes if s.lower() not in COMPRESSED]
        if any(suffixes[-1:] and suffixes[-1] in known.suffixes for known in formats()):
            return format_of(each, None)
    return formats().get("csv")


def unreadable(error: Exception) -> Unreadable:
    """The error for files that Spark cannot read."""
    description, cause = describe_exception(error, WHOLE), cause_of(error)
    if LOST.search(description):
        return Unreadable(Problem("S101", "file not found, by Spark"))
    if DAMAGED.search(description):
        message = "the file is damaged, or not what its name says, as Spark finds"
        return Unreadable(Problem("S108", message, help="write it again", cause=cause))
    message = f"Spark cannot read this: {printable(cause, 200)}"
    return Unreadable(Problem("S101", message, cause=cause))


def cause_of(error: Exception) -> str:
    """The last cause that Spark names, in a line; without the places in its code."""
    try:
        text = str(error)
    except Exception:  # its own words may fail too
        return type(error).__name__
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    lines = [line for line in lines if not line.startswith(("at ", "... "))]
    cause = next(iter(lines), "")
    if raised := RAISED.findall(text):
        cause = raised[-1]
    elif named := [line for line in lines if line.startswith("Caused by: ")]:
        cause = named[-1]
    return f"{type(error).__name__}: {printable(cause, 1000)}"


def _text(session: Any, frame: Any, reading: Reading) -> SparkSource:
    from pyspark.sql import functions as F

    block = (F.col("_metadata.file_path"), F.col("_metadata.file_block_start"))
    counted = frame.groupBy(
        F.xxhash64(*block).alias("part"), block[0].alias("file"), block[1].alias("start")
    ).agg(F.count(F.lit(1)).alias("rows"), F.sum(F.octet_length("value")).alias("size"))
    part_rows = _collected(counted)
    if not part_rows:
        raise Unreadable(Problem("S102", "the file is empty (0 bytes)"))
    name = reading.format
    if len(part_rows) > 1 and name not in CUT:
        message = f"Spark cut this into {len(part_rows):,} parts, of which files of {name} "
        message += "cannot be read; use the engine local"
        raise Unreadable(Problem("S107", message, help=OBJECTS if name == "json" else None))
    parts, before = dict[int, SparkPart](), 0
    for number, row in enumerate(part_rows):
        head = b""
        if row["start"] and name in HEADED:
            head = _first_lines(session, row["file"], HEAD_LINES + reading.form.skip)
        file = unquote(row["file"]).rpartition("/")[2]
        parts[row["part"]] = SparkPart(file, row["start"], before, number, head)
        before += row["rows"]
    refuse_rows(before, reading.limits)
    buckets = reading.buckets.for_rows(before, sum(row["size"] for row in part_rows))
    reading = replace(reading, parts=parts)
    # a hash of names costs as much as the rest of a row
    key = F.lit(part_rows[0]["part"]) if len(part_rows) == 1 else F.xxhash64(*block)
    lines = frame.select(F.col("value").cast("binary").alias("value"), key.alias("part"))
    return replace(SparkRows(lines, reading).source(buckets), size=before)


def _first_lines(session: Any, file: str, most: int) -> bytes:
    """The first lines of a file."""
    reader = session.read.options(lineSep="\n", __globPaths__="false")
    rows = reader.text(unquote(file)).selectExpr("CAST(value AS BINARY) AS value")
    return b"".join(bytes(row["value"]) + b"\n" for row in rows.take(most))


def united(frames: Sequence[Any]) -> Any:
    """The rows of data frames of the same columns, by a plan that is deep as their logarithm."""
    while len(frames) > 1:
        pairs = zip_longest(frames[::2], frames[1::2])
        frames = [one if other is None else one.unionAll(other) for one, other in pairs]
    return frames[0]


def _collected(counted: Any) -> list[Any]:
    """How many rows each part has, in the order of the files."""
    try:
        rows = counted.collect()
    except Exception as error:
        raise unreadable(error) from error
    return sorted(rows, key=lambda row: (row["file"], row["start"]))


def refuse_rows(rows: int, limits: ReadLimits) -> None:
    """Refuse, as `Unreadable`, more rows than are accepted."""
    if rows > limits.rows + 1:  # one may be a header
        from scorer.bytes.limits import limit

        message = f"more than {limits.rows:,} rows, which is what is accepted here"
        raise Unreadable(Problem("S104", message, help=limit("rows")))


def _parquet(
    reader: Any,
    where: str,
    path: str,
    shapes: Sequence[Schema],
    limits: ReadLimits,
    findings: Findings,
    buckets: Buckets,
) -> SparkSource:
    from pyspark.sql import functions as F

    try:
        frame = reader.parquet(where)
        frame.schema  # noqa: B018  # Spark Connect looks at the files only now
    except Exception as error:
        raise unreadable(error) from error
    frame = _places_as_text(reader, where, frame)
    file = F.col("_metadata.file_path")
    rows, start = F.count(F.lit(1)).alias("rows"), F.lit(0).alias("start")
    if len(files := frame.inputFiles()) == 1:  # as its footer says
        columns = F.lit(0).alias("part"), F.lit(files[0]).alias("file")
        part_rows = _collected(frame.agg(rows, start, *columns))
    else:
        key: Any = F.xxhash64(file)
        grouped = frame.groupBy(key.alias("part"), file.alias("file"))
        part_rows = _collected(grouped.agg(rows, start))
    parts, before = dict[int, SparkPart](), 0
    for number, row in enumerate(part_rows):
        parts[row["part"]] = SparkPart(unquote(row["file"]).rpartition("/")[2], 0, before, number)
        before += row["rows"]
    refuse_rows(before, limits)
    keys = {"line": F.col("_metadata.row_index") + 1}
    if len(files) > 1:
        keys["part"] = key
    buckets = buckets.for_rows(before)
    durations = _durations(files)
    rows = role_columns(frame, keys, path, shapes, limits, findings, parts, durations)
    return replace(rows.source(buckets), size=before)


def _places_as_text(reader: Any, where: str, frame: Any) -> Any:
    """The frame with columns that folders name (`list=007`) as they are written, not as numbers."""
    from pyspark.sql import types as T

    folders = {part for file in frame.inputFiles() for part in unquote(file).split("/")[:-1]}
    named = {part.partition("=")[0] for part in folders if "=" in part}
    fields = [
        T.StructField(each.name, T.StringType()) if each.name in named else each
        for each in frame.schema.fields
    ]
    return (
        frame
        if fields == frame.schema.fields
        else reader.schema(T.StructType(fields)).parquet(where)
    )


def _durations(files: Sequence[str]) -> list[str]:
    """The columns that hold durations, which Spark takes for whole numbers.

    A file's writer says so beside its types. It is looked for in the first file, on this machine.
    """
    import pyarrow as pa
    import pyarrow.parquet as pq

    try:
        schema = pq.read_schema(unquote(files[0]).removeprefix("file://"))
    except (OSError, pa.ArrowException, IndexError):
        return []
    return [field.name for field in schema if pa.types.is_duration(field.type)]


def _ids_and_numbers(type_: Any) -> tuple[bool, bool]:
    """Whether ids and numbers can be of a type of Spark's."""
    from pyspark.sql import types as T

    number = isinstance(type_, (T.NumericType, T.StringType, T.NullType))
    others = (T.BooleanType, T.DateType, T.TimestampType, T.TimestampNTZType)
    return number or isinstance(type_, others), number


def role_columns(
    frame: Any,
    keys: Mapping[str, Any],
    path: str,
    shapes: Sequence[Schema],
    limits: ReadLimits,
    findings: Findings,
    parts: Mapping[int, SparkPart],
    durations: Collection[str] = (),
) -> SparkRows:
    """The columns of a table that have a role; `NoTable`, with findings, if they are not wanted."""
    from pyspark.sql import functions as F

    shape, roles, names = wanted_columns(frame, path, shapes, limits, findings, durations)
    types = [name for name in frame.columns if name != PLACE]
    facts = {"columns": tuple(types)} | ({"empty": ()} if EMPTY in keys else {})
    reading = Reading("parquet", (shape,), limits, AS_ROWS_ASK, parts, roles, facts)
    escaped = ["`" + name.replace("`", "``") + "`" for name in names]
    columns = [F.col(name).alias(f"c{n}") for n, name in enumerate(escaped)]
    return SparkRows(
        frame.select(*columns, *(key.alias(name) for name, key in keys.items())), reading
    )


def wanted_columns(
    frame: Any,
    path: str,
    shapes: Sequence[Schema],
    limits: ReadLimits,
    findings: Findings,
    durations: Collection[str] = (),
    form: FileForm = PLAIN,
) -> tuple[Schema, tuple[str, ...], list[str]]:
    """The shape of a table, and its columns: their roles, and what they are called.

    `NoTable`, with findings, if they are not wanted.
    """
    from pyspark.sql import types as T

    types = {each.name: each.dataType for each in frame.schema.fields if each.name != PLACE}
    with ExitStack() as stack:
        stream = cast("BufferedReader", BytesIO())
        request = Request(Path(path), stream, shapes, findings, limits, stack, form)
        match = resolve(list(types), request, None)
        if match is None:
            raise NoTable
        shape, roles = match
        names = [shape.called(role) for role in roles]
        unused = [
            Unused(name, None, None, ["0"] if isinstance(type_, T.NumericType) else [])
            for name, type_ in types.items()
            if name not in names
        ]
        tell_unused(request, shape, roles, list(types), unused)
    by_role = dict(zip(roles, names, strict=True))
    cells = {name for role, name in by_role.items() if role.startswith("cell[")}
    fits = {
        name: _ids_and_numbers(
            each.elementType if name in cells and isinstance(each, T.ArrayType) else each
        )
        for name, each in types.items()
    }
    kinds = {name: (each.simpleString(), *fits[name]) for name, each in types.items()}
    kinds |= dict.fromkeys(durations, ("duration", False, False))
    refuse_types(by_role, kinds, findings)
    return shape, roles, names
