"""Repair submissions' files where what was meant is certain."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Sequence
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
        path: The repaired copy, or the file itself if none was written.
        changes: What the copy has otherwise than the file.
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
        challenge: Whose submissions they are; its answers stay closed.
        files: The files to repair.
        allow_plugins: Whether the challenge's own code may be run.

    Returns:
        Of each file its repair; of one that cannot be read, is too large or binary, why not.

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
    # where the file has no header, or lines that are no rows, only its encoding is certain
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


class Repairs:
    """Repaired copies of files; one is written if it has no error any more.

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
        readable = [file for file in files if own_file_problem(challenge, file.path) is None]
        repaired = repair_files(challenge, readable, allow_plugins=allow_plugins)
        self._repaired = dict(zip(map(files.index, readable), repaired, strict=True))
        self._changed = [n for n, each in self._repaired.items() if each.changes]
        with TemporaryDirectory(prefix="scorer-") as folder:
            copies = [self._copy(Path(folder), n) for n in self._changed]
            self._checked = dict(zip(self._changed, check(copies) if copies else [], strict=True))

    @property
    def mended(self) -> list[int]:
        """Return the files whose copies have no error any more, which the originals had."""
        return [n for n in self._good if self.originals[n].findings.fatal]

    def changes(self, n: int) -> tuple[str, ...]:
        """Return the changes in the copy of a file, in words; empty if it is not written."""
        return self._repaired[n].changes if n in self._good else ()

    @property
    def _good(self) -> list[int]:
        return [n for n in self._changed if not self._checked[n].findings.fatal]

    def _copy(self, folder: Path, n: int) -> SubmissionFile:
        file = self.files[n]
        path = folder / f"{n}-{unpacked_name(file.path)}"
        path.write_bytes(self._repaired[n].data)
        return replace(file, path=path, label=file.display)

    def write(self, target: CopyTarget) -> list[Scored]:
        """Write the copies that have no error, and return the findings of all files.

        A folder also gets the files that had no error, unchanged, so that it can be scored.
        """
        good = set(self._good)
        copies = {n: target.find(self.files[n]) for n in good}
        for n in good:
            if os.path.lexists(copies[n]):
                message = "exists already; --fix overwrites nothing (-o FILE)"
                raise UsageError(f"{printable(copies[n])} {message}")
        fine = {n for n, each in enumerate(self.originals) if not each.findings.fatal}
        if target.folder is not None and good | fine:
            make_folder(target.folder)
        outcomes = list(self.originals)
        for n, file in enumerate(self.files):
            if n in good:
                write_file(copies[n], self._repaired[n].data)
                path = str(copies[n])
                outcomes[n] = replace(
                    self._checked[n],
                    path=path,
                    findings=self._checked[n].findings.with_path(path),
                )
            elif target.folder is not None and n in fine:
                copyfile(file.path, target.folder / file.path.name)
            self.notes += self._describe(n, copies.get(n))
        return outcomes

    def _describe(self, n: int, target: Path | None) -> list[str]:
        """Return what was done to a file, whose copy went there, if one was written."""
        name = printable(self.files[n].display)
        repair = self._repaired.get(n)
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
        return [f"{name}: cannot be repaired safely: {counted(self.originals[n].findings)}"]
