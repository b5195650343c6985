"""`score check CHALLENGE SUBMISSION...`: only the checks, blind to the answers."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Annotated

import typer

from scorer.api.submissions import Named
from scorer.challenge.model import ROLES, Challenge
from scorer.challenge.trespass import trespass
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
    chosen_form,
    refuse_overwrite,
    submissions_of,
)
from scorer.core.errors import UsageError
from scorer.core.text import printable
from scorer.reports.base import Options, form_names

FORMATS = form_names("findings")


def check(
    context: typer.Context,
    challenge: ChallengeWord,
    submissions: SubmissionWords,
    format: Annotated[
        str | None,
        typer.Option(
            "--format",
            metavar="FORMAT",
            help=f"How the findings are written: {FORMATS}; else by the suffix of -o.",
        ),
    ] = None,
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
    from scorer.reports.findings.cells import Checked

    edge: Terminal = context.obj
    form = chosen_form("findings", format, None if fix else output, "text")
    settled, notes = challenge_of(challenge, edge)
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
    options = Options(every=every, quiet=quiet)
    return Result(
        form.write(Checked(settled, checked), options), tuple(changed), 1 if bad else 0, output
    )


def _fixed(file: Named, challenge: Challenge, output: Path | None, notes: list[str]) -> Named:
    """The repaired copy of a submission, or itself where there is nothing to repair."""
    from scorer.io import repair as repairing
    from scorer.io.formats.base import COMPRESSED, format_of
    from scorer.io.write import write

    rules, path = challenge.submission, file.path
    if trespass(challenge, path) is not None:  # the check says so
        return file
    if format_of(path, rules.format).binary:
        raise UsageError(f"{printable(file.display)} is binary; only text can be repaired")
    suffixes = [suffix.lower() for suffix in path.suffixes if suffix.lower() not in COMPRESSED]
    repaired = repairing.repair(
        path,
        format_of(path, rules.format).name == "csv",
        [rules.columns.get(role, role) for role in ROLES["submission"]],
        "\t" if suffixes[-1:] == [".tsv"] else ",",
    )
    if not repaired.changes:
        notes.append(f"{printable(file.display)}: nothing that can be repaired safely")
        return file
    target = output or repairing.beside(path)
    if os.path.lexists(target):
        raise UsageError(f"{printable(target)} exists already; --fix overwrites nothing (-o FILE)")
    write(target, repaired.data)
    notes.append(f"{printable(file.display)}: repaired copy in {printable(target)}")
    notes += [f"  {printable(change)}" for change in repaired.changes]
    return Named(file.name, target)
