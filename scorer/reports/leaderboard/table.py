"""The leaderboard and the boards of its tracks as tables."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from itertools import pairwise

from scorer.core.text import unit
from scorer.metrics.notation import Measure
from scorer.reports.base import Options
from scorer.reports.charts.charts import IntervalSpan, shared_scale
from scorer.reports.document import Block, Cell, Column, Heading, Notes, Row, Table
from scorer.reports.leaderboard.cells import (
    decimals_of,
    has_precision,
    has_ranges,
    interval,
    level,
    lists_of,
    mean_of,
    number,
    ordered,
    place,
    with_digits,
)
from scorer.reports.leaderboard.front import extra_columns, scope_of_track
from scorer.reports.leaderboard.remarks import cautions, remarks
from scorer.reports.leaderboard.verdict import verdict
from scorer.results.report import Report, Standing

MAX_DECIMALS = 6  # of values that would look equal with fewer
RULE = "significantly better than all below"  # the label of a rule between tiers


def track_boards(report: Report, options: Options, level: int = 2) -> Iterator[Block]:
    """Yield the board of each track below a heading of that level."""
    for board in report.tracks or ():
        assert board.track is not None
        yield Heading(board.track.id, level)
        if board.leaderboard:
            table = standings(board, options._replace(page=False), report)
            caption = f"Track {board.track.id}, best first"
            yield table._replace(caption=caption) if options.page else table
            notes = [scope_of_track(board, report), verdict(board, options.precision)]
            if options.page or options.notes:
                notes += cautions(board, options.precision) + remarks(board, options.precision)
            yield Notes(list(filter(None, notes)))
        else:
            yield Notes([f"{scope_of_track(board, report)} There is none."])


def standings(report: Report, options: Options, parent: Report | None = None) -> Table:
    """Return the leaderboard: a row for each standing, best first, with a rule between tiers.

    Args:
        report: The report of the leaderboard.
        options: How it is to look.
        parent: The report whose page shows the leaderboard, if it is the board of a track.
    """
    options = with_digits(report, options)
    rows, precision, primary = report.leaderboard, options.precision, report.primary
    others = [measure for measure in report.measures if measure.id != primary.id]
    interval_head = level(report)
    submissions = {scored.name: scored for scored in report.submissions}
    sizes = [submissions[row.name].values[primary.id].lists for row in rows]
    counts = [lists_of(row, size, report) for row, size in zip(rows, sizes, strict=True)]
    shows_counts = len({*counts, f"{len(report.lists):,}"}) > 1  # else the title has the number
    extras = list(extra_columns(report, len(others) + 9, precision))
    columns = [
        Column("rank", "rank", first="ascending"),
        Column("name", "name", first="ascending"),
        Column(_heading(primary, options), first=_sorting(primary), primary=True),
        *([Column(interval_head, "interval", 1, _sorting(primary))] if interval_head else []),
        *(Column(_heading(m, options), "number", n, _sorting(m)) for n, m in enumerate(others, 3)),
        *(extra.column for extra in extras),
        *([Column(unit(report.called), "count", first="descending")] if shows_counts else []),
    ]
    scale = (0.0, 1.0)
    if options.page or options.colour:  # where bars are drawn
        ends = [_ends(row, primary) for row in rows]
        scale = shared_scale(ends, primary.metric.better)
    digits = {measure.id: precision for measure in report.measures}
    digits[primary.id] = distinct_precision(rows, primary, options)
    best = {m.id: _best(rows, m, digits[m.id]) for m in report.measures}
    anchors = {scored.name: f"s{n}" for n, scored in enumerate(ordered(parent or report), start=1)}
    with_ranges = has_ranges(report)

    def mean_cell(n: int, row: Standing, measure: Measure) -> Cell:
        text = mean_of(row, measure, digits[measure.id])
        value = number(row.values[measure.id], measure, digits[measure.id])
        return Cell(text, value, marks=["best"] if n in best[measure.id] else [])

    body = []
    for n, row in enumerate(rows):
        scored = submissions[row.name]
        # Only the name of a baseline is published, and another file may have that name.
        file = "" if row.baseline or not options.links else scored.path
        note = "baseline" if row.baseline else ""
        cells = [
            Cell(place(row, with_ranges), str(n)),
            Cell(row.name, link=anchors.get(row.name, ""), note=note, file=file),
            mean_cell(n, row, primary),
            *([_interval(row, primary, precision, scale)] if interval_head else []),
            *(mean_cell(n, row, measure) for measure in others),
            *(extra.cells.get(row.name, Cell(sort="")) for extra in extras),
            *([Cell(counts[n], str((row.fewer_lists or (sizes[n],))[0]))] if shows_counts else []),
        ]
        body.append(Row(cells, row.tier, row.baseline))
    key = "standings" if options.page else ""
    caption = _caption(body, report, scale, precision) if options.page else ""
    return Table(caption, columns, body, key, rule=RULE)


def distinct_precision(rows: Sequence[Standing], measure: Measure, options: Options) -> int:
    """Return the fewest decimals with which rows of different rank look different, at most six."""
    if has_precision(options):
        return options.precision
    ranked = [row for row in rows if row.rank is not None]
    values = [
        (one.values[measure.id], other.values[measure.id])
        for one, other in pairwise(ranked)
        if one.rank != other.rank
    ]

    def equal_pairs(precision: int) -> int:
        return sum(
            number(a, measure, precision) == number(b, measure, precision) for a, b in values
        )

    fewest = equal_pairs(MAX_DECIMALS)  # these are equal with any number of decimals
    decimals = range(options.precision, MAX_DECIMALS + 1)
    return next(n for n in decimals if equal_pairs(n) == fewest)


def _heading(measure: Measure, options: Options) -> str:
    """Return the heading of a measure; with colours it has an arrow for higher values, too."""
    up = options.colour and measure.metric.better == "higher"
    return f"{measure.id}{measure.mark}{' ↑' * up}"


def _caption(
    body: Sequence[Row], report: Report, scale: tuple[float, float], precision: int
) -> str:
    """Return the caption of a table on a page, which says how its bars are read."""
    caption = "Leaderboard, best first; click a heading to sort."
    spans = [cell.span for row in body for cell in row.cells if cell.span]
    if not level(report):
        return caption
    low, high = (number(end, report.primary, precision) for end in scale)
    caption += f" Every bar is an interval on one scale, from {low} to {high}."
    beyond = any(span.coordinates(1.0)[3] for span in spans)
    return caption + " An arrow marks values beyond it." * beyond


def _best(rows: Sequence[Standing], measure: Measure, precision: int) -> set[int]:
    """Return the numbers of the ranked rows that show the best value of a measure."""
    values = {n: row.values[measure.id] for n, row in enumerate(rows) if row.rank is not None}
    valued = {n: value for n, value in values.items() if not math.isnan(value)}
    if not valued:
        return set()
    best_value = (max if measure.metric.better == "higher" else min)(valued.values())
    printed = number(best_value, measure, precision)
    return {n for n, value in valued.items() if number(value, measure, precision) == printed}


def _sorting(measure: Measure) -> str:
    return "descending" if measure.metric.better == "higher" else "ascending"


def _ends(row: Standing, measure: Measure) -> tuple[float, float, float]:
    """Return the low end of the interval, the value, and the high end."""
    value = row.values[measure.id]
    low, high = row.interval or (value, value)
    return low, value, high


def _interval(row: Standing, measure: Measure, precision: int, scale: tuple[float, float]) -> Cell:
    """Return the cell of the interval, with its bar."""
    if row.interval is None:
        return Cell(sort="")
    value = row.values[measure.id]
    decimals = decimals_of(max(map(abs, scale)), precision) if measure.decimals else 0
    span = IntervalSpan(row.interval, value, scale, decimals)
    sort = number(value, measure, precision)
    return Cell(interval(row, measure, precision), sort, span=span)
