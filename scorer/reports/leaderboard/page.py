"""The sections of the leaderboard's page: groups, submissions, pairs, measures."""

from __future__ import annotations

from collections.abc import Iterator

from scorer import __version__
from scorer.core.text import printable, unit
from scorer.metrics.catalogue import formula_lines, page_prose
from scorer.metrics.notation import Measure, format_value
from scorer.reports.base import Options
from scorer.reports.commonmark import pages
from scorer.reports.document import (
    Block,
    Facts,
    Heading,
    MeasureFormula,
    Notes,
    Paragraph,
    Table,
    cut,
    texts,
)
from scorer.reports.findings.problems import counted, format_findings
from scorer.reports.leaderboard.answers import answers
from scorer.reports.leaderboard.cells import by_group, by_list, level, number, ordered
from scorer.reports.leaderboard.curves import curves
from scorer.reports.leaderboard.figures import MAX_PAIRED, pairs, pareto
from scorer.reports.leaderboard.remarks import cautions, ranked_below, remarks, scope, test_name
from scorer.reports.leaderboard.table import standings, track_boards
from scorer.results.report import Report, Scored


def page(report: Report, options: Options) -> Iterator[Block]:
    """Yield the sections, each a heading of the second level and what follows it."""
    if report.leaderboard:
        yield Heading("In short", key="short")
        yield Facts(list(answers(report, options.precision)))
    yield from _rejected(report, options)
    yield Heading("Leaderboard", key="board")
    if report.scope:
        yield Paragraph(scope(report.scope, report.called))
    if report.leaderboard:
        yield standings(report, options)
    else:
        yield Paragraph("No submission could be scored.")
    if report.omitted:
        yield Paragraph(ranked_below(report))
    if report.pareto:
        yield Heading("Pareto front", key="front")
        yield from pareto(report, options.precision)
    if report.tracks:
        yield Heading("Tracks", key="tracks")
        yield from track_boards(report, options, 3)
    if report.certainty is not None and len(report.certainty.names) > 1:
        yield Heading("Pairs", key="pairs")
        yield from pairs(report, options.precision)
        if len(report.certainty.names) > MAX_PAIRED:
            yield Paragraph("The board as JSON has every pair.")
    if report.groups:
        yield Heading(f"By {printable(report.called.get('group', 'group'))}", key="groups")
        yield from _groups(report, options)
    if any(scored.valid for scored in report.submissions):
        yield Heading("Submissions", key="submissions")
    for n, scored in enumerate(ordered(report), start=1):
        if scored.valid:
            yield from _submission_blocks(n, scored, report, options)
    yield from pages(report.definition)
    yield from how_to_read(report, options)


def _rejected(report: Report, options: Options) -> Iterator[Block]:
    """Yield the files that could not be scored, each with its problems."""
    if any(not scored.valid for scored in report.submissions):
        yield Heading("Rejected files", key="rejected")
    for n, scored in enumerate(ordered(report), start=1):
        if not scored.valid:
            state = counted(scored.findings)
            yield Heading(scored.name, 3, f"s{n}", state, open=True, fault=True)
            yield from _file_blocks(scored, options)


def how_to_read(report: Report, options: Options) -> Iterator[Block]:
    """Yield a folded section: remarks on the board, its measures, how it was made."""
    yield Heading("How to read this", key="method", open=False)
    notes = [
        *cautions(report, options.precision),
        *remarks(report, options.precision),
        *map(str, report.notes),
    ]
    if notes:
        yield Notes(notes)
    yield method(report)
    for n, measure in enumerate(report.measures, start=1):
        yield from _measure_blocks(n, measure, report)


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
    """Yield a submission's values, its curves, and the problems of its file."""
    row = next((row for row in report.leaderboard if row.name == scored.name), None)
    state = ""
    if row is not None:
        value = number(row.values[report.primary.id], report.primary, options.precision)
        rank = "baseline" if row.rank is None else f"rank {row.rank}"
        state = f"{rank}, {printable(report.primary.id)} {value}"
    yield Heading(scored.name, 3, f"s{n}", state, open=False)
    yield _values(scored, report, options)
    yield from curves(scored, report, options)
    if options.per_list:
        table = by_list(report, scored, options.precision)
        caption = f"Every {table.columns[0].head} of {cut(scored.name, 100)}"
        yield table._replace(caption=caption, fold=caption)
    yield from _file_blocks(scored, options)


def _file_blocks(scored: Scored, options: Options) -> Iterator[Block]:
    """Yield the problems of a file, and which file it is."""
    if problems := format_findings(scored.findings, options.every, heading=""):
        yield Notes([line.strip() for line in problems], "problems")
    digest = scored.sha256 or ""
    shown = digest if options.private else f"{digest[:12]}…"  # JSON has all of it
    source = f", SHA-256 {shown}" if digest else ""
    yield Paragraph(printable(scored.path) + source, "soft")


def _values(scored: Scored, report: Report, options: Options) -> Table | Paragraph:
    """Its values in a line where all are of as many lists, else as a table."""
    values = [scored.values[measure.id] for measure in report.measures]
    counted = {(value.lists, value.missing, value.undefined) for value in values}
    if len(counted) > 1 or any(sum(counts[1:]) for counts in counted):
        return _value_rows(scored, report, options)
    texts = (
        f"{printable(m.id)} {number(scored.values[m.id].mean, m, options.precision)}"
        for m in report.measures
    )
    lists = next(iter(counted))[0]
    return Paragraph(f"{', '.join(texts)}: of {lists:,} {unit(report.called, lists)}.")


def _value_rows(scored: Scored, report: Report, options: Options) -> Table:
    rows = []
    for measure in report.measures:
        value = scored.values[measure.id]
        counts = (f"{count:,}" for count in (value.lists, value.missing, value.undefined))
        mean = number(value.mean, measure, options.precision)
        rows.append([f"{measure.id}{measure.mark}", mean, *counts])
    head = ["measure", "value", unit(report.called), "missing", "undefined"]
    return texts(f"The values of {cut(scored.name, 100)}", head, rows)


def _measure_blocks(n: int, bound: Measure, report: Report) -> Iterator[Block]:
    """Yield a measure's formula, its parameters, and the page of its metric."""
    metric = bound.metric
    title = metric.title[:1].upper() + metric.title[1:]
    ranks = report.measured and bound.id == report.primary.id
    facts = [
        ("Direction", f"{metric.better} is better" + (", ranks the board" if ranks else "")),
        ("Of all lists", bound.aggregate),
        *((f"Parameter {key}", format_value(value)) for key, value in bound.params.items()),
        ("Source", metric.source),
        ("Signature", bound.board_signature),
    ]
    yield Heading(bound.id, 3, f"m{n}", title, open=False)
    yield MeasureFormula(bound.id, formula_lines(metric, bound.params))
    yield Facts([(printable(term), printable(text, 1000)) for term, text in facts])
    yield Paragraph(page_prose(metric), "page", f"What {printable(metric.name)} means")


def method(report: Report) -> Facts:
    """Facts of the challenge, the data, the intervals and the tests."""
    pairs = [*_made_from(report), *_of_intervals(report), *_of_tests(report)]
    return Facts([(term, text) for term, text in pairs if text])


def _made_from(report: Report) -> Iterator[tuple[str, str]]:
    challenge, words = report.challenge, unit(report.called, len(report.lists))
    valid = sum(scored.valid for scored in report.submissions)
    rejected = len(report.submissions) - valid
    yield "Challenge", f"{printable(challenge.id)}, fingerprint {report.challenge.fingerprint}"
    yield "Scored", f"{valid:,} submissions on {len(report.lists):,} {words}"
    yield "Not scored", f"{rejected:,}" if rejected else ""
    yield "Part", scope(report.scope, report.called) if report.scope else ""
    yield "Made by", f"scorer {__version__}"


def _of_intervals(report: Report) -> Iterator[tuple[str, str]]:
    certainty, share = report.certainty, level(report)
    if certainty is None or not share:
        return
    yield "Intervals", f"{share} of {printable(report.primary.id)}, over {_over(report)}"


def _of_tests(report: Report) -> Iterator[tuple[str, str]]:
    if (certainty := report.certainty) is None:
        return
    how = certainty.how
    drawn = f", {how.draws:,} draws" if how.draws else ""
    test = test_name(how.test, how.adjust, certainty.pairs)
    yield "Tests", f"{test}, alpha {how.alpha:g}, {certainty.pairs:,} pairs{drawn}"
    yield "Seed", f"{how.seed}"
    yield "Signature", how.signature


def _over(report: Report) -> str:
    """What is drawn."""
    assert report.certainty is not None
    how = report.certainty.how
    return f"{how.units:,} {unit(report.called, how.units) if how.over == 'lists' else how.over}"
