"""A living board as fields: a report, with the entry of each row."""

from __future__ import annotations

from dataclasses import replace

from scorer.board.snapshot import LiveReport
from scorer.reports.base import Options
from scorer.reports.leaderboard.fields import Record, Row
from scorer.reports.leaderboard.fields import fields as report_fields


def fields(live: LiveReport, options: Options) -> Record:
    """The record of a living board."""
    record = report_fields(live.report, options)
    rows = [_row(row, live) for row in record.leaderboard]
    return replace(record, leaderboard=rows, split=live.split, phase=live.phase)


def _row(row: Row, live: LiveReport) -> Row:
    entry = live.rows[row.name]
    return replace(
        row,
        entry=entry.entry,
        team=entry.team,
        received=None if entry.entry is None else entry.received.isoformat(),
        entries=entry.entries,
        answers=entry.answers,
    )
