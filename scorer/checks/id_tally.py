"""Ids with a problem, in few bytes each, and in a form that parts are put together from."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from scorer.checks.tally import hashes_of
from scorer.core.arrays import HASHES_TOGETHER, Ints, by_prefix, distinct, small, starts
from scorer.core.problems import KEPT, SHOWN_PLACES, Problem
from scorer.tables.columns import Hashes
from scorer.views.ranked import look_up

MOST_TEXT = 4_000_000  # characters of the names of a class that are kept

Name = tuple[str, str | None]  # an id, and its list


class Run(NamedTuple):
    """Different ids in the order of their lines. All arrays have the shape (ids,)."""

    hashes: Hashes
    line: NDArray[np.integer[Any]]  # the first of each
    rows: NDArray[np.integer[Any]]  # how many each has
    kind: NDArray[np.uint8]  # places among the classes

    def where(self, keep: Ints) -> Run:
        """The ids at some places."""
        return Run._make(column[keep] for column in self)

    def narrowed(self) -> Run:
        """The run in the smallest types that will do."""
        return self._replace(line=small(self.line, np.uint32), rows=small(self.rows))


EMPTY = Run._make(np.empty(0, dtype=of) for of in (np.uint64, np.uint32, np.uint8, np.uint8))


@dataclass(frozen=True, eq=False)
class IdTally:
    """Ids with a problem, each with its first line and the number of its rows.

    Beyond the first `KEPT` of a class an id is a hash, a line, a count and a class: 14 bytes.
    The runs of large parts stand side by side, and an id may be in several: to have each once
    after every part would take a copy of all. It is looked for each time their number has doubled.
    """

    classes: tuple[str, ...]  # what an id can be; its meaning is the check's
    runs: tuple[Run, ...] = ()
    first: Run = EMPTY  # the first `KEPT` of each class; `rows` are those of any of the runs
    names: Mapping[int, Name] = field(default_factory=dict)  # hash -> of those in `first`
    once: int = 0  # how many ids there were when each was last known to be in one run only

    @classmethod
    def of(
        cls, classes: tuple[str, ...], ids: Sequence[tuple[str, int, int, str | None, int]]
    ) -> IdTally:
        """From ids, each once: (id, line, rows, its list, its class)."""
        if not ids:
            return cls(classes)
        names, line, rows, lists, kind = zip(*ids, strict=True)
        hashes = hashes_of(names)
        names_by_hash: dict[int, Name] = {}
        for key, name, in_list in zip(hashes.tolist(), names, lists, strict=True):
            names_by_hash.setdefault(key, (name, in_list))
        columns = (np.array(line, np.int64), np.array(rows, np.int64), np.array(kind, np.uint8))
        run = _grouped([Run(hashes, *columns)])
        first = _first([run], len(classes))
        return cls(
            classes, (run,), first, _trimmed(first, names_by_hash, len(classes)), len(run.hashes)
        )

    @classmethod
    def of_hashes(
        cls,
        classes: tuple[str, ...],
        hashes: Hashes,
        line: Ints,
        rows: Ints,
        kind: NDArray[np.uint8],
        names: Callable[[Ints], Sequence[str]],
    ) -> IdTally:
        """From ids, each once; the name of an id is made only where it is kept.

        Args:
            hashes: shape (ids,), as `hashes_of` makes them.
            line: shape (ids,), ascending: the first of each.
            rows: shape (ids,).
            kind: shape (ids,), places in `classes`.
        """
        if not hashes.size:
            return cls(classes)
        run = Run(hashes, line, rows, kind).narrowed()
        at = _places(run, len(classes))
        names_by_hash = {
            key: (name, None)
            for key, name in zip(hashes[at].tolist(), names(at), strict=True)
        }  # fmt: skip
        first = run.where(at)
        return cls(
            classes, (run,), first, _trimmed(first, names_by_hash, len(classes)), hashes.size
        )

    def __len__(self) -> int:
        return sum(len(run.hashes) for run in self._distinct)

    @property
    def at_most(self) -> int:
        """How many ids there are if none is in several runs: known at once, where `len` is not."""
        return sum(len(run.hashes) for run in self.runs)

    def plus(self, others: Sequence[IdTally]) -> IdTally:
        """The ids of all parts."""
        every = [part for part in (self, *others) if part.runs]
        if len(every) < 2:
            return every[0] if every else self
        names: dict[int, Name] = {}
        lines: dict[int, int] = {}
        for part in every:
            keys, part_line = part.first.hashes.tolist(), part.first.line.tolist()
            part_lines = dict(zip(keys, part_line, strict=True))
            for key, name in part.names.items():
                if part_lines[key] < lines.get(key, sys.maxsize):
                    names[key], lines[key] = name, part_lines[key]
        first = _first([part.first for part in every], len(self.classes))
        runs = tuple(run for part in every for run in part.runs)
        size, once = sum(len(run.hashes) for run in runs), max(part.once for part in every)
        if size <= HASHES_TOGETHER:
            runs = (_grouped(runs),)
        elif size >= 2 * once:
            runs = _distinct(runs)
        if size <= HASHES_TOGETHER or size >= 2 * once:
            once = sum(len(run.hashes) for run in runs)
        return IdTally(self.classes, runs, first, _trimmed(first, names, len(self.classes)), once)

    def entries(self) -> Iterator[tuple[str, str | None, int, int, str]]:
        """Yield the ids kept by name in the order of their lines: id, list, line, rows, class."""
        by = np.argsort(self.first.hashes)
        rows = np.zeros(by.size, dtype=np.int64)
        for run in self.runs:
            place = look_up(self.first.hashes[by], by, run.hashes)
            rows[place[place >= 0]] += run.rows[place >= 0]
        columns = (self.first.hashes, self.first.line, rows, self.first.kind)
        for key, line, many, kind in zip(*(each.tolist() for each in columns), strict=True):
            if (entry := self.names.get(key)) is not None:
                yield *entry, line, many, self.classes[kind]

    def count(self, kind: str) -> int:
        """How many ids are of that class."""
        code = self.classes.index(kind)
        return sum(int(np.count_nonzero(run.kind == code)) for run in self._distinct)

    @cached_property
    def _distinct(self) -> tuple[Run, ...]:
        """The runs, with each id in one of them only."""
        return self.runs if self.at_most == self.once else _distinct(self.runs)


def _grouped(runs: Sequence[Run]) -> Run:
    """One run of the ids of several."""
    whole = _concatenated(runs)
    by = np.lexsort((whole.line, whole.hashes))
    new = starts(whole.hashes[by])
    if not new.all():
        rows = np.add.reduceat(whole.rows[by], np.flatnonzero(new), dtype=np.int64)
        by = by[new]
        whole = whole.where(by)._replace(rows=rows)
        # ids of one line are of one part, in its order
        whole = whole.where(np.lexsort((by, whole.line)))
    elif (whole.line[1:] < whole.line[:-1]).any():
        whole = whole.where(np.argsort(whole.line, kind="stable"))
    return whole.narrowed()


def _distinct(runs: Sequence[Run]) -> tuple[Run, ...]:
    """The runs, with each id only in that of its first line, where all its rows are counted.

    They are looked through prefix by prefix of the hashes, so that no copy of all is made.
    """
    keep = [np.ones(len(run.hashes), dtype=bool) for run in runs]
    rows = [run.rows for run in runs]
    for places in by_prefix([run.hashes for run in runs]):
        hashes = np.concatenate([run.hashes[at] for run, at in zip(runs, places, strict=True)])
        ordered = np.sort(hashes)
        again = distinct(ordered[1:][ordered[1:] == ordered[:-1]])
        if not again.size:
            continue
        several = np.flatnonzero(look_up(again, np.arange(again.size), hashes) >= 0)
        whose = np.repeat(np.arange(len(runs)), [at.size for at in places])[several]
        place = np.concatenate(places)[several]
        line = np.concatenate([run.line[at] for run, at in zip(runs, places, strict=True)])
        many = np.concatenate([each[at] for each, at in zip(rows, places, strict=True)])
        by = np.lexsort((line[several], hashes[several]))
        new = starts(hashes[several][by])
        total = np.add.reduceat(many[several][by], np.flatnonzero(new), dtype=np.int64)
        for n in np.flatnonzero(np.bincount(whose, minlength=len(runs))).tolist():
            own = whose[by] == n
            keep[n][place[by][own & ~new]] = False
            if (own & new).any():
                rows[n] = rows[n].astype(np.uint32)
                rows[n][place[by][own & new]] = total[whose[by][new] == n]
    settled = list[Run]()
    for run, many, kept in zip(runs, rows, keep, strict=True):
        if not kept.all():
            settled.append(run._replace(rows=many).where(np.flatnonzero(kept)).narrowed())
        else:
            settled.append(run if many is run.rows else run._replace(rows=small(many)))
    return tuple(run for run in settled if run.hashes.size)


def _first(runs: Sequence[Run], classes: int) -> Run:
    """The first `KEPT` of each class, by their lines, given the same of each of some parts."""
    whole = _concatenated(runs)
    whole = whole.where(np.argsort(whole.line, kind="stable"))
    by = np.argsort(whole.hashes, kind="stable")
    whole = whole.where(np.sort(by[starts(whole.hashes[by])]))
    return whole.where(_places(whole, classes))


def _places(run: Run, classes: int) -> Ints:
    """Where the first `KEPT` of each class stand, ascending."""
    return np.sort(np.concatenate([_first_of(run.kind, kind) for kind in range(classes)]))


def _first_of(kinds: NDArray[np.uint8], kind: int) -> Ints:
    """The indices of the first `KEPT` of a class, found without a pass over all."""
    places, start = np.empty(0, dtype=np.int64), 0
    while places.size < KEPT and start < kinds.size:
        more = np.flatnonzero(kinds[start : start + HASHES_TOGETHER] == kind) + start
        places, start = np.append(places, more), start + HASHES_TOGETHER
    return places[:KEPT]


def _concatenated(runs: Sequence[Run]) -> Run:
    return runs[0] if len(runs) == 1 else Run._make(map(np.concatenate, zip(*runs, strict=True)))


def _trimmed(first: Run, names: Mapping[int, Name], classes: int) -> dict[int, Name]:
    """The names that can be reported, within the limit of `MOST_TEXT`."""
    trimmed: dict[int, Name] = {}
    for kind in range(classes):
        size, before = 0, len(trimmed)
        for key in first.hashes[first.kind == kind].tolist():
            if (entry := names.get(key)) is None:
                continue
            size += len(entry[0]) + len(entry[1] or "")
            if size > MOST_TEXT and len(trimmed) - before >= SHOWN_PLACES:
                break
            trimmed[key] = entry
    return trimmed


def id_problems(
    ids: IdTally, problem: Callable[[str, str | None, int, int], Problem]
) -> Iterator[Problem]:
    """A problem for each id kept by name, and for each class one that stands for the rest."""
    last: dict[str, tuple[int, Problem]] = {}
    for name, in_list, line, rows, kind in ids.entries():
        yield (latest := problem(name, in_list, line, rows))
        last[kind] = last.get(kind, (0, latest))[0] + 1, latest
    for kind, (named, latest) in last.items():
        if (rest := ids.count(kind) - named) > 0:
            yield replace(latest, times=rest)
