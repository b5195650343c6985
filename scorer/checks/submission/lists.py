"""Are the lists those of the challenge?"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np

from scorer.checks.base import Submitted, check
from scorer.checks.id_tally import IdTally, id_problems
from scorer.checks.ids import FAULT_CLASSES, class_of
from scorer.checks.rows import describe_fault, occurrences
from scorer.checks.tally import MOST_NAMED, FileContext, refuse_errors
from scorer.checks.unknown import EXPLAINED, classes_of
from scorer.core.arrays import Ints, Mask, starts
from scorer.core.problems import Problem, Severity
from scorer.core.text import join_first, quoted
from scorer.tables.columns import gathered
from scorer.views.ranked import is_hashed, named

IGNORED = "an organizer who means to allow this writes  submission: {unknown_list: ignore}"
FEW = 20  # unknown ids that are looked at one by one
SHOWN = 3  # of many lists that are missing
ALWAYS = ("S309", "S310")  # no id at all: an error even where unknown lists are ignored


class Lists(NamedTuple):
    """The lists of the challenge that a submission names, and its other lists."""

    given: Mask  # one a list of the challenge
    meant: Mask  # those that an id gone wrong stands for
    strange: IdTally
    decimals: bool = True  # all strange ids end in .0
    strict: bool = True  # they are errors

    @property
    def errors(self) -> int:
        """How many ids there are that are errors."""
        return len(self.strange) if self.strict else 0

    @property
    def errors_at_most(self) -> int:
        """How many there are if no two parts share one."""
        return self.strange.at_most if self.strict else 0

    def plus(self, others: Sequence[Lists]) -> Lists:
        """Those of all parts."""
        every, given, meant = (self, *others), self.given.copy(), self.meant.copy()
        for part in others:
            given |= part.given
            meant |= part.meant
        return Lists(
            given,
            meant,
            self.strange.plus([part.strange for part in others]),
            all(part.decimals for part in every),
            self.strict,
        )

    def problems(self, whole: FileContext) -> Iterator[Problem]:
        """The lists that are missing, and those that the challenge does not have."""
        if self.given.any():
            another = False
        else:  # is it a submission to another challenge?
            plain = ("plain",) if self.decimals else ("plain", "decimal")
            another = sum(map(self.strange.count, plain)) == len(self.strange)
        if another and len(self.strange):
            yield self._another(whole)
        elif not another:
            yield from self._missing(whole)
            yield from self._unknown(whole)

    def _another(self, whole: FileContext) -> Problem:
        word, many = whole.public.word("list"), len(self.strange)
        first = [name for name, *_ in self.strange.entries()][:3]
        more = f" and {many - 3:,} more" if many > 3 else ""
        message = (
            f"no {word} of this file is in this challenge; is the file for another one? "
            f"it has {join_first(first)}{more}, "
            f"expected {join_first(list(whole.public.lists))}"
        )
        return Problem("S311", message)

    def _missing(self, whole: FileContext) -> Iterator[Problem]:
        """The missing lists, without those whose id has a fault, a problem of its own."""
        strict = whole.rules.unknown_list == "error"
        given = self.given | self.meant if strict else self.given
        if given.all():
            return
        names = list(whole.public.lists)
        missing = [names[n] for n in np.flatnonzero(~given).tolist()]
        yield _missing(missing, len(missing), len(names), whole)

    def counted(self, names: Sequence[str]) -> Counted:
        """What remains of these where there are too many lists to go through all of them."""
        lost = np.flatnonzero(~self.given)
        first = tuple(names[n] for n in lost[:SHOWN].tolist())
        given, others = int(self.given.sum()), len(self.strange)
        return Counted(given, int(lost.size), first, others, self.errors)

    def _unknown(self, whole: FileContext) -> Iterator[Problem]:
        word, strict = whole.public.word("list"), whole.rules.unknown_list == "error"
        known = whole.known.lists.again()

        def problem(name: str, line: int, rows: int) -> Problem:
            fault = known.fault(name, self.decimals)
            severity: Severity = "error"
            if not strict and (fault is None or fault.code not in ALWAYS):
                severity = "warning"
            if fault is None:
                message = f"{word} {quoted(name)} is not in this challenge{known.hint(name)}"
                help = IGNORED if strict else None
                return Problem("S302", message, severity, line=line, list=name, help=help,
                               role="list")  # fmt: skip
            message = describe_fault(fault, word, rows)
            return Problem(fault.code, message, severity, line=line, list=name, help=fault.help,
                           role="list")  # fmt: skip

        problems = list(
            id_problems(self.strange, lambda name, _, line, rows: problem(name, line, rows))
        )
        beyond = ("S302", "warning")
        ignored = [p for p in problems if (p.code, p.severity) == beyond]
        if len(ignored) > 1:  # one warning for all of them
            problems = [p for p in problems if (p.code, p.severity) != beyond]
            many = sum(p.times for p in ignored)
            names = join_first([str(p.list) for p in ignored][:3])
            names += f" and {many - 3:,} more" if many > 3 else ""
            message = f"{many:,} {word}s are not in this challenge, and are ignored: {names}"
            yield replace(ignored[0], message=message, times=1)
        yield from problems


class Counted(NamedTuple):
    """How many lists of the challenge a submission names and lacks, and how many others it names.

    What is to be said of others only `Lists` knows.
    """

    given: int = 0
    missing: int = 0
    first: tuple[str, ...] = ()  # of the missing ones, by their names
    others: int = 0
    errors: int = 0  # how many of these are errors

    @classmethod
    def of_none(cls, names: Sequence[str]) -> Counted:
        """Where none of these lists is named, which are in order."""
        return cls(0, len(names), tuple(names[:SHOWN]))

    def plus(self, others: Sequence[Counted]) -> Counted:
        """Those of all parts."""
        every = (self, *others)
        return Counted(
            sum(one.given for one in every),
            sum(one.missing for one in every),
            tuple(sorted(name for one in every for name in one.first)[:SHOWN]),
            sum(one.others for one in every),
            sum(one.errors for one in every),
        )

    def problems(self, whole: FileContext) -> Iterator[Problem]:
        """The lists that are missing."""
        if self.missing and self.given:  # else there are no rows
            many = self.given + self.missing
            yield _missing(self.first, self.missing, many, whole)


def _missing(first: Sequence[str], missing: int, lists: int, whole: FileContext) -> Problem:
    public = whole.public
    are = "is" if missing == 1 else "are"
    message = f"{missing:,} of {lists:,} {public.lists_called} {are} missing"
    message += f": {join_first(first[:SHOWN])}"
    if missing > SHOWN:
        message += f" and {missing - SHOWN:,} more"
    if whole.partial:
        message += " (or are in lines that could not be read)"
    strict = whole.rules.missing_list in (None, "error")
    return Problem("S301", message, "error" if strict else "warning", list=first[0])


@check(
    "S301", "S302", "S306", "S307", "S308", "S309", "S310", "S311", "S312", "S313", scope="row"
)  # fmt: skip
def unknown_list(submitted: Submitted) -> Lists:
    """Every list of the challenge is answered, and no other."""
    known, ids, number = submitted.known.lists, submitted.lists, submitted.number
    given, meant = (np.zeros(len(known.names), dtype=bool) for _ in range(2))
    present = np.zeros(number.size, dtype=bool)
    present[ids.codes[starts(ids.codes)]] = True
    given[number[present & (number >= 0)]] = True
    strange = list[tuple[str, int, int, str | None, int]]()
    plain, decimals = IdTally(FAULT_CLASSES), True

    def add(name: str, line: int, rows: int) -> None:
        nonlocal decimals
        decimals &= not name or name.endswith(".0")
        fault = known.fault(name)
        if fault is not None and fault.meant is not None:
            meant[known.place(fault.meant)] = True
        strange.append((name, line, rows, None, class_of(name, fault)))

    if (wrong := present & (number < 0)).any():
        if submitted.rules.unknown_list == "error":
            refuse_errors(int(wrong.sum()), max(submitted.rules.limits.errors, MOST_NAMED))
        codes, rows, counts = occurrences(ids, wrong, submitted.table.line)
        if is_hashed(ids) and codes.size > FEW:
            explained, plain, ended = _unexplained(submitted, codes, rows, counts)
            codes, rows, counts = codes[explained], rows[explained], counts[explained]
            decimals &= ended
        for name, row, count in zip(named(ids, codes), rows, counts.tolist(), strict=True):
            add(name, submitted.line(row), count)
    for name, line in submitted.empty.items():
        if name in known:
            given[known.place(name)] = True
        else:
            add(name, line, 1)
    strict = submitted.rules.unknown_list == "error"
    return Lists(given, meant, plain.plus([IdTally.of(FAULT_CLASSES, strange)]), decimals, strict)


def _unexplained(
    submitted: Submitted, codes: Ints, rows: Ints, counts: Ints
) -> tuple[Ints, IdTally, bool]:
    """The unknown ids that certainly have no explanation.

    Args:
        codes: shape (ids,): the unknown ones, by their first lines.
        rows: shape (ids,): the first of each.
        counts: shape (ids,): how many rows each has.

    Returns:
        Where among `codes` the others stand, the tally of these, and whether all end in `.0`.
    """
    ids = submitted.lists
    held: Any = ids.held
    names = gathered(held, codes)
    kinds = classes_of(names, submitted.known.lists)
    unexplained = np.flatnonzero(kinds != EXPLAINED)
    tally = IdTally.of_hashes(
        FAULT_CLASSES,
        ids.hashes[codes[unexplained]],
        submitted.table.line[rows[unexplained]],
        counts[unexplained],
        kinds[unexplained],
        lambda at: named(ids, codes[unexplained[at]]),
    )
    ended = bool(gathered(names, unexplained).str.ends_with(".0").all())
    return np.flatnonzero(kinds == EXPLAINED), tally, ended
