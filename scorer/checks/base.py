"""What a check is: from columns to problems, and never from the answers."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cache, cached_property
from typing import Literal, NamedTuple, TypeVar

import numpy as np
from numpy.typing import NDArray

from scorer.challenge.model import Challenge, Submission
from scorer.challenge.public import Public
from scorer.checks.ids import LOST_BY_TOOLS, Fault, Known
from scorer.core.problems import KEPT, Findings, Problem
from scorer.core.registry import Registry, discover, mark
from scorer.io.table import CodedColumn, Floats, Ints, Table

Rows = NDArray[np.intp]
Mask = NDArray[np.bool_]

UNREAD = ("S207", "S208", "S601")  # what makes a reader leave rows out


@dataclass(frozen=True)
class Submitted:
    """All that a check sees: the submission, the public part, and the rules."""

    table: Table
    public: Public
    rules: Submission
    partial: bool = False  # rows could not be read: what seems missing may stand there

    def line(self, row: int) -> int:
        """The physical line of a row."""
        return int(self.table.line[row])

    @cached_property
    def lists(self) -> CodedColumn:
        """The list of each row."""
        return self.table.ids["list"]

    @cached_property
    def empty(self) -> dict[str, int]:
        """The lists that are named without an item, each with its line."""
        return dict(self.table.facts.get("empty", ()))

    @cached_property
    def in_named(self) -> Mask:
        """Which rows stand in a list that has a name at all."""
        named = np.array([not nameless(n, self.public.lists) for n in self.lists.names], dtype=bool)
        return named[self.lists.codes] if len(self.table) else np.empty(0, dtype=bool)

    @cached_property
    def list_faults(self) -> dict[str, Fault | None]:
        """The lists that the challenge does not have, each with what explains it."""
        given = dict.fromkeys([*self.lists.names, *self.empty])
        return unknown(list(given), self.known_lists)

    @cached_property
    def known_lists(self) -> Known:
        """The lists of the challenge, to look ids up in."""
        return Known(self.public.lists)

    @cached_property
    def order(self) -> Rows:
        """Rows of named lists that have a place, by list, then best first.

        Equal places stand in one order of the items, the same in every list.
        """
        numbers, item = self.table.numbers, self.table.ids["item"].codes
        rows = np.flatnonzero(self.in_named)
        key: Floats | Rows
        if "score" in numbers:
            key = -numbers["score"]
        elif "rank" in numbers:
            key = numbers["rank"]
        else:
            return rows[np.argsort(self.lists.codes[rows], kind="stable")]
        rows = rows[~np.isnan(key[rows])]
        return rows[np.lexsort((item[rows], key[rows], self.lists.codes[rows]))]


class Truthful(NamedTuple):
    """All that a check of the truth sees: the truth, the public part, and the challenge.

    Its findings are for the organizer's eyes only.
    """

    table: Table
    public: Public
    challenge: Challenge

    def line(self, row: int) -> int:
        """The physical line of a row."""
        return int(self.table.line[row])


On = Literal["submission", "truth"]
F = TypeVar("F", bound=Callable[..., Iterable[Problem]])


class Check(NamedTuple):
    """A function that finds fault with a submission or a truth, and the codes that it finds."""

    name: str
    codes: tuple[str, ...]
    examine: Callable[..., Iterable[Problem]]  # of a `Submitted` or a `Truthful`
    kinds: frozenset[str]
    aliases: tuple[str, ...] = ()


def check(
    *codes: str, kinds: Iterable[str] = ("grades", "ratings", "preferences", "labels")
) -> Callable[[F], F]:
    """Make a function a check of the challenges of those kinds, known by its own name.

    Its folder, or its entry-point group, says what it looks at.
    """
    return lambda function: mark(
        function, Check(function.__name__, codes, function, frozenset(kinds))
    )


@cache
def checks(on: On = "submission") -> Registry[Check]:
    """Every check of a submission (entry points `scorer.checks`) or a truth (`scorer.audits`)."""
    group = "scorer.checks" if on == "submission" else "scorer.audits"
    return discover("check", f"scorer.checks.{on}", Check, group)


def examine(seen: Submitted | Truthful, findings: Findings) -> None:
    """Run every check that fits the kind; all that is wrong goes to `findings`."""
    submission = isinstance(seen, Submitted)
    if isinstance(seen, Submitted) and any(findings.counts[code] for code in UNREAD):
        seen = replace(seen, partial=True)
    for known in checks("submission" if submission else "truth"):
        if seen.public.kind in known.kinds:
            findings.extend(known.examine(seen))


def places(rows: Rows | Ints, problem: Callable[[int], Problem]) -> Iterator[Problem]:
    """A problem a row; beyond what is ever kept, one stands for all the rest."""
    for row in rows[:KEPT].tolist():
        yield problem(row)
    if rows.size > KEPT:
        yield replace(problem(int(rows[KEPT])), times=rows.size - KEPT)


def repeated(*columns: Ints, rows: Rows) -> tuple[Rows, Rows]:
    """Of `rows`, those that say again what an earlier one says, and that earlier one.

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
    if not (ordered[1:] == ordered[:-1]).any():  # as it should be, and sooner known
        return rows[:0], rows[:0]
    order = np.argsort(key, kind="stable")
    new = np.ones(rows.size, dtype=bool)
    new[1:] = np.diff(key[order]) != 0
    first = order[new][np.cumsum(new) - 1]
    again, of = order[~new], first[~new]
    by = np.argsort(again)
    return rows[again[by]], rows[of[by]]


def first_rows(ids: CodedColumn, wanted: Mapping[str, object]) -> Iterator[tuple[str, int, int]]:
    """Each wanted id with its first row and the number of its rows, in the file's order."""
    if not wanted or wanted.keys().isdisjoint(ids.names):
        return
    counts = np.bincount(ids.codes, minlength=len(ids.names))
    first = np.zeros(len(ids.names), dtype=np.int64)
    first[ids.codes[::-1]] = np.arange(ids.codes.size)[::-1]
    for code in np.argsort(first, kind="stable").tolist():
        if counts[code] and ids.names[code] in wanted:
            yield ids.names[code], int(first[code]), int(counts[code])


def unknown(names: Iterable[str], known: Known) -> dict[str, Fault | None]:
    """Those of `names` that are not known, each with what explains it."""
    names = list(names)
    strange = [name for name in names if name not in known.names]
    decimals = bool(strange) and all(name.endswith(".0") for name in names if name)
    return {name: known.fault(name, decimals) for name in strange}


def nameless(name: str, known: Mapping[str, object] | None) -> bool:
    """Whether an id is none: empty, or what a missing value became."""
    return not name or (name in LOST_BY_TOOLS and name not in (known or ()))


def describe_fault(fault: Fault, word: str, rows: int) -> str:
    """What is wrong with an id, in a sentence about the `rows` that have it."""
    many = f"{rows:,} row{'s' if rows > 1 else ''}"
    if fault.code == "S309":
        return f"empty id: the {word} has no name in {many}"
    if fault.code == "S310":
        because = 'an id such as "NA" became a missing value on writing'
        return f"{fault.message} in {many} ({word}); {because}"
    return f"{word} {fault.message}" if fault.code == "S312" else fault.message
