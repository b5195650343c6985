"""The values and ranks that unjudged items leave possible, for organizers."""

from __future__ import annotations

import math
from collections.abc import Iterator

from scorer.core.text import join_first, printable
from scorer.metrics.measure import Measure
from scorer.reports.base import Options
from scorer.reports.document import Block, Heading, Notes, Table, texts
from scorer.reports.leaderboard.cells import number, ordered
from scorer.results.report import Report

NOTE = (
    "low and high: the lowest and highest value, whatever grades of the truth's the unjudged items "
    "of the submission had; items that it did not return, and nobody judged, count as not "
    "relevant. judged: the share of the items down to the cut-off that have a grade."
)


def bounds(report: Report, options: Options) -> Iterator[Block]:
    """A table a measure, and which ranks could exchange; nothing where no bounds are known."""
    every = [_bounds_table(measure, report, options.precision) for measure in report.measures]
    if options.private and (tables := [table for table in every if table is not None]):
        yield Heading("What unjudged items leave possible", key="bounds")
        for table in tables:
            yield Heading(table.caption, 4)
            yield table._replace(caption=f"Bounds of {table.caption}")
        unknown = [m.id for m in report.measures if m.id not in {t.caption for t in tables}]
        without = [f"No bounds are known of {join_first(unknown, 5)}."] if unknown else []
        yield Notes([NOTE, *_exchanges(report), *without])


def _bounds_table(measure: Measure, report: Report, precision: int) -> Table | None:
    """The bounds of a measure; None where they are not known."""
    found = [s for s in ordered(report) if s.valid and s.values[measure.id].bounds is not None]
    if not found:
        return None
    possible = {row.name: row.possible for row in report.standings}
    ranked = measure.id == report.primary.id and any(possible.values())
    rows = []
    for scored in found:
        value = scored.values[measure.id]
        assert value.bounds is not None
        low, high, judged = value.bounds
        share = "-" if math.isnan(judged) else f"{100 * judged:.1f} %"
        cells = (number(each, measure, precision) for each in (low, value.mean, high))
        rows.append([scored.name, *cells, share, *([_rank_range(possible[scored.name])] * ranked)])
    head = ["name", "low", "value", "high", "judged", *(["possible ranks"] * ranked)]
    return texts(measure.id, head, rows)


def _rank_range(ranks: tuple[int, int] | None) -> str:
    return "" if ranks is None else "-".join(f"{rank:,}" for rank in dict.fromkeys(ranks))


def _exchanges(report: Report) -> Iterator[str]:
    """Which of the ranked could exchange their ranks, or that none could."""
    rows = [row for row in report.standings if row.possible is not None]
    if len(rows) < 2:
        return
    free = [printable(row.name, 60) for row in rows if row.possible == (row.rank, row.rank)]
    called = printable(report.primary.id)
    if len(free) == len(rows):
        yield f"No two submissions could exchange their ranks by {called}."
        return
    if rows[0].possible == (1, 1):
        first = printable(rows[0].name, 60)
        yield f"Whatever grades the unjudged items had, {first} would have the greatest {called}."
    else:
        rivals = [
            printable(row.name, 60) for row in rows[1:] if row.possible and row.possible[0] == 1
        ]
        yield (
            f"{printable(rows[0].name, 60)} could exchange its rank by {called} with "
            f"{join_first(rivals, 5)}, were all items judged."
        )
