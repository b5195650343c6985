"""Are the lists those of the challenge?"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

import numpy as np

from scorer.checks.base import Submitted, check
from scorer.checks.ids import IdFault
from scorer.checks.rows import describe_fault
from scorer.checks.unknown import WrongId, WrongIds, find_ids, report_ids
from scorer.core.arrays import starts
from scorer.core.problems import Problem, Severity
from scorer.core.text import join_first, quoted

IGNORED = "an organizer who means to allow this writes  submission: {unknown_list: ignore}"
SHOWN = 3  # of many lists that are missing
ALWAYS = ("S309", "S310")  # no id at all: an error even where unknown lists are ignored


@check("S301", "S302", "S306", "S307", "S308", "S309", "S310", "S311", "S312", "S313")
def unknown_list(submitted: Submitted) -> Iterator[Problem]:
    """Every list of the challenge is answered, and no other."""
    known, ids, number = submitted.known.lists, submitted.lists, submitted.number
    given, meant = (np.zeros(len(known.names), dtype=bool) for _ in range(2))
    has_rows = np.zeros(number.size, dtype=bool)
    has_rows[ids.codes[starts(ids.codes)]] = True
    given[number[has_rows & (number >= 0)]] = True
    wrong = _with_empty_lists(find_ids(submitted, ids, has_rows & (number < 0)), submitted)
    given[[known.place(name) for name in submitted.empty if name in known]] = True
    decimals = wrong.all_decimals
    faults = {each.name: known.fault(each.name, decimals) for each in wrong.first}
    for fault in faults.values():
        if fault is not None and fault.meant is not None:
            meant[known.place(fault.meant)] = True
    strict = submitted.rules.unknown_list == "error"
    if not given.any() and not any(faults.values()):  # is it a submission to another challenge?
        if wrong.total:
            yield _another_challenge(submitted, wrong)
        return
    # a list whose id is wrong has a problem of its own
    answered = given | meant if strict else given
    if not answered.all():
        names = list(submitted.public.lists)
        missing = [names[n] for n in np.flatnonzero(~answered).tolist()]
        yield _missing(submitted, missing)
    yield from _unknown(submitted, wrong, faults)


def _with_empty_lists(wrong: WrongIds, submitted: Submitted) -> WrongIds:
    """Return unknown lists with those that are named without an item."""
    known = submitted.known.lists
    empty = [WrongId(name, line, 1) for name, line in submitted.empty.items() if name not in known]
    if not empty:
        return wrong
    first = sorted([*wrong.first, *empty], key=lambda each: each.line)
    return WrongIds(first, wrong.total + len(empty))


def _another_challenge(submitted: Submitted, wrong: WrongIds) -> Problem:
    names = [each.name for each in wrong.first[:3]]
    more = f" and {wrong.total - 3:,} more" if wrong.total > 3 else ""
    message = (
        f"no {submitted.public.word('list')} of this file is in this challenge; is the file for "
        f"another one? it has {join_first(names)}{more}, "
        f"expected {join_first(list(submitted.public.lists))}"
    )
    return Problem("S311", message)


def _missing(submitted: Submitted, missing: Sequence[str]) -> Problem:
    """Return the problem of the lists of the challenge that the submission does not have."""
    public, rules = submitted.public, submitted.rules
    are = "is" if len(missing) == 1 else "are"
    message = f"{len(missing):,} of {len(public.lists):,} {public.lists_called} {are} missing"
    message += f": {join_first(missing[:SHOWN])}"
    if len(missing) > SHOWN:
        message += f" and {len(missing) - SHOWN:,} more"
    if submitted.partial:
        message += " (or are in lines that could not be read)"
    severity: Severity = "error" if rules.missing_list in (None, "error") else "warning"
    return Problem("S301", message, severity, list=missing[0])


def _unknown(
    submitted: Submitted, wrong: WrongIds, faults: Mapping[str, IdFault | None]
) -> Iterator[Problem]:
    """Yield the problems of lists that the challenge lacks, given the faults of their ids."""
    word, strict = submitted.public.word("list"), submitted.rules.unknown_list == "error"
    known = submitted.known.lists.again()

    def code_of(name: str) -> str:
        return "S302" if (fault := faults[name]) is None else fault.code

    def problem(each: WrongId) -> Problem:
        name, line, rows, _ = each
        fault = faults[name]
        severity: Severity = "error"
        if not strict and (fault is None or fault.code not in ALWAYS):
            severity = "warning"
        if fault is None:
            message = f"{word} {quoted(name)} is not in this challenge{known.hint(name)}"
            help = IGNORED if strict else None
        else:
            message, help = describe_fault(fault, word, rows), fault.help
        return Problem(
            code_of(name), message, severity, line=line, list=name, help=help, role="list"
        )

    one_by_one, ignored = list[Problem](), list[Problem]()
    for each in report_ids(wrong, code_of, problem):
        is_ignored = (each.code, each.severity) == ("S302", "warning")
        (ignored if is_ignored else one_by_one).append(each)
    if len(ignored) > 1:  # one warning for all of them
        many = sum(each.times for each in ignored)
        names = join_first([str(each.list) for each in ignored][:3])
        names += f" and {many - 3:,} more" if many > 3 else ""
        message = f"{many:,} {word}s are not in this challenge, and are ignored: {names}"
        ignored = [replace(ignored[0], message=message, times=1)]
    yield from [*ignored, *one_by_one]
