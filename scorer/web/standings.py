"""The leaderboard's table as the web shows it: the report's, with teams, entries and answers."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import NamedTuple
from zoneinfo import ZoneInfo

from scorer.board.snapshot import LiveReport
from scorer.core.text import printable
from scorer.reports.base import Options
from scorer.reports.leaderboard import document, page
from scorer.reports.leaderboard.cells import hitless
from scorer.reports.pictures.draw import Figure
from scorer.reports.pictures.forest import forest
from scorer.reports.write.html import Head, HtmlCell, Table, view

FILTERED = 8  # rows above which a board has a filter


class Standings(NamedTuple):
    """The table, whether it has so many rows that a filter helps, and its notes."""

    table: Table | None
    filter: bool
    notes: Sequence[str]


def local_time(time: datetime, zone: ZoneInfo) -> str:
    """A time as people write it, in the challenge's zone.

    >>> from datetime import UTC
    >>> local_time(datetime(2026, 3, 1, 22, 5, tzinfo=UTC), ZoneInfo("Europe/Ljubljana"))
    '2026-03-01 23:05'
    """
    return f"{time.astimezone(zone):%Y-%m-%d %H:%M}"


def standings(live: LiveReport, zone: ZoneInfo) -> tuple[Standings, Figure | None]:
    """The board's table and its picture, with times in that zone."""
    options = Options(page=True)
    notes = page.notes(live.report, options)
    figure = next((f._replace(numbers=None) for f in forest(live.report, options.precision)), None)
    if not live.report.standings:
        return Standings(None, False, notes), figure
    table = view(document.standings(live.report, options))
    questions = [key for key, question in live.report.challenge.questions.items() if question.board]
    # the last column says how many lists count: of interest where they differ, or have no hit
    said = any(row.fewer or hitless(row, live.report) for row in live.report.standings)
    last = None if said else -1
    head = [table.head[0], Head("team", "text"), *table.head[2:last]]
    head += [Head(printable(key, 60), "text") for key in questions]
    head += [Head("entries", "number", "descending"), Head("latest", "text")]
    body = []
    for row, standing in zip(table.rows, live.report.standings, strict=True):
        live_row = live.rows[standing.name]
        cells = [cell._replace(link="") for cell in row.cells[:last]]
        is_theirs = live_row.entry is not None
        time = local_time(live_row.received, zone) if is_theirs else ""
        for key in questions:
            answer = live_row.answers.get(key, "")
            text, title = printable(answer, 80), printable(answer, 1000) * (len(answer) > 80)
            cells.append(HtmlCell(text, text, "text answer", title=title))
        cells += [
            HtmlCell(str(live_row.entries), str(live_row.entries))
            if is_theirs
            else HtmlCell(sort="")
        ]
        cells += [HtmlCell(time[:10], time, "text", title=time)]
        marks = [] if live_row.id is None else [f"team-{live_row.id}"]
        body.append(row._replace(cells=cells, look=" ".join([*marks, row.look]).strip()))
    full_table = table._replace(head=head, rows=body)
    return Standings(full_table, len(body) > FILTERED, notes), figure
