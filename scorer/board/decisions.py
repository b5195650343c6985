"""Decide on an entry or on a team."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from scorer.board.database import Database
from scorer.board.entries import Ledger
from scorer.board.models import OF_TEAMS, Act, Decision, Entry
from scorer.board.phases import refused_act
from scorer.board.teams import Roster
from scorer.board.versions import Versions
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
    database: Database,
    versions: Versions,
    entries: Ledger,
    teams: Roster,
    act: Act,
    subject: int | str,
    reason: str,
    by: str | None,
    name: str | None,
    now: datetime,
    late: bool,
    given: bool,
) -> Decision:
    """Decide on an entry (its number) or a team (its name); see `Board.decide`."""
    if not reason.strip():
        raise UsageError("a decision needs a reason: --reason")
    entry, team = None, None
    if isinstance(subject, int) or subject.isdecimal():
        entry = entries.get(int(subject))
    else:
        team = teams.get(subject).id
    if act in OF_TEAMS and entry is None:
        raise UsageError(f"{act} takes an entry's number")
    if act == "rename":
        if team is None or not name:
            raise UsageError("rename takes a team and its new name")
        teams.new_name(name, but=team)
    too_late = False
    if act in OF_TEAMS and entry is not None:
        _refuse_if_out(entry, teams)
        team, too_late = entry.team, _too_late(versions, entry, now, late)
    if act == "select" and entry is not None:
        if team is None:
            raise UsageError(f"entry {entry.number} is a baseline, which no team can select")
        if entries.outcome(entry.number).status != "scored":
            raise UsageError(f"entry {entry.number} is not scored; it cannot be selected")
    number = entry.number if entry else None
    return database.decide(
        act, now, reason, team=team, entry=number, by=by, name=name, late=too_late, given=given
    )


def _refuse_if_out(entry: Entry, teams: Roster) -> None:
    """Refuse, by `UsageError`, what a team does with an entry that is disqualified."""
    out = teams.state_at().out(entry)
    if out is None or out.act == "withdraw":
        return
    whose = "" if out.entry is not None else "the team of "
    told = f"{whose}entry {entry.number} is disqualified, which only organizers undo"
    raise UsageError(f"{told}: {out.reason}")


def _too_late(versions: Versions, entry: Entry, now: datetime, late: bool) -> bool:
    """Whether teams' time to decide on an entry is over; `Refused` if it is, unless `late`."""
    refusal = refused_act(versions.rules(), entry, now)
    if refusal is not None and not late:
        raise Refused(problems=[Problem(refusal.code, refusal.message)])
    return refusal is not None
