"""`score check CHALLENGE SUBMISSION...`: only the checks, blind to the answers."""

from __future__ import annotations

import os
from collections.abc import Sequence
from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from scorer.api.submissions import Named
from scorer.challenge.model import ROLES, Challenge
from scorer.cli.options import (
    ChallengeWord,
    Every,
    Output,
    Plugins,
    Quiet,
    Result,
    SubmissionWords,
    Terminal,
    challenge_of,
    problems,
    refuse_overwrite,
    submissions_of,
)
from scorer.core.errors import UsageError
from scorer.core.text import printable
from scorer.results.report import Scored


class Form(StrEnum):
    """How the findings are written."""

    text = "text"
    json = "json"
    github = "github"
    sarif = "sarif"


def check(
    context: typer.Context,
    challenge: ChallengeWord,
    submissions: SubmissionWords,
    format: Annotated[Form, typer.Option("--format", help="How the findings are written.")] = (
        Form.text
    ),
    output: Output = None,
    fix: Annotated[
        bool,
        typer.Option("--fix", help="Write a repaired copy, NAME.fixed.EXT or -o, and check that."),
    ] = False,
    allow_plugins: Plugins = False,
    every: Every = False,
    quiet: Quiet = False,
) -> Result:
    """Check submissions without scoring them; works without the truth where lists are public."""
    from scorer.api.check import check as run

    edge: Terminal = context.obj
    settled, notes = challenge_of(challenge)
    files = submissions_of(submissions, edge, settled)
    refuse_overwrite(output, settled, challenge, *(file.path for file in files))
    changed: list[str] = [*notes]
    if fix:
        if output is not None and len(files) > 1:
            raise UsageError("--fix with -o repairs one submission")
        if output is None and any(word == "-" or word.endswith("=-") for word in submissions):
            raise UsageError("--fix of standard input needs a place for the copy: -o FILE")
        files = [_fixed(file, settled, output, changed) for file in files]
        output = None
    checked = run(
        settled, files, allow_plugins=allow_plugins, progress=None if quiet else edge.progress
    )
    bad = any(scored.findings.fatal for scored in checked)
    text = _written(settled, checked, format, every, quiet)
    return Result(text, tuple(changed), 1 if bad else 0, output)


def _written(
    challenge: Challenge, checked: Sequence[Scored], format: Form, every: bool, quiet: bool
) -> str:
    from scorer.reports.findings.github import workflow_commands
    from scorer.reports.findings.json import as_json
    from scorer.reports.findings.sarif import as_sarif

    if format is Form.json:
        return as_json(challenge, checked)
    if format is Form.sarif:
        return as_sarif(checked)
    lines: list[str] = []
    for scored in checked:
        if format is Form.github:
            lines += workflow_commands(scored.findings, every)
        else:
            lines += problems(scored.findings, quiet, every)
            if scored.findings.fatal or not quiet:
                lines.append(f"{printable(scored.path)}: {_summary(scored)}")
    return "".join(f"{line}\n" for line in lines)


def _summary(scored: Scored) -> str:
    """How it stands with a file, in a few words."""
    errors: dict[str, int] = {}
    warnings: dict[str, int] = {}
    severe = {problem.code for problem in scored.findings if problem.severity == "error"}
    for code, count in sorted(scored.findings.counts.items()):
        (errors if code in severe else warnings)[code] = count
    lines = [
        f"{sum(found.values()):,} {word}{'s' * (sum(found.values()) != 1)} ({', '.join(found)})"
        for word, found in (("error", errors), ("warning", warnings))
        if found
    ]
    verdict = "would be rejected" if severe else "fine"
    return f"{verdict}{': ' if lines else ''}{', '.join(lines)}"


def _fixed(file: Named, challenge: Challenge, output: Path | None, notes: list[str]) -> Named:
    """The repaired copy of a submission, or itself where there is nothing to repair."""
    from scorer.io import repair as repairing
    from scorer.io.formats.base import COMPRESSED, format_of
    from scorer.io.write import write

    rules, path = challenge.submission, file.path
    if format_of(path, rules.format).binary:
        raise UsageError(f"{printable(path)} is binary; only text can be repaired")
    suffixes = [suffix.lower() for suffix in path.suffixes if suffix.lower() not in COMPRESSED]
    repaired = repairing.repair(
        path,
        format_of(path, rules.format).name == "csv",
        [rules.columns.get(role, role) for role in ROLES["submission"]],
        "\t" if suffixes[-1:] == [".tsv"] else ",",
    )
    if not repaired.changes:
        notes.append(f"{printable(path)}: nothing that can be repaired safely")
        return file
    target = output or repairing.beside(path)
    if os.path.lexists(target):
        raise UsageError(f"{printable(target)} exists already; --fix overwrites nothing (-o FILE)")
    write(target, repaired.data)
    notes.append(f"{printable(path)}: repaired copy in {printable(target)}")
    notes += [f"  {printable(change)}" for change in repaired.changes]
    return Named(file.name, target)
