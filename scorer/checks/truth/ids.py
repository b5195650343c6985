"""Are the ids of the truth ids at all?"""

from __future__ import annotations

from collections.abc import Iterator

from scorer.checks.base import Truthful, check
from scorer.checks.ids import LOST_BY_TOOLS, READ_AS_TEXT, IdFault
from scorer.checks.rows import describe_fault, first_rows
from scorer.core.problems import Problem, Severity
from scorer.core.text import quoted

MAY_BE_EMPTY = f"{READ_AS_TEXT}; an answer that may be empty is a text: text in place of item"


@check("T309", "T310")
def no_id(truthful: Truthful) -> Iterator[Problem]:
    """No id is empty; one that reads 'nan' may have been a missing value."""
    lost = dict.fromkeys(["", *LOST_BY_TOOLS])
    for role, ids in truthful.table.ids.items():
        if role in ("label", "runs", "boxes"):
            continue  # which have checks of their own
        if role == "item" and truthful.challenge.truth.texts:
            continue  # a text may be empty
        word = truthful.public.word(role)
        for name, row, rows in first_rows(ids, lost) if ids.any_of(tuple(lost)) else ():
            fault = IdFault("S310", f"id reads {quoted(name)}") if name else IdFault("S309", "")
            severity: Severity = "warning" if name else "error"
            line = truthful.line(row)
            message = describe_fault(fault, word, rows)
            code = "T310" if name else "T309"
            help = MAY_BE_EMPTY if role == "item" and not name.strip() else READ_AS_TEXT
            yield Problem(code, message, severity, line=line, help=help)
