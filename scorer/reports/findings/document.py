"""Findings as a document: the problems of each file, and its state."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from scorer.core.text import printable
from scorer.reports.base import Options
from scorer.reports.document import Block, Document, Heading, Notes, Paragraph
from scorer.reports.findings.problems import (
    SEVERITIES,
    InMany,
    errors_of,
    format_findings,
    in_many,
    summary,
)
from scorer.results.findings import CheckedFiles, CheckedSubmission


def document(checked: CheckedFiles, options: Options) -> Document:
    """Every file's problems, then its state; when quiet, only errors."""
    files = [errors_of(f.problems) if options.quiet else f.problems for f in checked.submissions]
    told = in_many([] if options.every or options.alone else files)
    blocks = [
        b
        for scored in checked.submissions
        for b in _file(scored, options, checked.excerpts.get(scored.path), told)
    ]
    if len(checked.submissions) > 1 and not options.quiet:
        blocks.append(_total(checked))
    title = checked.challenge.title if options.alone else ""
    return Document(title, blocks, source=(checked.challenge.id, ""), skip="Skip to the problems")


def _file(
    scored: CheckedSubmission, options: Options, excerpts: Mapping[int, str] | None, told: InMany
) -> Iterator[Block]:
    problems = format_findings(scored.problems, options.every, options.quiet, excerpts, told=told)
    state = [f"{printable(scored.path)}: {summary(scored.problems)}"]
    state += [f"  {scored.description}"] if scored.description and not options.quiet else []
    if options.alone:
        yield Heading(printable(scored.path))
        yield Paragraph(f"{summary(scored.problems)}.", "fault" if not scored.valid else "")
        yield from [Paragraph(f"{scored.description}.")] if scored.description else []
        yield from [Notes([line.strip() for line in problems], "problems")] if problems else []
    elif not scored.valid or not options.quiet:
        yield Notes([*problems, *state], "problems")
    elif problems:
        yield Notes(problems, "problems")


def _total(checked: CheckedFiles) -> Notes:
    """What all files come to, in a line."""
    files, codes = checked.submissions, checked.files_by_code
    bad = sum(not scored.valid for scored in files)
    total = {s: sum(sum(f.problems.tally(s).values()) for f in files) for s in SEVERITIES}
    counts = " and ".join(f"{n:,} {word}{'s' * (n != 1)}" for word, n in total.items() if n)
    state = f"{bad:,} of {len(files):,} files would be rejected" if bad else "every file is fine"
    rule = f"; score rule {next(iter(codes))} tells what a code means" if codes else ""
    return Notes([f"{counts or 'no problems'}: {state}{rule}"], "strong")
