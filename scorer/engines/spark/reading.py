"""Parts of a file, as Spark gives them to a Python worker, read by the formats' own readers."""

from __future__ import annotations

import io
import os
import pickle
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field, replace
from itertools import groupby, pairwise
from operator import itemgetter
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple, cast

import numpy as np

from scorer.bytes.limits import GZIP, ZSTD, NoTable, ReadLimits, Unreadable
from scorer.bytes.sniff import HEAD, refuse
from scorer.core.problems import Findings, Problem
from scorer.core.threads import VARIABLE
from scorer.engines.spark.pack import Buckets, packed
from scorer.formats.base import formats
from scorer.formats.cut import tables as text_tables
from scorer.formats.form import PLAIN, FileForm
from scorer.formats.parquet import as_ids, table_of
from scorer.formats.read import format_of, key_table
from scorer.formats.reshape import Reshaped
from scorer.formats.text import Request
from scorer.formats.trec import TagNotes, Trec
from scorer.tables.table import Builder, Schema, Table

if TYPE_CHECKING:
    import polars as pl

NOTES = -1  # the bucket of what is found in a part, beside its rows
SENT = 16 * 1024**2  # bytes that are handed on together
ROWS = 100_000  # of a table that are taken together
SCHEMA = "bucket bigint, data binary"
ROWS_OF_PART = 33  # bits of their number in a part of a data frame, as Spark numbers rows
EMPTY = "empty"  # the column that says which rows are lists without items

Records = Sequence[tuple[Any, Any]]


class SparkPart(NamedTuple):
    """A file, or a piece of one that Spark reads by itself."""

    file: str  # its name, for messages
    start: int = 0  # where in the file it begins, in bytes
    before: int = 0  # rows or lines of all that comes before it
    number: int = 0  # of the part, in the order of the files
    head: bytes = b""  # the file's first lines, where the part does not begin with them


@dataclass
class Reading:
    """How the parts of a submission or truth are read in a worker."""

    format: str
    shapes: tuple[Schema, ...]
    limits: ReadLimits
    buckets: Buckets
    parts: Mapping[int, SparkPart]  # by what Spark calls them
    roles: tuple[str, ...] = ()  # of the columns of a table, where it is no text
    facts: Mapping[str, Any] = field(default_factory=dict)
    form: FileForm = PLAIN
    whole: SparkPart | None = None  # a data frame, whose parts are known to Spark alone

    def part(self, key: int) -> SparkPart:
        """The part that Spark calls so; those of a data frame are far from each other."""
        if self.whole is None:
            return self.parts[key]
        return self.whole._replace(before=key << ROWS_OF_PART, number=key)

    def reader(self, buckets: Buckets) -> Callable[[Iterator[Any]], Iterator[Any]]:
        """What reads its batches in a worker, cut into these buckets: to those of `SCHEMA`."""
        reading = replace(self, buckets=buckets)
        return frame_reader(reading) if self.roles else text_reader(reading)


@dataclass
class SparkNotes:
    """What is found in a part beside its rows."""

    number: int
    findings: Findings
    shape: Schema | None = None
    facts: Mapping[str, Any] = field(default_factory=dict)
    roles: tuple[str, ...] = ()
    rows: int = 0
    whole: bool = False  # whether all of it could be read
    tags: TagNotes | None = None  # of a part of a TREC run, whose tags only all of it shows
    records: Records = ()  # lines and their lists, of which only all parts show which come twice


def text_reader(reading: Reading) -> Callable[[Iterator[Any]], Iterator[Any]]:
    """What reads lines of text: batches of `value` and `part` to batches of `SCHEMA`."""
    return lambda batches: _sent(_from_text(reading, batches))


def frame_reader(reading: Reading) -> Callable[[Iterator[Any]], Iterator[Any]]:
    """What takes rows of a table: batches of its columns, `part` and `line`."""
    return lambda batches: _sent(_from_frame(reading, batches))


def _sent(packs: Iterator[tuple[int, bytes]]) -> Iterator[Any]:
    """Buckets and their bytes as Arrow's batches."""
    import pyarrow as pa

    waiting, size = list[tuple[int, bytes]](), 0

    def batch() -> Any:
        buckets, data = zip(*waiting, strict=True)
        return pa.RecordBatch.from_arrays(
            [pa.array(buckets, pa.int64()), pa.array(data, pa.binary())], ["bucket", "data"]
        )

    for pack in packs:
        waiting.append(pack)
        size += len(pack[1])
        if size >= SENT:
            yield batch()
            waiting.clear()
            size = 0
    if waiting:
        yield batch()


class _Records(Reshaped):
    """A part of a file whose lines hold several rows each."""

    def end(self, findings: Findings) -> None:
        """Report no list that is given twice: the lines of all parts count."""
        self.inner.end(findings)


class _Part(Trec):
    """A part of a run or of qrels."""

    def end(self, findings: Findings) -> None:
        """Report nothing: the tags of all parts count, not those of one."""


class _NoteTaker:
    """Takes notes of the tables of a part as they pass."""

    def __init__(self, part: SparkPart, notes: SparkNotes, named: bool = False) -> None:
        self.part, self.notes = part, notes
        self.named = named  # whether what is wrong with all of the part says which one it is

    def each(self, tables: Iterator[Table]) -> Iterator[Table]:
        """The tables, with their lines counted from where the part begins."""
        notes, head = self.notes, self.part.head.count(b"\n")
        shift = self.part.before - head
        try:
            for table in tables:
                if head:
                    table = _after(table, head)
                if shift:
                    table = _further(table, shift)
                notes.shape, notes.facts = table.wanted, _plain(table.facts)
                notes.roles = (*table.ids, *table.numbers)
                notes.rows += len(table)
                yield table
            notes.whole = True
        except Unreadable as error:
            problem = error.problem
            if self.named and problem.line is None:
                problem = replace(problem, path=self.part.file)
            notes.findings.add(problem)
        except NoTable:
            pass
        notes.findings = shifted(notes.findings, head, shift)
        notes.records = [_records_moved(*records, head, shift) for records in notes.records]


def _plain(facts: Mapping[str, Any]) -> dict[str, Any]:
    return {key: () if key == "empty" else value for key, value in facts.items()}


def _after(table: Table, head: int) -> Table:
    """The rows of a table that stand below its file's first lines, which are another part's."""
    keep = np.flatnonzero(table.line > head)
    facts = dict(table.facts)
    if "empty" in facts:
        facts["empty"] = [each for each in facts["empty"] if each[1] > head]
    if keep.size == len(table):
        return replace(table, facts=facts)
    return Table(
        {role: column.where(keep) for role, column in table.ids.items()},
        {role: values[keep] for role, values in table.numbers.items()},
        table.line[keep],
        table.wanted,
        facts,
    )


def _further(table: Table, shift: int) -> Table:
    """The table with its lines counted from an earlier one."""
    facts = dict(table.facts)
    if "empty" in facts:
        facts["empty"] = [(name, line + shift) for name, line in facts["empty"]]
    return replace(table, line=table.line + shift, facts=facts)


def _records_moved(lines: Any, names: Any, head: int, shift: int) -> tuple[list[int], Any]:
    """Lines with their lists, counted in the whole; the `head` first are another part's."""
    kept = [n for n, line in enumerate(lines) if line > head]
    moved = [int(lines[n]) + shift for n in kept]
    return moved, [names[n] for n in kept] if isinstance(names, list) else names[kept]


def shifted(findings: Findings, head: int, shift: int) -> Findings:
    """Findings of a part, with lines counted in the whole; its `head` first are another part's."""
    in_whole = Findings(findings.path)
    left = findings.counts.copy()
    for problem in findings:
        left[problem.code] -= 1
        if problem.line is None:
            if head == 0:
                in_whole.add(problem)
        elif problem.line > head:
            in_whole.add(replace(problem, line=problem.line + shift))
    in_whole.counts.update(+left)
    return in_whole


def one_thread() -> None:
    """Leave the other cores of this machine to the tasks that Spark runs there."""
    os.environ.setdefault(VARIABLE, "1")


def _from_text(reading: Reading, batches: Iterator[Any]) -> Iterator[tuple[int, bytes]]:
    import polars  # noqa: F401  # so that ids are hashed alike in all workers

    one_thread()
    form, several = reading.form, len(reading.parts) > 1 or reading.whole is not None
    named = len({part.file for part in reading.parts.values()}) > 1
    for key, chunks in groupby(_chunks(batches), key=itemgetter(0)):
        part = reading.part(key)
        findings = Findings()
        notes = SparkNotes(part.number, findings)
        lines = io.BufferedReader(_Lines(part.head, (data for _, data in chunks)), 1 << 18)
        with ExitStack() as stack:
            name, stream = Path(part.file), cast("io.BufferedReader", lines)
            request = Request(name, stream, reading.shapes, findings, reading.limits, stack, form)

            def tables(
                request: Request = request, part: SparkPart = part, notes: SparkNotes = notes
            ) -> Iterator[Table]:
                head = request.stream.peek(HEAD)
                if head.startswith((GZIP, ZSTD)):
                    hint = "Spark unpacks files that end in .gz or .zst"
                    problem = Problem("S107", "this is compressed data, not text", help=hint)
                    raise Unreadable(problem)
                if not part.head:
                    refuse(head[:HEAD], False)
                format = format_of(request.path, reading.format, form=form)
                if several and form.cells:
                    inner = formats().get(reading.format).reader
                    assert inner is not None
                    records = _Records(inner, request, key_table)
                    yield from text_tables(records, request)
                    notes.records = records.records
                elif len(reading.parts) > 1 and format.name == "trec":
                    reader = _Part(request)
                    yield from text_tables(reader, request)
                    notes.tags = reader.seen.below(part.before)
                else:
                    yield from format.tables(request)

            yield from packed(_NoteTaker(part, notes, named).each(tables()), reading.buckets)
        yield NOTES, pickle.dumps(notes)


def _chunks(batches: Iterator[Any]) -> Iterator[tuple[int, bytes]]:
    """The lines of each batch as bytes, with the part that they are of."""
    import pyarrow as pa
    import pyarrow.compute as pc

    for batch in batches:
        if not batch.num_rows:
            continue
        parts = batch.column("part").to_numpy(zero_copy_only=False)
        values = batch.column("value")
        edges = [0, *(np.flatnonzero(parts[1:] != parts[:-1]) + 1).tolist(), len(parts)]
        for first, last in pairwise(edges):
            lines = values.slice(first, last - first)
            lists = pa.ListArray.from_arrays(pa.array([0, len(lines)], pa.int32()), lines)
            data: bytes = pc.binary_join(lists, b"\n")[0].as_py()
            yield int(parts[first]), data + b"\n"


class _Lines(io.RawIOBase):
    """Chunks of bytes as a stream."""

    def __init__(self, head: bytes, chunks: Iterator[bytes]) -> None:
        self._chunks, self._left = chunks, memoryview(head)

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        while not self._left:
            chunk = next(self._chunks, None)
            if chunk is None:
                return 0
            self._left = memoryview(chunk)
        size = min(len(buffer), len(self._left))
        buffer[:size] = self._left[:size]
        self._left = self._left[size:]
        return size


def _from_frame(reading: Reading, batches: Iterator[Any]) -> Iterator[tuple[int, bytes]]:
    findings = Findings()
    notes = dict[int, SparkNotes]()
    [shape] = reading.shapes

    def tables() -> Iterator[Table]:
        for whole in _frames(batches):
            for frame in whole.partition_by("part") if "part" in whole.columns else [whole]:
                if frame is not whole:
                    part = _part(reading, frame)
                else:
                    [part] = [reading.whole] if reading.whole else reading.parts.values()
                if part.number not in notes:
                    notes[part.number] = SparkNotes(part.number, Findings())
                part_notes = notes[part.number]
                empty = list[tuple[str, int]]()
                if EMPTY in frame.columns:
                    empty, frame = _without_empty(frame, reading.roles.index("list"))
                line = frame["line"].to_numpy() + part.before
                columns = frame.drop("part", "line", strict=False)
                if (problem := _too_long(columns, line, reading.limits.line)) is not None:
                    part_notes.findings.add(problem)
                    return
                builder = Builder(shape, reading.roles, part_notes.findings)
                builder.facts.update(reading.facts)
                if EMPTY in reading.facts:
                    builder.facts[EMPTY] = empty
                table = table_of(columns, builder, line)
                part_notes.rows += len(table)
                yield table

    yield from packed(tables(), reading.buckets)
    for each in notes.values():
        each.findings.extend(findings)
        each.shape, each.facts, each.roles = shape, reading.facts, reading.roles
        each.whole = not any(problem.code == "S109" for problem in each.findings)
        yield NOTES, pickle.dumps(each)


def _without_empty(
    frame: pl.DataFrame, list_column: int
) -> tuple[list[tuple[str, int]], pl.DataFrame]:
    """The lists without items, each with its line, and the rows of all others."""
    empty, rows = frame.filter(frame[EMPTY]), frame.filter(~frame[EMPTY]).drop(EMPTY)
    names = as_ids(empty.to_series(list_column)).fill_null("")
    return list(zip(names.to_list(), empty["line"].to_list(), strict=True)), rows


def _frames(batches: Iterator[Any]) -> Iterator[pl.DataFrame]:
    """Batches as frames of more rows, since each is looked at for some milliseconds."""
    import polars as pl
    import pyarrow as pa

    waiting, rows, size = list[Any](), 0, 0

    def frame() -> pl.DataFrame:
        joined = pl.from_arrow(pa.Table.from_batches(waiting))
        assert isinstance(joined, pl.DataFrame)
        waiting.clear()
        return joined

    for batch in batches:
        waiting.append(batch)
        rows, size = rows + batch.num_rows, size + batch.nbytes
        if rows >= ROWS or size >= SENT:
            yield frame()
            rows = size = 0
    if waiting:
        yield frame()


def _part(reading: Reading, frame: pl.DataFrame) -> SparkPart:
    """The part of the rows, which all have the same."""
    return reading.parts[int(frame["part"][0])]


def _too_long(frame: Any, line: Any, most: int) -> Problem | None:
    """The problem of a text that is longer than is accepted; None where there is none."""
    import polars as pl

    for column in frame.iter_columns():
        if column.dtype == pl.String:
            size = column.str.len_bytes().fill_null(0).to_numpy()
            if size.size and size.max() > most:
                message = f"the {column.name!r} is longer than {most:,} bytes"
                return Problem("S109", message, line=int(line[int(size.argmax())]))
    return None


def notes_of(data: Sequence[bytes]) -> list[SparkNotes]:
    """The notes that came back from the workers, in the order of the parts."""
    notes: list[SparkNotes] = [pickle.loads(each) for each in data]
    return sorted(notes, key=lambda each: each.number)
