"""The leaderboard as a document: for a text the table, the verdict and remarks; or a whole page."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from scorer.core.text import unit
from scorer.metrics.catalogue import formula_lines
from scorer.reports.base import Options
from scorer.reports.document import (
    Block,
    Document,
    Heading,
    MeasureFormula,
    Notes,
    Paragraph,
    Prose,
    by_width,
    join_names,
)
from scorer.reports.findings.problems import ALL_OPTION, format_findings
from scorer.reports.leaderboard.cells import by_group, by_list, with_digits
from scorer.reports.leaderboard.remarks import cautions, ranked_below, remarks, scope
from scorer.reports.leaderboard.table import standings, track_boards
from scorer.reports.leaderboard.verdict import verdict
from scorer.results.json import PRIVATE
from scorer.results.report import Report

FIRST_ROWS = 20  # of a long board on a terminal
MAX_REJECTED = 10  # rejected files that a sentence names


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
    from scorer.reports.commonmark import described  # needed for pages only

    return described(report.definition)


def _page(report: Report, options: Options) -> Iterator[Block]:
    from scorer.reports.leaderboard.page import page  # needed for pages only

    return page(report, options)


def _brief(report: Report, options: Options) -> Iterator[Block]:
    """Yield the problems of the files if the options ask for them, then the board."""
    # An organizer means what a valid baseline is warned of.
    bad = [s for s in report.submissions if len(s.findings) and not (s.baseline and s.valid)]
    # If nothing was scored, the problems are all that a text can say.
    none_scored = not any(scored.valid and not scored.baseline for scored in report.submissions)
    with_problems = options.problems or none_scored
    for scored in bad if with_problems else ():
        yield Heading(f"{scored.name} {'has problems' if scored.valid else 'was rejected'}")
        option = "" if options.standalone else ALL_OPTION
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
    if options.standalone:
        yield from _group_tables(report, options)
    for scored in report.submissions if options.per_list else ():
        if scored.valid:
            table = by_list(report, scored, options.precision)
            yield Heading(table.caption)
            yield by_width(table)


def _rejected(names: Sequence[str]) -> str:
    """Return who was not scored, in a sentence."""
    count = "1 file was" if len(names) == 1 else f"{len(names):,} files were"
    return f"{count} rejected: {join_names(names, MAX_REJECTED)}."


def _board(report: Report, options: Options) -> Iterator[Block]:
    """Yield the tables, the verdict, and the first caution or, with `notes`, all remarks."""
    rows = report.leaderboard
    hidden = len(rows) - FIRST_ROWS if options.width and not options.all_rows else 0
    shown = replace(report, leaderboard=rows[:FIRST_ROWS]) if hidden > 0 else report
    yield standings(shown, options)
    if hidden > 0:
        yield Notes([f"{hidden:,} more: --all-rows"], "soft")
    if report.omitted:
        yield Notes([ranked_below(report)], "soft")
    if not options.standalone:  # a terminal shows the sentences last, below all tables
        yield from _group_tables(report, options, FIRST_ROWS if hidden > 0 else None)
    if sentence := verdict(report, options.precision):
        yield Notes([sentence], "strong")
    warnings = cautions(report, options.precision)
    explanations = remarks(report, options.precision)
    if options.notes:
        notes = [*warnings, *explanations]
    elif warnings:
        rest = 0 if options.standalone else len(warnings) - 1
        notes = [f"{warnings[0]}{f' ({rest:,} more: --notes)' if rest else ''}"]
    elif explanations and options.width:
        notes = ["What intervals, tests and ranks mean: --notes"]
    else:
        notes = []
    if notes:
        yield Notes(notes)


def _group_tables(report: Report, options: Options, rows: int | None = None) -> Iterator[Block]:
    """Yield the means by group of the first `rows`; without `notes` a terminal gets one measure."""
    tables = list(by_group(report, options.precision))
    is_short = bool(options.width) and not options.notes and len(tables) > 1
    hint = " (other measures: --notes)" if is_short else ""
    for table in tables[:1] if is_short else tables:
        yield Heading(table.caption + hint)
        yield by_width(table._replace(rows=table.rows[:rows]), keep=-1)
