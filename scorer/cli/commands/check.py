"""`score check CHALLENGE SUBMISSION...`: only the checks, blind to the answers."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Annotated

import typer

from scorer.api.submissions import Named
from scorer.challenge.model import Challenge
from scorer.challenge.trespass import trespass
from scorer.cli.options import (
    ChallengeWord,
    Engine,
    EngineOptions,
    Every,
    Output,
    Plugins,
    Quiet,
    Result,
    SubmissionWords,
    Terminal,
    challenge_of,
    chosen_form,
    engine_options,
    form_option,
    refuse_overwrite,
    submissions_of,
)
from scorer.core.errors import UsageError
from scorer.core.text import printable
from scorer.reports.base import Options
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
            help="Write a repaired copy, NAME.fixed.EXT or -o, of each file that then is fine: "
            "the encoding; in CSV also lines before the header, separators, blanks, an index "
            "column, the header (its capitals, names that are missing, wrong or swapped), decimal "
            "commas and other marks in numbers, ids and classes of which it is certain what was "
            "meant (1.0, lost zeros, case), duplicate rows, ranks that start at 0.",
        ),
    ] = False,
    allow_plugins: Plugins = False,
    engine: Engine = "local",
    engine_option: EngineOptions = None,
    every: Every = False,
    quiet: Quiet = False,
) -> Result:
    """Check submissions without scoring them; works without the truth where lists are public."""
    from scorer.api.check import check as run
    from scorer.reports.findings.problems import CheckedFile

    terminal: Terminal = context.obj
    form = chosen_form("findings", format, None if fix else output, "text")
    settled, notes = challenge_of(challenge, terminal, submissions=submissions, measured=False)
    files = submissions_of(submissions, terminal, settled, engine)
    refuse_overwrite(output, settled, challenge, *(file.path for file in files))
    changed: list[str] = [*notes]
    if fix:
        if output is not None and len(files) > 1:
            raise UsageError("--fix with -o repairs one submission")
        if output is None and any(word == "-" or word.endswith("=-") for word in submissions):
            raise UsageError("--fix of standard input needs a place for the copy: -o FILE")
    fixing = _Fixing(files, settled, output, allow_plugins) if fix else None

    def checked_of(files: list[Named]) -> list[Scored]:
        return run(
            settled,
            files,
            allow_plugins=allow_plugins,
            progress=None if quiet else terminal.progress,
            engine=engine,
            engine_options=engine_options(engine_option),
        )

    if fixing is None:
        checked = checked_of(files)
    else:
        with fixing.copies() as copies:
            checked = fixing.write_copies(checked_of(copies), checked_of)
        changed += fixing.notes
        output = None
    bad = any(scored.findings.fatal for scored in checked)
    options = Options(every=every, quiet=quiet, colour=terminal.colour and output is None)
    shown = output is None and terminal.width is not None
    excerpts = _excerpts(settled, files, checked, every) if shown and form.name == "text" else {}
    content = CheckedFile(settled, checked, excerpts)
    return Result(form.write(content, options), tuple(changed), 1 if bad else 0, output)


def _excerpts(
    challenge: Challenge, files: list[Named], checked: list[Scored], every: bool
) -> dict[str, dict[int, str]]:
    """The lines with problems that are shown, of each file of text that is still the same."""
    from scorer.bytes.lines import lines_at
    from scorer.formats.read import format_of
    from scorer.reports.findings.problems import places

    excerpts = {}
    for file, scored in zip(files, checked, strict=True):
        lines = (shown.problem.line for shown in places(scored.findings, every))
        wanted = {line for line in lines if line is not None}
        if not wanted or scored.path != file.display or not file.path.is_file():
            continue
        if not format_of(file.path, challenge.submission.format).binary:
            excerpts[scored.path] = lines_at(file.path, wanted)
    return excerpts


class _Fixing:
    """Files that are repaired: a copy stays where it has no error any more."""

    def __init__(
        self, files: list[Named], challenge: Challenge, output: Path | None, allow_plugins: bool
    ) -> None:
        from scorer.api.fix import fix
        from scorer.formats.repair import beside

        self.files, self.notes = files, list[str]()
        readable = [file for file in files if trespass(challenge, file.path) is None]
        repaired = fix(challenge, readable, allow_plugins=allow_plugins)
        self._repaired = dict(zip(map(files.index, readable), repaired, strict=True))
        self._targets = {
            n: output or beside(files[n].path)
            for n, fixed in self._repaired.items()
            if fixed.changes
        }
        for target in self._targets.values():
            if os.path.lexists(target):
                raise UsageError(
                    f"{printable(target)} exists already; --fix overwrites nothing (-o FILE)"
                )

    @contextmanager
    def copies(self) -> Iterator[list[Named]]:
        """The files, with the repaired bytes of those that were; not where they are to stay yet."""
        with TemporaryDirectory(prefix="scorer-") as folder:
            files = list(self.files)
            for n, target in self._targets.items():
                copy = Path(folder, f"{n}-{target.name}")
                copy.write_bytes(self._repaired[n].data)
                files[n] = Named(self.files[n].name, copy, label=str(target))
            yield files

    def write_copies(
        self, checked: list[Scored], check: Callable[[list[Named]], list[Scored]]
    ) -> list[Scored]:
        """Write the copies that have no error any more, and return the findings of all files."""
        from scorer.bytes.write import write
        from scorer.reports.findings.problems import counted

        outcomes = list(checked)
        failing = [n for n in self._targets if outcomes[n].findings.fatal]
        originals = check([self.files[n] for n in failing]) if failing else []
        for n, scored in zip(failing, originals, strict=True):
            outcomes[n] = scored
        for n, file in enumerate(self.files):
            name = printable(file.display)
            if n not in self._targets:
                self.notes.append(f"{name}: nothing that can be repaired safely")
                continue
            changes = [f"  {printable(change)}" for change in self._repaired[n].changes]
            if n in failing:
                remaining = counted(checked[n])
                self.notes.append(
                    f"{name}: no copy is written, since it would still have {remaining}:"
                )
            else:
                write(self._targets[n], self._repaired[n].data)
                target = printable(self._targets[n])
                self.notes.append(f"{name}: repaired copy in {target}")
            self.notes += changes
        return outcomes
