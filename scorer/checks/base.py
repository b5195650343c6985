"""What a check is: from columns to problems, and never from the answers."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from functools import cache, cached_property
from typing import Any, Literal, NamedTuple, TypeVar

import numpy as np

from scorer.challenge.model import Challenge
from scorer.challenge.public import Public
from scorer.challenge.submission import Submission
from scorer.checks.ids import PublicIds, by_codes, nameless_ids
from scorer.core.arrays import Ints, Mask
from scorer.core.plugins import Registry, discover, mark
from scorer.core.problems import KEPT, Findings, Problem
from scorer.reading.table import Table as FrameTable
from scorer.tables.columns import CodedColumn
from scorer.tables.frame import as_columns
from scorer.tables.table import Table
from scorer.views.ranked import RankedRows, ranked

UNREAD = ("S207", "S208", "S601")  # what makes a reader leave rows out


@dataclass(frozen=True, eq=False)
class Submitted:
    """What a check sees: the rows of a submission, the public part, and the rules."""

    file: FrameTable
    public: Public
    rules: Submission
    ready: PublicIds | None = None  # the public ids made ready to be looked up, where they are
    partial: bool = False  # whether the reader left rows out: what seems missing may stand there

    @property
    def table(self) -> Table:
        """The rows as arrays."""
        return as_columns(self.file)

    def line(self, row: int) -> int:
        """The physical line of a row."""
        return int(self.table.line[row])

    @cached_property
    def known(self) -> PublicIds:
        """The public ids."""
        return self.ready or PublicIds(self.public)

    @cached_property
    def lists(self) -> CodedColumn:
        """The list of each row."""
        return self.table.ids["list"]

    @cached_property
    def empty(self) -> dict[str, int]:
        """The lists that are named without an item, each with its line."""
        return dict(self.table.facts.get("empty", ()))

    @cached_property
    def number(self) -> Ints:
        """The number of each distinct list in the challenge; -1 where it has no such list."""
        return self.known.lists.places(self.lists)

    @cached_property
    def asked(self) -> tuple[Ints, Ints]:
        """For each row, the list and the pair to be predicted; -1 where there is none."""
        assert self.known.asked is not None
        return self.known.asked.find(self.lists, self.table.ids["item"])

    @property
    def firsts(self) -> bool:
        """Whether of an item that a list names several times the first counts."""
        ordered = self.public.kind == "grades" and "score" not in self.table.numbers
        return ordered and self.rules.repeats == "first"

    @cached_property
    def nameless_lists(self) -> Mask:
        """Which of the distinct lists have no name."""
        return nameless_ids(self.lists, self.number >= 0)

    @cached_property
    def in_named(self) -> Mask:
        """Which rows stand in a list that has a name."""
        return by_codes(~self.nameless_lists, self.lists.codes)

    @cached_property
    def ranked(self) -> RankedRows:
        """Rows of named lists that have a place, by list, then best first."""
        if not self.nameless_lists.any() and not self.unread:
            return ranked(self.table)
        numbers = self.table.numbers
        keep = self.in_named
        if (key := numbers.get("score", numbers.get("rank"))) is not None:
            keep = keep & ~np.isnan(key)
        return RankedRows.of(self.table, keep)

    @cached_property
    def counts_up(self) -> bool:
        """Whether the ranks of each list are 1, 2, 3, ..., however its rows stand."""
        rank, starts = self.ranked.column(self.table.numbers["rank"]), self.ranked.starts
        one_more = rank[1:] == rank[:-1] + 1
        one_more[starts[1:] - 1] = True
        return bool(one_more.all() and (rank[starts] == 1).all())

    @cached_property
    def unread(self) -> bool:
        """Whether a number of these rows could not be read."""
        columns = self.table.numbers.values()
        return any(column.size and np.isnan(column.min()) for column in columns)


class Truthful(NamedTuple):
    """What a check of the truth sees: the truth, the public part, and the challenge.

    Its findings are for the organizer's eyes only.
    """

    file: FrameTable
    public: Public
    challenge: Challenge
    counted: Mask | None = None  # the rows that the condition of any measure is true of; None: all

    @property
    def table(self) -> Table:
        """The rows as arrays."""
        return as_columns(self.file)

    def line(self, row: int) -> int:
        """The physical line of a row."""
        return int(self.table.line[row])


On = Literal["submission", "truth"]
F = TypeVar("F", bound=Callable[..., Any])


class Check(NamedTuple):
    """A check of submissions or truths, and the codes of the problems that it reports."""

    name: str
    codes: tuple[str, ...]
    examine: Callable[..., Any]  # of a `Submitted` or a `Truthful`
    kinds: frozenset[str] | None  # None: of every kind
    complete: bool = False  # it is only asked of a file whose every row could be read
    aliases: tuple[str, ...] = ()

    def fits(self, kind: str) -> bool:
        """Whether it is for challenges of that kind."""
        return self.kinds is None or kind in self.kinds


def check(
    *codes: str, kinds: Iterable[str] | None = None, complete: bool = False
) -> Callable[[F], F]:
    """Make a function a check of the challenges of those kinds, known by its own name.

    Its folder, or its entry-point group, says what it looks at: it is given a `Submitted`, or a
    `Truthful`, and gives the problems.

    Args:
        kinds: of the challenges that it is for; by default all.
        complete: whether it is only asked of a file whose every row could be read.
    """
    of = None if kinds is None else frozenset(kinds)
    return lambda function: mark(function, Check(function.__name__, codes, function, of, complete))


@cache
def checks(on: On = "submission") -> Registry[Check]:
    """Every check of a submission (entry points `scorer.checks`) or a truth (`scorer.audits`)."""
    group = "scorer.checks" if on == "submission" else "scorer.audits"
    return discover("check", f"scorer.checks.{on}", Check, group)


def examine(subject: Submitted | Truthful, findings: Findings) -> None:
    """Run every check that fits the kind, and add the problems to `findings`."""
    on: On = "submission" if isinstance(subject, Submitted) else "truth"
    partial = isinstance(subject, Submitted) and subject.partial
    for checker in checks(on):
        if checker.fits(subject.public.kind) and not (partial and checker.complete):
            findings.extend(_first_places(checker.examine(subject)))


def is_partial(findings: Findings) -> bool:
    """Return whether the reader of a submission left rows out."""
    return any(findings.counts[code] for code in UNREAD)


def _first_places(problems: Iterable[Problem]) -> Iterator[Problem]:
    """Yield the first `KEPT` problems of each code by their lines, and one for the others of each.

    A check of a large file can find more of them than memory holds.
    """
    first, counts = list[Problem](), Counter[str]()
    for problem in problems:
        # of more than are kept, one problem may stand for the rest
        counts[problem.code] += problem.times if counts[problem.code] >= KEPT else 1
        first.append(problem)
        if len(first) >= 4 * KEPT:
            first = _sorted_first(first)
    first = _sorted_first(first)
    yield from first
    kept = Counter(problem.code for problem in first)
    for code in counts:
        if counts[code] > kept[code]:
            last = next(problem for problem in reversed(first) if problem.code == code)
            yield replace(last, times=counts[code] - kept[code])


def _sorted_first(problems: list[Problem]) -> list[Problem]:
    """Return the first `KEPT` of each code by their lines; those of one line as they come."""
    counts, first = Counter[str](), []
    for problem in sorted(problems, key=lambda each: each.line or 0):
        counts[problem.code] += 1
        if counts[problem.code] <= KEPT:
            first.append(problem)
    return first
