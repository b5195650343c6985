"""Tables as bytes, cut by the buckets of their lists: what goes through a shuffle.

Rows go through Spark's shuffle some thousands at a time, as Arrow's bytes, so that it costs
little more than copying them. A bucket holds whole lists; the hash of a list's name says which
bucket it is in.
"""

from __future__ import annotations

import io
import pickle
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from scorer.core.arrays import Floats, Ints, small
from scorer.results.sums import BLOCKS, blocks_of, name_hashes
from scorer.tables.columns import CodedColumn, Hashes, TextColumn, text_of
from scorer.tables.runs import Apart, by_runs
from scorer.tables.table import TEXT, Schema, Table

if TYPE_CHECKING:
    import polars as pl

ROWS = 1_000_000  # of a part of a file that are cut together
BYTES = 64 * 1024**2  # of their texts
BUCKET_ROWS, BUCKET_BYTES = 250_000, 16 * 1024**2  # that are meant to be in one bucket
MOST_BUCKETS = 100_000
LINE = "line"

About = tuple[Schema, dict[str, Any]]  # the shape of rows, and what a format noticed


def buckets_for(rows: int, size: int = 0) -> int:
    """How many buckets rows are cut into, given how many there are, and their bytes."""
    return min(max(1, -(-rows // BUCKET_ROWS), -(-size // BUCKET_BYTES)), MOST_BUCKETS)


@dataclass(frozen=True)
class Buckets:
    """Which bucket each list is in: by the hash of its name, or with all lists of its block."""

    count: int = 0  # 0: as many as the rows ask for
    usual: int = 0  # unless rows ask for more than twice as many
    seed: int | None = None  # of the blocks; None: there are none

    def for_rows(self, rows: int, size: int = 0) -> Buckets:
        """With their number, given how many rows there are, and their bytes."""
        if self.count:
            return self
        needed = buckets_for(rows, size)
        count = self.usual if 0 < needed <= 2 * self.usual else needed
        return replace(self, count=count if self.seed is None else min(count, BLOCKS))

    def of(self, hashes: Hashes, names: pl.Series) -> Ints:
        """The bucket of each row, from the name of its list and the hash of that, both (rows,)."""
        if self.seed is None or not hashes.size:
            return (hashes % np.uint64(self.count)).astype(np.int64)
        starts = np.append(0, np.flatnonzero(hashes[1:] != hashes[:-1]) + 1)
        _, first, back = np.unique(hashes[starts], return_index=True, return_inverse=True)
        seeded = name_hashes(names.gather(starts[first]).to_list(), self.seed)
        block = blocks_of(seeded) % self.count
        return np.repeat(block[back], np.diff(np.append(starts, hashes.size)))

    def of_names(self, names: pl.Series) -> Ints:
        """The bucket of each list."""
        return self.of(TextColumn(names).row_hashes, names)


AS_ROWS_ASK = Buckets()


def packed(tables: Iterable[Table], buckets: Buckets) -> Iterator[tuple[int, bytes]]:
    """The rows of tables of one shape, and the lists without rows: buckets, each with bytes."""
    waiting = list[Table]()
    rows = size = 0
    for table in tables:
        waiting.append(table)
        rows += len(table)
        size += sum(int(text_of(column).estimated_size()) for column in table.ids.values())
        if rows >= ROWS or size >= BYTES:
            yield from _bucketed(waiting, buckets)
            waiting, rows, size = list[Table](), 0, 0
    if waiting:
        yield from _bucketed(waiting, buckets)


def _bucketed(tables: Sequence[Table], buckets: Buckets) -> Iterator[tuple[int, bytes]]:
    import polars as pl

    facts = {key: value for key, value in tables[0].facts.items() if key != "empty"}
    hashes = np.concatenate([table.ids["list"].row_hashes for table in tables])
    frame = pl.concat([_frame(table) for table in tables], rechunk=False)
    row_buckets = buckets.of(hashes, frame["list"])
    if row_buckets.size and (row_buckets[1:] < row_buckets[:-1]).any():
        order = np.argsort(small(row_buckets), kind="stable")
        frame, row_buckets = frame[order], row_buckets[order]
    empty = [entry for table in tables for entry in table.facts.get("empty", ())]
    empty_buckets = buckets.of_names(
        pl.Series([name for name, _ in empty], dtype=pl.String)
    ).tolist()
    edges = (
        np.flatnonzero(np.diff(row_buckets, prepend=-1, append=-1)).tolist()
        if row_buckets.size
        else []
    )
    parts = {int(row_buckets[first]): (first, last) for first, last in pairwise(edges)}
    for bucket in sorted({*parts, *empty_buckets}):
        named = [entry for entry, at in zip(empty, empty_buckets, strict=True) if at == bucket]
        first, last = parts.get(bucket, (0, 0))
        part_facts = {**facts, "empty": named} if "empty" in tables[0].facts else facts
        yield bucket, _serialized(frame[first:last], (tables[0].wanted, part_facts))


def _frame(table: Table) -> pl.DataFrame:
    import polars as pl

    columns: dict[str, Any] = {role: text_of(column) for role, column in table.ids.items()}
    return pl.DataFrame({**columns, **table.numbers, LINE: table.line.astype(np.int64)})


def _serialized(frame: pl.DataFrame, about: About) -> bytes:
    import polars as pl

    data = io.BytesIO()
    # views of text would bring all of the text along that other buckets have
    frame.write_ipc_stream(data, compat_level=pl.CompatLevel.oldest())
    return pickle.dumps((about, data.getvalue()), protocol=pickle.HIGHEST_PROTOCOL)


class Mixed(Exception):
    """The parts of a table have different columns."""


def unpacked(data: Iterable[bytes]) -> Table | None:
    """The table whose parts were packed, rows by their lines; `Mixed` if their columns differ."""
    import polars as pl

    frames, empty = list[pl.DataFrame](), list[tuple[str, int]]()
    about: About | None = None
    for part in data:
        part_about, rows = pickle.loads(part)
        frame = pl.read_ipc_stream(io.BytesIO(rows))
        if about is not None and (part_about[0], frames[0].columns) != (about[0], frame.columns):
            raise Mixed
        about = about or part_about
        empty += part_about[1].get("empty", ())
        frames.append(frame)
    if about is None:
        return None
    frames.sort(key=lambda frame: frame[LINE][0] if frame.height else -1)
    frame = pl.concat(frames, rechunk=True)
    if not frame[LINE].is_sorted():
        frame = frame.sort(LINE, maintain_order=True)
    shape, facts = about
    if "empty" in facts:
        facts = {**facts, "empty": sorted(empty, key=lambda each: each[1])}
    ids, numbers = dict[str, CodedColumn](), dict[str, Floats]()
    for column in frame.iter_columns():
        if column.name in TEXT:
            ids[column.name] = TextColumn(column)
        elif column.name != LINE:
            numbers[column.name] = column.to_numpy()
    return in_runs(Table(ids, numbers, _lines_of(frame), shape, facts))


def _lines_of(frame: pl.DataFrame) -> NDArray[np.int64]:
    return frame[LINE].to_numpy()


def in_runs(table: Table) -> Table:
    """The table with its lists numbered run by run, where the rows of each stand together."""
    if not len(table):
        return table
    try:
        return by_runs(table)
    except Apart:
        return replace(table)
