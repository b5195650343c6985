"""Ranked lists against grades."""

from __future__ import annotations

from dataclasses import dataclass

from scorer.columns import Table, Wanted
from scorer.errors import Findings, Problem
from scorer.judged import Judged, Ties
from scorer.judging import Truth, judge
from scorer.kind import Aids, Constants, Meeting, kind
from scorer.preferences import Positions


@dataclass(frozen=True, slots=True)
class Grades:
    """A graded truth made ready."""

    truth: Truth
    constants: Constants

    @property
    def lists(self) -> tuple[str, ...]:
        """The lists that are scored."""
        return self.truth.lists

    def meet(self, submission: Table, ties: Ties, views: frozenset[type]) -> Meeting:
        """The judged items that the submission returned, beside the best possible."""
        judged, answered = judge(submission, self.truth, ties)
        seen: dict[type, object] = {Judged: judged}
        if Positions in views:
            seen[Positions] = Positions.of(judged)
        return Meeting(answered, seen)


@kind(
    "grades",
    truth=(Wanted(("list", "item"), ("grade", "subtopic")),),
    known=(Wanted(("list",)),),
    submission=(Wanted(("list", "item"), ("rank", "score", "tag")),),
)
def grades(table: Table, aids: Aids, findings: Findings) -> Grades:
    """Judged items, best first; a list without any is in the public lists file."""
    grade = table.numbers.get("grade")
    if not len(table):
        findings.add(Problem("S103", "the truth has no rows"))
    elif grade is not None and not (grade > 0).any():
        findings.add(Problem("S304", "nothing is relevant in any list", "warning"))
    truth = Truth.of(table, tuple(aids.public.lists))
    highest = float(truth.grade.max(initial=0.0))
    catalogue = None if aids.public.items is None else len(aids.public.items)
    return Grades(truth, Constants(highest, catalogue))
