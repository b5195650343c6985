"""`score check CHALLENGE SUBMISSION...`: only the checks, blind to the answers."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from shutil import copyfile
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Annotated, NamedTuple

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
        fixing = _Fixing(files, originals, settled, allow_plugins, checked_of)
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


class Places(NamedTuple):
    """Where repaired copies go."""

    file: Path | None = None
    folder: Path | None = None  # neither: beside the originals

    def of(self, file: SubmissionFile) -> Path:
        """The place of a file's copy."""
        from scorer.reading.repair import fixed_path, unpacked_name

        if self.folder is not None:
            return self.folder / unpacked_name(file.path)
        return self.file or fixed_path(file.path)


def _copy_paths(
    files: list[SubmissionFile], output: list[Path] | None, settled: Challenge, challenge: Path
) -> Places:
    """Where repaired copies go, by `-o`: a file, or a folder, which has no suffix and may be made.

    `UsageError` if `-o` is given twice, is one file for many, or a folder with other files.
    """
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
        yield f"{wrong}: --fix would repair {repairable:,}"


class _Fixing:
    """Files that are repaired: a copy stays where it has no error any more."""

    def __init__(
        self,
        files: list[SubmissionFile],
        originals: list[Scored],
        challenge: Challenge,
        allow_plugins: bool,
        check: Callable[[list[SubmissionFile]], list[Scored]],
    ) -> None:
        from scorer.api.fix import fix
        from scorer.challenge.load import own_file_problem

        self.files, self.originals, self.notes = files, originals, list[str]()
        readable = [file for file in files if own_file_problem(challenge, file.path) is None]
        repaired = fix(challenge, readable, allow_plugins=allow_plugins)
        self._repaired = dict(zip(map(files.index, readable), repaired, strict=True))
        self._changed = [n for n, each in self._repaired.items() if each.changes]
        with TemporaryDirectory(prefix="scorer-") as folder:
            copies = [self._copy(Path(folder), n) for n in self._changed]
            self._checked = dict(zip(self._changed, check(copies) if copies else [], strict=True))

    @property
    def mended(self) -> list[int]:
        """The files whose copies have no error any more, which the originals had."""
        return [n for n in self._good if self.originals[n].findings.fatal]

    @property
    def _good(self) -> list[int]:
        return [n for n in self._changed if not self._checked[n].findings.fatal]

    def _copy(self, folder: Path, n: int) -> SubmissionFile:
        from scorer.reading.repair import unpacked_name

        file = self.files[n]
        path = folder / f"{n}-{unpacked_name(file.path)}"
        path.write_bytes(self._repaired[n].data)
        return replace(file, path=path, label=file.display)

    def write(self, places: Places) -> list[Scored]:
        """Write the copies that have no error, and return the findings of all files.

        In a folder the fine files stand beside them as they were, so that it can be scored.
        """
        from scorer.reading.write import make_folder, write_file

        good = set(self._good)
        targets = {n: places.of(self.files[n]) for n in good}
        for n in good:
            if os.path.lexists(targets[n]):
                message = "exists already; --fix overwrites nothing (-o FILE)"
                raise UsageError(f"{printable(targets[n])} {message}")
        fine = {n for n, each in enumerate(self.originals) if not each.findings.fatal}
        if places.folder is not None and good | fine:
            make_folder(places.folder)
        outcomes = list(self.originals)
        for n, file in enumerate(self.files):
            if n in good:
                write_file(targets[n], self._repaired[n].data)
                target = str(targets[n])
                outcomes[n] = replace(
                    self._checked[n],
                    path=target,
                    findings=self._checked[n].findings.with_path(target),
                )
            elif places.folder is not None and n in fine:
                copyfile(file.path, places.folder / file.path.name)
            self.notes += self._said(n, targets.get(n))
        return outcomes

    def _said(self, n: int, target: Path | None) -> list[str]:
        """What was done to a file, whose copy went there, if one was written."""
        from scorer.reports.findings.problems import counted

        name, repair = printable(self.files[n].display), self._repaired.get(n)
        changes = [] if repair is None else [f"  {printable(c)}" for c in repair.changes]
        if target is not None:
            return [f"{name}: repaired copy in {printable(target)}", *changes]
        if n in self._checked:
            remaining = counted(self._checked[n].findings)
            return [f"{name}: no copy is written, since it would still have {remaining}:", *changes]
        if not self.originals[n].findings.fatal:
            return [f"{name}: fine, nothing to repair"]
        if repair is not None and repair.error:
            return [repair.error]
        return [f"{name}: nothing that can be repaired safely"]
