"""The leaderboard's table as the web shows it: the report's, with teams, entries and answers."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime
from typing import NamedTuple
from zoneinfo import ZoneInfo

from scorer.board.standings import LiveReport, RankedEntry
from scorer.core.text import printable
from scorer.reports.base import Options
from scorer.reports.document import Picture
from scorer.reports.figures import forest, pareto
from scorer.reports.leaderboard import document
from scorer.reports.leaderboard.cells import with_digits
from scorer.reports.leaderboard.front import scope_of_track
from scorer.reports.leaderboard.remarks import cautions, remarks, scope
from scorer.reports.write.html import Head, HtmlCell, Table, view
from scorer.results.report import Report

FILTERED = 8  # rows above which a board has a filter


class TrackStandings(NamedTuple):
    """A track's table, and which submissions and lists it is of."""

    name: str
    words: str
    table: Table | None


class Standings(NamedTuple):
    """The table, whether it has so many rows that a filter helps, and its notes."""

    table: Table | None
    filter: bool
    notes: Sequence[str]
    tracks: Sequence[TrackStandings] = ()
    fronts: Sequence[Picture] = ()


def local_time(time: datetime, zone: ZoneInfo) -> str:
    """A time as people write it, in the challenge's zone.

    >>> from datetime import UTC
    >>> local_time(datetime(2026, 3, 1, 22, 5, tzinfo=UTC), ZoneInfo("Europe/Ljubljana"))
    '2026-03-01 23:05'
    """
    return f"{time.astimezone(zone):%Y-%m-%d %H:%M}"


def standings(live: LiveReport, zone: ZoneInfo) -> tuple[Standings, Picture | None]:
    """The board's table and its picture, with times in that zone."""
    report = live.report
    options = with_digits(report, Options(page=True))
    notes = [scope(report.scope, report.called)] if report.scope else []
    notes += [*cautions(report, options.precision), *remarks(report, options.precision)]
    notes += map(str, report.notes)
    figure = next((f._replace(numbers=None) for f in forest(live.report, options.precision)), None)
    if not live.report.leaderboard:
        return Standings(None, False, notes), figure
    full_table = _team_table(live.report, live.rows, zone)
    fronts = [each._replace(numbers=None) for each in pareto(live.report, options.precision)]
    tracks = list(_track_standings(live, zone))
    return Standings(full_table, len(full_table.rows) > FILTERED, notes, tracks, fronts), figure


def _track_standings(live: LiveReport, zone: ZoneInfo) -> Iterator[TrackStandings]:
    for board in live.report.tracks or ():
        assert board.track is not None
        name, table = printable(board.track.id, 100), None
        if board.leaderboard:
            made = _team_table(board, live.tracks[board.track.id], zone)
            table = made._replace(caption=f"Track {name}, best first", id="")
        yield TrackStandings(name, scope_of_track(board, live.report), table)


def _team_table(report: Report, rows: Mapping[str, RankedEntry], zone: ZoneInfo) -> Table:
    """The report's table with teams, the numbers of their entries, and times."""
    table = view(document.standings(report, Options(page=True)))
    head = [table.head[0], Head("team", "text"), *table.head[2:]]
    head += [Head("entries", "number", "descending"), Head("latest", "text")]
    texts, body = [each.kind == "text" for each in table.head], []
    for row, standing in zip(table.rows, report.leaderboard, strict=True):
        live_row = rows[standing.name]
        cells = [
            cell._replace(link="", look="text answer" if text and n != row.by else cell.look)
            for n, (cell, text) in enumerate(zip(row.cells, texts, strict=True))
        ]
        is_theirs = live_row.entry is not None
        time = local_time(live_row.received, zone) if is_theirs else ""
        cells += [
            HtmlCell(str(live_row.entries), str(live_row.entries))
            if is_theirs
            else HtmlCell(sort="")
        ]
        cells += [HtmlCell(time[:10], time, "text", title=time)]
        marks = [] if live_row.id is None else [f"team-{live_row.id}"]
        body.append(row._replace(cells=cells, look=" ".join([*marks, row.look]).strip()))
    return table._replace(head=head, rows=body)
