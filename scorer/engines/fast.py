"""The fast pass over large files: polars cuts and hashes, numpy orders and joins.

It only notices that something may be wrong (`Doubt`); then the thorough pass
reads the file again and says what, where, and all of it. It vouches for files
of printable ASCII in which every line has the same fields, every list is known,
and no check has anything to tell; anything else, however harmless, is left
to the thorough pass.

Items are told apart by 64-bit hashes. A hit is a (list, hash) of the truth; a
repeated (list, hash) is a doubt. Pieces of the file are judged as they come
while lists stand together; else a row costs 22 or 24 bytes until all are read.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property, partial
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from scorer.challenge.public import Public
from scorer.checks.ids import LOST_BY_TOOLS
from scorer.checks.submission.scores import MANY
from scorer.io.files import digest as sha256
from scorer.io.formats.base import Format
from scorer.io.limits import GZIP, ZSTD, Bounds, Unreadable
from scorer.io.polars_chunks import PIECE, Doubt, Layout, pieces
from scorer.io.table import Floats, Ints, Schema
from scorer.views.hits import Hits, Judged, Ties
from scorer.views.join import Truth

if TYPE_CHECKING:
    import polars as pl

GATHERED = 100_000  # rows judged together of a file that was put in order: they stay in the cache

Hashes = NDArray[np.uint64]


class _Scattered(Exception):
    """A list's rows do not stand together."""


@dataclass(frozen=True)
class Asked:
    """What the fast pass must know of the challenge; what it hashes of it, it hashes once."""

    public: Public
    truth: Truth | None  # None: only checks
    ties: Ties
    shortest: int | None
    longest: int | None
    limits: Bounds
    lenient: bool = False  # a list that is left out is only a warning

    @cached_property
    def names(self) -> Sequence[str]:
        """The lists, by their numbers."""
        return self.truth.lists if self.truth else list(self.public.lists)

    @cached_property
    def lists(self) -> Hashes:
        """Of each list's name."""
        return _hashed(self.names)

    @cached_property
    def ascending(self) -> tuple[Hashes, Ints]:
        """The lists' hashes in order, and whose each is."""
        order = np.argsort(self.lists)
        return self.lists[order], order

    @cached_property
    def items(self) -> Hashes:
        """Of each judged item, in the order of the truth."""
        assert self.truth is not None
        names = _hashed(self.truth.named)
        return names[self.truth.item] if names.size else names

    @cached_property
    def starts(self) -> Ints:
        """Where each list of the truth begins, and where the last one ends."""
        assert self.truth is not None
        return np.searchsorted(self.truth.in_list, np.arange(len(self.names) + 1))

    @cached_property
    def catalogue(self) -> Hashes:
        """Of all items there are, in order."""
        return np.sort(_hashed(list(self.public.items or ())))

    @cached_property
    def lost(self) -> Hashes:
        """Of what is no id."""
        return _hashed(sorted(LOST_BY_TOOLS))


def _hashed(names: Sequence[str] | pl.Series) -> Hashes:
    import polars as pl

    return pl.Series(names, dtype=pl.String).hash().to_numpy()


@dataclass(frozen=True, slots=True)
class Seen:
    """What the fast pass found: nothing wrong."""

    judged: Judged | None  # None: only checks were asked
    sha256: str
    lists: tuple[str, ...] | None  # those that the submission has, where some are left out


@dataclass(slots=True)
class _Rows:
    """Consecutive rows, in runs of one list each."""

    lists: Ints  # one a run: the list's number
    sizes: Ints  # one a run
    hashes: Hashes  # one a row: of the item
    score: Floats | None
    rank: Floats | None
    items: pl.Series | None  # the items' ids; None: they were not kept
    tag: str | None = None
    places: NDArray[np.uint32] | None = None  # of the rows in the file, where they were not


@dataclass(frozen=True, slots=True)
class _Tied:
    """Rows with equal scores, in groups that hold a hit: the tie rule orders them by their ids."""

    rows: Ints  # in the order of their lists
    group: Ints  # one a row
    hits: Ints  # the rows of all hits, tied or not

    def moves(self, names: Sequence[str], down: bool) -> Ints:
        """How far each hit moves, given the rows' ids."""
        by = sorted(range(len(names)), key=names.__getitem__, reverse=down)
        by.sort(key=self.group.__getitem__)
        place = np.empty(len(names), dtype=np.int64)
        place[by] = self.rows
        where = np.searchsorted(self.rows, self.hits)
        where[where == self.rows.size] = 0
        return np.where(self.rows[where] == self.hits, place[where] - self.hits, 0)


Read = Callable[..., Iterator[Any]]  # as `cutting.pieces`, of one file


def quick(
    path: Path,
    format: Format,
    wanted: Sequence[Schema],
    asked: Asked,
    tick: Callable[[int], None] = lambda read: None,
) -> Seen:
    """Check and judge a file without looking at it twice; `tick` is told how far it is, in bytes.

    Raises:
        Doubt: the thorough pass must look.
    """
    if format.name not in ("csv", "trec") or asked.public.candidates is not None:
        raise Doubt
    if format.name == "trec" and any(name.startswith("#") for name in asked.names):
        raise Doubt  # such a line would be a comment
    read = partial(pieces, path, format, wanted, asked.limits)
    cut = partial(read, lambda layout, frame: _cut(frame, layout, asked))
    try:
        with path.open("rb") as stored:
            packed = stored.read(4).startswith((GZIP, ZSTD))
        try:
            digest, judge = hashlib.sha256(), _Judge(asked)
            for n, rows in enumerate(_together(_uniform(cut(digest), asked), asked)):
                judge.take(rows)
                tick(n * PIECE)
        except _Scattered:
            digest, judge = hashlib.sha256(), _Judge(asked)
            for rows in _gathered(_uniform(cut(digest), asked), asked):
                judge.take(rows)
            judge.settle(read)
    except (Unreadable, OSError):
        raise Doubt from None
    judged = judge.judged()
    return Seen(judged, sha256(path) if packed else digest.hexdigest(), judge.answered())


def _cut(frame: pl.DataFrame, layout: Layout, asked: Asked) -> _Rows:
    """A piece's columns as arrays."""
    if not layout.places.keys() <= {"list", "item", "score", "rank", "tag"}:
        raise Doubt
    columns = {role: frame[str(place)] for role, place in layout.places.items()}
    runs, tag = columns["list"].rle().struct.unnest(), None
    if "tag" in columns:
        tag = columns["tag"][0]
        if not (columns["tag"] == tag).all():
            raise Doubt
    return _Rows(
        _numbers(runs["value"].hash().to_numpy(), asked),
        runs["len"].to_numpy().astype(np.int64),
        columns["item"].hash().to_numpy(),
        columns["score"].to_numpy() if "score" in columns else None,
        columns["rank"].to_numpy() if "rank" in columns else None,
        columns["item"],
        tag,
    )


def _numbers(hashes: Hashes, asked: Asked) -> Ints:
    """Which lists these are."""
    known, order = asked.ascending
    if not known.size:
        raise Doubt
    first = order[min(np.searchsorted(known, hashes[0]), known.size - 1)]
    guessed = np.arange(first, first + hashes.size)
    if guessed[-1] < known.size and (asked.lists[guessed] == hashes).all():
        return guessed  # in our order, as in most files
    at = np.searchsorted(known, hashes)
    at[at == known.size] = 0
    if (known[at] != hashes).any():
        raise Doubt
    return order[at]


def _uniform(pieces: Iterator[_Rows], asked: Asked) -> Iterator[_Rows]:
    """The same, if the pieces have one tag, and not all items can end as decimals do."""
    tag = None
    for n, rows in enumerate(pieces):
        tag = rows.tag if n == 0 else tag
        if rows.tag != tag:
            raise Doubt
        if n == 0 and asked.public.items is None:
            assert rows.items is not None
            if rows.items[0].endswith(".0"):
                raise Doubt
        yield rows


def _together(pieces: Iterator[_Rows], asked: Asked) -> Iterator[_Rows]:
    """Pieces that hold whole lists: the last run of each goes with the next."""
    seen = np.zeros(len(asked.names), dtype=bool)
    rows = next(pieces, None)
    if rows is None:
        raise Doubt
    while rows is not None:
        lists = np.sort(rows.lists)
        if (lists[1:] == lists[:-1]).any() or seen[lists].any():
            raise _Scattered
        following = next(pieces, None)
        if following is not None:
            whole = len(rows.hashes) - int(rows.sizes[-1])
            following = _joined(_slice(rows, slice(-1, None), slice(whole, None)), following)
            rows = _slice(rows, slice(0, -1), slice(0, whole))
        if rows.lists.size:
            seen[rows.lists] = True
            yield rows
        rows = following


def _gathered(pieces: Iterator[_Rows], asked: Asked) -> Iterator[_Rows]:
    """All rows list by list, some lists at a time, of a file in which lists are scattered."""
    sizes = np.zeros(len(asked.names), dtype=np.int64)
    kept: list[tuple[Any, ...]] = []  # of each piece by its lists: list, place, hash, score, rank
    start = 0
    for piece in pieces:
        in_list = np.repeat(piece.lists, piece.sizes)
        sizes += np.bincount(in_list, minlength=sizes.size)
        by = np.argsort(small := _small(in_list), kind="stable")
        columns = (small, np.arange(start, start + by.size, dtype=np.uint32), piece.hashes,
                   piece.score, piece.rank)  # fmt: skip
        kept.append(tuple(None if each is None else each[by] for each in columns))
        start += by.size
    ends, edges = np.cumsum(sizes), [0]  # between lists that are taken together
    while (first := edges[-1]) < sizes.size:
        upto = ends[first] - sizes[first] + GATHERED
        edges.append(max(first + 1, int(np.searchsorted(ends, upto, side="right"))))
    bounds = [np.searchsorted(columns[0], edges).tolist() for columns in kept]

    def column(which: int, n: int) -> Any:
        """One column of the lists between two edges."""
        if kept[0][which] is None:
            return None
        return np.concatenate([
            columns[which][at[n] : at[n + 1]] for columns, at in zip(kept, bounds, strict=True)
        ])  # fmt: skip

    for n, (first, last) in enumerate(pairwise(edges)):
        lists = first + np.flatnonzero(sizes[first:last])
        if lists.size:
            in_list, place, hashes, score, rank = (column(which, n) for which in range(5))
            by = np.argsort(in_list, kind="stable")
            yield _Rows(
                lists,
                sizes[lists],
                hashes[by],
                None if score is None else score[by],
                None if rank is None else rank[by],
                None,
                places=place[by],
            )


def _order(in_list: NDArray[np.integer[Any]], key: Floats | None) -> Ints:
    """Rows by list, then by key, then as they stand."""
    if key is None:
        return np.argsort(_small(in_list), kind="stable")
    by = np.argsort(key)  # much faster than a stable sort, which is then only needed for ties
    same = key[by][1:] == key[by][:-1]
    if same.any():
        packed = (np.cumsum(np.insert(~same, 0, False)) << 32) | by
        packed.sort()
        by = packed & 0xFFFFFFFF
    order: Ints = by[np.argsort(_small(in_list)[by], kind="stable")]
    return order


def _small(numbers: NDArray[np.integer[Any]]) -> NDArray[np.integer[Any]]:
    """The same in fewer bytes: 16 bits sort much faster."""
    return numbers.astype(np.min_scalar_type(int(numbers.max())))


def _both(first: Floats | None, second: Floats | None) -> Floats | None:
    return None if first is None or second is None else np.concatenate([first, second])


def _joined(first: _Rows, second: _Rows) -> _Rows:
    """Rows one after the other; a list that ends one part and begins the next is one run."""
    import polars as pl

    lists = np.concatenate([first.lists, second.lists])
    sizes = np.concatenate([first.sizes, second.sizes])
    if first.lists[-1] == second.lists[0]:
        at = len(first.lists)
        sizes[at - 1] += sizes[at]
        lists, sizes = np.delete(lists, at), np.delete(sizes, at)
    items = [part.items for part in (first, second) if part.items is not None]
    return _Rows(
        lists,
        sizes,
        np.concatenate([first.hashes, second.hashes]),
        _both(first.score, second.score),
        _both(first.rank, second.rank),
        pl.concat(items, rechunk=False),
    )


def _slice(rows: _Rows, runs: slice, mine: slice) -> _Rows:
    def part(column: Floats | None) -> Floats | None:
        return None if column is None else column[mine]

    items = None if rows.items is None else rows.items[mine]
    return _Rows(
        rows.lists[runs], rows.sizes[runs], rows.hashes[mine], part(rows.score), part(rows.rank),
        items,
    )  # fmt: skip


class _Judge:
    """Takes rows whose lists are whole; gives what a submission seen through the truth is."""

    def __init__(self, asked: Asked) -> None:
        self._asked, self._truth = asked, asked.truth
        self._returned: Ints = np.zeros(len(asked.names), dtype=np.int64)
        self._hits: list[tuple[Ints, Ints, Ints, Ints]] = []  # truth row, rank, before, tied
        self._rows = self._tied = 0
        self._first: Hashes | None = None  # the items of the first list, in order
        self._varied = False
        self._down = asked.ties != "item-asc"
        # which of the hits, their groups of equal scores, and where the groups' ids stand
        self._unsettled: list[tuple[int, _Tied, NDArray[np.uint32]]] = []

    def take(self, rows: _Rows) -> None:
        """Check and judge some lists."""
        asked, sizes = self._asked, rows.sizes
        self._returned[rows.lists] = sizes
        self._rows += len(rows.hashes)
        if (asked.shortest is not None and sizes.min() < asked.shortest) or (
            asked.longest is not None and sizes.max() > asked.longest
        ):
            raise Doubt
        self._known(rows)
        starts = np.cumsum(sizes) - sizes
        run = np.repeat(np.arange(sizes.size), sizes)
        place = np.arange(run.size) - np.repeat(starts, sizes)
        order, step = _ranked(rows, starts, run)
        hashes = rows.hashes if order is None else rows.hashes[order]
        self._compared(hashes, sizes, starts)
        if rows.rank is not None:
            given = rows.rank if order is None else rows.rank[order]
            if (given != place + 1).any():
                raise Doubt
        packed, width, bits = _packed(hashes, sizes, run, place)
        prefix = packed >> np.uint64(width)
        alike = _alike(prefix, packed, hashes, starts, width, bits)
        if self._truth is None:
            return
        found, row = self._found(rows.lists, prefix, packed, hashes, starts, width, bits, alike)
        rank, before, tied = self._ties(row, place[row] + 1, step)
        groups = self._groups(row, row - (rank - 1 - before), tied)
        if groups is not None:
            asked_for = groups.rows if order is None else order[groups.rows]
            if rows.items is not None:
                rank = rank + groups.moves(rows.items.gather(asked_for).to_list(), self._down)
        by = np.argsort(run[row] * int(sizes.max() + 1) + rank)
        if groups is not None and rows.places is not None:
            unsettled = _Tied(groups.rows, groups.group, row[by])
            self._unsettled.append((len(self._hits), unsettled, rows.places[asked_for]))
        self._hits.append((found[by], rank[by], before[by], tied[by]))

    def settle(self, read: Read) -> None:
        """Let the tie rule order what it could not, as the ids were not kept: read these again."""
        if not self._unsettled or self._truth is None:
            return
        places = [each for _, _, each in self._unsettled]
        names, start = _named(np.concatenate(places), self._rows, read), 0
        for n, groups, mine in self._unsettled:
            found, rank, before, tied = self._hits[n]
            rank = rank + groups.moves(names[start : start + mine.size], self._down)
            start += mine.size
            by = np.argsort(self._truth.in_list[found] * int(rank.max() + 1) + rank)
            self._hits[n] = found[by], rank[by], before[by], tied[by]

    def judged(self) -> Judged | None:
        """Everything taken, seen through the truth."""
        asked, truth = self._asked, self._truth
        if not self._rows or (self._tied and self._tied / self._rows >= MANY):
            raise Doubt
        if not self._varied and (self._returned > 0).sum() > 1:
            raise Doubt
        known = len(asked.public.lists) == len(self._returned)
        if not known or not (asked.lenient or self._returned.all()):
            raise Doubt  # a list is missing
        if truth is None:
            return None
        row, rank, before, tied = (np.concatenate(parts) for parts in zip(*self._hits, strict=True))
        in_list = truth.in_list[row]
        if (in_list[1:] < in_list[:-1]).any():  # the file has its lists in another order
            by = np.argsort(in_list, kind="stable")
            row, rank, before, tied = (each[by] for each in (row, rank, before, tied))
            in_list = in_list[by]
        ideal = truth.ideal
        hits = Hits(
            in_list, rank, truth.grade[row], ideal.place[row], before, tied,
            len(truth.lists), spread=asked.ties == "expected",
        )  # fmt: skip
        return Judged(hits, ideal, self._returned, truth.lists)

    def answered(self) -> tuple[str, ...] | None:
        """The lists that were taken; None for all."""
        if self._returned.all():
            return None
        names = self._asked.names
        return tuple(names[n] for n in np.flatnonzero(self._returned).tolist())

    def _known(self, rows: _Rows) -> None:
        """No item that a check would speak of."""
        if self._asked.public.items is not None:
            catalogue = self._asked.catalogue
            at = np.searchsorted(catalogue, rows.hashes)
            at[at == catalogue.size] = 0
            if not catalogue.size or (catalogue[at] != rows.hashes).any():
                raise Doubt
        elif np.isin(rows.hashes, self._asked.lost).any():
            raise Doubt

    def _compared(self, hashes: Hashes, sizes: Ints, starts: Ints) -> None:
        """Whether lists differ from the first."""
        if self._first is None:
            self._first = hashes[: sizes[0]].copy()
        if self._varied:
            return
        other = int(np.argmax(sizes != self._first.size))
        if sizes[other] != self._first.size:
            self._varied = True
        else:
            table = hashes.reshape(sizes.size, -1)
            self._varied = bool((table != self._first).any())

    def _found(
        self, lists: Ints, prefix: Hashes, packed: Hashes, hashes: Hashes, starts: Ints,
        width: int, bits: int, alike: int,
    ) -> tuple[Ints, Ints]:  # fmt: skip
        """The truth's rows that were returned, and the rows they are."""
        edges, items = self._asked.starts, self._asked.items
        first, last = edges[lists], edges[lists + 1]
        sizes = last - first
        run = np.repeat(np.arange(lists.size), sizes)
        if (lists[1:] - lists[:-1] == 1).all():  # in the order of the truth
            mine = np.arange(first[0], last[-1])
            wanted = items[first[0] : last[-1]]
        else:
            mine = np.arange(sizes.sum()) + np.repeat(first - np.cumsum(sizes) + sizes, sizes)
            wanted = items[mine]
        key = (run.view(np.uint64) << np.uint64(bits)) | (wanted >> np.uint64(64 - bits))
        at = np.searchsorted(prefix, key)
        found, row = [], []
        for further in range(alike):
            place = np.minimum(at + further, prefix.size - 1)
            position = (packed[place] & np.uint64((1 << width) - 1)).astype(np.int64)
            there = starts[run] + position
            hit = (prefix[place] == key) & (hashes[np.minimum(there, hashes.size - 1)] == wanted)
            found.append(mine[hit])
            row.append(there[hit])
        return np.concatenate(found), np.concatenate(row)

    def _ties(self, row: Ints, rank: Ints, step: Floats | None) -> tuple[Ints, Ints, Ints]:
        """The ranks of hits, how many are above each's group of equal scores, and its size."""
        if step is None or not (same := step == 0).any():
            return rank, rank - 1, np.ones_like(rank)
        if self._asked.ties == "error":
            raise Doubt
        edges = np.flatnonzero(np.diff(same, prepend=False, append=False))
        begin, end = edges[::2], edges[1::2]  # the first and the last row of each group
        self._tied += int((end - begin + 1).sum())
        group = np.searchsorted(begin, row, side="right") - 1
        inside = (group >= 0) & (row <= end[group])
        first = np.where(inside, begin[group], row)
        size = np.where(inside, end[group] - begin[group] + 1, 1)
        return rank, rank - 1 - (row - first), size

    def _groups(self, row: Ints, first: Ints, size: Ints) -> _Tied | None:
        """The groups of equal scores that hold a hit, where the tie rule looks at ids."""
        if self._asked.ties == "file" or not (size > 1).any():
            return None
        starts, at = np.unique(first[size > 1], return_index=True)
        sizes = size[size > 1][at]
        group = np.repeat(np.arange(starts.size), sizes)
        rows = np.arange(sizes.sum()) + np.repeat(starts - np.cumsum(sizes) + sizes, sizes)
        return _Tied(rows, group, row)


def _named(places: NDArray[np.uint32], rows: int, read: Read) -> list[str]:
    """The ids at these places of the file, which is read again."""
    by = np.argsort(places)
    found: list[str] = [""] * len(places)
    start = done = 0
    for ids in read(lambda layout, frame: frame.to_series(), again="item"):
        end = start + len(ids)
        upto = int(np.searchsorted(places[by], end))
        mine = by[done:upto]
        names = ids.gather(places[mine].astype(np.int64) - start).to_list()
        for place, name in zip(mine.tolist(), names, strict=True):
            found[place] = name
        start, done = end, upto
    if start != rows:
        raise Doubt  # the file has changed
    return found


def _ranked(rows: _Rows, starts: Ints, run: Ints) -> tuple[Ints | None, Floats | None]:
    """The order of the rows by score, else by rank, in their lists; None as they stand.

    And the steps from row to row: 0 for a tie, above 0 for a lower place, infinite
    from one list to the next; None where nothing can tie.
    """
    if rows.score is not None:
        if not np.isfinite(rows.score).all():
            raise Doubt
        key = -rows.score
    elif rows.rank is not None:
        key = rows.rank
    else:
        return None, None
    with np.errstate(over="ignore"):  # of 1e308 and -1e308: infinite will do
        step = np.diff(key)
    step[starts[1:] - 1] = np.inf
    order = None
    if (step < 0).any():
        order = _order(run, key)
        with np.errstate(over="ignore"):
            step = np.diff(key[order])
        step[starts[1:] - 1] = np.inf
    return order, step if rows.score is not None else None


def _packed(hashes: Hashes, sizes: Ints, run: Ints, place: Ints) -> tuple[Hashes, int, int]:
    """Rows as sorted numbers: run, as much of the hash as there is room for, place in the run."""
    width, high = int(sizes.max()).bit_length(), int(sizes.size).bit_length()
    bits = 64 - width - high
    packed = hashes >> np.uint64(64 - bits) << np.uint64(width)
    packed |= run.view(np.uint64) << np.uint64(64 - high)
    packed |= place.view(np.uint64)
    packed.sort()
    return packed, width, bits


def _alike(
    prefix: Hashes, packed: Hashes, hashes: Hashes, starts: Ints, width: int, bits: int
) -> int:
    """How many rows at most share a prefix; Doubt where two of them have the same hash."""
    same = np.flatnonzero(prefix[1:] == prefix[:-1])
    if not same.size:
        return 1
    mask = np.uint64((1 << width) - 1)
    found: set[tuple[int, int]] = set()
    for at in np.union1d(same, same + 1):
        run = int(prefix[at] >> np.uint64(bits))
        one = (run, int(hashes[starts[run] + int(packed[at] & mask)]))
        if one in found:
            raise Doubt
        found.add(one)
    breaks = np.flatnonzero(np.diff(same) > 1)
    runs = np.diff(np.concatenate([[-1], breaks, [same.size - 1]]))
    return int(runs.max()) + 1
