"""The rows of a file in which lists are scattered, kept to be gathered by lists.

As long as they are few they stay in memory; more are put aside on disk. So are those of lists that
the challenge lacks: there may be as many lists as rows, and what is to be known of each would take
more than a row does.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from scorer.core.arrays import Floats, Ints, small, starts
from scorer.core.problems import Problem
from scorer.io.limits import Unreadable, limit
from scorer.io.spill import Spill
from scorer.io.table import CodedColumn, Hashes, Schema, Table, TextColumn, series_of, text_of
from scorer.scoring.lists import Plan

if TYPE_CHECKING:
    import polars as pl

MOST = 64 << 20  # bytes of rows that are kept in memory
VIEW = 16  # bytes that polars takes for a text beside its own
NUMBER = 8  # bytes of a number, and of the hash of an id
SCALE = 1e6  # numbers of no more decimals are kept as whole ones
HEAD = 64  # rows of which the line of the first is kept whole
TOGETHER = 1 << 16  # rows that are put in order together: a place among them takes two bytes


class Ascending:
    """Numbers that ascend, or their differences where these take fewer bytes."""

    def __init__(self, numbers: Ints) -> None:
        whole, steps = small(numbers), small(np.diff(numbers, prepend=numbers[:1]))
        self._steps = steps.itemsize < whole.itemsize
        self._first = int(numbers[0]) if numbers.size else 0
        self._held = steps if self._steps else whole
        self._bounds, self._heads = np.empty(0, dtype=np.int64), np.empty(0, dtype=np.int64)

    def whole(self) -> NDArray[Any]:
        """All of them."""
        return np.cumsum(self._held, dtype=np.int64) + self._first if self._steps else self._held

    def divide(self, edges: Sequence[int]) -> NDArray[np.int64]:
        """Where the numbers below each of these end; kept for `between`."""
        every = self.whole()
        self._bounds = np.searchsorted(every, edges)
        self._heads = np.append(every, 0)[self._bounds].astype(np.int64)
        return self._bounds

    def between(self, n: int) -> Ints:
        """The numbers from edge `n` to the next."""
        part = self._held[self._bounds[n] : self._bounds[n + 1]].astype(np.int64)
        if not self._steps or not part.size:
            return part
        part[0] = self._heads[n]
        return np.cumsum(part)


class Short:
    """Numbers in as few bytes as none of them loses anything in."""

    def __init__(self, values: Floats) -> None:
        self._scale: float | None = None
        self._held: NDArray[Any] = values
        for scale in (1.0, None, SCALE):
            if _short(values[:1], scale) is None:  # mostly told by the first
                continue
            if (held := _short(values, scale)) is not None:
                self._scale, self._held = scale, held
                return

    def ordered(self, by: Ints) -> Short:
        """In another order."""
        self._held = self._held[by]
        return self

    def at(self, rows: slice) -> Floats:
        """Some of them."""
        values = self._held[rows].astype(np.float64)
        return values if self._scale is None else values / self._scale

    @property
    def itemsize(self) -> int:
        """Bytes of one."""
        return int(self._held.itemsize)


def _short(values: Floats, scale: float | None) -> NDArray[Any] | None:
    """The numbers in fewer bytes, where these give them back.

    Args:
        values: the numbers.
        scale: what they are multiplied by to be whole ones of few bytes; None: in 32 bits.
    """
    with np.errstate(over="ignore"):
        if scale is None:
            short = values.astype(np.float32)
            return short if np.array_equal(short, values, equal_nan=True) else None
        whole = np.rint(values * scale)
    fits = (np.abs(whole) < 2**31).all() and (whole / scale == values).all()
    if not fits or np.signbit(values[values == 0]).any():
        return None
    return small(whole.astype(np.int32))


class LineNumbers:
    """The lines of consecutive rows: most begin on the line after that of the row before."""

    def __init__(self, line: Ints) -> None:
        self._first = int(line[0])
        beyond = line - np.arange(line.size) - self._first
        self._heads = small(beyond[::HEAD])
        steps = beyond - np.repeat(beyond[::HEAD], HEAD)[: line.size]
        self._steps = small(steps) if steps.any() else None

    def at(self, rows: Ints) -> Ints:
        """The lines of some rows."""
        lines: Ints = self._heads[rows // HEAD].astype(np.int64)
        lines += rows + self._first
        if self._steps is not None:
            lines += self._steps[rows].astype(np.int64)
        return lines


class _Piece(NamedTuple):
    """Some consecutive rows of the file, by their lists."""

    start: int  # the place of its first row in the file
    lists: Ascending
    places: NDArray[np.uint16]  # in the piece
    ids: Mapping[str, Hashes]
    numbers: Mapping[str, Short]
    lines: LineNumbers  # of the rows as they stand in the piece


class GatheredColumn(TextColumn):
    """Some rows of a column, in another order; ids are gathered when they are asked for."""

    def __init__(self, hashes: Hashes, places: Ints, texts: pl.Series, usual: bool) -> None:
        vars(self)["row_hashes"] = hashes
        self._places, self._texts, self.usual = places, texts, usual

    @cached_property
    def series(self) -> pl.Series:  # type: ignore[override]
        """The text of each row."""
        return self._texts.gather(self._places)

    def text(self, row: int) -> str:
        """The id of one row."""
        return str(self._texts[int(self._places[row])])

    def gathered(self, rows: NDArray[np.integer[Any]]) -> pl.Series:
        """The ids of some rows."""
        return self._texts.gather(self._places[rows])

    def where(self, rows: Ints) -> CodedColumn:
        """The column of some rows alone."""
        hashes, places = self.row_hashes[rows], self._places[rows]
        return GatheredColumn(hashes, places, self._texts, self.usual)


class Kept:
    """All rows of a file in which lists are scattered.

    Args:
        plan: the challenge.
        most: rows of gathered lists that are scored together.
        aside: where rows are put aside.
    """

    def __init__(self, plan: Plan, most: int, aside: Spill) -> None:
        self._lists, self._known = list(plan.public.lists), plan.known.lists
        self._plan, self._most, self._aside = plan, most, aside
        self._all_aside = False
        self._schema: Schema | None = None
        self._rows = self._size = 0  # of the file, and in bytes
        self._pieces = list[_Piece]()
        self._texts: dict[str, list[pl.Series]] = {}  # of each column of ids but the lists'
        self._usual = dict[str, bool]()  # of each of these, as of `CodedColumn`
        self._facts: dict[str, Any] = {}
        self._empty = list[Any]()  # lists that are named without an item

    def add(self, table: Table) -> None:
        """Keep the rows of a piece, by their lists.

        Raises:
            Unreadable: there is no room on disk.
        """
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
        for start in range(0, in_list.size, TOGETHER):
            rows = slice(start, start + TOGETHER)
            by = np.argsort(in_list[rows], kind="stable")
            if lacks:
                by = by[: np.count_nonzero(in_list[rows] < len(self._lists))]
            piece = _Piece(
                self._rows + start,
                Ascending(in_list[rows][by].astype(np.int64)),
                by.astype(np.uint16),
                {role: each[rows][by] for role, each in hashes.items()},
                {role: Short(each[rows]).ordered(by) for role, each in table.numbers.items()},
                LineNumbers(table.line[rows]),
            )
            self._pieces.append(piece)
        self._rows += in_list.size
        if self._size > MOST:
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
            numbers = piece.lists.whole()
            runs = np.flatnonzero(starts(numbers))
            sizes[numbers[runs]] += np.diff(runs, append=numbers.size)
        refuse_longer(self._plan, int(sizes.max(initial=0)))
        ends, edges = np.cumsum(sizes), [0]
        while (first := edges[-1]) < lists:
            upto = ends[first] - sizes[first] + self._most
            edges.append(max(first + 1, int(np.searchsorted(ends, upto, side="right"))))
        return edges

    @cached_property
    def _bounds(self) -> list[list[int]]:
        """Where the lists between two edges lie in each piece."""
        return [piece.lists.divide(self._edges).tolist() for piece in self._pieces]

    def tables(self) -> Iterator[Table]:
        """Yield the rows that are not put aside, in tables of whole lists."""
        import polars as pl

        if not self._pieces:
            return
        texts = {role: pl.concat(parts) for role, parts in self._texts.items()}
        for n in range(len(self._edges) - 1):
            yield self._block(n, texts)

    def _block(self, n: int, texts: Mapping[str, pl.Series]) -> Table:
        """Some whole lists.

        Args:
            n: which, from 0.
            texts: the ids of all rows of the file.
        """
        assert self._schema is not None
        cuts = [slice(at[n], at[n + 1]) for at in self._bounds]
        parts = [
            each for each in zip(self._pieces, cuts, strict=True) if each[1].start < each[1].stop
        ]
        parts = parts or [(self._pieces[0], cuts[0])]  # lists without rows
        rows = [piece.places[part].astype(np.int64) for piece, part in parts]
        in_list = np.concatenate([piece.lists.between(n) for piece, _ in parts])
        by = np.argsort(small(in_list - self._edges[n]), kind="stable")
        in_list = in_list[by]
        places = np.concatenate([at + p.start for at, (p, _) in zip(rows, parts, strict=True)])[by]
        line = np.concatenate([p.lines.at(at) for at, (p, _) in zip(rows, parts, strict=True)])[by]
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
            role: np.concatenate([piece.numbers[role].at(part) for piece, part in parts])[by]
            for role in parts[0][0].numbers
        }
        names = series_of([self._lists[number] for number in lists.tolist()])
        column = {"list": CodedColumn(codes, names)}
        facts = self._facts | {"empty": tuple(self._empty if not n else ())}
        return Table(column | ids, numbers, line, self._schema, facts)


def refuse_longer(plan: Plan, rows: int) -> None:
    """End the reading of a file with a list of more rows than are accepted.

    Raises:
        Unreadable: it has more.
    """
    most = plan.limits.list
    if rows > most:
        message = f"more than {most:,} rows in one {plan.public.word('list')}"
        raise Unreadable(Problem("S104", message, help=limit("list")))
