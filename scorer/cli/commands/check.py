"""`score check CHALLENGE SUBMISSION...`: only the checks, blind to the answers."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

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
    chosen_forms,
    form_option,
    refuse_overwrite,
    submissions_of,
)
from scorer.core.errors import UsageError
from scorer.core.text import printable
from scorer.reports.base import MOST

if TYPE_CHECKING:
    from scorer.api.fix import Places
    from scorer.api.submissions import SubmissionFile
    from scorer.challenge.model import Challenge
    from scorer.results.report import Scored


def check(
    context: typer.Context,
    challenge: ChallengeWord,
    submissions: SubmissionWords,
    format: Annotated[str | None, form_option("findings", "the findings are")] = None,
    output: Output = None,
    fix: Annotated[
        bool,
        typer.Option(
            "--fix",
            help="Write a repaired copy of each file that then is fine: NAME.fixed.EXT, -o FILE, "
            "or in a folder -o DIR, with the files that are fine beside them: "
            "the encoding; in CSV also lines before the header, separators, quotes round lines, "
            "blanks, headers that are repeated, an index column, the capitals of the header, "
            "decimal commas and other marks in numbers, ids and classes of which it is certain "
            "what was meant (1.0, lost zeros, case), duplicate rows, ranks that start at 0.",
        ),
    ] = False,
    most: Annotated[
        int,
        typer.Option("--max", metavar="N", min=1, help="Problems a file of --format lines."),
    ] = MOST,
    allow_plugins: Plugins = False,
    every: Every = False,
    quiet: Quiet = False,
) -> Result:
    """Check submissions without scoring them; works without the truth where lists are public."""
    from scorer.api.check import check as run
    from scorer.api.fix import Repairs
    from scorer.challenge.load import own_file_problem
    from scorer.results.findings import CheckedFiles

    terminal: Terminal = context.obj
    reports = None if fix else output
    forms = chosen_forms("findings", format, reports, "text")
    settled, notes = challenge_of(challenge, terminal, submissions=submissions, measured=False)
    files = submissions_of(submissions, terminal, settled)
    refuse_overwrite(reports, settled, challenge, *(file.path for file in files))
    if fix and any(word == "-" or word.endswith("=-") for word in submissions) and not output:
        raise UsageError("--fix of standard input needs a place for the copy: -o FILE")

    def checked_of(files: list[SubmissionFile]) -> list[Scored]:
        return run(
            settled,
            files,
            allow_plugins=allow_plugins,
            progress=None if quiet else terminal.progress,
        )

    originals = checked_of(files)
    bad = sum(scored.findings.fatal for scored in originals)
    lines = [*notes]
    checked = originals
    parted = len(originals) != len(files)  # tables of several systems, or runs
    if parted and fix:
        raise UsageError("--fix repairs files of one submission, no table of several")
    if fix or (bad and len(files) > 1 and not quiet and not parted):
        fixing = Repairs(settled, files, originals, checked_of, allow_plugins)
        if fix:
            checked = fixing.write(_copy_paths(files, output, settled, challenge))
            lines += fixing.notes
            bad = sum(scored.findings.fatal for scored in checked)
        else:
            of_challenge = [own_file_problem(settled, file.path) is not None for file in files]
            lines += _wrong_files(originals, of_challenge, len(fixing.mended))
    options = terminal.options(reports, every=every, quiet=quiet)._replace(most=most)
    if not options.colour:  # nothing is cut or folded
        options = options._replace(width=None)
    shown = not reports and terminal.width is not None and forms.names == {"text"}
    excerpts = _excerpts(settled, files, checked, every) if shown and not parted else {}
    content = CheckedFiles.of(settled, checked, excerpts)
    return forms.result(content, options, lines, 1 if bad else 0)


def _excerpts(
    challenge: Challenge, files: list[SubmissionFile], checked: list[Scored], every: bool
) -> dict[str, dict[int, str]]:
    """The lines with problems that are shown, of each file of text that is still the same."""
    from scorer.reading.formats import find_format
    from scorer.reading.read import line_texts
    from scorer.reports.findings.problems import places

    excerpts = {}
    for file, scored in zip(files, checked, strict=True):
        lines = (shown.problem.line for shown in places(scored.findings, every))
        wanted = {line for line in lines if line is not None}
        if not wanted or scored.path != file.display or not file.path.is_file():
            continue
        if find_format(file.path, challenge.submission.format).read_bytes is None:
            excerpts[scored.path] = line_texts(file.path, wanted)
    return excerpts


def _copy_paths(
    files: list[SubmissionFile], output: list[Path] | None, settled: Challenge, challenge: Path
) -> Places:
    """Where repaired copies go, by `-o`: a file, or a folder, which has no suffix and may be made.

    `UsageError` if `-o` is given twice, is one file for many, or a folder with other files.
    """
    from scorer.api.fix import Places

    if not output:
        return Places()
    if len(output) > 1:
        raise UsageError("--fix takes one -o: a file, or a folder")
    (place,) = output
    if not os.path.isdir(place):
        refuse_overwrite(output, settled, challenge, *(file.path for file in files))
    single = len(files) == 1 and (place.suffix or not files[0].path.suffix)
    if single and not os.path.isdir(place):
        return Places(file=place)
    if not os.path.isdir(place) and (place.suffix or os.path.lexists(place)):
        raise UsageError(f"{printable(place)} is no folder, which --fix of several needs: -o DIR")
    if os.path.isdir(place) and os.listdir(place):
        raise UsageError(f"{printable(place)} is not empty; --fix overwrites nothing (-o DIR)")
    return Places(folder=place)


def _wrong_files(checked: Sequence[Scored], own: Sequence[bool], repairable: int) -> Iterator[str]:
    """How many submissions are wrong; files of the challenge, which are `own`, are none."""
    sent = [scored for scored, is_own in zip(checked, own, strict=True) if not is_own]
    bad, files = sum(scored.findings.fatal for scored in sent), len(sent)
    if count := sum(own):
        are = "file is" if count == 1 else "files are"
        yield f"{count:,} {are} the challenge's, and not checked"
    if bad:
        wrong = f"{bad:,} of {files:,} files {'is' if bad == 1 else 'are'} wrong"
        yield f"{wrong}: --fix would repair {repairable:,}" if repairable else wrong
