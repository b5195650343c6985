"""Whole lists from the pieces of a file.

Where the rows of each list stand together, pieces are cut between lists. Where they do not, all
rows are kept, each in 26 to 28 bytes, and gathered list by list.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import chain, islice
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from scorer.checks.base import Submitted, checked, checks
from scorer.core.arrays import Ints
from scorer.core.problems import Problem
from scorer.io.formats.base import Format
from scorer.io.limits import Unreadable, limit, refuse_errors
from scorer.io.pieces import Pieces, joined, reread
from scorer.io.table import EXTRA, CodedColumn, IdTexts, Schema, Table, TextColumn
from scorer.kinds.grades import JUDGED
from scorer.scoring.lists import Begun, Part, Plan, begun, merged, score_lists
from scorer.views.ranked import Hashes, distinct, named, small

if TYPE_CHECKING:
    import polars as pl

GATHERED = 100_000  # rows of gathered lists that are scored together: they stay in the cache
HELD = 1_000_000  # rows of lists that are kept half scored, in some 75 bytes each
MOST_PARTS = 16  # that wait to be put together
CUT = frozenset({"grades", "ratings", "preferences"})  # kinds whose checks look at lists alone


class Apart(Exception):
    """The rows of a list do not stand together."""


def parts_together(plan: Plan, tables: Pieces) -> list[Part]:
    """The parts of a file in which the rows of each list stand together.

    Raises:
        Apart: they do not, in a file of several pieces.
    """
    some = list(islice(tables, 2))
    tables.tables = chain(some, tables.tables)
    if len(some) < 2 or plan.public.kind not in CUT:
        return _at_once(plan, tables)
    parts, seen = list[Part](), _Seen(plan)
    for block in _blocks(plan, tables):
        seen.add(block.ids["list"])
        parts = _bounded(plan, _added(parts, score_lists(plan, block)))
    return parts


def parts_apart(plan: Plan, tables: Pieces, path: Path, format: Format) -> list[Part]:
    """The parts of a file in which the rows of lists are scattered."""
    if not _needs_no_text(plan):
        return _at_once(plan, tables)
    kept, rows = _Kept(plan), list[Part]()
    for table in tables:
        if plan.checks:
            seen = Submitted(table, plan.public, plan.rules, plan.known)
            rows = _bounded(plan, _added(rows, Part(checked(seen, ("row",)))))
        kept.add(table)
    if not tables.whole or kept.schema is None:
        return rows
    texts = _Texts()
    waiting = list[Begun | None]()  # None: to be begun again, with the ids that are asked for
    wanted, held = [np.empty(0, dtype=np.uint32)], 0
    for n in range(kept.blocks):
        table = kept.block(n, texts)
        found = begun(plan, table, rows=False)
        missed, held = texts.missed(), held + len(table)
        waiting.append(None if missed.size or held > HELD else found)
        wanted += [each.astype(np.uint32) for each in (kept.places(n)[found.wanted], missed)]
        _refuse_more_ids(plan, sum(map(len, wanted)))
    places = distinct(np.concatenate(wanted)).astype(np.int64)
    wanted.clear()
    if places.size:
        texts.places = places
        texts.known = reread(path, format, kept.schema, plan.limits, places, "item")
    parts = list[Part]()
    for n, one in enumerate(waiting):
        found = one or begun(plan, kept.block(n, texts), rows=False)
        mine = kept.places(n)
        part = found.finished(lambda at, mine=mine: texts.at(mine[at]))  # type: ignore[misc]
        parts = _bounded(plan, _added(parts, part))
    part = merged(parts)
    return [part._replace(checked=part.checked.plus([row.checked for row in rows]))]


def _at_once(plan: Plan, tables: Pieces) -> list[Part]:
    """The one part of a file that is scored at once."""
    table = joined(tables)
    return [] if table is None else [score_lists(plan, table)]


def _needs_no_text(plan: Plan) -> bool:
    """Whether lists can be gathered by the hashes of their items alone."""
    own = all(origin.startswith("scorer.checks.") for origin in checks().origins.values())
    grades = plan.public.kind == "grades" and plan.public.candidates is None
    plain = not any(role.startswith(EXTRA) for shape in plan.shapes for role in shape.roles)
    return own and grades and plain and plan.views <= JUDGED


def _added(parts: list[Part], part: Part) -> list[Part]:
    """The parts and one more; many are put together, so that what they keep stays little."""
    parts.append(part)
    return [merged(parts)] if len(parts) >= MOST_PARTS else parts


def _bounded(plan: Plan, parts: list[Part]) -> list[Part]:
    """The parts, as long as they have no more errors than are accepted.

    Raises:
        Unreadable: they have more.
    """
    most = plan.limits.errors
    if sum(part.checked.errors for part in parts) > most:
        parts = [merged(parts)]  # an id is counted once
        refuse_errors(parts[0].checked.errors, most)
    return parts


def _blocks(plan: Plan, tables: Iterator[Table]) -> Iterator[Table]:
    """Tables of whole lists: those inside a piece, and together those that reach beyond one.

    Raises:
        Unreadable: a list has more rows than are accepted.
    """
    across = _Across(plan)
    for table in tables:
        if not len(table):
            yield table
            continue
        table = by_runs(table)
        codes = table.ids["list"].codes
        first, last = int(np.searchsorted(codes, 1)), int(np.searchsorted(codes, codes[-1]))
        goes_on = across.names(table.ids["list"].text(0))
        if goes_on:
            across.add(table, 0, first)
        across.close(unless=goes_on and not last)
        start = first if goes_on else 0
        if start < last:
            yield _rows(table, start, last)
        if last or not goes_on:
            across.add(table, last, len(table))
        if across.closed >= GATHERED:
            yield across.taken()
    across.close()
    if across.closed:
        yield across.taken()


class _Across:
    """The lists in which one piece ends and the next begins."""

    def __init__(self, plan: Plan) -> None:
        self._plan = plan
        self.closed = 0  # rows of lists that are whole
        self._whole = list[Table]()
        self._open = list[Table]()  # rows of one list

    def names(self, name: str) -> bool:
        """Whether that is the list that may go on."""
        return bool(self._open) and self._open[0].ids["list"].text(0) == name

    def add(self, table: Table, start: int, stop: int) -> None:
        """Add rows of one list."""
        self._open.append(_apart(_rows(table, start, stop), len(table)))
        _refuse_longer(self._plan, sum(map(len, self._open)))

    def close(self, unless: bool = False) -> None:
        """Take the list to be whole."""
        if not unless:
            self.closed += sum(map(len, self._open))
            self._whole += self._open
            self._open = []

    def taken(self) -> Table:
        """The lists that are whole.

        Raises:
            Apart: one of them comes twice.
        """
        tables, self._whole, self.closed = self._whole, [], 0
        names = [table.ids["list"].text(0) for table in tables]
        begins = [n for n, name in enumerate(names) if not n or name != names[n - 1]]
        held = tuple(names[n] for n in begins)
        if len(set(held)) < len(held):
            raise Apart
        number = np.searchsorted(begins, np.arange(len(names)), side="right") - 1
        codes = np.repeat(number, [len(table) for table in tables])
        return _concatenated(tables, CodedColumn(codes, _series(held)))


def _refuse_more_ids(plan: Plan, ids: int) -> None:
    most = plan.limits.ids
    if ids > most:
        message = f"more than {most:,} ids are needed to order rows of equal scores"
        words = f"{limit('ids')}; it takes none where the rows of each list stand together"
        raise Unreadable(Problem("S104", message, help=words))


def _refuse_longer(plan: Plan, rows: int) -> None:
    most = plan.limits.list
    if rows > most:
        message = f"more than {most:,} rows in one {plan.public.word('list')}"
        raise Unreadable(Problem("S104", message, help=limit("list")))


def by_runs(table: Table) -> Table:
    """The table with its lists numbered in their order.

    Raises:
        Apart: the rows of a list do not stand together.
    """
    lists = table.ids["list"]
    own = lists.row_hashes if isinstance(lists, TextColumn) else lists.codes
    starts = np.append(0, np.flatnonzero(own[1:] != own[:-1]) + 1)
    if distinct(own[starts]).size < starts.size:
        raise Apart
    column = _runs(lists, starts)
    return replace(table, ids={**table.ids, "list": column})


def _runs(lists: CodedColumn, starts: Ints) -> CodedColumn:
    """A column of which each run has an id of its own."""
    rows = len(lists.row_hashes) if isinstance(lists, TextColumn) else len(lists.codes)
    codes = np.repeat(np.arange(starts.size, dtype=np.int32), np.diff(np.append(starts, rows)))
    if not isinstance(lists, TextColumn):
        return CodedColumn(codes, tuple(lists.texts(starts)))
    column = CodedColumn(codes, lists.series.gather(starts))
    vars(column)["hashes"] = lists.row_hashes[starts]
    return column


def _rows(table: Table, start: int, stop: int) -> Table:
    """Consecutive rows of a table by runs: whole lists, or rows of one.

    Lists without rows go with the first row.
    """
    if start == 0 and stop == len(table):
        return table
    facts = dict(table.facts)
    if start and "empty" in facts:
        facts["empty"] = type(facts["empty"])()
    ids = {role: _cut(column, start, stop) for role, column in table.ids.items() if role != "list"}
    return Table(
        {"list": _cut_runs(table.ids["list"], start, stop), **ids},
        {role: values[start:stop] for role, values in table.numbers.items()},
        table.line[start:stop],
        table.wanted,
        facts,
    )


def _cut(column: CodedColumn, start: int, stop: int) -> CodedColumn:
    if not isinstance(column, TextColumn):
        return CodedColumn(column.codes[start:stop], column.held)
    part = TextColumn(column.series[start:stop], column.usual)
    vars(part)["row_hashes"] = column.row_hashes[start:stop]
    return part


def _cut_runs(lists: CodedColumn, start: int, stop: int) -> CodedColumn:
    """As `_cut`, of a column whose codes ascend from 0, run by run."""
    codes = lists.codes[start:stop]
    first, last = int(codes[0]), int(codes[-1]) + 1
    part = CodedColumn(codes - first, lists.held[first:last])
    if "hashes" in vars(lists):
        vars(part)["hashes"] = lists.hashes[first:last]
    return part


def _apart(table: Table, of: int) -> Table:
    """A table that does not keep the memory of the one that it is few rows of."""
    if 2 * len(table) > of:
        return table
    ids = dict[str, CodedColumn]()
    for role, column in table.ids.items():
        if isinstance(column, TextColumn):
            ids[role] = TextColumn(_series(column.series.to_list()), column.usual)
            vars(ids[role])["row_hashes"] = column.row_hashes.copy()
        else:
            ids[role] = CodedColumn(column.codes, tuple(column.names))
    numbers = {role: values.copy() for role, values in table.numbers.items()}
    return replace(table, ids=ids, numbers=numbers, line=table.line.copy())


def _concatenated(tables: Sequence[Table], lists: CodedColumn) -> Table:
    """The rows of several tables, with a column of lists of their own."""
    first = tables[0]
    facts = dict(first.facts)
    if "empty" in facts:
        facts["empty"] = [each for table in tables for each in table.facts["empty"]]
    ids = {role: [table.ids[role] for table in tables] for role in first.ids if role != "list"}
    return Table(
        {"list": lists, **{role: _joined(columns) for role, columns in ids.items()}},
        {role: np.concatenate([t.numbers[role] for t in tables]) for role in first.numbers},
        np.concatenate([table.line for table in tables]),
        first.wanted,
        facts,
    )


def _joined(columns: Sequence[CodedColumn]) -> CodedColumn:
    import polars as pl

    usual = all(column.usual for column in columns)
    made = TextColumn(pl.concat([text_of(column) for column in columns], rechunk=False), usual)
    vars(made)["row_hashes"] = np.concatenate([column.row_hashes for column in columns])
    return made


def text_of(column: CodedColumn) -> pl.Series:
    """The text of each row, as polars has it."""
    import polars as pl

    if isinstance(column, TextColumn):
        return column.series
    return pl.Series(column.held, dtype=pl.String).gather(column.codes)


class _Seen:
    """Which lists have been taken, so that one that comes again is noticed."""

    def __init__(self, plan: Plan) -> None:
        self._known = plan.known.lists
        self._taken = np.zeros(len(plan.public.lists), dtype=bool)
        self._others: Hashes = np.empty(0, dtype=np.uint64)  # ascending

    def add(self, lists: CodedColumn) -> None:
        """Take the lists of a table. Raises `Apart` where one was taken before."""
        number = self._known.places(lists)
        known = number[number >= 0]
        if self._taken[known].any():
            raise Apart
        self._taken[known] = True
        if known.size < number.size:
            others = np.sort(lists.hashes[number < 0])
            at = np.searchsorted(self._others, others)
            there = np.minimum(at, max(self._others.size - 1, 0))
            if self._others.size and (self._others[there] == others).any():
                raise Apart
            self._others = np.insert(self._others, at, others)


class _Unknown:
    """Numbers for the lists that the challenge does not have, by their hashes."""

    def __init__(self) -> None:
        self.size = 0
        self._hashes: Hashes = np.empty(0, dtype=np.uint64)
        self._numbers = np.empty(0, dtype=np.int64)

    def numbers(self, hashes: Hashes) -> Ints:
        """Those of some lists, which have different hashes; new ones get the next numbers."""
        at = np.searchsorted(self._hashes, hashes)
        there = np.minimum(at, max(self.size - 1, 0))
        known = self._hashes[there] == hashes if self.size else np.zeros(hashes.size, dtype=bool)
        new = np.flatnonzero(~known)
        found = np.empty(hashes.size, dtype=np.int64)
        found[known] = self._numbers[there[known]]
        found[new] = np.arange(self.size, self.size + new.size)
        by = new[np.argsort(hashes[new])]
        at = np.searchsorted(self._hashes, hashes[by])
        self._hashes = np.insert(self._hashes, at, hashes[by])
        self._numbers = np.insert(self._numbers, at, found[by])
        self.size += new.size
        return found


@dataclass
class _Texts:
    """The ids of some rows of the file: those that are known, and those that were asked for."""

    places: Ints = field(default_factory=lambda: np.empty(0, dtype=np.int64))
    known: pl.Series | None = None
    _missed: list[Ints] = field(default_factory=list)

    def at(self, places: Ints) -> IdTexts:
        """The ids at these places; where they are not known yet, they are noted, and nothing."""
        if self.known is None:
            self._missed.append(places)
            return ["?"] * places.size
        return self.known.gather(np.searchsorted(self.places, places))

    def missed(self) -> Ints:
        """The places that were asked for since the last time."""
        found = [np.empty(0, dtype=np.int64), *self._missed]
        self._missed.clear()
        return np.concatenate(found)


class _UnreadColumn(TextColumn):
    """A column of which only hashes are kept."""

    def __init__(self, hashes: Hashes, places: Ints, texts: _Texts) -> None:
        vars(self)["row_hashes"] = hashes
        self._places, self._texts = places, texts

    def text(self, row: int) -> str:
        """The id of one row."""
        return self._texts.at(self._places[row : row + 1])[0]

    def gathered(self, rows: NDArray[np.integer[Any]]) -> IdTexts:
        """The ids of some rows."""
        return self._texts.at(self._places[rows])

    def where(self, rows: Ints) -> CodedColumn:
        """The column of some rows alone."""
        return _UnreadColumn(self.row_hashes[rows], self._places[rows], self._texts)


class _Kept:
    """All rows of a file in which lists are scattered: hashes of items, places, and numbers."""

    def __init__(self, plan: Plan) -> None:
        self.schema: Schema | None = None
        self._lists, self._known = list(plan.public.lists), plan.known.lists
        self._others, self._names = _Unknown(), list[Any]()  # Series
        self._plan = plan
        self._pieces = list[tuple[NDArray[Any], dict[str, NDArray[Any]]]]()
        self._lines = list[tuple[int, Ints]]()  # of a piece: its first row, its lines or the first
        self._rows = 0

    def add(self, table: Table) -> None:
        """Keep the rows of a piece, by their lists."""
        self.schema = table.wanted
        if not len(table):
            return
        lists = table.ids["list"]
        number = self._known.places(lists)
        if (lost := np.flatnonzero(number < 0)).size:
            before = self._others.size
            found = self._others.numbers(lists.hashes[lost])
            number[lost] = len(self._lists) + found
            new = lost[found >= before][np.argsort(found[found >= before])]
            self._names.append(_series(named(lists, new)))
        in_list = small(number[lists.codes])
        by = np.argsort(in_list, kind="stable")
        places = np.arange(self._rows, self._rows + by.size, dtype=np.uint32)
        columns: dict[str, NDArray[Any]] = {
            "place": places,
            "hash": table.ids["item"].row_hashes,
            **{role: _short(values) for role, values in table.numbers.items()},
        }
        self._pieces.append((in_list[by], {role: values[by] for role, values in columns.items()}))
        steady = int(table.line[-1] - table.line[0]) == len(table) - 1
        self._lines.append((self._rows, table.line[:1] if steady else table.line.astype(np.uint32)))
        self._rows += by.size

    @cached_property
    def _edges(self) -> list[int]:
        """Between the lists that are scored together."""
        lists = len(self._lists) + self._others.size
        sizes = np.zeros(lists, dtype=np.int64)
        for in_list, _ in self._pieces:
            sizes += np.bincount(in_list, minlength=lists)
        _refuse_longer(self._plan, int(sizes.max(initial=0)))
        ends, edges = np.cumsum(sizes), [0]
        while (first := edges[-1]) < lists:
            upto = ends[first] - sizes[first] + GATHERED
            edges.append(max(first + 1, int(np.searchsorted(ends, upto, side="right"))))
        return edges

    @cached_property
    def _bounds(self) -> list[list[int]]:
        """Where the lists between two edges lie in each piece."""
        return [np.searchsorted(in_list, self._edges).tolist() for in_list, _ in self._pieces]

    @property
    def blocks(self) -> int:
        """How many blocks of lists there are."""
        return len(self._edges) - 1

    def _column(self, role: str, n: int) -> NDArray[Any]:
        """One column of a block, piece by piece."""
        parts = [
            (columns[role] if role != "list" else in_list)[at[n] : at[n + 1]]
            for (in_list, columns), at in zip(self._pieces, self._bounds, strict=True)
        ]
        return np.concatenate([part.astype(np.int64) if role == "list" else part for part in parts])

    def _order(self, n: int) -> tuple[Ints, Ints]:
        """The lists of a block's rows, and their order."""
        in_list = self._column("list", n)
        by = np.argsort(small(in_list - self._edges[n]), kind="stable")
        return in_list[by], by

    def places(self, n: int) -> Ints:
        """The places in the file of a block's rows."""
        return self._column("place", n)[self._order(n)[1]].astype(np.int64)

    def block(self, n: int, texts: _Texts) -> Table:
        """Some whole lists."""
        assert self.schema is not None
        in_list, by = self._order(n)
        places = self._column("place", n)[by].astype(np.int64)
        hashes = self._column("hash", n)[by]
        lists, codes = distinct(in_list), np.cumsum(np.diff(in_list, prepend=in_list[:1]) != 0)
        roles = [role for role in self._pieces[0][1] if role not in ("place", "hash")]
        return Table(
            {
                "list": CodedColumn(codes, _series([self._name(n) for n in lists.tolist()])),
                "item": _UnreadColumn(hashes, places, texts),
            },
            {role: self._column(role, n)[by].astype(np.float64) for role in roles},
            self._line(places),
            self.schema,
        )

    @cached_property
    def _unknown_names(self) -> pl.Series:
        import polars as pl

        names: pl.Series = pl.concat(self._names)
        return names

    def _name(self, number: int) -> str:
        known = len(self._lists)
        return self._lists[number] if number < known else str(self._unknown_names[number - known])

    def _line(self, places: Ints) -> Ints:
        """The lines of rows."""
        firsts = np.array([first for first, _ in self._lines])
        piece = np.searchsorted(firsts, places, side="right") - 1
        lines: Ints = (
            places - firsts[piece] + np.array([int(line[0]) for _, line in self._lines])[piece]
        )
        for n, (first, line) in enumerate(self._lines):
            if line.size > 1:
                mine = np.flatnonzero(piece == n)
                lines[mine] = line[places[mine] - first]
        return lines


def _short(values: NDArray[np.float64]) -> NDArray[Any]:
    """The numbers in 32 bits where none of them loses anything, as of ranks."""
    with np.errstate(over="ignore"):
        short = values.astype(np.float32)
    return short if np.array_equal(short, values, equal_nan=True) else values


def _series(names: Sequence[str]) -> pl.Series:
    import polars as pl

    return pl.Series(names, dtype=pl.String)
