"""What a check is: from columns to problems, and never from the answers.

Stability: plugin.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cache, cached_property
from typing import Any, Literal, NamedTuple, Protocol, Self, TypeVar

import numpy as np
from numpy.typing import NDArray

from scorer.challenge.model import Challenge, Submission
from scorer.challenge.public import Public
from scorer.checks.ids import LOST_BY_TOOLS, IdFault, Known, PublicIds
from scorer.checks.tally import CheckTally, FileContext, ListFindings, OverflowCount
from scorer.core.arrays import Ints, Mask, starts
from scorer.core.problems import KEPT, Findings, Problem
from scorer.core.registry import Registry, discover, mark
from scorer.tables.columns import CodedColumn, Codes
from scorer.tables.table import Table
from scorer.views.ranked import RankedRows, among, keys, named, ranked

Rows = NDArray[np.intp]

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

    @cached_property
    def nameless_lists(self) -> Mask:
        """Which of the distinct lists have no name."""
        return nameless_ids(self.lists, self.number >= 0)

    @cached_property
    def in_named(self) -> Mask:
        """Which rows stand in a list that has a name."""
        return _at(~self.nameless_lists, self.lists.codes)

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
    *codes: str,
    kinds: Iterable[str] | None = None,
    scope: Scope = "list",
    complete: bool = False,
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


def places(rows: Rows | Ints, problem: Callable[[int], Problem]) -> Iterator[Problem]:
    """One problem a row; beyond the number that is kept, one stands for the rest."""
    for row in rows[:KEPT].tolist():
        yield problem(row)
    if rows.size > KEPT:
        yield replace(problem(int(rows[KEPT])), times=rows.size - KEPT)


def reported(
    submitted: Submitted, code: str, rows: Ints, problems: Callable[[Ints], Iterable[Problem]]
) -> Iterator[Problem | OverflowCount]:
    """The errors of the rows that can be reported; those of the other rows are only counted.

    Args:
        problems: makes the errors, given where among `rows` the rows stand that have them.
    """
    last = submitted.last.get(code, math.inf)
    reportable = np.flatnonzero(submitted.table.line[rows] <= last)[:KEPT]
    if reportable.size:
        yield from problems(reportable)
    if rows.size > reportable.size:
        yield OverflowCount(code, rows.size - reportable.size)


def repeated(*columns: Ints, rows: Rows) -> tuple[Rows, Rows]:
    """Those of `rows` that repeat an earlier row, and that earlier row of each.

    Args:
        columns: codes, one a row of the table, that together make a row's key.
        rows: the rows that count, ascending.
    """
    key = np.zeros(rows.size, dtype=np.int64)
    for codes in columns:
        width = int(codes.max(initial=0)) + 1
        if int(key.max(initial=0)) > 2**62 // width:
            key = np.unique(key, return_inverse=True)[1]
        key = key * width + codes[rows]
    ordered = np.sort(key)
    if not (ordered[1:] == ordered[:-1]).any():  # the usual case, which is cheaper to find out
        return rows[:0], rows[:0]
    order = np.argsort(key, kind="stable")
    new = starts(key[order])
    first = order[new][np.cumsum(new) - 1]
    again, of = order[~new], first[~new]
    by = np.argsort(again)
    return rows[again[by]], rows[of[by]]


def first_pairs(submitted: Submitted, rows: Rows | Ints, role: str) -> Ints:
    """The first of some rows for each list and item, in the file's order.

    Args:
        role: the column of the items: item, better or worse.

    Returns:
        Row indices, by their lines.
    """
    line, key = submitted.table.line[rows], keys(submitted.table.ids[role])[rows]
    in_list = submitted.lists.codes[rows]
    by = np.lexsort((rows, line, key, in_list))
    first = by[starts(in_list[by], key[by])]
    ordered: Ints = rows[first[np.lexsort((rows[first], line[first]))]]
    return ordered


def first_rows(ids: CodedColumn, wanted: Mapping[str, object]) -> Iterator[tuple[str, int, int]]:
    """Each wanted id with its first row and the number of its rows, in the file's order."""
    if not wanted or wanted.keys().isdisjoint(ids.names):
        return
    mask = np.array([name in wanted for name in ids.names], dtype=bool)
    codes, rows, counts = occurrences(ids, mask)
    for code, row, count in zip(codes.tolist(), rows.tolist(), counts.tolist(), strict=True):
        yield ids.names[code], row, count


def occurrences(
    ids: CodedColumn, wanted: Mask, line: Ints | None = None
) -> tuple[Ints, Ints, Ints]:
    """The codes of the wanted distinct ids that have rows, by their first rows.

    Args:
        line: what tells which row is first; without it, the order of the rows.

    Returns:
        The codes, the first row of each, and how many rows each has.
    """
    rows = np.flatnonzero(_at(wanted, ids.codes))
    codes = ids.codes[rows].astype(np.int64)
    by = np.lexsort((rows, codes) if line is None else (rows, line[rows], codes))
    rows, codes = rows[by], codes[by]
    new = np.flatnonzero(starts(codes))
    counts = np.diff(np.append(new, codes.size))
    first = rows[new]
    by = np.argsort(first if line is None else line[first], kind="stable")
    return codes[new][by], first[by], counts[by]


def unknown(ids: CodedColumn, known: Known) -> dict[str, IdFault | None]:
    """The unknown ids of a column, each with what explains it."""
    strange = named(ids, np.flatnonzero(known.places(ids) < 0))
    decimals = bool(strange) and all(name.endswith(".0") for name in ids.names if name)
    return {name: known.fault(name, decimals) for name in strange}


def nameless(name: str, known: Mapping[str, object] | None) -> bool:
    """Whether an id is missing: empty, or the text of a missing value."""
    return not name or (name in LOST_BY_TOOLS and name not in (known or ()))


def nameless_ids(ids: CodedColumn, known: Mask | Literal[False]) -> Mask:
    """Which distinct ids are missing: empty, or the text of a missing value and not `known`."""
    lost = among(ids, sorted(LOST_BY_TOOLS)) & ~np.asarray(known, dtype=bool)
    none: Mask = among(ids, [""]) | lost
    return none


def repeated_items(submitted: Submitted, known: Mapping[str, object] | None) -> tuple[Rows, Rows]:
    """The rows that repeat an item of their list, and the earlier row of each.

    `known` are the items of which one may be called "nan".
    """
    table, items = submitted.table, submitted.table.ids["item"]
    if submitted.unread:  # rows without a place count as well
        bare = replace(table, numbers={})
        rows = RankedRows.of(bare, submitted.in_named)
    else:
        rows = submitted.ranked
    if not (repeats := rows.items.repeated).size:
        return repeats, repeats
    repeated_rows = np.sort(rows.at(repeats))
    texts = items.texts(repeated_rows)  # two ids can have one hash
    named = np.array([not nameless(name, known) for name in texts], dtype=bool)
    index: dict[str, int] = {}
    codes = np.array([index.setdefault(text, len(index)) for text in texts], dtype=np.int64)
    by = np.argsort(table.line[repeated_rows], kind="stable")
    repeated_rows, codes, named = repeated_rows[by], codes[by], named[by]
    lists = submitted.lists.codes[repeated_rows]
    again, first = repeated(lists, codes, rows=np.flatnonzero(named))
    return repeated_rows[again], repeated_rows[first]


def numbered_rows(public: Public, lists: CodedColumn) -> Mask:
    """Which rows have a number to be predicted, where others have a class."""
    return _at(np.array(public.numbered(lists.names), dtype=bool), lists.codes)


def _at(mask: Mask, codes: Codes) -> Mask:
    """A mask of distinct ids, for each row."""
    rows: Mask = mask[codes] if codes.size else np.empty(0, dtype=bool)
    return rows


def describe_fault(fault: IdFault, word: str, rows: int) -> str:
    """The message about an id's fault, for all rows that have it.

    Args:
        word: what the challenge calls that which the id names.
    """
    many = f"{rows:,} row{'s' if rows > 1 else ''}"
    if fault.code == "S309":
        return f"empty id: the {word} has no name in {many}"
    if fault.code == "S310":
        because = 'an id such as "NA" became a missing value on writing'
        return f"{fault.message} in {many} ({word}); {because}"
    return f"{word} {fault.message}" if fault.code == "S312" else fault.message
