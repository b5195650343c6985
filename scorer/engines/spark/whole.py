"""Small files of this machine, each read and scored whole by one worker: many in one job."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Callable, Iterator, Sequence
from itertools import groupby
from pathlib import Path
from typing import Any

from scorer.bytes.limits import Unreadable
from scorer.bytes.opening import opened
from scorer.core.errors import PluginError
from scorer.core.problems import Findings
from scorer.engines.local import scored
from scorer.engines.spark.outcomes import collected
from scorer.engines.spark.reading import one_thread
from scorer.engines.spark.scoring import FAILED, PART, RESULT, Work, decoded, encoded, rows_of
from scorer.results.scorecard import Outcome

MOST_BYTES = 16 * 1024**2  # of a file that goes to a worker whole
TOGETHER = 4 * MOST_BYTES  # of the files of one job, which the driver holds


def jobs(paths: Sequence[Path]) -> Iterator[tuple[bool, list[Path]]]:
    """The files in their order: small ones together, each of the others alone; whether small."""
    for small, group in groupby(paths, is_small):
        together, size = list[Path](), 0
        for path in group:
            more = path.stat().st_size if small else TOGETHER
            if together and size + more > TOGETHER:
                yield small, together
                together, size = [], 0
            together.append(path)
            size += more
        yield small, together


def is_small(path: Path) -> bool:
    """Whether this is a file of this machine that goes to a worker whole."""
    try:
        return path.is_file() and path.stat().st_size <= MOST_BYTES
    except (OSError, ValueError):
        return False


def outcomes(session: Any, work: Work, paths: Sequence[Path], own: Any) -> list[Outcome]:
    """The outcome of each of these small files, in order, by one job of Spark.

    `own` are the challenge's files, as of `ReadLimits`. `PluginError` if a metric or Spark fails.
    """
    import pyarrow as pa

    found, rows = dict[int, Outcome](), list[tuple[int, str, bytes]]()
    for n, path in enumerate(paths):
        try:
            with os.fdopen(opened(path, own), "rb") as stream:
                rows.append((n, path.name, stream.read()))
        except Unreadable as error:
            found[n] = Outcome(Findings(str(path)), None, None)
            found[n].findings.add(error.problem)
    if rows:
        names = ["number", "name", "content"]
        types = pa.int64(), pa.string(), pa.binary()
        columns = map(pa.array, zip(*rows, strict=True), types)
        frame = session.createDataFrame(pa.Table.from_arrays([*columns], names))
        parts = collected(frame.mapInArrow(whole_scorer(work), RESULT))
        found |= {number: decoded(data_by_kind[PART][0]) for number, data_by_kind in parts.items()}
    for n, path in enumerate(paths):
        found[n].findings.show_as(str(path))
    return [found[n] for n in range(len(paths))]


def whole_scorer(work: Work) -> Callable[[Iterator[Any]], Iterator[Any]]:
    """What scores files: from batches of `number`, `name` and `content` to `RESULT`."""
    return lambda batches: (_in_worker(work, row) for batch in batches for row in batch.to_pylist())


def _in_worker(work: Work, row: dict[str, Any]) -> Any:
    one_thread()
    with tempfile.TemporaryDirectory(prefix="scorer-") as folder:
        path = Path(folder, row["name"])
        path.write_bytes(row["content"])
        try:
            part = PART, encoded(scored(work.open(), path))
        except PluginError as error:
            part = FAILED, str(error).encode()
    return rows_of([part], row["number"], batch=True)
