"""The standings of a board: a pure function of its state, a split and a time.

`compute_board` ranks the entries that count; `with_intervals` adds intervals and tests, which
take most of the time.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import replace
from datetime import datetime
from typing import NamedTuple
from zoneinfo import ZoneInfo

from scorer.board.board_state import BoardState, ListPart
from scorer.board.models import Decision
from scorer.board.phases import Span, in_zone
from scorer.board.selection import Choice
from scorer.challenge.leaderboard import Track
from scorer.challenge.phases import EVERYTHING
from scorer.core.problems import Problem
from scorer.leaderboard.board import add_statistics, rank
from scorer.leaderboard.repeats import rename
from scorer.results.json import ABSENT
from scorer.results.report import Report, Scored, Standing
from scorer.scoring.answers import is_in_track, shown_answers
from scorer.scoring.splits import scope_of

BOARDS = 8  # whose intervals and tests are kept
# The fields of a report that `add_statistics` draws.
DRAWN = ("leaderboard", "certainty", "no_certainty", "rarest_class", "pareto")


class RankedEntry(NamedTuple):
    """The entry and the team of a row of the board."""

    entry: int | None  # None: a baseline of the challenge's
    team: str  # its present name; of a baseline, its name
    id: int | None  # of the team; None: a baseline
    received: datetime
    entries: int  # number of scored entries of the team
    answers: Mapping[str, str]


class RejectedEntry(NamedTuple):
    """The latest entry of a team without a row, where the checks rejected it."""

    scored: Scored  # called as its team
    received: datetime


class Ranking(NamedTuple):
    """A report with the entries and teams of its rows."""

    report: Report
    rows: Mapping[str, RankedEntry]  # name of a standing, which no other has -> row
    split: str
    phase: str | None
    absent: Mapping[str, str] = {}  # name of a team without a row -> why
    tracks: Mapping[str, Mapping[str, RankedEntry]] = {}  # track -> name of a standing -> row
    rejected: Mapping[str, RejectedEntry] = {}  # name of a team without a row -> its latest entry

    def with_absent_teams(self) -> Report:
        """Return the report with the teams that have no row, whose reasons are for organizers."""
        times = {team: entry.received for team, entry in self.rejected.items()}
        return replace(
            self.report,
            absent=self.absent,
            rejected={team: entry.scored for team, entry in self.rejected.items()},
            received={**self.report.received, **times},
        )

    def with_entries(self) -> Report:
        """Return the report with the entry and the team of each row, as the JSON has it."""
        tracks = tuple(
            replace(track, leaderboard=_add_entries(track, rows))
            for track, rows in zip(self.report.tracks or (), self.tracks.values(), strict=True)
        )
        return replace(
            self.report,
            private=ABSENT,
            leaderboard=_add_entries(self.report, self.rows),
            tracks=tracks or ABSENT,
            split=self.split,
            phase=self.phase,
        )


def _add_entries(report: Report, rows: Mapping[str, RankedEntry]) -> tuple[Standing, ...]:
    """Return the standings of a report with the entry and the team of each."""
    pairs = ((standing, rows[standing.name]) for standing in report.leaderboard)
    return tuple(
        replace(
            standing,
            entry=row.entry,
            team=row.team,
            received=None if row.entry is None else row.received,
            entries=row.entries,
            answers=row.answers,
        )
        for standing, row in pairs
    )


def public(ranking: Ranking) -> Ranking:
    """Return the standings with the answers alone that the board shows."""
    rules = ranking.report.definition

    def hide(rows: Mapping[str, RankedEntry]) -> dict[str, RankedEntry]:
        return {
            name: row._replace(answers=shown_answers(rules, row.answers))
            for name, row in rows.items()
        }

    tracks = {track: hide(rows) for track, rows in ranking.tracks.items()}
    return ranking._replace(rows=hide(ranking.rows), tracks=tracks)


def compute_board(
    state: BoardState,
    now: datetime,
    *,
    split: str | None = None,
    phase: str | None = None,
    rule: str | None = None,
) -> Ranking:
    """Return the standings at a time, without intervals.

    Args:
        state: All that the board depends on.
        now: Entries received and decisions made by then count.
        split: The split to score on; default: the one that the phase shows.
        phase: The phase whose rules apply; default: the one that shows the split.
        rule: Another entry rule than the challenge's: best, last, selected or all.

    Raises:
        UnknownName: There is no such split or phase.
    """
    span = state.span_of(now, split) if phase is None else state.span(now, phase)
    name, rules = state.split_shown(span, now, split), state.rules
    choices = state.choices(now, name, span, rule)
    several = (rule or rules.leaderboard.entry) == "all"
    rows, report = _rank(state, choices, now, state.part(name), several)
    tracks, boards = dict[str, Mapping[str, RankedEntry]](), list[Report]()
    for track in rules.leaderboard.tracks:
        inside = _choose_in_track(state, track, choices, now, name, span, rule)
        tracks[track.id], board = _rank(state, inside, now, state.part(name, track), several)
        boards.append(replace(board, track=track, notes=()))
    scope = replace(
        scope_of(rules, state.splits, name),
        phase=None if span is None or span.phase.id == EVERYTHING else span.phase.id,
        time=f"{now.astimezone(state.zone):%Y-%m-%d %H:%M %Z}",
    )
    names = state.decisions_at(now).names
    late = [
        Problem("S807", describe_late_decision(act, names, state.zone), "warning")
        for act in state.decisions
        if act.late and act.time <= now
    ]
    report = replace(
        report, notes=(*report.notes, *late), scope=scope, tracks=tuple(boards) or ABSENT
    )
    return Ranking(report, rows, name, span.phase.id if span else None, tracks=tracks)


def _rank(
    state: BoardState,
    choices: Mapping[int | None, Choice],
    now: datetime,
    part: ListPart,
    several: bool,
) -> tuple[dict[str, RankedEntry], Report]:
    """Return the entries that count, each a row, and their board on some lists.

    Args:
        state: All that the board depends on.
        choices: The entries of each team that count.
        now: The time.
        part: The lists.
        several: Whether several entries of a team may count.
    """
    names = state.decisions_at(now).names
    sent = Counter(e.team for e in state.entries if e.received <= now and state.is_scored(e))
    rows, scored = dict[str, RankedEntry](), list[Scored]()
    choices = choices if part.keep.any() else {}
    counted = [(team, entry) for team, choice in choices.items() for entry in choice.counted]
    cards = state.scorecards([entry for _, entry in counted], part)
    for (team, entry), card in zip(counted, cards, strict=True):
        whose = entry.name if team is None else names[team]
        title = f"{whose} ({entry.number})" if several and team is not None else whose
        while title in rows:  # of a baseline that is called as a team, or as another
            title = f"{title} ({'baseline' if team is None else entry.number})"
        scored.append(rename(card, title))
        rows[title] = RankedEntry(
            entry.number or None, whose, team, entry.received, sent.get(team, 0), entry.answers
        )
    received = {title: row.received for title, row in rows.items()}
    times = {title: time.timestamp() for title, time in received.items()}
    answers = {title: shown_answers(state.rules, row.answers) for title, row in rows.items()}
    report = rank(part.terms, scored, times)
    return rows, replace(
        report, answers={title: own for title, own in answers.items() if own}, received=received
    )


def _choose_in_track(
    state: BoardState,
    track: Track,
    choices: Mapping[int | None, Choice],
    now: datetime,
    split: str,
    span: Span | None,
    rule: str | None,
) -> Mapping[int | None, Choice]:
    """Return the entries of each team that count in a track: chosen from those that belong to it.

    With a Ladder, which would climb anew in each track, those that count on the whole board.
    """
    if not track.answer:
        return choices
    if state.rules.leaderboard.ladder == "off":
        inside = [entry for entry in state.entries if is_in_track(track, entry.answers)]
        return replace(state, entries=inside).choices(now, split, span, rule)
    return {
        team: choice._replace(
            counted=tuple(entry for entry in choice.counted if is_in_track(track, entry.answers))
        )
        for team, choice in choices.items()
    }


def with_intervals(state: BoardState, ranking: Ranking) -> Ranking:
    """Return the standings with intervals, tiers and ranges of ranks, which take most of the time.

    They are drawn anew where other files count, or in other places; not for each new entry.
    """
    tracks = tuple(
        _draw_intervals(state, each, ranking.split) for each in ranking.report.tracks or ()
    )
    report = _draw_intervals(state, ranking.report, ranking.split)
    return ranking._replace(report=replace(report, tracks=tracks or ABSENT))


def _draw_intervals(state: BoardState, report: Report, split: str) -> Report:
    """Return a board with its intervals and tiers, which are cached for each split and track."""
    kept = state.cache.drawn
    files = {each.name: each.sha256 for each in report.submissions}
    answers = {name: tuple(own.items()) for name, own in report.answers.items()}
    rows = (
        (row.name, files[row.name], row.rank, row.points, answers.get(row.name))
        for row in report.leaderboard
    )
    key = (split, report.track and report.track.id, *rows)
    drawn = kept.get(key)
    if drawn is None:
        while len(kept) >= BOARDS * (1 + len(state.rules.leaderboard.tracks)):
            kept.pop(next(iter(kept)), None)
        drawn = kept[key] = add_statistics(report, state.terms.groups, state.terms.clusters)
    return replace(report, **{name: getattr(drawn, name) for name in DRAWN})


def describe_late_decision(decision: Decision, names: Mapping[int, str], zone: ZoneInfo) -> str:
    """Return which decision came too late for its team and was made all the same.

    Args:
        decision: A decision on an entry of a team.
        names: Number of a team -> its name.
        zone: The time zone of the challenge.
    """
    name, time = names.get(decision.team or 0, ""), in_zone(decision.time, zone)
    return f"entry {decision.entry} of {name}: {decision.act}, late, {time}: {decision.reason}"
