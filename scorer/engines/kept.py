"""The rows of a file in which lists are scattered, kept in few bytes each, to be gathered by lists.

Of an id a row keeps the hash.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from scorer.core.arrays import Floats, Ints, small, starts
from scorer.core.problems import Problem
from scorer.engines.ids import GatheredColumn, HeldIds, IdsByPlace
from scorer.io.limits import Unreadable, limit
from scorer.io.pieces import SCATTERED
from scorer.io.table import CodedColumn, Hashes, Schema, Table, series_of
from scorer.scoring.lists import Plan
from scorer.views.ranked import look_up

if TYPE_CHECKING:
    import polars as pl

SCALE = 1e6  # numbers of no more decimals are kept as whole ones
EXCEPTIONS = 2 / 7  # of the rows: of more lines that do not follow, each is kept
TABLES = 64  # in which lists that the challenge lacks are looked up
TOGETHER = 1 << 16  # rows that are put in order together: a place among them takes two bytes


class Narrow:
    """Whole numbers from 0 on, in as few bytes each as the largest takes."""

    def __init__(self, numbers: NDArray[np.integer[Any]]) -> None:
        width = -(-max(int(numbers.max(initial=0)).bit_length(), 1) // 8)
        if width in (1, 2, 4, 8):
            self._held: NDArray[Any] = numbers.astype(f"<u{width}")
        else:
            octets = numbers.astype("<u8").view(np.uint8).reshape(-1, 8)
            self._held = octets[:, :width].copy()

    def at(self, rows: slice | Ints) -> Ints:
        """Some of them."""
        part = self._held[rows]
        if part.ndim == 1:
            return part.astype(np.int64)
        wide = np.zeros((len(part), 8), dtype=np.uint8)
        wide[:, : part.shape[1]] = part
        return wide.view("<i8").reshape(-1)


class Ascending:
    """Numbers that ascend, or their differences where these take fewer bytes."""

    def __init__(self, numbers: Ints) -> None:
        whole, steps = small(numbers), small(np.diff(numbers, prepend=numbers[:1]))
        self._steps = steps.itemsize < whole.itemsize
        self._first, self._held = int(numbers[0]), steps if self._steps else whole
        self._bounds, self._heads = np.empty(0, dtype=np.int64), np.empty(0, dtype=np.int64)

    def whole(self) -> NDArray[Any]:
        """All of them."""
        return np.cumsum(self._held, dtype=np.int64) + self._first if self._steps else self._held

    def divide(self, edges: Sequence[int]) -> NDArray[np.int64]:
        """Where the numbers below each of these end; kept for `between`."""
        every = self.whole()
        self._bounds = np.searchsorted(every, edges)
        self._heads = every[np.minimum(self._bounds, every.size - 1)].astype(np.int64)
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
    """The lines of consecutive rows: most begin on the line after the row before, or on its."""

    def __init__(self, line: Ints) -> None:
        self._first, self._step = int(line[0]), 1
        self._held: Narrow | None = None
        steps = np.diff(line)
        for step in (1, 0):
            (odd,) = np.nonzero(steps != step)
            if odd.size <= EXCEPTIONS * line.size:
                self._step = step
                beyond = np.append(0, np.cumsum(steps[odd] - step))
                self._odd, self._beyond = odd.astype(np.uint32), small(beyond)
                return
        self._held = Narrow(line - self._first)

    def at(self, rows: Ints) -> Ints:
        """The lines of some rows."""
        if self._held is not None:
            return self._held.at(rows) + self._first
        lines = rows * self._step + self._first
        if self._odd.size:
            beyond = self._beyond[np.searchsorted(self._odd, rows.astype(np.uint32))]
            lines += beyond.astype(np.int64)
        return lines


class _Piece(NamedTuple):
    """Some consecutive rows of the file, by their lists."""

    start: int  # the place of its first row in the file
    lists: Ascending
    places: NDArray[np.uint16]  # in the piece
    ids: Mapping[str, Hashes]
    numbers: Mapping[str, Short]
    lines: LineNumbers  # of the rows as they stand in the piece


class Kept:
    """All rows of a file in which lists are scattered: hashes of ids, places, and numbers.

    Args:
        plan: the challenge.
        most: rows of gathered lists that are scored together.
    """

    def __init__(self, plan: Plan, most: int) -> None:
        self.schema: Schema | None = None
        self.rows = 0
        self._lists, self._known = list(plan.public.lists), plan.known.lists
        self._others, self._names = _Unknown(), list[Any]()  # Series
        self._plan, self._most = plan, most
        self._pieces = list[_Piece]()
        self._facts: dict[str, Any] = {}
        self._empty = list[Any]()  # lists that are named without an item
        self.ids = HeldIds()  # of the columns with hashes

    def add(self, table: Table) -> None:
        """Keep the rows of a piece, by their lists."""
        self.schema = table.wanted
        self._empty += table.facts.get("empty", ())
        self._facts = self._facts or {k: v for k, v in table.facts.items() if k != "empty"}
        if not len(table):
            return
        lists = table.ids["list"]
        number = self._known.places(lists)
        if (lost := np.flatnonzero(number < 0)).size:
            before = self._others.size
            numbers = self._others.numbers(lists.hashes[lost])
            number[lost] = len(self._lists) + numbers
            new = lost[numbers >= before][np.argsort(numbers[numbers >= before])]
            self._names.append(series_of(lists.held).gather(new))
        in_list = small(number[lists.codes])
        columns = {role: ids for role, ids in table.ids.items() if role in SCATTERED}
        hashes = {role: ids.row_hashes for role, ids in columns.items()}
        self.ids.add(columns)
        for start in range(0, in_list.size, TOGETHER):
            rows = slice(start, start + TOGETHER)
            by = np.argsort(in_list[rows], kind="stable")
            piece = _Piece(
                self.rows + start,
                Ascending(in_list[rows][by].astype(np.int64)),
                by.astype(np.uint16),
                {role: each[rows][by] for role, each in hashes.items()},
                {role: Short(each[rows]).ordered(by) for role, each in table.numbers.items()},
                LineNumbers(table.line[rows]),
            )
            self._pieces.append(piece)
        self.rows += in_list.size

    @cached_property
    def _edges(self) -> list[int]:
        """Between the lists that are scored together."""
        lists = len(self._lists) + self._others.size
        self._others.forget()  # all lists have their numbers
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

    @property
    def blocks(self) -> int:
        """How many blocks of lists there are."""
        return len(self._edges) - 1

    @property
    def roles(self) -> tuple[str, ...]:
        """The columns of which only hashes are kept."""
        return tuple(self._pieces[0].ids) if self._pieces else ()

    def tables(self) -> Iterator[Table]:
        """Yield the rows again, in tables of whole lists, where the ids are kept."""
        columns = self.ids.columns()
        for n in range(self.blocks):
            yield self.block(n, columns)[0]

    def block(self, n: int, texts: Mapping[str, IdsByPlace]) -> tuple[Table, Ints]:
        """Some whole lists, and the places of their rows in the file.

        Args:
            n: which, from 0.
            texts: the ids of each column with hashes.
        """
        assert self.schema is not None
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
        first = parts[0][0]
        ids = {
            role: GatheredColumn(
                np.concatenate([piece.ids[role][part] for piece, part in parts])[by],
                places,
                texts[role],
            )
            for role in first.ids
        }
        numbers = {
            role: np.concatenate([piece.numbers[role].at(part) for piece, part in parts])[by]
            for role in first.numbers
        }
        column = {"list": CodedColumn(codes, self._named(lists))}
        facts = self._facts | {"empty": tuple(self._empty if not n else ())}
        return Table(column | ids, numbers, line, self.schema, facts), places

    @cached_property
    def _unknown_names(self) -> pl.Series:
        import polars as pl

        names: pl.Series = pl.concat(self._names)
        return names

    def _named(self, lists: Ints) -> pl.Series:
        """What lists are called, given their numbers, ascending."""
        import polars as pl

        known = int(np.searchsorted(lists, len(self._lists)))
        names = series_of([self._lists[number] for number in lists[:known].tolist()])
        if known == lists.size:
            return names
        others: pl.Series = self._unknown_names.gather(lists[known:] - len(self._lists))
        return others if not known else pl.concat([names, others])


class _Unknown:
    """Numbers for the lists that the challenge does not have, by their hashes."""

    def __init__(self) -> None:
        self.size = 0
        # by the last bits of a hash, so that a new list makes no copy of all; the hashes ascend
        none = np.empty(0, dtype=np.uint64), np.empty(0, dtype=np.int32)
        self._tables = [none] * TABLES

    def numbers(self, hashes: Hashes) -> Ints:
        """The numbers of some different lists; new ones get the next numbers, in their order."""
        table = (hashes % np.uint64(TABLES)).astype(np.uint8)
        by = np.argsort(table, kind="stable")
        rows = np.split(by, np.searchsorted(table[by], np.arange(1, TABLES)))
        numbers = np.full(hashes.size, -1, dtype=np.int64)
        for own, (known, number) in zip(rows, self._tables, strict=True):
            numbers[own] = look_up(known, number, hashes[own])
        (new,) = np.nonzero(numbers < 0)
        numbers[new] = np.arange(self.size, self.size + new.size)
        for n, own in enumerate(rows):
            if (added := own[numbers[own] >= self.size]).size:
                added = added[np.argsort(hashes[added])]
                known, number = self._tables[n]
                at = np.searchsorted(known, hashes[added])
                self._tables[n] = (
                    np.insert(known, at, hashes[added]),
                    np.insert(number, at, numbers[added]),
                )
        self.size += new.size
        return numbers

    def forget(self) -> None:
        """Keep no more than how many there are."""
        self._tables = []


def refuse_longer(plan: Plan, rows: int) -> None:
    """End the reading of a file with a list of more rows than are accepted.

    Raises:
        Unreadable: it has more.
    """
    most = plan.limits.list
    if rows > most:
        message = f"more than {most:,} rows in one {plan.public.word('list')}"
        raise Unreadable(Problem("S104", message, help=limit("list")))
