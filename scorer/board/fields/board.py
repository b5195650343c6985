"""A living board as fields: a report, with the entry of each row."""

from __future__ import annotations

from dataclasses import replace

from scorer.board.live import LiveReport, RankedEntry
from scorer.reports.base import Options
from scorer.reports.leaderboard.fields import Record
from scorer.reports.leaderboard.fields import fields as report_fields
from scorer.results.json import ABSENT
from scorer.results.report import Standing


def fields(live: LiveReport, options: Options) -> Record:
    """The record of a living board."""
    record = report_fields(live.report, options)
    rows = [_row(row, live.rows[row.name]) for row in record.leaderboard]
    tracks = record.tracks
    if tracks is not ABSENT and tracks is not None:
        tracks = [
            replace(each, leaderboard=[_row(row, of[row.name]) for row in each.leaderboard])
            for each, of in zip(tracks, live.tracks.values(), strict=True)
        ]
    return replace(record, leaderboard=rows, split=live.split, phase=live.phase, tracks=tracks)


def _row(row: Standing, entry: RankedEntry) -> Standing:
    return replace(
        row,
        entry=entry.entry,
        team=entry.team,
        received=None if entry.entry is None else entry.received,
        entries=entry.entries,
        answers=entry.answers,
    )
