"""Are the lists those of the challenge?"""

from __future__ import annotations

from collections.abc import Iterator

from scorer.checks.base import Submitted, check, describe_fault, first_rows
from scorer.core.problems import Problem, Severity
from scorer.core.text import join_first, quoted

ALWAYS = ("S309", "S310")  # no id at all: an error even where unknown lists are ignored


@check("S301")
def missing_list(submitted: Submitted) -> Iterator[Problem]:
    """Every list of the challenge is answered.

    A list that is there under an id gone wrong has its own problem.
    """
    public, rules, faults = submitted.public, submitted.rules, submitted.list_faults
    given = {*submitted.lists.names, *submitted.empty}
    if _another(submitted) or not given:
        return
    if rules.unknown_list == "error":
        given.update(fault.meant for fault in faults.values() if fault and fault.meant)
    missing = [name for name in public.lists if name not in given]
    if missing:
        are = "is" if len(missing) == 1 else "are"
        whole = f"{len(public.lists):,} {public.lists_called}"
        message = f"{len(missing):,} of {whole} {are} missing: {join_first(missing)}"
        if submitted.partial:
            message += " (or stand in lines that could not be read)"
        strict = rules.missing_list in (None, "error")
        severity: Severity = "error" if strict else "warning"
        yield Problem("S301", message, severity, list=missing[0])


@check("S302", "S306", "S307", "S308", "S309", "S310", "S311", "S312")
def unknown_list(submitted: Submitted) -> Iterator[Problem]:
    """No list is answered that the challenge does not have."""
    public, ids, faults = submitted.public, submitted.lists, submitted.list_faults
    word = public.word("list")
    if _another(submitted):
        message = (
            f"no {word} of this file is in this challenge; is the file for another one? "
            f"it has {join_first(ids.names or list(submitted.empty))}, "
            f"expected {join_first(list(public.lists))}"
        )
        yield Problem("S311", message)
        return
    found = [(name, submitted.line(row), rows) for name, row, rows in first_rows(ids, faults)]
    found += [(name, line, 1) for name, line in submitted.empty.items() if name in faults]
    strict = submitted.rules.unknown_list == "error"
    for name, line, rows in found:
        fault = faults[name]
        severity: Severity = "error"
        if not strict and (fault is None or fault.code not in ALWAYS):
            severity = "warning"
        if fault is None:
            hint = submitted.known_lists.hint(name)
            message = f"{word} {quoted(name)} is not in this challenge{hint}"
            yield Problem("S302", message, severity, line=line, list=name)
        else:
            message = describe_fault(fault, word, rows)
            yield Problem(fault.code, message, severity, line=line, list=name, help=fault.help)


def _another(submitted: Submitted) -> bool:
    """Whether no list is known and nothing explains any of them."""
    faults, given = submitted.list_faults, {*submitted.lists.names, *submitted.empty}
    return bool(faults) and len(faults) == len(given) and not any(faults.values())
