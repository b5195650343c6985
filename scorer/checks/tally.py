"""What checks find in a part of a submission, in a form that parts are put together from.

Problems of single lists are kept as they are, the first of each code by their lines. Of what
concerns the whole file each part has a `Tally`; those of any split of the lists, added up in any
order, are the tally of the whole.
"""

from __future__ import annotations

import hashlib
import sys
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from scorer.challenge.model import Submission
from scorer.challenge.public import Public
from scorer.checks.ids import PublicIds
from scorer.core.arrays import Ints, small, starts
from scorer.core.problems import KEPT, PLACES, Problem
from scorer.io.limits import refuse_errors as refuse_errors

TOGETHER = 1 << 20  # ids that are looked at together
NAMED = 1_000_000  # wrong ids of one part that are looked at one by one
TEXT = 4_000_000  # characters of the names of a class that are kept

Hashes = NDArray[np.uint64]
Counts = NDArray[np.integer[Any]]  # of as few bits as will do


class Whole(NamedTuple):
    """What a tally needs to describe the problems of the whole file."""

    public: Public
    rules: Submission
    known: PublicIds
    partial: bool  # rows could not be read: what seems missing may stand there


class Tally(Protocol):
    """What a check counts in some lists of a submission."""

    def plus(self, others: Sequence[Any]) -> Any:
        """The sum of these counts and others of its type."""
        ...

    def problems(self, whole: Whole) -> Iterable[Problem]:
        """The problems of a file with these counts."""
        ...


class ListFindings(NamedTuple):
    """The problems that a check finds in single lists: the first `KEPT` of each code, and counts.

    First is what stands on the lowest line, so that a split of the lists keeps the same.
    """

    problems: tuple[Problem, ...] = ()
    counts: Mapping[str, int] = {}
    fatal: bool = False

    @classmethod
    def of(cls, problems: Iterable[Problem]) -> ListFindings:
        """Those of one part."""
        collected, counts, fatal = list[Problem](), Counter[str](), False
        for problem in problems:
            fatal |= problem.severity == "error"
            # of more than are kept, one problem may stand for the rest
            counts[problem.code] += problem.times if counts[problem.code] >= KEPT else 1
            collected.append(problem)
            if len(collected) >= 4 * KEPT:
                collected = _first(collected)
        return cls(tuple(_first(collected)), counts, fatal)

    def plus(self, others: Sequence[ListFindings]) -> ListFindings:
        """Those of all parts."""
        every, counts = [self, *others], Counter[str]()
        for part in every:
            counts.update(part.counts)
        problems = [problem for part in every for problem in part.problems]
        return ListFindings(tuple(_first(problems)), counts, any(part.fatal for part in every))


def _first(problems: list[Problem]) -> list[Problem]:
    """The first of each code, by their lines; problems of one line as they come."""
    problems.sort(key=_place)
    counts, first = Counter[str](), []
    for problem in problems:
        counts[problem.code] += 1
        if counts[problem.code] <= KEPT:
            first.append(problem)
    return first


def _place(problem: Problem) -> tuple[int, int, str, str]:
    if problem.line:  # a line is in one part only
        return problem.line, problem.column or 0, problem.code, ""
    return 0, 0, problem.code, f"{problem.list}\0{problem.item}\0{problem.message}"


@dataclass(frozen=True)
class IdTally:
    """Ids with a problem: each once, with its first line and the number of its rows.

    They stand in the order of their lines, in arrays of the smallest types that will do. Beyond
    the first `KEPT` of a class an id is a hash, its line and its count.
    """

    classes: tuple[str, ...]  # what an id can be; its meaning is the check's
    hashes: Hashes = field(default_factory=lambda: np.empty(0, dtype=np.uint64))
    line: Counts = field(default_factory=lambda: np.empty(0, dtype=np.uint32))  # the first
    rows: Counts = field(default_factory=lambda: np.empty(0, dtype=np.uint8))
    kind: NDArray[np.uint8] = field(default_factory=lambda: np.empty(0, dtype=np.uint8))
    names: Mapping[int, tuple[str, str | None]] = field(default_factory=dict)  # hash -> id, list

    @classmethod
    def of(
        cls,
        classes: tuple[str, ...],
        ids: Sequence[tuple[str, int, int, str | None, int]],
    ) -> IdTally:
        """From ids, each once: (id, line, rows, its list, its class)."""
        if not ids:
            return cls(classes)
        names, line, rows, lists, kind = zip(*ids, strict=True)
        hashes = hashes_of(names)
        names_by_hash: dict[int, tuple[str, str | None]] = {}
        for key, name, in_list in zip(hashes.tolist(), names, lists, strict=True):
            names_by_hash.setdefault(key, (name, in_list))
        columns = (np.array(line, np.int64), np.array(rows, np.int64), np.array(kind, np.uint8))
        return cls(classes, hashes, *columns, names_by_hash)._grouped()

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
            classes: what an id can be.
            hashes: shape (ids,), as `hashes_of` makes them.
            line: shape (ids,), ascending: the first of each.
            rows: shape (ids,).
            kind: shape (ids,), places in `classes`.
            names: the ids at some places.
        """
        bare = cls(classes, hashes, small(line, np.uint32), small(rows), kind)
        first = bare._first()
        names_by_hash = {
            key: (name, None)
            for key, name in zip(hashes[first].tolist(), names(first), strict=True)
        }  # fmt: skip
        return replace(bare, names=names_by_hash)._trimmed()

    def __len__(self) -> int:
        return len(self.hashes)

    def plus(self, others: Sequence[IdTally]) -> IdTally:
        """The ids of all parts."""
        every = [part for part in (self, *others) if len(part)]
        if len(every) < 2:
            return every[0] if every else self
        names: dict[int, tuple[str, str | None]] = {}
        lines: dict[int, int] = {}
        for part in every:
            part_lines = part._lines()
            for key, name in part.names.items():
                if part_lines[key] < lines.get(key, sys.maxsize):
                    names[key], lines[key] = name, part_lines[key]
        hashes, line, rows, kind = (
            np.concatenate([getattr(part, name) for part in every])
            for name in ("hashes", "line", "rows", "kind")
        )
        return IdTally(self.classes, hashes, line, rows, kind, names)._grouped()

    def _grouped(self) -> IdTally:
        """The tally with each id once, in the order of their lines."""
        hashes, line, rows, kind = self.hashes, self.line, self.rows, self.kind
        if _any_twice(hashes):
            by = np.lexsort((line, hashes))
            new = by[starts(hashes[by])]
            rows = np.add.reduceat(rows[by], np.flatnonzero(starts(hashes[by])), dtype=np.int64)
            # ids of one line are of one part, in its order
            order = np.lexsort((new, line[new]))
            new, rows = new[order], rows[order]
            hashes, line, kind = hashes[new], line[new], kind[new]
        elif (line[1:] < line[:-1]).any():
            by = np.argsort(line, kind="stable")
            hashes, line, rows, kind = hashes[by], line[by], rows[by], kind[by]
        line, rows = small(line, np.uint32), small(rows)
        return IdTally(self.classes, hashes, line, rows, kind, self.names)._trimmed()

    def entries(self) -> Iterator[tuple[str, str | None, int, int, str]]:
        """Yield the ids kept by name in the order of their lines: id, list, line, rows, class."""
        for n in np.sort(self._first()).tolist():
            if (entry := self.names.get(int(self.hashes[n]))) is not None:
                yield *entry, int(self.line[n]), int(self.rows[n]), self.classes[self.kind[n]]

    def count(self, kind: str) -> int:
        """How many ids are of that class."""
        return int((self.kind == self.classes.index(kind)).sum())

    def _lines(self) -> dict[int, int]:
        """The line of each id kept by name, by its hash."""
        first = self._first()
        return dict(zip(self.hashes[first].tolist(), self.line[first].tolist(), strict=True))

    def _first(self) -> Ints:
        """Where the first `KEPT` of each class stand."""
        return np.concatenate([_first_of(self.kind, kind) for kind in range(len(self.classes))])

    def _trimmed(self) -> IdTally:
        """The tally with only the names that can be reported, within the limit of `TEXT`."""
        if len(self.names) <= KEPT and sum(map(_length, self.names.values())) <= TEXT:
            return self
        names: dict[int, tuple[str, str | None]] = {}
        for kind in range(len(self.classes)):
            size, before = 0, len(names)
            for key in self.hashes[np.flatnonzero(self.kind == kind)[:KEPT]].tolist():
                if (entry := self.names.get(key)) is None:
                    continue
                size += _length(entry)
                if size > TEXT and len(names) - before >= PLACES:
                    break
                names[key] = entry
        return replace(self, names=names)


def _first_of(kinds: NDArray[np.uint8], kind: int) -> Ints:
    """The indices of the first `KEPT` of a class, found without a pass over all."""
    places, start = np.empty(0, dtype=np.int64), 0
    while places.size < KEPT and start < kinds.size:
        more = np.flatnonzero(kinds[start : start + TOGETHER] == kind) + start
        places, start = np.append(places, more), start + TOGETHER
    return places[:KEPT]


def _any_twice(hashes: Hashes) -> bool:
    """Whether any hash is there twice; many are sorted part by part, to save a copy of all."""
    if hashes.size <= TOGETHER:
        return _next_alike(hashes)
    bits = (hashes.size // TOGETHER).bit_length()
    return any(
        _next_alike(hashes[hashes >> np.uint64(64 - bits) == part]) for part in range(1 << bits)
    )


def _next_alike(hashes: Hashes) -> bool:
    ordered = np.sort(hashes)
    return bool((ordered[1:] == ordered[:-1]).any())


def _length(entry: tuple[str, str | None]) -> int:
    return len(entry[0]) + len(entry[1] or "")


def id_problems(
    ids: IdTally, problem: Callable[[str, str | None, int, int], Problem]
) -> Iterator[Problem]:
    """A problem for each id kept by name, and for each class one that stands for the rest."""
    last: dict[str, tuple[int, Problem]] = {}
    for name, in_list, line, rows, kind in ids.entries():
        yield (latest := problem(name, in_list, line, rows))
        last[kind] = last.get(kind, (0, latest))[0] + 1, latest
    for kind, (kept_count, latest) in last.items():
        if (rest := ids.count(kind) - kept_count) > 0:
            yield replace(latest, times=rest)


def hashes_of(names: Sequence[str]) -> Hashes:
    """A hash of each text: polars' where it has been loaded, else one that needs no import.

    The two are never mixed: a file for which polars is needed is read by it from the start.
    """
    if "polars" in sys.modules:
        import polars as pl

        try:
            return pl.Series(names, dtype=pl.String).hash().to_numpy()
        except UnicodeEncodeError:  # half a surrogate pair, as JSON can write one
            escaped = [name.encode("utf-8", "backslashreplace").decode() for name in names]
            return pl.Series(escaped, dtype=pl.String).hash().to_numpy()
    digests = [
        hashlib.blake2b(name.encode("utf-8", "surrogatepass"), digest_size=8).digest()
        for name in names
    ]
    return np.frombuffer(b"".join(digests), dtype=np.uint64)
