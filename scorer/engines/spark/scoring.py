"""What a Python worker does with the rows of a bucket: `score_lists`, and parts put together."""

from __future__ import annotations

import io
import pickle
import tempfile
import zlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from hashlib import sha256
from pathlib import Path
from typing import Any, Generic, Protocol, TypeVar

import numpy as np

from scorer.bytes.limits import Unreadable, limit, refuse_errors
from scorer.checks.base import CheckedLists
from scorer.core.errors import PluginError
from scorer.core.problems import Problem
from scorer.engines.spark.beside import modules_beside, use
from scorer.engines.spark.pack import Mixed, unpacked
from scorer.engines.spark.reading import NOTES
from scorer.scoring.lists import ListsResult, Plan, merged, score_lists
from scorer.tables.table import Table


class _Checking(Protocol):
    """A part of the result of a submission."""

    @property
    def checked(self) -> CheckedLists:
        """What the checks found in it."""
        ...


P = TypeVar("P", bound=_Checking)
RESULT = "number int, kind string, data binary"  # the number is that of a submission of the job
TOGETHER = 32  # parts that are merged at once: two by two, a list would be copied for each bucket
NOTE, PART, REFUSED, FAILED, MIXED = "notes", "part", "refused", "failed", "mixed"


@dataclass(frozen=True)
class Work:
    """A plan on its way to the workers, with the files of the challenge's own metrics."""

    plan: bytes
    plugins: Mapping[str, bytes]
    beside: Mapping[str, bytes]  # the modules that these may import
    key: str

    @classmethod
    def of(cls, plan: Plan) -> Work:
        """The work of a plan."""
        data = pickle.dumps(plan, protocol=pickle.HIGHEST_PROTOCOL)
        plugins = {str(path): path.read_bytes() for path in plan.plugins if path.is_file()}
        beside = modules_beside([path for path in plan.plugins if path.is_file()])
        return cls(data, plugins, beside, sha256(pickle.dumps((data, beside))).hexdigest())

    def open(self) -> Plan:
        """The plan; the last one is kept for the next bucket, with what it has worked out."""
        if self.key not in _opened:
            _opened.clear()
            if self.beside:
                use(self.beside)
            _opened[self.key] = _Plans(io.BytesIO(self.plan), self.plugins).load()
        return _opened[self.key]


_opened: dict[str, Plan] = {}  # in a worker, which Spark uses again and again


class _Plans(pickle.Unpickler):
    """Reads a plan whose metrics of its own are in files that came with it."""

    def __init__(self, file: io.BytesIO, plugins: Mapping[str, bytes]) -> None:
        super().__init__(file)
        self._plugins = plugins

    def find_class(self, module: str, name: str) -> Any:
        function = super().find_class(module, name)
        if (module, name) == ("scorer.metrics.base", "_plugged"):
            return partial(self._plugged, function)
        return function

    def _plugged(self, function: Callable[..., Any], path: str, name: str) -> Any:
        if path not in self._plugins:
            return function(path, name)
        with tempfile.TemporaryDirectory(prefix="scorer-") as folder:
            copy = Path(folder, Path(path).name)
            copy.write_bytes(self._plugins[path])
            return function(str(copy), name)


def bucket_scorer(work: Work) -> Callable[[Any, Any], Any]:
    """What scores the rows of a bucket, by the number of its submission and its own."""
    return lambda key, rows: scored_bucket(
        work, key[0].as_py(), key[1].as_py(), rows.column("data").to_pylist()
    )


def part_merger(most_errors: int) -> Callable[[Iterator[Any]], Iterator[Any]]:
    """What puts the parts together that a worker has made, so that few come to the driver."""
    return lambda batches: batches_merged(merged, most_errors, batches)


def encoded(thing: object) -> bytes:
    """A thing as bytes; a mask of a million lists that names some of them takes few."""
    return zlib.compress(pickle.dumps(thing, protocol=pickle.HIGHEST_PROTOCOL), 1)


def decoded(data: bytes) -> Any:
    """The thing that `encoded` made bytes of."""
    return pickle.loads(zlib.decompress(data))


def scored_bucket(work: Work, number: int, bucket: int, data: Sequence[bytes]) -> Any:
    """The rows of `RESULT` that a bucket gives, by its packed rows, or notes."""
    import polars  # noqa: F401  # so that ids are hashed alike in all workers

    if bucket == NOTES:
        return rows_of([(NOTE, each) for each in data], number)

    def part() -> ListsResult:
        table = unpacked(data)
        assert table is not None
        plan = work.open()
        refuse_longer(plan, table)
        return score_lists(plan, table)

    return part_or_why_not(part, number)


def part_or_why_not(part: Callable[[], object], number: int = 0) -> Any:
    """The row of `RESULT` that has the part of a bucket, or says why there is none."""
    try:
        row = PART, encoded(part())
    except Mixed:
        row = MIXED, b""
    except Unreadable as error:
        row = REFUSED, encoded(error.problem)
    except PluginError as error:
        row = FAILED, str(error).encode()
    return rows_of([row], number)


def refuse_longer(plan: Plan, table: Table) -> None:
    """Refuse, as `Unreadable`, a list of more rows than are accepted."""
    most = plan.limits.list
    if len(table) > most and int(np.bincount(table.ids["list"].codes).max()) > most:
        message = f"more than {most:,} rows in one {plan.public.word('list')}"
        raise Unreadable(Problem("S104", message, help=limit("list")))


class Merging(Generic[P]):
    """Parts as they come, put together in a number of steps that grows as their logarithm."""

    def __init__(self, together: Callable[[Sequence[P]], P]) -> None:
        self._together = together
        self._levels = list[list[P]]()  # each part is made of `TOGETHER` ones of the level below

    def add(self, part: P, level: int = 0) -> None:
        """Take one more part."""
        if level == len(self._levels):
            self._levels.append([])
        waiting = self._levels[level]
        waiting.append(part)
        if len(waiting) == TOGETHER:
            self._levels[level] = []
            self.add(self._together(waiting), level + 1)

    def whole(self) -> P | None:
        """All of them; None where there was none."""
        parts = [part for waiting in self._levels for part in waiting]
        return self._together(parts) if parts else None


def batches_merged(
    together: Callable[[Sequence[P]], P], most_errors: int, batches: Iterator[Any]
) -> Iterator[Any]:
    """Batches of `RESULT` with all parts of a submission as one."""
    merging = dict[int, Merging[P]]()
    for batch in batches:
        columns = (batch.column(n).to_pylist() for n in range(3))
        for number, kind, data in zip(*columns, strict=True):
            if kind == PART:
                merging.setdefault(number, Merging(together)).add(decoded(data))
            else:
                yield rows_of([(kind, data)], number, batch=True)
    for number, parts in merging.items():
        whole = parts.whole()
        assert whole is not None
        try:
            refuse_errors(whole.checked.errors, most_errors)
            row = PART, encoded(whole)
        except Unreadable as error:
            row = REFUSED, encoded(error.problem)
        yield rows_of([row], number, batch=True)


def rows_of(rows: list[tuple[str, bytes]], number: int = 0, batch: bool = False) -> Any:
    """Kinds, each with its bytes, as Arrow has them: a table, or a batch."""
    import pyarrow as pa

    kinds, data = zip(*rows, strict=True)
    numbers = pa.array([number] * len(rows), pa.int32())
    columns = [numbers, pa.array(kinds, pa.string()), pa.array(data, pa.binary())]
    make = pa.RecordBatch.from_arrays if batch else pa.Table.from_arrays
    return make(columns, ["number", "kind", "data"])
