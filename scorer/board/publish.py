"""The board as plain files, which any host of files can serve: what visitors may see, no more."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from datetime import UTC, datetime
from zoneinfo import ZoneInfo

from scorer.api.kit import kit
from scorer.board.board import Board
from scorer.board.phases import shown_at, splits_shown
from scorer.board.standings import Ranking, public
from scorer.challenge.model import Challenge
from scorer.core.errors import UsageError
from scorer.leaderboard.rounding import rounded_report
from scorer.reports.base import Options
from scorer.reports.commonmark import pages
from scorer.reports.document import (
    Block,
    Cell,
    Column,
    Document,
    Heading,
    Paragraph,
    Table,
)
from scorer.reports.leaderboard.cells import board_precision
from scorer.reports.leaderboard.document import document
from scorer.reports.leaderboard.figures import pareto
from scorer.reports.leaderboard.page import how_to_read
from scorer.reports.leaderboard.remarks import scope
from scorer.reports.leaderboard.rows import rows
from scorer.reports.leaderboard.table import standings, track_boards
from scorer.reports.write.csv import csv
from scorer.reports.write.html import html
from scorer.results.json import to_json

PAGE, TABLE, JSON, KIT, RECEIPTS = (
    "index.html",
    "board.csv",
    "board.json",
    "kit.zip",
    "receipts.jsonl",
)

# The page's links to the files beside it.
DOWNLOADS = (
    (TABLE, "The board as CSV"),
    (JSON, "The board as JSON"),
    (KIT, "The kit, which checks a file before it is sent"),
    (RECEIPTS, "The receipts of all entries"),
)


def public_files(
    board: Board,
    *,
    split: str | None = None,
    now: datetime | None = None,
    precision: int | None = None,
) -> dict[str, bytes]:
    """Return the files of a public board by their names, the page last.

    They hold what visitors of a served board may see: values with the digits that the challenge
    shows, public answers, no value of a single list, nothing about a submission's file.

    Args:
        board: The living board; entries that wait are evaluated first.
        split: The split whose board it is; by default the one that the phase shows.
        now: The time that decides what may be seen; by default the present.
        precision: The decimals on the page; by default the challenge's.

    Raises:
        UsageError: Visitors may not see this board now.
        UnknownName: There is no such split.
    """
    now = now or datetime.now(UTC)
    bound = board.versions.bound(board.versions.in_force(now))
    ranking = board.board(split=split, now=now)
    _refuse_hidden(bound.challenge, split or shown_at(bound.challenge, now), now)
    digits = bound.challenge.leaderboard.digits
    ranking = public(ranking._replace(report=rounded_report(ranking.report.published(), digits)))
    options = Options(board_precision(ranking.report, precision), precision is None, page=True)
    return {
        TABLE: csv(rows(ranking.report, options), options).encode(),
        JSON: (to_json(ranking.with_entries()) + "\n").encode(),
        KIT: kit(bound).data,
        RECEIPTS: board.receipts().encode(),
        PAGE: html(_page(ranking, options), options).encode(),
    }


def _refuse_hidden(challenge: Challenge, split: str, now: datetime) -> None:
    """Raise `UsageError` unless visitors may see the board of a split."""
    if split in splits_shown(challenge, now):
        return
    raise UsageError(
        f"visitors may not see this board now (show: {shown_at(challenge, now)}); "
        "-o board.html writes a page for organizers"
    )


def _page(ranking: Ranking, options: Options) -> Document:
    """Return the page of the board: its table, its fronts and tracks, the challenge's texts."""
    made = document(ranking.report, options)
    return replace(made, blocks=list(_blocks(ranking, options)), downloads=DOWNLOADS)


def _blocks(ranking: Ranking, options: Options) -> Iterator[Block]:
    report = ranking.report
    yield Heading("Leaderboard", key="board")
    if report.scope:
        yield Paragraph(scope(report.scope, report.called))
    if not report.leaderboard:
        yield Paragraph("There is no scored entry yet.")
    else:
        yield _without_links(_with_entries(standings(report, options), ranking))
    if report.pareto:
        yield Heading("Pareto front", key="front")
        yield from pareto(report, options.precision)
    if report.tracks:
        yield Heading("Tracks", key="tracks")
        for block in track_boards(report, options, level=3):
            yield _without_links(block) if isinstance(block, Table) else block
    yield from pages(report.definition)
    yield from how_to_read(report, options)


def _with_entries(table: Table, ranking: Ranking) -> Table:
    """Return the table with the number of each team's entries, and when its entry came."""
    zone = ZoneInfo(ranking.report.definition.timezone)
    columns = [
        *table.columns,
        Column("entries", "count", first="descending"),
        Column("received", "text", first="descending"),
    ]
    rows = []
    for row, standing in zip(table.rows, ranking.report.leaderboard, strict=True):
        entry = ranking.rows[standing.name]
        cells = [Cell(sort=""), Cell(sort="")]
        if entry.entry is not None:
            received = f"{entry.received.astimezone(zone):%Y-%m-%d %H:%M}"
            cells = [Cell(str(entry.entries)), Cell(received)]
        rows.append(row._replace(cells=[*row.cells, *cells]))
    return table._replace(columns=columns, rows=rows)


def _without_links(table: Table) -> Table:
    """Return the table without links to sections on submissions, which this page does not have."""
    rows = [
        row._replace(cells=[cell._replace(link="") for cell in row.cells]) for row in table.rows
    ]
    return table._replace(rows=rows)
