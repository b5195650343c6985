"""A living board: a report, with the entry and the team of each of its rows."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from datetime import datetime
from typing import NamedTuple

from scorer.results.json import ABSENT
from scorer.results.report import Report, Scored, Standing
from scorer.scoring.answers import shown_answers


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


class LiveReport(NamedTuple):
    """A report with the entries and teams of its rows."""

    report: Report
    rows: Mapping[str, RankedEntry]  # name of a standing, which no other has -> row
    split: str
    phase: str | None
    absent: Mapping[str, str] = {}  # name of a team without a row -> why
    tracks: Mapping[str, Mapping[str, RankedEntry]] = {}  # track -> name of a standing -> row
    rejected: Mapping[str, RejectedEntry] = {}  # name of a team without a row -> its latest entry

    def with_absent_teams(self) -> Report:
        """The report with the teams that have no row, whose reasons are for organizers."""
        times = {team: entry.received for team, entry in self.rejected.items()}
        return replace(
            self.report,
            absent=self.absent,
            rejected={team: entry.scored for team, entry in self.rejected.items()},
            received={**self.report.received, **times},
        )

    def with_entries(self) -> Report:
        """The report with the entry and the team of each row, as the JSON has it."""
        tracks = tuple(
            replace(track, leaderboard=_with_entries(track, rows))
            for track, rows in zip(self.report.tracks or (), self.tracks.values(), strict=True)
        )
        return replace(
            self.report,
            private=ABSENT,
            leaderboard=_with_entries(self.report, self.rows),
            tracks=tracks or ABSENT,
            split=self.split,
            phase=self.phase,
        )


def _with_entries(report: Report, rows: Mapping[str, RankedEntry]) -> tuple[Standing, ...]:
    return tuple(_with_entry(row, rows[row.name]) for row in report.leaderboard)


def _with_entry(row: Standing, entry: RankedEntry) -> Standing:
    return replace(
        row,
        entry=entry.entry,
        team=entry.team,
        received=None if entry.entry is None else entry.received,
        entries=entry.entries,
        answers=entry.answers,
    )


def public(live: LiveReport) -> LiveReport:
    """The standings with the answers alone that the board shows."""
    rules = live.report.definition

    def told(rows: Mapping[str, RankedEntry]) -> dict[str, RankedEntry]:
        return {
            name: row._replace(answers=shown_answers(rules, row.answers))
            for name, row in rows.items()
        }

    tracks = {track: told(rows) for track, rows in live.tracks.items()}
    return live._replace(rows=told(live.rows), tracks=tracks)
