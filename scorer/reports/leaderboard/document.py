"""The leaderboard as a document: the board and its remarks; on a page all else that is known."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence

from scorer.core.text import unit
from scorer.metrics.catalogue import formula_lines
from scorer.metrics.notation import Measure
from scorer.reports.base import Options
from scorer.reports.charts.charts import IntervalSpan, shared_scale
from scorer.reports.document import (
    Block,
    Cell,
    Column,
    Document,
    Heading,
    MeasureFormula,
    Notes,
    Prose,
    Row,
    Table,
    by_width,
    cut,
)
from scorer.reports.findings.problems import counted, format_findings
from scorer.reports.leaderboard.cells import (
    by_group,
    by_list,
    head_of,
    interval,
    level,
    lists_of,
    mean_of,
    number,
    ordered,
    place,
)
from scorer.reports.leaderboard.front import further, scope_of_track
from scorer.reports.leaderboard.remarks import remarks
from scorer.results.json import PRIVATE
from scorer.results.report import Report, Standing


def document(report: Report, options: Options) -> Document:
    """The board, the remarks, means by group; then the files' problems, or sections of a page."""
    challenge = report.challenge
    return Document(
        challenge.title,
        list(_page(report, options) if options.page else _brief(report, options)),
        PRIVATE if options.private else "",
        _description(report) if options.page else [],
        (challenge.id, challenge.fingerprint or ""),
        "Skip to the leaderboard",
    )


def _description(report: Report) -> Sequence[Prose]:
    from scorer.reports.leaderboard.prose import described  # of no use to a text

    return described(report.definition)


def _page(report: Report, options: Options) -> Iterator[Block]:
    from scorer.reports.leaderboard.page import page  # of no use to a text

    return page(report, options)


def _brief(report: Report, options: Options) -> Iterator[Block]:
    if report.leaderboard:
        yield standings(report, options)
    rejected = [scored for scored in report.submissions if not scored.valid]
    if rejected and not options.problems:
        yield Notes(
            [f"{cut(s.name, 200)}: not scored, {counted(s.findings)}" for s in rejected], "fault"
        )
    if notes := remarks(report, options.precision):
        yield Notes(notes)
    yield from (
        MeasureFormula(measure.id, formula_lines(measure.metric, measure.params))
        for measure in report.measures
    )
    yield from split_boards(report, options)
    yield from track_boards(report, options)
    for table in by_group(report, options.precision):
        yield Heading(table.caption)
        yield by_width(table, keep=-1)
    for scored in report.submissions if options.per_list else ():
        if scored.valid:
            table = by_list(report, scored, options.precision)
            yield Heading(table.caption)
            yield by_width(table)
    for scored in report.submissions if options.problems else ():
        if len(scored.findings):
            yield Heading(f"{scored.name} {'has problems' if scored.valid else 'was rejected'}")
            yield Notes(format_findings(scored.findings, options.every), "problems")


def split_boards(report: Report, options: Options) -> Iterator[Block]:
    """The boards of the splits that are beside this one."""
    for split in report.splits or ():
        name = split.scope.split if split.scope else None
        yield Heading(name or "all")
        if split.leaderboard:
            board = standings(split, options._replace(page=False), report)
            yield board._replace(caption=f"{name or 'all'}, best first") if options.page else board
        yield Notes(remarks(split, options.precision)[:1])


def track_boards(report: Report, options: Options, level: int = 2) -> Iterator[Block]:
    """The boards of the tracks."""
    for board in report.tracks or ():
        assert board.track is not None
        yield Heading(board.track.id, level)
        if board.leaderboard:
            table = standings(board, options._replace(page=False), report)
            caption = f"Track {board.track.id}, best first"
            yield table._replace(caption=caption) if options.page else table
            said = [scope_of_track(board, report), *remarks(board, options.precision)]
            yield Notes(said if options.page else said[:1])
        else:
            yield Notes([f"{scope_of_track(board, report)} There is none."])


def standings(report: Report, options: Options, whole: Report | None = None) -> Table:
    """The leaderboard: a row a standing, best first.

    `whole` is the report on whose page it stands, where that is another one.
    """
    rows, precision, primary = report.leaderboard, options.precision, report.primary
    others = [measure for measure in report.measures if measure.id != primary.id]
    tiers, ends = any(row.tier for row in rows), level(report)
    # who has fewer than others must not go unmarked for want of room
    last = 0 if any(row.fewer_lists for row in rows) else len(others) + 10
    more = list(further(report, len(others) + 9))
    columns = [
        Column("rank", "rank", first="ascending"),
        Column("name", "name", first="ascending"),
        *([Column("tier", "group", first="ascending")] if tiers else []),
        Column(_heading(primary, report, options), first=_sorting(primary), primary=True),
        *([Column(ends, "interval", 1, _sorting(primary))] if ends else []),
        *(
            Column(_heading(m, report, options), "number", n, _sorting(m))
            for n, m in enumerate(others, 3)
        ),
        *(each.column for each in more),
        Column(unit(report.called), "count", last, "descending"),
    ]
    scale = _scale(rows, primary) if options.page or options.colour else (0.0, 1.0)
    best = {m.id: _best(rows, m, precision) for m in report.measures}
    anchors = {scored.name: f"s{n}" for n, scored in enumerate(ordered(whole or report), start=1)}
    submissions = {scored.name: scored for scored in report.submissions}

    def mean(n: int, row: Standing, measure: Measure) -> Cell:
        value = number(row.values[measure.id], measure, precision)
        marks = ["best"] if n in best[measure.id] else []
        return Cell(mean_of(row, measure, precision), value, marks=marks)

    body = []
    for n, row in enumerate(rows):
        count = submissions[row.name].values[primary.id].lists
        aside = "baseline" if row.baseline else ""
        # of a baseline only its name may be published, which another file may have
        file = "" if row.baseline or not options.links else submissions[row.name].path
        cells = [
            Cell(place(row), str(n)),
            Cell(row.name, link=anchors.get(row.name, ""), aside=aside, file=file),
            *([Cell("" if row.tier is None else f"{row.tier:,}")] if tiers else []),
            mean(n, row, primary),
            *([_interval(row, primary, precision, scale)] if ends else []),
            *(mean(n, row, m) for m in others),
            *(each.cells.get(row.name, Cell(sort="")) for each in more),
            Cell(lists_of(row, count, report), str((row.fewer_lists or (count,))[0])),
        ]
        body.append(Row(cells, row.tier, row.baseline))
    key = "standings" if options.page else ""
    caption = _caption(body, report, scale, precision) if options.page else ""
    return Table(caption, columns, body, key)


def _heading(measure: Measure, report: Report, options: Options) -> str:
    """The heading of a measure; a terminal with colours has arrows of both directions."""
    up = options.colour and measure.metric.better == "higher"
    return head_of(measure, report) + " ↑" * up


def _scale(rows: Sequence[Standing], measure: Measure) -> tuple[float, float]:
    return shared_scale([_ends(row, measure) for row in rows], measure.metric.better)


def _caption(
    body: Sequence[Row], report: Report, scale: tuple[float, float], precision: int
) -> str:
    caption = "Leaderboard, best first; click a heading to sort."
    spans = [cell.span for row in body for cell in row.cells if cell.span]
    if not level(report):
        return caption
    low, high = (number(end, report.primary, precision) for end in scale)
    caption += f" Every bar is an interval on one scale, from {low} to {high}."
    beyond = any(span.places(1.0)[3] for span in spans)
    return caption + " An arrow marks values beyond it." * beyond


def _best(rows: Sequence[Standing], measure: Measure, precision: int) -> set[int]:
    """The ranked rows whose value of the measure, as it is shown, is the best one."""
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
    """The low end of the interval, the value, and the high end."""
    value = row.values[measure.id]
    low, high = row.interval or (value, value)
    return low, value, high


def _interval(row: Standing, measure: Measure, precision: int, scale: tuple[float, float]) -> Cell:
    """The interval, with a bar of it."""
    if row.interval is None:
        return Cell(sort="")
    value = row.values[measure.id]
    span = IntervalSpan(row.interval, value, scale, precision if measure.decimals else 0)
    sort = number(value, measure, precision)
    return Cell(interval(row, measure, precision), sort, span=span)
