"""Findings as a document: the problems of each file, and its state."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from scorer.core.text import printable
from scorer.reports.base import Options
from scorer.reports.document import Block, Document, Heading, Notes, Paragraph
from scorer.reports.findings.problems import CheckedFile, format_findings, summary
from scorer.results.report import Scored


def document(checked: CheckedFile, options: Options) -> Document:
    """Every file's problems, then its state; when quiet, only errors."""
    challenge = checked.challenge
    blocks = [
        b
        for scored in checked.submissions
        for b in _file(scored, options, checked.excerpts.get(scored.path))
    ]
    title = challenge.title if options.alone else ""
    return Document(title, blocks, source=(challenge.id, ""), skip="Skip to the problems")


def _file(scored: Scored, options: Options, excerpts: Mapping[int, str] | None) -> Iterator[Block]:
    problems = format_findings(scored.findings, options.every, options.quiet, excerpts)
    state = f"{printable(scored.path)}: {summary(scored)}"
    if options.alone:
        yield Heading(printable(scored.path))
        yield Paragraph(f"{summary(scored)}.", "fault" if scored.findings.fatal else "")
        yield from [Notes([line.strip() for line in problems], "problems")] if problems else []
    elif scored.findings.fatal or not options.quiet:
        yield Notes([*problems, state], "problems")
    elif problems:
        yield Notes(problems, "problems")
