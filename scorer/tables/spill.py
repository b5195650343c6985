"""The rows of a file put aside in a temporary file, to be taken back by lists, some at a time.

For rows that take more memory than there is for each: with texts of their own, or many numbers.
The file has no name where the system allows it, so that nothing is left of it.
"""

from __future__ import annotations

import io
import tempfile
from collections.abc import Iterator
from functools import cached_property
from typing import IO, Any

import numpy as np

from scorer.bytes.files import SPOOLED
from scorer.bytes.limits import Unreadable
from scorer.core.problems import Problem
from scorer.tables.columns import TextColumn, one_by_one, text_of
from scorer.tables.table import Schema, Table

BITS = 6  # of a list's hash, by which the lists are parted: of a part all rows are held at once
LINE_COLUMN = "line"


class Spill:
    """The rows of tables, of which only the places in the temporary file are held."""

    def __init__(self) -> None:
        self._places = [list[tuple[int, int]]() for _ in range(1 << BITS)]  # where, and how long
        self._schema: Schema | None = None
        self._usual = dict[str, bool]()  # of each column of ids, as of `CodedColumn`
        self._facts = dict[str, Any]()
        self._empty = list[Any]()  # lists that are named without an item

    def close(self) -> None:
        """Give the file back."""
        if "_file" in vars(self):
            self._file.close()

    @cached_property
    def _file(self) -> IO[bytes]:  # made with the first rows
        return tempfile.TemporaryFile(prefix=SPOOLED, buffering=0)

    def add(self, table: Table) -> None:
        """Put the rows of a table aside; `Unreadable` if there is no room for a temporary file."""
        import polars as pl

        self._schema = table.wanted
        self._empty += table.facts.get("empty", ())
        self._facts = self._facts or {k: v for k, v in table.facts.items() if k != "empty"}
        part = (table.ids["list"].row_hashes >> np.uint64(64 - BITS)).astype(np.uint8)
        by = np.argsort(part, kind="stable")
        edges = np.searchsorted(part[by], np.arange((1 << BITS) + 1)).tolist()
        for role, column in table.ids.items():
            self._usual[role] = self._usual.get(role, True) and column.usual
        columns = {role: text_of(column) for role, column in table.ids.items()}
        columns |= {
            role: pl.Series(one_by_one(values), dtype=pl.Float64)
            for role, values in table.numbers.items()
        }
        line = pl.Series(one_by_one(table.line), dtype=pl.Int64)
        rows = pl.DataFrame({LINE_COLUMN: line, **columns})[one_by_one(by)]
        # of texts as polars has them each slice would have the bytes of all
        level = pl.CompatLevel.oldest()
        try:
            for n, places in enumerate(self._places):
                if edges[n] < edges[n + 1]:
                    some = io.BytesIO()
                    rows[edges[n] : edges[n + 1]].write_ipc_stream(some, compat_level=level)
                    places.append((self._file.tell(), some.tell()))
                    waiting = some.getbuffer()
                    while waiting:
                        waiting = waiting[self._file.write(waiting) :]
        except OSError as error:
            raise _refused(error) from None

    def tables(self) -> Iterator[Table]:
        """Yield the rows again, in tables of whole lists."""
        import polars as pl

        for places in self._places:
            if not places:
                continue
            assert self._schema is not None
            frames = list[pl.DataFrame]()
            for start, size in places:
                self._file.seek(start)
                frames.append(pl.read_ipc_stream(self._file.read(size)))
            rows = pl.concat(frames, rechunk=True)
            facts = self._facts | {"empty": tuple(self._empty)}
            self._empty = []
            yield Table(
                {role: TextColumn(rows[role], usual) for role, usual in self._usual.items()},
                {
                    role: rows[role].to_numpy()
                    for role in rows.columns
                    if role not in self._usual and role != LINE_COLUMN
                },
                rows[LINE_COLUMN].to_numpy(),
                self._schema,
                facts,
            )


def _refused(error: OSError) -> Unreadable:
    message = f"a temporary file cannot be filled ({error.strerror})"
    return Unreadable(Problem("S104", message, help="TMPDIR names its folder"))
