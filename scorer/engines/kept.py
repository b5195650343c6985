"""The rows of a file in which lists are scattered, kept to be gathered by lists.

As long as they are few they stay in memory; more are put aside on disk. So are those of lists that
the challenge lacks: there may be as many lists as rows, and what is to be known of each would take
more than a row does.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from scorer.core.arrays import Floats, Ints, small, starts
from scorer.scoring.lists import Plan
from scorer.tables.columns import (
    CodedColumn,
    Hashes,
    Rows,
    TextColumn,
    gathered,
    series_of,
    text_of,
)
from scorer.tables.spill import Spill
from scorer.tables.table import Schema, Table

if TYPE_CHECKING:
    import polars as pl

MEMORY = 64 << 20  # bytes of rows that are kept there
VIEW = 16  # bytes that polars takes for a text beside its own
NUMBER = 8  # bytes of a number, and of the hash of an id
ROWS_TOGETHER = 1 << 16  # rows that are put in order together: they stay in the cache


class _Piece(NamedTuple):
    """Some consecutive rows of the file, by their lists."""

    lists: Ints  # in as few bytes as they need
    places: NDArray[np.int32]  # in the file
    lines: NDArray[np.int32]
    ids: Mapping[str, Hashes]
    numbers: Mapping[str, Floats]


class GatheredColumn(TextColumn):
    """Some rows of a column, in another order; ids are gathered when they are asked for."""

    def __init__(self, hashes: Hashes, places: Ints, texts: pl.Series, usual: bool) -> None:
        vars(self)["row_hashes"] = hashes
        self._places, self._texts, self.usual = places, texts, usual

    @cached_property
    def series(self) -> pl.Series:  # type: ignore[override]
        """The text of each row."""
        return gathered(self._texts, self._places)

    def text(self, row: int) -> str:
        """The id of one row."""
        return str(self._texts[int(self._places[row])])

    def gathered(self, rows: NDArray[np.integer[Any]]) -> pl.Series:
        """The ids of some rows."""
        return gathered(self._texts, self._places[rows])

    def where(self, rows: Rows) -> CodedColumn:
        """The column of some rows alone."""
        hashes, places = self.row_hashes[rows], self._places[rows]
        return GatheredColumn(hashes, places, self._texts, self.usual)


class GroupedRows:
    """All rows of a file in which lists are scattered."""

    def __init__(self, plan: Plan, most: int, aside: Spill) -> None:
        self._lists, self._known = list(plan.public.lists), plan.known.lists
        self._most, self._aside = most, aside
        self._all_aside = False
        self._schema: Schema | None = None
        self._rows = self._size = 0  # of the file, and in bytes
        self._pieces = list[_Piece]()
        self._texts: dict[str, list[pl.Series]] = {}  # of each column of ids but the lists'
        self._usual = dict[str, bool]()  # of each of these, as of `CodedColumn`
        self._facts: dict[str, Any] = {}
        self._empty = list[Any]()  # lists that are named without an item

    def add(self, table: Table) -> None:
        """Keep the rows of a piece, by their lists; `Unreadable` if there is no room on disk."""
        if self._all_aside:
            self._aside.add(table)
            return
        self._schema = table.wanted
        self._empty += table.facts.get("empty", ())
        self._facts = self._facts or {k: v for k, v in table.facts.items() if k != "empty"}
        if not len(table):
            return
        lists = table.ids["list"]
        number = self._known.places(lists)
        lacks = bool((number < 0).any())
        in_list = small(np.where(number < 0, len(self._lists), number)[lists.codes])
        if lacks:
            others = table.where(np.flatnonzero(in_list == len(self._lists)))
            self._aside.add(replace(others, facts=self._facts))
        hashes = self._held(table)
        for start in range(0, in_list.size, ROWS_TOGETHER):
            rows = slice(start, start + ROWS_TOGETHER)
            by = np.argsort(in_list[rows], kind="stable")
            if lacks:
                by = by[: np.count_nonzero(in_list[rows] < len(self._lists))]
            by += start
            piece = _Piece(
                in_list[by],
                (by + self._rows).astype(np.int32),
                table.line[by].astype(np.int32),  # a file has fewer than 2**31 lines
                {role: each[by] for role, each in hashes.items()},
                {role: each[by] for role, each in table.numbers.items()},
            )
            self._pieces.append(piece)
        self._rows += in_list.size
        if self._size > MEMORY:
            self._put_aside()

    def _held(self, table: Table) -> dict[str, Hashes]:
        """Hold the ids of a piece but its lists; their hashes."""
        columns = {role: ids for role, ids in table.ids.items() if role != "list"}
        for role, column in columns.items():
            texts = text_of(column)
            self._texts.setdefault(role, []).append(texts)
            self._usual[role] = self._usual.get(role, True) and column.usual
            self._size += VIEW * len(texts) + int(texts.estimated_size())
        self._size += NUMBER * len(table) * (len(columns) + len(table.numbers))
        return {role: column.row_hashes for role, column in columns.items()}

    def _put_aside(self) -> None:
        """Put all rows aside, and those to come."""
        for table in self.tables():
            self._aside.add(table)
        self._all_aside = True
        self._pieces.clear()
        self._texts.clear()

    @cached_property
    def _edges(self) -> list[int]:
        """Between the lists that are scored together."""
        lists = len(self._lists)
        sizes = np.zeros(lists, dtype=np.int64)
        for piece in self._pieces:
            runs = np.flatnonzero(starts(piece.lists))
            sizes[piece.lists[runs]] += np.diff(runs, append=piece.lists.size)
        ends, edges = np.cumsum(sizes), [0]
        while (first := edges[-1]) < lists:
            upto = ends[first] - sizes[first] + self._most
            edges.append(max(first + 1, int(np.searchsorted(ends, upto, side="right"))))
        return edges

    @cached_property
    def _bounds(self) -> list[list[int]]:
        """Where the lists between two edges lie in each piece."""
        return [np.searchsorted(piece.lists, self._edges).tolist() for piece in self._pieces]

    def tables(self) -> Iterator[Table]:
        """Yield the rows that are not put aside, in tables of whole lists."""
        import polars as pl

        if not self._pieces:
            return
        texts = {role: pl.concat(parts) for role, parts in self._texts.items()}
        for n in range(len(self._edges) - 1):
            yield self._block(n, texts)

    def _block(self, n: int, texts: Mapping[str, pl.Series]) -> Table:
        """The whole lists of block `n`, from 0."""
        assert self._schema is not None
        cuts = [slice(at[n], at[n + 1]) for at in self._bounds]
        parts = [
            each for each in zip(self._pieces, cuts, strict=True) if each[1].start < each[1].stop
        ]
        parts = parts or [(self._pieces[0], cuts[0])]  # lists without rows
        in_list = np.concatenate([piece.lists[part] for piece, part in parts])
        by = np.argsort(in_list, kind="stable")
        in_list = in_list[by]
        places = np.concatenate([piece.places[part] for piece, part in parts])[by]
        line = np.concatenate([piece.lines[part] for piece, part in parts])[by]
        first_rows = starts(in_list)
        lists, codes = in_list[first_rows], np.cumsum(first_rows) - 1
        ids = {
            role: GatheredColumn(
                np.concatenate([piece.ids[role][part] for piece, part in parts])[by],
                places,
                texts[role],
                usual,
            )
            for role, usual in self._usual.items()
        }
        numbers = {
            role: np.concatenate([piece.numbers[role][part] for piece, part in parts])[by]
            for role in parts[0][0].numbers
        }
        names = series_of([self._lists[number] for number in lists.tolist()])
        column = {"list": CodedColumn(codes, names)}
        facts = self._facts | {"empty": tuple(self._empty if not n else ())}
        return Table(column | ids, numbers, line.astype(np.int64), self._schema, facts)
