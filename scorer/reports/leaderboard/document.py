"""The leaderboard as a document: the table, the verdict and remarks; on a page all else, too."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import pairwise

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
    Paragraph,
    Prose,
    Row,
    Table,
    by_width,
    join_names,
)
from scorer.reports.findings.problems import ALL_OPTION, format_findings
from scorer.reports.leaderboard.cells import (
    by_group,
    by_list,
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
from scorer.reports.leaderboard.remarks import cautions, ranked_below, remarks, scope
from scorer.reports.leaderboard.verdict import verdict
from scorer.results.json import PRIVATE
from scorer.results.report import Report, Standing

FIRST_ROWS = 20  # of a long board on a terminal
MOST_DECIMALS = 6  # that tell neighbours apart
REJECTED = 10  # files that are named
RULE = "significantly better than all below"  # what a rule between tiers says


def document(report: Report, options: Options) -> Document:
    """Return the board with its verdict, means by group and values of lists; or a whole page."""
    challenge = report.challenge
    options = with_digits(report, options)
    title = challenge.title
    if not options.page and report.leaderboard and not report.scope:
        lists = f"{len(report.lists):,} {unit(report.called, len(report.lists))}"
        title = f"{title} · {report.primary.id} over {lists}"
    return Document(
        title,
        list(_page(report, options) if options.page else _brief(report, options)),
        PRIVATE if options.private else "",
        _description(report) if options.page else [],
        (challenge.id, challenge.fingerprint or ""),
        "Skip to the leaderboard",
    )


def _description(report: Report) -> Sequence[Prose]:
    from scorer.reports.commonmark import described  # of no use to a text

    return described(report.definition)


def _page(report: Report, options: Options) -> Iterator[Block]:
    from scorer.reports.leaderboard.page import page  # of no use to a text

    return page(report, options)


def _brief(report: Report, options: Options) -> Iterator[Block]:
    """Yield the problems of the files if the options ask for them, then the board."""
    # What a baseline is warned of, the organizer meant.
    bad = [s for s in report.submissions if len(s.findings) and not (s.baseline and s.valid)]
    # Where nothing was scored, why is all that there is to say.
    none_scored = not any(scored.valid and not scored.baseline for scored in report.submissions)
    with_problems = options.problems or none_scored
    for scored in bad if with_problems else ():
        yield Heading(f"{scored.name} {'has problems' if scored.valid else 'was rejected'}")
        option = "" if options.alone else ALL_OPTION
        lines = format_findings(scored.findings, options.every, option=option, heading="")
        yield Notes(lines, "problems")
    if with_problems and bad and report.leaderboard:
        yield Heading("Leaderboard")
    if report.scope and report.leaderboard:
        yield Paragraph(scope(report.scope, report.called), "soft")
    rejected = [scored.name for scored in report.submissions if not scored.valid]
    if rejected and not with_problems:
        yield Paragraph(_rejected(rejected), "fault")
    if report.leaderboard:
        yield from _board(report, options)
    yield from (
        MeasureFormula(measure.id, formula_lines(measure.metric, measure.params))
        for measure in report.measures
    )
    yield from track_boards(report, options)
    if options.alone:
        yield from _group_tables(report, options)
    for scored in report.submissions if options.per_list else ():
        if scored.valid:
            table = by_list(report, scored, options.precision)
            yield Heading(table.caption)
            yield by_width(table)


def _rejected(names: Sequence[str]) -> str:
    """Return who was not scored, in a sentence."""
    count = "1 file was" if len(names) == 1 else f"{len(names):,} files were"
    return f"{count} rejected: {join_names(names, REJECTED)}."


def _board(report: Report, options: Options) -> Iterator[Block]:
    """Yield the tables, the verdict, the gravest remark; with `notes` all remarks."""
    rows = report.leaderboard
    hidden = len(rows) - FIRST_ROWS if options.width and not options.all_rows else 0
    shown = replace(report, leaderboard=rows[:FIRST_ROWS]) if hidden > 0 else report
    yield standings(shown, options)
    if hidden > 0:
        yield Notes([f"{hidden:,} more: --all-rows"], "soft")
    if report.omitted:
        yield Notes([ranked_below(report)], "soft")
    if not options.alone:  # the sentences are the last that a terminal shows
        yield from _group_tables(report, options, FIRST_ROWS if hidden > 0 else None)
    if sentence := verdict(report, options.precision):
        yield Notes([sentence], "strong")
    below: list[str] = []
    graver = cautions(report, options.precision)
    others = remarks(report, options.precision)
    if options.notes:
        below += [*graver, *others]
    elif graver:
        rest = 0 if options.alone else len(graver) - 1
        below.append(f"{graver[0]}{f' ({rest:,} more: --notes)' if rest else ''}")
    elif others and options.width:
        below.append("What intervals, tests and ranks mean: --notes")
    if below:
        yield Notes(below)


def _group_tables(report: Report, options: Options, rows: int | None = None) -> Iterator[Block]:
    """Yield the means by group of the first `rows`; without `notes` a terminal gets one measure."""
    tables = list(by_group(report, options.precision))
    is_short = bool(options.width) and not options.notes and len(tables) > 1
    hint = " (other measures: --notes)" if is_short else ""
    for table in tables[:1] if is_short else tables:
        yield Heading(table.caption + hint)
        yield by_width(table._replace(rows=table.rows[:rows]), keep=-1)


def track_boards(report: Report, options: Options, level: int = 2) -> Iterator[Block]:
    """The boards of the tracks."""
    for board in report.tracks or ():
        assert board.track is not None
        yield Heading(board.track.id, level)
        if board.leaderboard:
            table = standings(board, options._replace(page=False), report)
            caption = f"Track {board.track.id}, best first"
            yield table._replace(caption=caption) if options.page else table
            said = [scope_of_track(board, report), verdict(board, options.precision)]
            more = cautions(board, options.precision) + remarks(board, options.precision)
            yield Notes([*filter(None, said), *(more if options.page or options.notes else ())])
        else:
            yield Notes([f"{scope_of_track(board, report)} There is none."])


def standings(report: Report, options: Options, parent: Report | None = None) -> Table:
    """Return the leaderboard: a row a standing, best first, a rule between tiers.

    `parent` is the report whose page shows it, if that is another one.
    """
    options = with_digits(report, options)
    rows, precision, primary = report.leaderboard, options.precision, report.primary
    others = [measure for measure in report.measures if measure.id != primary.id]
    ends = level(report)
    submissions = {scored.name: scored for scored in report.submissions}
    sizes = [submissions[row.name].values[primary.id].lists for row in rows]
    counts = [lists_of(row, size, report) for row, size in zip(rows, sizes, strict=True)]
    counted = len({*counts, f"{len(report.lists):,}"}) > 1  # else the title says it
    more = list(extra_columns(report, len(others) + 9, precision))
    columns = [
        Column("rank", "rank", first="ascending"),
        Column("name", "name", first="ascending"),
        Column(_heading(primary, options), first=_sorting(primary), primary=True),
        *([Column(ends, "interval", 1, _sorting(primary))] if ends else []),
        *(Column(_heading(m, options), "number", n, _sorting(m)) for n, m in enumerate(others, 3)),
        *(each.column for each in more),
        *([Column(unit(report.called), "count", first="descending")] if counted else []),
    ]
    scale = _scale(rows, primary) if options.page or options.colour else (0.0, 1.0)
    digits = {measure.id: precision for measure in report.measures}
    digits[primary.id] = distinct_precision(rows, primary, options)
    best = {m.id: _best(rows, m, digits[m.id]) for m in report.measures}
    anchors = {scored.name: f"s{n}" for n, scored in enumerate(ordered(parent or report), start=1)}
    ranged = has_ranges(report)

    def mean(n: int, row: Standing, measure: Measure) -> Cell:
        text = mean_of(row, measure, digits[measure.id])
        value = number(row.values[measure.id], measure, digits[measure.id])
        return Cell(text, value, marks=["best"] if n in best[measure.id] else [])

    body = []
    for n, row in enumerate(rows):
        scored = submissions[row.name]
        # Of a baseline only its name may be published, which another file may have.
        file = "" if row.baseline or not options.links else scored.path
        note = "baseline" if row.baseline else ""
        cells = [
            Cell(place(row, ranged), str(n)),
            Cell(row.name, link=anchors.get(row.name, ""), note=note, file=file),
            mean(n, row, primary),
            *([_interval(row, primary, precision, scale)] if ends else []),
            *(mean(n, row, measure) for measure in others),
            *(each.cells.get(row.name, Cell(sort="")) for each in more),
            *([Cell(counts[n], str((row.fewer_lists or (sizes[n],))[0]))] if counted else []),
        ]
        body.append(Row(cells, row.tier, row.baseline))
    key = "standings" if options.page else ""
    caption = _caption(body, report, scale, precision) if options.page else ""
    return Table(caption, columns, body, key, rule=RULE)


def distinct_precision(rows: Sequence[Standing], measure: Measure, options: Options) -> int:
    """Return the decimals with which neighbours of different rank look different: at most six."""
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

    fewest = equal_pairs(MOST_DECIMALS)  # values that are equal in all digits stay so
    decimals = range(options.precision, MOST_DECIMALS + 1)
    return next(n for n in decimals if equal_pairs(n) == fewest)


def _heading(measure: Measure, options: Options) -> str:
    """Return the heading of a measure; a terminal with colours has arrows of both directions."""
    up = options.colour and measure.metric.better == "higher"
    return f"{measure.id}{measure.mark}{' ↑' * up}"


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
    beyond = any(span.coordinates(1.0)[3] for span in spans)
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
    decimals = decimals_of(max(map(abs, scale)), precision) if measure.decimals else 0
    span = IntervalSpan(row.interval, value, scale, decimals)
    sort = number(value, measure, precision)
    return Cell(interval(row, measure, precision), sort, span=span)
