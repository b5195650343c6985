"""Findings as a document: the problems of each file, and its state."""

from __future__ import annotations

from collections.abc import Iterator

from scorer.core.problems import Findings
from scorer.core.text import printable
from scorer.reports.base import Options
from scorer.reports.document import Block, Document, Heading, Notes, Paragraph
from scorer.reports.findings.problems import (
    ALL_OPTION,
    SEVERITIES,
    SHOWN_FILES,
    errors_of,
    format_findings,
    format_shared,
    shared_problems,
    summary,
)
from scorer.results.findings import CheckedFiles, CheckedSubmission


def document(checked: CheckedFiles, options: Options) -> Document:
    """Return the problems of each file below its state; when quiet, only errors.

    In the command's own output a problem that many files share is written once, and if files are
    many, only those with other problems are named.
    """
    files = checked.submissions
    findings = [errors_of(f.problems) if options.quiet else f.problems for f in files]
    shared = {} if options.every or options.standalone else shared_problems(findings)
    blocks: list[Block] = []
    for scored, problems in zip(files, findings, strict=True):
        if options.standalone:
            blocks += _section(scored, problems, options)
        else:
            excerpts = checked.excerpts.get(scored.path)
            lines = format_findings(
                problems,
                options.every,
                excerpts=excerpts,
                option=ALL_OPTION,
                shared=shared,
                heading=_state(scored),
            )
            is_plain = len(lines) == 1 and (options.quiet or len(files) > SHOWN_FILES)
            if scored.description and not options.quiet:
                lines.append(f"  {scored.description}")
            if not is_plain or not scored.valid or options.every:
                blocks.append(Notes(lines, "problems"))
    if shared:
        blocks.append(Notes(format_shared(shared), "problems"))
    if len(files) > 1 and not options.quiet:
        if options.page:  # below the last file it would look like one of its problems
            blocks.insert(0, Paragraph(_total(checked), "strong"))
        else:
            blocks.append(Notes([_total(checked)], "strong"))
    title = checked.challenge.title if options.standalone else ""
    return Document(title, blocks, source=(checked.challenge.id, ""), skip="Skip to the problems")


def _state(scored: CheckedSubmission) -> str:
    return f"{printable(scored.path)}: {summary(scored.problems)}"


def _section(scored: CheckedSubmission, problems: Findings, options: Options) -> Iterator[Block]:
    """Yield a file's heading, its state and its problems, as on a page."""
    yield Heading(printable(scored.path))
    yield Paragraph(f"{summary(scored.problems)}.", "" if scored.valid else "fault")
    if scored.description:
        yield Paragraph(f"{scored.description}.")
    if lines := format_findings(problems, options.every, heading=""):
        yield Notes([line.strip() for line in lines], "problems")


def _total(checked: CheckedFiles) -> str:
    """What all files come to, in a line."""
    files, codes = checked.submissions, checked.files_by_code
    bad = sum(not scored.valid for scored in files)
    total = {s: sum(sum(f.problems.tally(s).values()) for f in files) for s in SEVERITIES}
    counts = " and ".join(f"{n:,} {word}{'s' * (n != 1)}" for word, n in total.items() if n)
    state = f"{bad:,} of {len(files):,} files would be rejected" if bad else "every file is fine"
    rule = f"; score rule {next(iter(codes))} tells what a code means" if codes else ""
    return f"{counts or 'no problems'}: {state}{rule}"
