"""What a check is: from columns to problems, and never from the answers."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cache, cached_property
from typing import Any, Literal, NamedTuple, Protocol, Self, TypeVar

import numpy as np

from scorer.challenge.model import Challenge
from scorer.challenge.public import Public
from scorer.challenge.submission import Submission
from scorer.checks.ids import PublicIds, by_codes, nameless_ids
from scorer.checks.tally import CheckTally, FileContext, ListFindings
from scorer.core.arrays import Ints, Mask
from scorer.core.problems import Findings, Problem
from scorer.core.registry import Registry, discover, mark
from scorer.tables.columns import CodedColumn
from scorer.tables.table import Table
from scorer.views.ranked import RankedRows, ranked

UNREAD = ("S207", "S208", "S601")  # what makes a reader leave rows out


@dataclass(frozen=True, eq=False)
class Submitted:
    """What a check sees: rows of whole lists of a submission, the public part, and the rules.

    Of a small file these are all its lists, of a large one some of them at a time.
    """

    table: Table
    public: Public
    rules: Submission
    ready: PublicIds | None = None  # the public ids made ready to be looked up, where they are
    # code -> the last line whose problem can be reported; those of later lines are only counted
    last: Mapping[str, int] = field(default_factory=dict)

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

    table: Table
    public: Public
    challenge: Challenge
    counted: Mask | None = None  # the rows that the condition of any measure is true of; None: all

    def line(self, row: int) -> int:
        """The physical line of a row."""
        return int(self.table.line[row])


On = Literal["submission", "truth"]
Scope = Literal["list", "file", "row"]
F = TypeVar("F", bound=Callable[..., Any])


class Check(NamedTuple):
    """A check of submissions or truths, and the codes of the problems that it reports."""

    name: str
    codes: tuple[str, ...]
    examine: Callable[..., Any]  # of a `Submitted` or a `Truthful`
    kinds: frozenset[str] | None  # None: of every kind
    scope: Scope = "list"
    complete: bool = False  # it is only asked of a file whose every row could be read
    aliases: tuple[str, ...] = ()

    def fits(self, kind: str) -> bool:
        """Whether it is for challenges of that kind."""
        return self.kinds is None or kind in self.kinds


def check(
    *codes: str, kinds: Iterable[str] | None = None, scope: Scope = "list", complete: bool = False
) -> Callable[[F], F]:
    """Make a function a check of the challenges of those kinds, known by its own name.

    Its folder, or its entry-point group, says what it looks at.

    Args:
        kinds: of the challenges that it is for; by default all.
        scope: what a check of a submission decides by. `list`: each list alone; it is given some
            whole lists at a time, and gives their problems. `file`: all lists together; it is given
            some whole lists at a time, and gives a `CheckTally` of them. `row`: all rows together;
            as `file`, but the rows may be any.
        complete: whether it is only asked of a file whose every row could be read.
    """
    of = None if kinds is None else frozenset(kinds)
    return lambda function: mark(
        function, Check(function.__name__, codes, function, of, scope, complete)
    )


@cache
def checks(on: On = "submission") -> Registry[Check]:
    """Every check of a submission (entry points `scorer.checks`) or a truth (`scorer.audits`)."""
    group = "scorer.checks" if on == "submission" else "scorer.audits"
    return discover("check", f"scorer.checks.{on}", Check, group)


class CheckedLists(NamedTuple):
    """The findings of the checks in some lists of a submission, by the names of the checks."""

    # of those that look at lists
    of_lists: Mapping[str, ListFindings] = {}
    tallies: Mapping[str, CheckTally] = {}  # of the others

    @property
    def fatal(self) -> bool:
        """Whether a list or an id has an error, so that the file cannot be scored.

        What a row that could not be read may explain is no error yet.
        """
        registry = checks()
        if any(
            getattr(tally, "fatal", False) or getattr(tally, "errors_at_most", 0)
            for tally in self.tallies.values()
        ):
            return True  # rows hold what no measure could be given, or what the challenge lacks
        return any(
            findings.fatal and not registry.get(name).complete
            for name, findings in self.of_lists.items()
        )

    @property
    def errors(self) -> int:
        """How many errors there are; each id that the challenge does not have counts once."""
        return self._errors("errors")

    @property
    def errors_at_most(self) -> int:
        """As `errors`, and known at once: ids that parts of the file share count several times."""
        return self._errors("errors_at_most")

    def _errors(self, name: str) -> int:
        lists = sum(sum(each.counts.values()) for each in self.of_lists.values() if each.fatal)
        return lists + sum(getattr(tally, name, 0) for tally in self.tallies.values())

    def plus(self, others: Sequence[CheckedLists]) -> CheckedLists:
        """The findings in all of these lists together."""
        every = [self, *others]
        list_checks = {name: None for part in every for name in part.of_lists}
        tally_checks = {name: None for part in every for name in part.tallies}
        return CheckedLists(
            {
                name: _sum([part.of_lists[name] for part in every if name in part.of_lists])
                for name in list_checks
            },
            {
                name: _sum([part.tallies[name] for part in every if name in part.tallies])
                for name in tally_checks
            },
        )

    def problems(self, whole: FileContext) -> Iterator[Problem]:
        """The problems of a file of which these are all lists, in the order of the checks."""
        for checker in checks():
            if checker.complete and whole.partial:
                continue
            if (findings := self.of_lists.get(checker.name)) is not None:
                if not findings.counts:
                    continue
                yield from findings.problems
                kept_counts = Counter(problem.code for problem in findings.problems)
                for code, count in findings.counts.items():
                    if count > kept_counts[code]:
                        last = next(p for p in reversed(findings.problems) if p.code == code)
                        yield replace(last, times=count - kept_counts[code])
            elif (tally := self.tallies.get(checker.name)) is not None:
                yield from tally.problems(whole)


class Summand(Protocol):
    """What can be summed over the parts of a file."""

    def plus(self, others: Sequence[Self]) -> Self:
        """The sum."""
        ...


S = TypeVar("S", bound=Summand)


def _sum(parts: Sequence[S]) -> S:
    first, *others = parts
    return first.plus(others) if others else first


def checked(
    submitted: Submitted, scopes: Sequence[Scope] = ("list", "file", "row")
) -> CheckedLists:
    """Run every check of these scopes that fits the kind."""
    of_lists, tallies = dict[str, ListFindings](), dict[str, CheckTally]()
    for checker in checks():
        if not checker.fits(submitted.public.kind) or checker.scope not in scopes:
            continue
        outcome = checker.examine(submitted)
        if checker.scope == "list":
            of_lists[checker.name] = ListFindings.of(outcome)
        else:
            tallies[checker.name] = outcome
    return CheckedLists(of_lists, tallies)


def add_problems(
    outcome: CheckedLists, public: Public, rules: Submission, ids: PublicIds, findings: Findings
) -> None:
    """Add the problems of a submission to those that its reader found."""
    partial = any(findings.counts[code] for code in UNREAD)
    findings.extend(outcome.problems(FileContext(public, rules, ids, partial)))


def examine(subject: Submitted | Truthful, findings: Findings) -> None:
    """Run every check that fits the kind, and add the problems to `findings`."""
    if isinstance(subject, Submitted):
        add_problems(checked(subject), subject.public, subject.rules, subject.known, findings)
        return
    for checker in checks("truth"):
        if checker.fits(subject.public.kind):
            findings.extend(checker.examine(subject))
