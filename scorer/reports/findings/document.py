"""Findings as a document: the problems of each file, and its state."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from scorer.core.text import printable
from scorer.reports.base import Options
from scorer.reports.document import Block, Document, Heading, Notes, Paragraph
from scorer.reports.findings.problems import (
    SEVERITIES,
    CheckedFile,
    InMany,
    errors_of,
    format_findings,
    in_many,
    summary,
)
from scorer.results.report import Scored


def document(checked: CheckedFile, options: Options) -> Document:
    """Every file's problems, then its state; when quiet, only errors."""
    challenge = checked.challenge
    files = [errors_of(f.findings) if options.quiet else f.findings for f in checked.submissions]
    told = in_many([] if options.every or options.alone else files)
    blocks = [
        b
        for scored in checked.submissions
        for b in _file(scored, options, checked.excerpts.get(scored.path), told)
    ]
    if len(checked.submissions) > 1 and not options.quiet:
        blocks.append(_total(checked))
    title = challenge.title if options.alone else ""
    return Document(title, blocks, source=(challenge.id, ""), skip="Skip to the problems")


def _file(
    scored: Scored, options: Options, excerpts: Mapping[int, str] | None, told: InMany
) -> Iterator[Block]:
    problems = format_findings(scored.findings, options.every, options.quiet, excerpts, told=told)
    state = [f"{printable(scored.path)}: {summary(scored)}"]
    state += [f"  {scored.description}"] if scored.description and not options.quiet else []
    if options.alone:
        yield Heading(printable(scored.path))
        yield Paragraph(f"{summary(scored)}.", "fault" if scored.findings.fatal else "")
        yield from [Paragraph(f"{scored.description}.")] if scored.description else []
        yield from [Notes([line.strip() for line in problems], "problems")] if problems else []
    elif scored.findings.fatal or not options.quiet:
        yield Notes([*problems, *state], "problems")
    elif problems:
        yield Notes(problems, "problems")


def _total(checked: CheckedFile) -> Notes:
    """What all files come to, in a line."""
    files, codes = checked.submissions, checked.files_by_code
    bad = sum(scored.findings.fatal for scored in files)
    total = {s: sum(sum(f.findings.tally(s).values()) for f in files) for s in SEVERITIES}
    counts = " and ".join(f"{n:,} {word}{'s' * (n != 1)}" for word, n in total.items() if n)
    state = f"{bad:,} of {len(files):,} files would be rejected" if bad else "every file is fine"
    rule = f"; score rule {next(iter(codes))} tells what a code means" if codes else ""
    return Notes([f"{counts or 'no problems'}: {state}{rule}"], "strong")
