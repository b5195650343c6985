"""Why a team has its rank, and which of its entries count."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from zoneinfo import ZoneInfo

from scorer.board.board import Board
from scorer.board.models import Team
from scorer.board.phases import at
from scorer.board.reasons import explain_entries
from scorer.board.selection import State
from scorer.board.sentences import describe_late_decision
from scorer.board.snapshot import Snapshot
from scorer.challenge.leaderboard import EVERYTHING
from scorer.core.text import join_first
from scorer.leaderboard.rounding import rounded
from scorer.results.report import Report, Standing

EXACT = 17  # significant digits, with which nothing is lost


@dataclass(frozen=True, slots=True, kw_only=True)
class Why:
    """A team's rank with the rules that applied."""

    schema: str = "standing/1"
    team: str
    rank: int | None  # None: no rank
    ranked: int  # number of teams with a rank
    split: str | None  # None: no board is shown
    lines: Sequence[str]


def explain_rank(
    board: Board, team: str, *, split: str | None = None, now: datetime | None = None
) -> Why:
    """Explain a team's rank on a split, by default on the one that the phase shows.

    What was received and decided by `now` counts, under the version in force then. Raises
    `UnknownName`.
    """
    moment = now or datetime.now(UTC)
    return why_ranked(board.evaluations.snapshot_at(moment), board.teams.get(team), moment, split)


def why_ranked(
    snapshot: Snapshot,
    team: Team,
    now: datetime,
    split: str | None = None,
    digits: int = EXACT,
) -> Why:
    """Explain a team's rank: the rules that applied, ties, and entries that do not count."""
    live = snapshot.order(now, split=split)
    decided, zone = snapshot.state(now), ZoneInfo(snapshot.rules.timezone)
    row = next(
        (each for each in live.report.leaderboard if live.rows[each.name].id == team.id), None
    )
    placed = sum(standing.rank is not None for standing in live.report.leaderboard)
    phase = "" if live.phase in (None, EVERYTHING) else f", phase {live.phase}"
    lines = [f"board of {live.split} lists{phase}, {at(now, zone)}"]
    lines += _out(team, decided, zone)
    lines += ["not on the board: no entry counts"] if row is None else (
        _rank_words(snapshot, row, live.report, placed, digits)
    )  # fmt: skip
    lines += _counted(snapshot, team, decided, now, live.split)
    return Why(
        team=_named(team, decided),
        rank=row.rank if row else None,
        ranked=placed,
        split=live.split,
        lines=lines,
    )


def why_unseen(snapshot: Snapshot, team: Team, now: datetime, split: str | None) -> Why:
    """What of `why` a team may know that sees no board, and the values on `split` at most."""
    decided, zone = snapshot.state(now), ZoneInfo(snapshot.rules.timezone)
    lines = ["no board is shown now", *_out(team, decided, zone)]
    lines += _counted(snapshot, team, decided, now, split)
    return Why(team=_named(team, decided), rank=None, ranked=0, split=None, lines=lines)


def _named(team: Team, decided: State) -> str:
    # a team may be newer than the snapshot
    return decided.names.get(team.id, team.name)


def _out(team: Team, decided: State, zone: ZoneInfo) -> list[str]:
    out = decided.teams_out.get(team.id)
    return [] if out is None else [f"team disqualified {at(out.time, zone)}: {out.reason}"]


def _rank_words(
    snapshot: Snapshot, row: Standing, report: Report, placed: int, digits: int
) -> Iterator[str]:
    """The rank of a row, by which value, and with whom it is shared."""
    primary, by = report.primary, snapshot.terms.ranked_by
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
    snapshot: Snapshot, team: Team, decided: State, now: datetime, split: str | None
) -> Iterator[str]:
    """Which entries count, late acts, and why the other entries do not."""
    found = explain_entries(snapshot, team.id, now, split)
    zone = ZoneInfo(snapshot.rules.timezone)
    counted = [str(number) for number, each in found.items() if each.counts]
    if counted:
        yield f"counts: entry {', '.join(counted)} ({found[int(counted[0])].why})"
    for act in snapshot.decisions:
        if act.late and act.time <= now and act.team == team.id:
            yield describe_late_decision(act, decided.names, zone)
    for entry in snapshot.entries:
        if entry.team == team.id and entry.received <= now and not found[entry.number].counts:
            yield f"entry {entry.number}, {at(entry.received, zone)}: {found[entry.number].why}"
