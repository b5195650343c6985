"""Decide on an entry or on a team."""

from __future__ import annotations

from dataclasses import dataclass

from scorer.board.entries import EntryService
from scorer.board.models import TEAM_ACTS, Act, Decision, Entry
from scorer.board.phases import refusal_of_decision
from scorer.board.teams import Teams
from scorer.challenge.model import Challenge
from scorer.core.errors import Refused, UsageError
from scorer.core.problems import Problem
from scorer.results.json import Time


@dataclass(frozen=True, slots=True, kw_only=True)
class RecordedDecision:
    """A decision that was recorded."""

    schema: str = "decision/1"
    decision: int
    time: Time
    act: Act
    entry: int | None
    team: str | None  # None: it is on an entry
    name: str | None  # the new one, of a rename
    by: str | None
    reason: str
    late: bool

    @classmethod
    def of(cls, decision: Decision, subject: str) -> RecordedDecision:
        """Return a decision on an entry, or on the team that `subject` names."""
        return cls(
            decision=decision.number,
            time=decision.time,
            act=decision.act,
            entry=decision.entry,
            team=None if decision.entry is not None else subject,
            name=decision.name,
            by=decision.by,
            reason=decision.reason,
            late=decision.late,
        )


def decide(
    entries: EntryService,
    teams: Teams,
    rules: Challenge,
    decision: Decision,
    subject: int | str,
    late: bool,
) -> Decision:
    """Return a decision with its subject, if it may be made.

    Args:
        entries: The entries of the board.
        teams: Its teams.
        rules: The challenge in force.
        decision: Act, time, reason, by whom, and the new name.
        subject: An entry's number, or a team's name.
        late: Whether it may be made although the time of its team is over.

    Raises:
        Refused: S807, it is too late.
        UsageError: The act does not fit its subject.
        UnknownName: There is no such entry or team.
    """
    act = decision.act
    if not decision.reason.strip():
        raise UsageError("a decision needs a reason: --reason")
    entry = None
    if isinstance(subject, int) or subject.isdecimal():
        entry = entries.get(int(subject))
        decision.entry = entry.number
    else:
        decision.team = teams.get(subject).id
    if act in TEAM_ACTS and entry is None:
        raise UsageError(f"{act} takes an entry's number")
    if act == "rename":
        if decision.team is None or not decision.name:
            raise UsageError("rename takes a team and its new name")
        teams.new_name(decision.name, but=decision.team)
    if act in TEAM_ACTS and entry is not None:
        _check_not_disqualified(entry, teams)
        decision.team = entry.team
        refusal = refusal_of_decision(rules, entry, decision.time)
        if refusal is not None and not late:
            raise Refused(problems=[Problem(refusal.code, refusal.message)])
        decision.late = refusal is not None
    if act == "select" and entry is not None:
        if entry.team is None:
            raise UsageError(f"entry {entry.number} is a baseline, which no team can select")
        if entries.statuses([entry])[entry.number] != "scored":
            raise UsageError(f"entry {entry.number} is not scored; it cannot be selected")
    return decision


def _check_not_disqualified(entry: Entry, teams: Teams) -> None:
    """Refuse, by `UsageError`, what a team does with an entry that is disqualified."""
    out = teams.decisions_at().out(entry)
    if out is None or out.act == "withdraw":
        return
    whose = "" if out.entry is not None else "the team of "
    told = f"{whose}entry {entry.number} is disqualified, which only organizers undo"
    raise UsageError(f"{told}: {out.reason}")
