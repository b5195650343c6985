"""The sections of the leaderboard's page: groups, submissions, pairs, measures."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence

from scorer.core.text import format_number, printable, unit
from scorer.metrics.catalogue import formula_lines, page_prose
from scorer.metrics.notation import Measure, format_value
from scorer.reports.base import Options
from scorer.reports.document import (
    Block,
    Cell,
    Column,
    Facts,
    Heading,
    MeasureFormula,
    Notes,
    Paragraph,
    Row,
    Table,
    cut,
    texts,
)
from scorer.reports.figures import MOST_PAIRED, forest, pairs, pareto
from scorer.reports.findings.problems import format_findings
from scorer.reports.leaderboard.answers import answers
from scorer.reports.leaderboard.cells import (
    by_group,
    by_list,
    chance,
    head_of,
    number,
    ordered,
    place,
)
from scorer.reports.leaderboard.curves import curves
from scorer.reports.leaderboard.document import split_boards, standings, track_boards
from scorer.reports.leaderboard.method import method
from scorer.reports.leaderboard.prose import pages
from scorer.reports.leaderboard.remarks import remarks, test_name, worse
from scorer.results.report import Certainty, Report, Scored

FEWEST = 3  # standings that a forest plot is worth its room for


def page(report: Report, options: Options) -> Iterator[Block]:
    """The sections, each a heading of the second level and what follows it."""
    if (asked := answers(report, options.precision)) is not None:
        yield Heading("In short", key="short")
        yield asked
    yield Heading("Leaderboard", key="board")
    yield from board(report, options)
    if report.pareto:
        yield Heading("Pareto front", key="front")
        yield from pareto(report, options.precision)
    if report.tracks:
        yield Heading("Tracks", key="tracks")
        yield from track_boards(report, options, 3)
    if (certainty := report.certainty) is not None:
        yield Heading("Pairs", key="pairs")
        yield from _pairs(certainty, report, options)
        if certainty.baselines:
            yield Heading("Baselines", key="baselines")
            yield _baselines(certainty, report, options)
    if report.groups:
        yield Heading(f"By {printable(report.called.get('group', 'group'))}", key="groups")
        yield from _groups(report, options)
    yield Heading("Measures", key="measures")
    for measure in report.measures:
        yield from measure_blocks(measure, report)
    yield Heading("Submissions", key="submissions")
    for n, scored in enumerate(ordered(report), start=1):
        yield from _submission_blocks(n, scored, report, options)
    yield from pages(report.definition)
    yield Heading("File and method", key="method")
    yield method(report)


def board(report: Report, options: Options) -> Iterator[Block]:
    """The leaderboard: a picture, its table, and what to know with it."""
    if not report.leaderboard:
        yield Paragraph("No submission could be scored.")
    elif len(report.leaderboard) >= FEWEST:
        # its numbers are in the table below it
        yield from (f._replace(numbers=None) for f in forest(report, options.precision))
    if report.leaderboard:
        yield standings(report, options)
    if said := notes(report, options):
        yield Notes(said)
    yield from split_boards(report, options)


def notes(report: Report, options: Options) -> list[str]:
    """Remarks, warnings about the challenge, and how many submissions were not scored."""
    said = [*remarks(report, options.precision), *map(str, report.notes)]
    if left_out := sum(not scored.valid for scored in report.submissions):
        plural = "s were" if left_out > 1 else " was"
        said.append(f"{left_out:,} submission{plural} not scored; see below.")
    return said


def _groups(report: Report, options: Options) -> Iterator[Block]:
    """The means over groups of lists, a table a measure."""
    sizes = ", ".join(f"{cut(g) or '(none)'} {n:,}" for g, n in report.groups.items())
    yield Paragraph(
        f"{unit(report.called).capitalize()} in each: {sizes}. "
        "The gap is the best mean minus the worst."
    )
    for n, table in enumerate(by_group(report, options.precision)):
        yield table._replace(fold=table.caption, open=not n)


def _submission_blocks(n: int, scored: Scored, report: Report, options: Options) -> Iterator[Block]:
    """One submission: its values, its curves, its file's problems."""
    row = next((row for row in report.leaderboard if row.name == scored.name), None)
    state = "not scored"
    if row is not None:
        value = number(row.values[report.primary.id], report.primary, options.precision)
        rank = "baseline" if row.rank is None else f"rank {place(row)}"
        state = f"{rank}, {printable(report.primary.id)} {value}"
    yield Heading(scored.name, 3, f"s{n}", state, open=not scored.valid, fault=not scored.valid)
    if scored.valid:
        yield _values(scored, report, options)
        yield from curves(scored, report, options)
    if problems := format_findings(scored.findings, options.every):
        yield Heading("Problems", 4)
        yield Notes([line.strip() for line in problems], "problems")
    else:
        yield Paragraph("No problems were found in its file.")
    if scored.valid and options.per_list:
        table = by_list(report, scored, options.precision)
        caption = f"Every {table.columns[0].head} of {cut(scored.name, 100)}"
        yield table._replace(caption=caption, fold=caption)
    digest = scored.sha256 or ""
    shown = digest if options.private else f"{digest[:12]}…"  # JSON has all of it
    source = f", SHA-256 {shown}" if digest else ""
    yield Paragraph(printable(scored.path) + source, "soft")


def _values(scored: Scored, report: Report, options: Options) -> Table | Paragraph:
    """Its values in a line where all are of as many lists, else as a table."""
    counted = {(v.lists, v.missing, v.undefined) for v in map(scored.values.get, _ids(report)) if v}
    if len(counted) > 1 or any(sum(counts[1:]) for counts in counted):
        return _value_rows(scored, report, options)
    texts = (
        f"{printable(m.id)} {number(scored.values[m.id].mean, m, options.precision)}"
        for m in report.measures
    )
    lists = next(iter(counted))[0]
    return Paragraph(f"{', '.join(texts)}: of {lists:,} {unit(report.called, lists)}.")


def _ids(report: Report) -> list[str]:
    return [measure.id for measure in report.measures]


def _value_rows(scored: Scored, report: Report, options: Options) -> Table:
    rows = []
    for measure in report.measures:
        value = scored.values[measure.id]
        counts = (f"{count:,}" for count in (value.lists, value.missing, value.undefined))
        mean = number(value.mean, measure, options.precision)
        rows.append([head_of(measure, report), mean, *counts])
    head = ["measure", "value", unit(report.called), "missing", "undefined"]
    return texts(f"The values of {cut(scored.name, 100)}", head, rows)


def _pairs(certainty: Certainty, report: Report, options: Options) -> Iterator[Block]:
    """The best submissions, compared pair by pair."""
    how = certainty.how
    yield Paragraph(
        f"Differences in mean {printable(report.primary.id)}, by the "
        f"{test_name(how.test, how.adjust, certainty.pairs)}, "
        f"over the {unit(report.called)} that both have."
        + " score compare --format csv gives every pair."
        * (len(certainty.names) > MOST_PAIRED)
    )
    yield from pairs(report, options.precision)
    if behind := [cut(row.name) for row in report.leaderboard if row.name in worse(report)]:
        yield Paragraph(f"Significantly worse than the first: {', '.join(behind)}.")


def _difference(difference: float, p: float, alpha: float, options: Options) -> Cell:
    """A difference with its p-value."""
    sure = bool(p <= alpha)
    text = "-" if math.isnan(difference) else format_number(difference, options.precision, "+")
    marks = ["significant"] if sure else []
    return Cell(text + "*" * sure, below=f"p {chance(float(p))}", marks=marks)


def _matrix(
    caption: str, names: Sequence[str], across: Sequence[str], rows: list[list[Cell]]
) -> Table:
    """Submissions down, and others across."""
    columns = [Column("name", "name", cut=40), *(Column(name, cut=40) for name in across)]
    body = [Row([Cell(name), *cells]) for name, cells in zip(names, rows, strict=True)]
    return Table(caption, columns, body)


def _baselines(certainty: Certainty, report: Report, options: Options) -> Table:
    """The ranked minus each baseline, with a family of tests for each."""
    alpha, against = certainty.how.alpha, certainty.baselines
    names = certainty.names[:MOST_PAIRED]
    rows = [
        [_difference(float(b.difference[i]), float(b.p[i]), alpha, options) for b in against]
        for i in range(len(names))
    ]
    caption = (
        f"Differences in {printable(report.primary.id)} from the baselines, each tested "
        "separately, adjusted for the number of submissions compared with it"
    )
    return _matrix(caption, names, tuple(baseline.name for baseline in against), rows)


def measure_blocks(bound: Measure, report: Report) -> Iterator[Block]:
    """A measure: its metric, its parameters, its page."""
    metric = bound.metric
    title = metric.title[:1].upper() + metric.title[1:]
    ranks = report.measured and bound.id == report.primary.id
    facts = [
        ("Metric", f"{metric.name}: {title}"),
        ("Direction", f"{metric.better} is better" + (", ranks the board" if ranks else "")),
        ("Of all lists", bound.aggregate),
        *((f"Parameter {key}", format_value(value)) for key, value in bound.params.items()),
        ("Source", metric.source),
        ("Signature", bound.board_signature),
    ]
    yield Heading(bound.id, 3)
    yield MeasureFormula(bound.id, formula_lines(metric, bound.params))
    yield Facts([(printable(term), printable(text, 1000)) for term, text in facts])
    yield Paragraph(page_prose(metric), "page", f"What {printable(metric.name)} means")
