"""Why an entry counts or does not: decided here alone, for boards, ranks, pages and the log."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from datetime import datetime
from typing import NamedTuple
from zoneinfo import ZoneInfo

import numpy as np

from scorer.board.live import LiveReport, RejectedEntry
from scorer.board.models import Entry
from scorer.board.selection import NO_BETTER, Choice, State
from scorer.board.sentences import (
    BASELINE,
    DISQUALIFIED,
    NOT_COUNTED,
    NOT_SHOWN,
    describe_decision,
    describe_refusal,
)
from scorer.board.snapshot import Snapshot
from scorer.core.problems import Findings
from scorer.core.text import format_number
from scorer.leaderboard.rounding import rounded
from scorer.results.report import Scored


class Reason(NamedTuple):
    """Whether an entry counts on a board, and why."""

    counts: bool | None  # None: it is not said now, or the entry is a baseline
    why: str


def explain_entries(
    snapshot: Snapshot, team: int | None, now: datetime, split: str | None
) -> dict[int, Reason]:
    """Return for each entry of a team whether it counts on a split, and why.

    Args:
        snapshot: Has the entries of the team, and perhaps others.
        team: The team; None for baselines.
        now: Entries received and decisions made by then count.
        split: The split; None to say nothing that depends on values.
    """
    if team is None:
        return {e.number: Reason(None, BASELINE) for e in snapshot.entries if e.team is None}
    own, decided, choice = snapshot.own(team), snapshot.state(now), None
    if split is not None:
        choice = own.choices(now, split, snapshot.span_of(now, split)).get(team)
    return {entry.number: _explain(own, entry, decided, choice, split) for entry in own.entries}


def _explain(
    snapshot: Snapshot, entry: Entry, decided: State, choice: Choice | None, split: str | None
) -> Reason:
    """Return whether an entry counts by the choice among its team's entries, and why."""
    zone = ZoneInfo(snapshot.rules.timezone)
    if choice is not None and entry in choice.counted:
        return Reason(True, choice.rule)
    status = snapshot.statuses.get(entry.sha256, "pending")
    if status == "pending":
        return Reason(False, "waits to be evaluated")
    if status != "scored":
        return Reason(False, describe_refusal(*snapshot.evaluations([entry.sha256])) or "")
    if (out := decided.out(entry)) is not None:
        return Reason(False, describe_decision(out, zone))
    if choice is not None and split is not None and entry.number in choice.held_back:
        return Reason(False, _describe_held_back(snapshot, entry.number, choice, split))
    if choice is not None and entry.number in choice.left_out:
        return Reason(False, choice.left_out[entry.number])
    return Reason(None, NOT_SHOWN) if split is None else Reason(False, NOT_COUNTED)


def hold_back(snapshot: Snapshot, team: int | None, now: datetime, split: str) -> Mapping[int, str]:
    """Return why the Ladder keeps the values of some of a team's entries; none of a baseline."""
    if team is None or snapshot.rules.leaderboard.ladder == "off":
        return {}
    own, span, decided = snapshot.own(team), snapshot.span(now), snapshot.state(now)
    choice, kept = own.choices(now, split, span).get(team), dict[int, str]()
    if span is None or span.takes_entries:  # what is disqualified, it has not looked at
        outs = ((entry, decided.out(entry)) for entry in own.entries)
        kept = {e.number: DISQUALIFIED for e, out in outs if out and out.act != "withdraw"}
    if choice is not None:
        kept |= {n: _describe_held_back(own, n, choice, split) for n in choice.held_back}
    return kept


def _describe_held_back(snapshot: Snapshot, number: int, choice: Choice, split: str) -> str:
    """Return why an entry shows no value, with the value that is shown instead, to its digits."""
    rung = choice.held_back[number]
    sha256 = next(entry.sha256 for entry in snapshot.entries if entry.number == rung)
    value = snapshot.means[sha256][split].get(snapshot.terms.primary.id, np.nan)
    told = format_number(rounded(value, snapshot.rules.leaderboard.digits))
    return f"{NO_BETTER} over your {told} (entry {rung})"


def add_absent_teams(
    live: LiveReport, snapshot: Snapshot, now: datetime, rule: str | None = None
) -> LiveReport:
    """Return a board with the teams that have no row, and why the latest entry of each counts not.

    Args:
        live: The board.
        snapshot: What it was made of.
        now: The time of which it is.
        rule: The entry rule by which it was made, if it is not the challenge's.
    """
    decided, placed = snapshot.state(now), {row.id for row in live.rows.values()}
    names = {team: name for team, name in decided.names.items() if team not in placed}
    sent = [e for e in snapshot.entries if e.team in names and e.received <= now]
    latest = {e.team: e for e in sorted(sent, key=lambda entry: (entry.received, entry.number))}
    alone = replace(snapshot, entries=sent)
    span = None if live.phase is None else snapshot.span(now, live.phase)
    choices = alone.choices(now, live.split, span, rule)
    absent, rejected = dict.fromkeys(names.values(), "no entry"), dict[str, RejectedEntry]()
    for team, name in names.items():
        if (entry := latest.get(team)) is None:
            continue
        reason = _explain(alone, entry, decided, choices.get(team), live.split)
        absent[name] = f"entry {entry.number}: {reason.why}"
        if snapshot.statuses.get(entry.sha256) == "rejected":
            (evaluation,) = snapshot.evaluations([entry.sha256])
            own = Findings.from_json(evaluation.findings).with_path(entry.file)
            scored = Scored(name, entry.file, entry.sha256, False, own, None, {})
            rejected[name] = RejectedEntry(scored, entry.received)
    return live._replace(absent=absent, rejected=rejected)
