"""What checks find in a part of a submission, in a form that parts are put together from.

Problems of single lists are kept as they are, the first of each code by their lines. Of what
concerns the whole file each part has a `CheckTally`; the tallies of any split of the lists, added
up in any order, are the tally of the whole.
"""

from __future__ import annotations

import hashlib
import sys
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple, Protocol

import numpy as np

from scorer.bytes.limits import refuse_errors as refuse_errors
from scorer.challenge.public import Public
from scorer.challenge.submission import Submission
from scorer.checks.ids import PublicIds
from scorer.core.arrays import Ints
from scorer.core.problems import KEPT, Problem
from scorer.tables.columns import Hashes

MOST_NAMED = 1_000_000  # wrong ids of one part that are looked at one by one


class FileContext(NamedTuple):
    """What a tally needs to describe the problems of the whole file."""

    public: Public
    rules: Submission
    known: PublicIds
    partial: bool  # rows could not be read: what seems missing may stand there


class CheckTally(Protocol):
    """What a check counts in some lists of a submission."""

    def plus(self, others: Sequence[Any]) -> Any:
        """The sum of these counts and others of its type."""
        ...

    def problems(self, whole: FileContext) -> Iterable[Problem]:
        """The problems of a file with these counts."""
        ...


class OverflowCount(NamedTuple):
    """Errors of a code beyond those that can be reported: they are only counted."""

    code: str
    times: int


class ListFindings(NamedTuple):
    """The problems that a check finds in single lists: the first `KEPT` of each code, and counts.

    First is what stands on the lowest line, so that a split of the lists keeps the same.
    """

    problems: tuple[Problem, ...] = ()
    counts: Mapping[str, int] = {}
    fatal: bool = False

    @classmethod
    def of(cls, problems: Iterable[Problem | OverflowCount]) -> ListFindings:
        """Those of one part."""
        collected, fatal = list[Problem](), False
        counts: dict[str, int] = {}
        for problem in problems:
            before = counts.get(problem.code, 0)
            if isinstance(problem, OverflowCount):
                counts[problem.code] = before + problem.times
                fatal = True
                continue
            fatal |= problem.severity == "error"
            # of more than are kept, one problem may stand for the rest
            counts[problem.code] = before + (problem.times if before >= KEPT else 1)
            collected.append(problem)
            if len(collected) >= 4 * KEPT:
                collected = _first(collected)
        return cls(tuple(_first(collected)), counts, fatal) if counts else cls()

    def plus(self, others: Sequence[ListFindings]) -> ListFindings:
        """Those of all parts."""
        every, counts = [self, *others], Counter[str]()
        for part in every:
            counts.update(part.counts)
        problems = [problem for part in every for problem in part.problems]
        return ListFindings(tuple(_first(problems)), counts, any(part.fatal for part in every))


class LastLines:
    """For each code the line beyond which no more problems of single lists can be reported."""

    def __init__(self) -> None:
        self._lines = dict[str, Ints]()  # of the first `KEPT` problems of each code
        self.last: Mapping[str, int] = {}

    def add(self, findings: Iterable[ListFindings]) -> None:
        """Take what was found in some more lists."""
        lines_by_code: dict[str, list[int]] = {}
        for each in findings:
            for problem in each.problems:
                lines_by_code.setdefault(problem.code, []).append(problem.line or 0)
        for code, lines in lines_by_code.items():
            before = self._lines.get(code, np.empty(0, dtype=np.int64))
            self._lines[code] = np.sort(np.append(before, lines))[:KEPT]
        self.last = {
            code: int(lines[-1]) for code, lines in self._lines.items() if lines.size == KEPT
        }


def _first(problems: list[Problem]) -> list[Problem]:
    """The first of each code, by their lines; problems of one line as they come."""
    problems.sort(key=_located)
    counts, first = Counter[str](), []
    for problem in problems:
        counts[problem.code] += 1
        if counts[problem.code] <= KEPT:
            first.append(problem)
    return first


def _located(problem: Problem) -> tuple[int, int, str, str]:
    if problem.line:  # a line is in one part only
        return problem.line, problem.column or 0, problem.code, ""
    return 0, 0, problem.code, f"{problem.list}\0{problem.item}\0{problem.message}"


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
