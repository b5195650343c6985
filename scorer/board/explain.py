"""Why an entry counts or does not, and why a team has its rank: decided here alone.

Boards, pages, the log and `score why` all say what these functions return.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import NamedTuple
from zoneinfo import ZoneInfo

import numpy as np

from scorer.board.board_state import BoardState
from scorer.board.models import Decision, Entry, Evaluation, Team
from scorer.board.phases import in_zone
from scorer.board.selection import NO_BETTER, Choice, DecisionState
from scorer.board.standings import Ranking, RejectedEntry, compute_board, describe_late_decision
from scorer.challenge.phases import EVERYTHING
from scorer.core.problems import Findings
from scorer.core.text import format_number, join_first
from scorer.leaderboard.rounding import rounded
from scorer.results.report import Report, Scored, Standing

NOT_COUNTED = "not counted"
NOT_SHOWN = "what counts is not shown in this phase"
BASELINE = "a baseline, outside the ranks"
DISQUALIFIED = "no value, since it is disqualified"
EXACT = 17  # significant digits, with which nothing is lost


class Reason(NamedTuple):
    """Whether an entry counts on a board, and why."""

    counts: bool | None  # None: it is not said now, or the entry is a baseline
    why: str


def explain_entries(
    state: BoardState, team: int | None, now: datetime, split: str | None
) -> dict[int, Reason]:
    """Return for each entry of a team whether it counts on a split, and why.

    Args:
        state: Has the entries of the team, and perhaps others.
        team: The team; None for baselines.
        now: Entries received and decisions made by then count.
        split: The split; None to say nothing that depends on values.
    """
    if team is None:
        return {e.number: Reason(None, BASELINE) for e in state.entries if e.team is None}
    own, decided, choice = state.only_team(team), state.decisions_at(now), None
    if split is not None:
        choice = own.choices(now, split, state.span_of(now, split)).get(team)
    return {entry.number: _explain(own, entry, decided, choice, split) for entry in own.entries}


def _explain(
    state: BoardState,
    entry: Entry,
    decided: DecisionState,
    choice: Choice | None,
    split: str | None,
) -> Reason:
    """Return whether an entry counts by the choice among its team's entries, and why."""
    if choice is not None and entry in choice.counted:
        return Reason(True, choice.rule)
    status = state.statuses.get(entry.sha256, "pending")
    if status == "pending":
        return Reason(False, "waits to be evaluated")
    if status != "scored":
        return Reason(False, describe_refusal(*state.evaluations([entry.sha256])) or "")
    if (out := decided.out(entry)) is not None:
        return Reason(False, describe_decision(out, state.zone))
    if choice is not None and split is not None and entry.number in choice.held_back:
        return Reason(False, _describe_held_back(state, entry.number, choice, split))
    if choice is not None and entry.number in choice.left_out:
        return Reason(False, choice.left_out[entry.number])
    return Reason(None, NOT_SHOWN) if split is None else Reason(False, NOT_COUNTED)


def hold_back(state: BoardState, team: int | None, now: datetime, split: str) -> Mapping[int, str]:
    """Return why the Ladder keeps the values of some of a team's entries; none of a baseline."""
    if team is None or state.rules.leaderboard.ladder == "off":
        return {}
    own, span, decided = state.only_team(team), state.span(now), state.decisions_at(now)
    choice, kept = own.choices(now, split, span).get(team), dict[int, str]()
    if span is None or span.takes_entries:  # what is disqualified, it has not looked at
        outs = ((entry, decided.out(entry)) for entry in own.entries)
        kept = {e.number: DISQUALIFIED for e, out in outs if out and out.act != "withdraw"}
    if choice is not None:
        kept |= {n: _describe_held_back(own, n, choice, split) for n in choice.held_back}
    return kept


def _describe_held_back(state: BoardState, number: int, choice: Choice, split: str) -> str:
    """Return why an entry shows no value, with the value that is shown instead, to its digits."""
    rung = choice.held_back[number]
    sha256 = next(entry.sha256 for entry in state.entries if entry.number == rung)
    value = state.means[sha256][split].get(state.terms.primary.id, np.nan)
    told = format_number(rounded(value, state.rules.leaderboard.digits))
    return f"{NO_BETTER} over your {told} (entry {rung})"


def add_absent_teams(
    ranking: Ranking, state: BoardState, now: datetime, rule: str | None = None
) -> Ranking:
    """Return a board with the teams without a row, and why the latest entry of each does not count.

    Args:
        ranking: The board.
        state: The records from which it was made.
        now: The time that it shows.
        rule: The entry rule by which it was made, if it is not the challenge's.
    """
    decided, placed = state.decisions_at(now), {row.id for row in ranking.rows.values()}
    names = {team: name for team, name in decided.names.items() if team not in placed}
    sent = [e for e in state.entries if e.team in names and e.received <= now]
    latest = {e.team: e for e in sorted(sent, key=lambda entry: (entry.received, entry.number))}
    alone = replace(state, entries=sent)
    span = None if ranking.phase is None else state.span(now, ranking.phase)
    choices = alone.choices(now, ranking.split, span, rule)
    absent, rejected = dict.fromkeys(names.values(), "no entry"), dict[str, RejectedEntry]()
    for team, name in names.items():
        if (entry := latest.get(team)) is None:
            continue
        reason = _explain(alone, entry, decided, choices.get(team), ranking.split)
        absent[name] = f"entry {entry.number}: {reason.why}"
        if state.statuses.get(entry.sha256) == "rejected":
            (evaluation,) = state.evaluations([entry.sha256])
            own = Findings.from_json(evaluation.findings).with_path(entry.file)
            scored = Scored(name, entry.file, entry.sha256, False, own, None, {})
            rejected[name] = RejectedEntry(scored, entry.received)
    return ranking._replace(absent=absent, rejected=rejected)


def describe_refusal(evaluation: Evaluation) -> str | None:
    """Return why a file was rejected, or not evaluated; None where it was scored or waits."""
    if evaluation.status == "rejected":
        findings = Findings.from_json(evaluation.findings)
        codes = sorted({problem.code for problem in findings if problem.severity == "error"})
        return f"rejected by the checks ({', '.join(codes)})"
    if evaluation.status == "failed":
        reference = evaluation.reference
        return f"the scorer failed, reference {reference}; not counted against the quota"
    return None


def describe_decision(out: Decision, zone: ZoneInfo) -> str:
    """Return which decision takes an entry off the board, when it was made, and its reason."""
    word = "withdrawn" if out.act == "withdraw" else "disqualified"
    return f"{word} {in_zone(out.time, zone)}: {out.reason}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Why:
    """A team's rank with the rules that applied."""

    schema: str = "standing/1"
    team: str
    rank: int | None  # None: no rank
    ranked: int  # number of teams with a rank
    split: str | None  # None: no board is shown
    lines: Sequence[str]


def why_ranked(
    state: BoardState,
    team: Team,
    now: datetime,
    split: str | None = None,
    digits: int = EXACT,
) -> Why:
    """Explain a team's rank: the rules that applied, ties, and entries that do not count."""
    ranking = compute_board(state, now, split=split)
    decided, zone = state.decisions_at(now), state.zone
    row = next(
        (each for each in ranking.report.leaderboard if ranking.rows[each.name].id == team.id), None
    )
    placed = sum(standing.rank is not None for standing in ranking.report.leaderboard)
    phase = "" if ranking.phase in (None, EVERYTHING) else f", phase {ranking.phase}"
    lines = [f"board of {ranking.split} lists{phase}, {in_zone(now, zone)}"]
    lines += _out(team, decided, zone)
    lines += (
        ["not on the board: no entry counts"]
        if row is None
        else (_rank_words(state, row, ranking.report, placed, digits))
    )
    lines += _counted(state, team, decided, now, ranking.split)
    return Why(
        team=_named(team, decided),
        rank=row.rank if row else None,
        ranked=placed,
        split=ranking.split,
        lines=lines,
    )


def why_unseen(state: BoardState, team: Team, now: datetime, split: str | None) -> Why:
    """What of `why` a team may know that sees no board, and the values on `split` at most."""
    decided, zone = state.decisions_at(now), state.zone
    lines = ["no board is shown now", *_out(team, decided, zone)]
    lines += _counted(state, team, decided, now, split)
    return Why(team=_named(team, decided), rank=None, ranked=0, split=None, lines=lines)


def _named(team: Team, decided: DecisionState) -> str:
    # a team may be newer than the snapshot
    return decided.names.get(team.id, team.name)


def _out(team: Team, decided: DecisionState, zone: ZoneInfo) -> list[str]:
    out = decided.teams_out.get(team.id)
    return [] if out is None else [f"team disqualified {in_zone(out.time, zone)}: {out.reason}"]


def _rank_words(
    state: BoardState, row: Standing, report: Report, placed: int, digits: int
) -> Iterator[str]:
    """The rank of a row, by which value, and with whom it is shared."""
    primary, by = report.primary, state.terms.rank_aggregate
    what = f"{primary.id} = {rounded(row.values[primary.id], digits):.6g}"
    if by is not None and by.each is None:
        what = f"{by.aggregate.name} of the ranks by {', '.join(by.measures)}"
    yield f"rank {row.rank} of {placed} by {what}"
    equal = [
        other.name
        for other in report.leaderboard
        if other.rank is not None and other.rank == row.rank and other.name != row.name
    ]
    if equal:
        yield f"shares the rank with {join_first(equal)}: equal in all that orders them"


def _counted(
    state: BoardState, team: Team, decided: DecisionState, now: datetime, split: str | None
) -> Iterator[str]:
    """Which entries count, late acts, and why the other entries do not."""
    found, zone = explain_entries(state, team.id, now, split), state.zone
    counted = [str(number) for number, each in found.items() if each.counts]
    if counted:
        yield f"counts: entry {', '.join(counted)} ({found[int(counted[0])].why})"
    for act in state.decisions:
        if act.late and act.time <= now and act.team == team.id:
            yield describe_late_decision(act, decided.names, zone)
    for entry in state.entries:
        if entry.team == team.id and entry.received <= now and not found[entry.number].counts:
            received = in_zone(entry.received, zone)
            yield f"entry {entry.number}, {received}: {found[entry.number].why}"
