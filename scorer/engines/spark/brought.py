"""Small data frames: their rows come here, and one job has each scored whole by a worker.

Spark plans, compiles and runs each frame by itself, whatever its size. So that is done once: rows
are not counted before, and not shuffled after.
"""

from __future__ import annotations

import io
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import redirect_stdout
from typing import Any

from scorer.engines.spark import whole
from scorer.engines.spark.outcomes import SparkOutcomes, returned_each
from scorer.engines.spark.pack import Buckets
from scorer.engines.spark.reading import Reading, one_thread
from scorer.engines.spark.scoring import RESULT, Work, batches_merged, scored_bucket
from scorer.engines.spark.sources import SparkRows
from scorer.scoring.lists import merged

ONE = Buckets(1)
UNKNOWN = float("inf")
EXABYTE = 2.0**60  # what Spark says where it knows no size
AT_ONCE = 4  # frames that Spark is asked for
ESTIMATE = re.compile(r"sizeInBytes=([0-9.E+]+) ([KMGTPE]?i?B)")
UNITS = {unit: 1024**n for n, unit in enumerate(("B", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB"))}


def estimated_bytes(frame: Any) -> float:
    """How many bytes Spark takes the rows of a frame for, without reading it; else `UNKNOWN`."""
    plan = io.StringIO()
    try:
        with redirect_stdout(plan):
            frame.explain(mode="cost")
    except Exception:  # whatever is wrong with it is told where it is read
        return UNKNOWN
    found = ESTIMATE.search(plan.getvalue())  # the first is that of the result
    size = float(found[1]) * UNITS[found[2]] if found else UNKNOWN
    return size if size < EXABYTE else UNKNOWN


def tables_of(frames: Mapping[str, SparkRows]) -> dict[str, Any]:
    """The rows of small frames as Arrow has them.

    Left out are frames that cannot be read, and those of more than Spark took them for: there is
    another way for them.
    """
    with ThreadPoolExecutor(AT_ONCE) as pool:
        tables = [*pool.map(_table_of, frames.values())]
    return {
        name: table
        for name, table in zip(frames, tables, strict=True)
        if table is not None and table.nbytes <= whole.MOST_BYTES
    }


def _table_of(rows: SparkRows) -> Any:
    import pyarrow as pa

    try:
        table = rows.frame.toArrow()
    except Exception:
        return None
    if not rows.reading.roles:
        return table
    return table.append_column("line", pa.array(range(1, len(table) + 1), pa.int64()))


def returned_of(
    session: Any, work: Work, rows: Sequence[SparkRows], tables: Sequence[Any], most_errors: int
) -> list[SparkOutcomes]:
    """What comes back of each of these tables, by one job; raises as `collected`."""
    import pyarrow as pa

    if not tables:
        return []
    numbers = pa.array(range(len(tables)), pa.int64())
    contents = pa.array(map(_as_stream, tables), pa.binary())
    frame = session.createDataFrame(
        pa.Table.from_arrays([numbers, contents], ["number", "content"])
    )
    scorer = table_scorer(work, [each.reading for each in rows], most_errors)
    return returned_each(frame.mapInArrow(scorer, RESULT), len(tables))


def _as_stream(table: Any) -> bytes:
    import pyarrow as pa

    sink = io.BytesIO()
    with pa.ipc.new_stream(sink, table.schema) as stream:
        stream.write_table(table.combine_chunks())
    return sink.getvalue()


def table_scorer(
    work: Work, readings: Sequence[Reading], most_errors: int
) -> Callable[[Iterator[Any]], Iterator[Any]]:
    """What scores tables: from batches of `number` and `content` to `RESULT`."""

    def score(batches: Iterator[Any]) -> Iterator[Any]:
        one_thread()
        tables = (row for batch in batches for row in batch.to_pylist())
        return batches_merged(
            merged,
            most_errors,
            (
                part
                for table in tables
                for part in _parts_of(work, readings[table["number"]], table)
            ),
        )

    return score


def _parts_of(work: Work, reading: Reading, table: Mapping[str, Any]) -> Iterator[Any]:
    """What the rows of a table, and the notes of them, give: batches of `RESULT`."""
    import pyarrow as pa

    data_by_bucket = dict[int, list[bytes]]()
    with pa.ipc.open_stream(table["content"]) as stream:
        for batch in reading.reader(ONE)(iter(stream)):
            columns = (batch.column(n).to_pylist() for n in range(2))
            for bucket, data in zip(*columns, strict=True):
                data_by_bucket.setdefault(bucket, []).append(data)
    for bucket, packs in data_by_bucket.items():
        yield from scored_bucket(work, table["number"], bucket, packs).to_batches()
