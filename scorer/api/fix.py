"""Repair submissions' files where what was meant is certain."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from shutil import copyfile
from tempfile import TemporaryDirectory
from typing import NamedTuple

from scorer.api.check import check
from scorer.api.submissions import (
    SubmissionFile,
    Submissions,
    bind_challenge,
    list_submissions,
)
from scorer.challenge.load import own_file_problem
from scorer.challenge.model import Challenge
from scorer.challenge.public import Public
from scorer.checks.causes import expected_table
from scorer.core.errors import UsageError
from scorer.core.problems import Problem
from scorer.core.text import printable
from scorer.reading.formats import find_format
from scorer.reading.repair import Repaired, fixed_path, repair, unpacked_name
from scorer.reading.write import make_folder, write_file
from scorer.reports.findings.problems import counted
from scorer.results.report import Scored
from scorer.scoring.bind import BoundChallenge, bind
from scorer.scoring.public import read_public


class FixedFile(NamedTuple):
    """What became of a submission's file.

    Attributes:
        name: The submission's name.
        path: The repaired copy, or the file itself if no copy was written.
        changes: How the copy differs from the file, in words; empty if no copy was written.
        problems: What is still wrong.
    """

    name: str
    path: Path
    changes: tuple[str, ...]
    problems: tuple[Problem, ...]


def fix(
    challenge: object,
    submissions: Submissions,
    folder: str | os.PathLike[str] | None = None,
    *,
    allow_plugins: bool = False,
) -> list[FixedFile]:
    """Write a repaired copy of each file that then has no error, as `score check --fix` does.

    Args:
        challenge: a challenge as `score` takes it; its answers stay closed.
        submissions: the files, by path or by name.
        folder: where copies go, and with them the files that are fine; it must be empty or not
            there. Default: beside the files, as `NAME.fixed.EXT`.
        allow_plugins: whether the challenge's own code may be run.

    Returns:
        What became of each file. A copy that would still have an error is not written.

    Raises:
        ChallengeError: the challenge itself is wrong.
        UsageError: a copy is there already, the folder has files, or one file is a table of several
            submissions.
    """
    bound = bind_challenge(challenge, allow_plugins)
    files = list_submissions(bound, submissions)
    if any(file.frame is not None for file in files):
        raise UsageError("only files of one submission each can be repaired")
    if folder is not None and os.path.isdir(folder) and os.listdir(folder):
        raise UsageError(f"{printable(folder)} is not empty; nothing is overwritten")

    def check_files(some: list[SubmissionFile]) -> list[Scored]:
        return check(bound, some)

    repairs = Repairs(bound.challenge, files, check_files(files), check_files, allow_plugins)
    checked = repairs.write(CopyTarget(folder=None if folder is None else Path(folder)))
    return [
        FixedFile(file.name, Path(scored.path), repairs.changes(n), tuple(scored.findings))
        for n, (file, scored) in enumerate(zip(files, checked, strict=True))
    ]


def repair_files(
    challenge: Challenge, files: Iterable[SubmissionFile], *, allow_plugins: bool = False
) -> list[Repaired]:
    """Return the repaired bytes of each file, and the changes in words; nothing is written.

    Args:
        challenge: The challenge of the submissions; its answers stay closed.
        files: The files to repair.
        allow_plugins: Whether the challenge's own code may be run.

    Returns:
        The repair of each file. If a file cannot be read, is too large or binary, its `error` says
        so.

    Raises:
        ChallengeError: The challenge itself is wrong.
    """
    bound = bind(challenge, allow_plugins)
    public_part = read_public(bound)

    def repair_or_refuse(file: SubmissionFile) -> Repaired:
        try:
            return _repair(bound, public_part, file)
        except UsageError as error:
            return Repaired(b"", (), str(error))

    return list(map(repair_or_refuse, files))


def _repair(bound: BoundChallenge, public_part: Public, file: SubmissionFile) -> Repaired:
    """Return the repair of a file. Raises `UsageError` where there can be none."""
    rules = bound.challenge.submission
    if rules.parts:
        message = "has several files; repair each of them alone"
        raise UsageError(f"{printable(file.display)} {message}")
    layout = bound.challenge.layout(rules)
    format = find_format(file.path, rules.format, layout)
    if format.read_bytes is not None:
        raise UsageError(f"{printable(file.display)} is binary; only text can be repaired")
    # Of a file without a header, or with lines that are no rows, only the encoding is repaired.
    table = expected_table(public_part, rules, bound.shapes, layout, file.path)
    return repair(file.path, table if format.name == "csv" else None)


class CopyTarget(NamedTuple):
    """Where repaired copies go."""

    file: Path | None = None
    folder: Path | None = None  # neither: beside the originals

    def find(self, file: SubmissionFile) -> Path:
        """Return the place of a file's copy."""
        if self.folder is not None:
            return self.folder / unpacked_name(file.path)
        return self.file or fixed_path(file.path)


def choose_copy_target(files: Sequence[SubmissionFile], path: Path) -> CopyTarget:
    """Return the place of copies by one path: a file, or a folder that is empty or not there.

    A new path is a folder if several files are repaired, or if it lacks the suffix that the file
    has.

    Raises:
        UsageError: It is one file for several, or a folder with files.
    """
    if os.path.isdir(path):
        if os.listdir(path):
            raise UsageError(f"{printable(path)} is not empty; --fix overwrites nothing (-o DIR)")
        return CopyTarget(folder=path)
    if len(files) == 1 and (path.suffix or not files[0].path.suffix):
        return CopyTarget(file=path)
    if path.suffix or os.path.lexists(path):
        raise UsageError(f"{printable(path)} is no folder, which --fix of several needs: -o DIR")
    return CopyTarget(folder=path)


class Repairs:
    """Repaired copies of files; a copy is written only if it has no error.

    Args:
        challenge: The challenge of the submissions.
        files: The submissions.
        originals: Each file as it was checked.
        check: Checks copies in the way in which the originals were checked.
        allow_plugins: Whether the challenge's own code may be run.

    Attributes:
        notes: What was done to each file, once copies are written.
    """

    def __init__(
        self,
        challenge: Challenge,
        files: Sequence[SubmissionFile],
        originals: Sequence[Scored],
        check: Callable[[list[SubmissionFile]], list[Scored]],
        allow_plugins: bool,
    ) -> None:
        self.files = files
        self.originals = originals
        self.notes = list[str]()
        readable = {
            n: file
            for n, file in enumerate(files)
            if own_file_problem(challenge, file.path) is None
        }
        repaired = repair_files(challenge, readable.values(), allow_plugins=allow_plugins)
        self._repaired = dict(zip(readable, repaired, strict=True))
        changed = [n for n, copy in self._repaired.items() if copy.changes]
        with TemporaryDirectory(prefix="scorer-") as folder:
            copies = [self._write_copy(Path(folder), n) for n in changed]
            checked = check(copies) if copies else []
        self._checked_copies = dict(zip(changed, checked, strict=True))
        self._correct = [n for n, copy in self._checked_copies.items() if not copy.findings.fatal]

    def describe_wrong_files(self) -> Iterator[str]:
        """Yield how many files are the challenge's own, and how many --fix would repair."""
        if own := len(self.files) - len(self._repaired):
            are = "file is" if own == 1 else "files are"
            yield f"{own:,} {are} the challenge's, and not checked"
        if repairable := sum(self.originals[n].findings.fatal for n in self._correct):
            yield f"--fix would repair {repairable:,} of the files"

    def changes(self, n: int) -> tuple[str, ...]:
        """Return the changes in the copy of a file, in words; empty if it is not written."""
        return self._repaired[n].changes if n in self._correct else ()

    def _write_copy(self, folder: Path, n: int) -> SubmissionFile:
        file = self.files[n]
        path = folder / f"{n}-{unpacked_name(file.path)}"
        path.write_bytes(self._repaired[n].data)
        return replace(file, path=path, label=file.display)

    def write(self, target: CopyTarget) -> list[Scored]:
        """Write the copies that have no error, and return the findings of these and other files.

        A folder also gets the files that had no error, unchanged, so that it can be scored.
        """
        paths = {n: target.find(self.files[n]) for n in self._correct}
        for path in paths.values():
            if os.path.lexists(path):
                message = "exists already; --fix overwrites nothing (-o FILE)"
                raise UsageError(f"{printable(path)} {message}")
        correct_originals = [
            n for n, original in enumerate(self.originals) if not original.findings.fatal
        ]
        if target.folder is not None and (paths or correct_originals):
            make_folder(target.folder)
        checked = list(self.originals)
        for n, file in enumerate(self.files):
            if n in paths:
                write_file(paths[n], self._repaired[n].data)
                copy = self._checked_copies[n]
                findings = copy.findings.with_path(str(paths[n]))
                checked[n] = replace(copy, path=str(paths[n]), findings=findings)
            elif target.folder is not None and n in correct_originals:
                copyfile(file.path, target.folder / file.path.name)
            self.notes += self._describe(n, paths.get(n))
        return checked

    def _describe(self, n: int, copy: Path | None) -> list[str]:
        """Return lines on what was done to a file; `copy` is the path of the copy, if any."""
        name = printable(self.files[n].display)
        repair = self._repaired.get(n)
        changes = [] if repair is None else [f"  {printable(line)}" for line in repair.changes]
        if copy is not None:
            return [f"{name}: repaired copy in {printable(copy)}", *changes]
        if n in self._checked_copies:
            remaining = counted(self._checked_copies[n].findings)
            return [f"{name}: no copy is written, since it would still have {remaining}:", *changes]
        if not self.originals[n].findings.fatal:
            return [f"{name}: fine, nothing to repair"]
        if repair is not None and repair.error:
            return [repair.error]
        return [f"{name}: cannot be repaired safely: {counted(self.originals[n].findings)}"]
