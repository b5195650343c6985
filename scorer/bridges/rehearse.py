"""A bundle run as its platform would run it, for submissions and for a scorer that fails."""

from __future__ import annotations

import math
import os
import sys
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import NamedTuple

from scorer.api.score import score
from scorer.api.submissions import Named
from scorer.bridges.base import Platform, PlatformRun, platforms
from scorer.bridges.stage import made, unpacked_archive
from scorer.challenge.load import load
from scorer.core.errors import UsageError
from scorer.core.text import printable
from scorer.prepare.bind import prepare
from scorer.reports.leaderboard.platforms.sent import by_split, means, sent
from scorer.results.report import Report

ABSENT = "score-that-is-not-there"
NEAR = 1e-12  # of values that are added up otherwise


class Rehearsed(NamedTuple):
    """One submission on a platform, beside what `score` says of it."""

    name: str
    run: PlatformRun
    valid: bool | None  # what `score` says; None: the scorer was made to fail
    equal: bool  # whether the platform has the values that `score` has, to the bit
    split: str | None = None  # of these values

    @property
    def said(self) -> str:
        """Whether `score` says the same, in a few words."""
        if not self.fine:
            return "NOT as score says" + ("" if self.valid is not False else ", which rejects it")
        if self.valid is None:
            return "as it should be"
        if not self.valid:
            return "rejected, as by score"
        return f"the values of score{f', split {self.split}' if self.split else ''}"

    @property
    def fine(self) -> bool:
        """Whether the platform does what `score` says."""
        return self.equal and (self.run.code == 0) == bool(self.valid)


def rehearsals(
    bundle: Path, submissions: Sequence[Path], command: str | None = None
) -> Iterator[Rehearsed]:
    """Run a bundle for each submission, then once with a scorer that cannot be started.

    Args:
        bundle: the folder, or the zip file of one.
        submissions: files, or folders of submissions in several files.
        command: `score` there; default: this one.

    Raises:
        UsageError: it is no bundle, a submission is not there, or a result file is not as the
            platform reads it.
    """
    if lost := next((path for path in submissions if not path.exists()), None):
        raise UsageError(f"{printable(lost)}: there is no such file")
    with TemporaryDirectory(prefix="rehearsal-") as name:
        stage = Path(name).resolve()
        folder = _unpacked_bundle(bundle.resolve(), stage / "bundle")
        chosen = _platform(folder)
        challenge = _unpacked_bundle(folder / chosen.challenge, stage / "challenge")
        inner = challenge / "challenge"
        challenge = inner if inner.is_dir() else challenge
        own = command or os.path.join(os.path.dirname(sys.executable), "score")
        for n, submission in enumerate(map(Path.resolve, map(Path, submissions))):
            run = chosen.rehearse(folder, submission, made(stage / f"run{n}"), own)
            yield _compared_with_score(submission, run, challenge, chosen)
        for submission in submissions[: not chosen.computes]:
            run = chosen.rehearse(folder, submission.resolve(), made(stage / "failing"), ABSENT)
            yield Rehearsed("a scorer that fails", run, None, not run.values)


def _platform(folder: Path) -> Platform:
    for each in platforms():
        if (folder / each.known_by).is_file():
            return each
    names = ", ".join(f"{each.known_by} ({each.name})" for each in platforms())
    raise UsageError(
        f"{printable(folder.name)} is no bundle of `score export`; it has none of {names}"
    )


def _unpacked_bundle(place: Path, folder: Path) -> Path:
    """A folder, or an archive unpacked to one."""
    if place.is_dir():
        return place
    return unpacked_archive(place, folder)


def _compared_with_score(
    submission: Path, run: PlatformRun, challenge: Path, platform: Platform
) -> Rehearsed:
    """A run, and whether `score` says the same."""
    settled = load(challenge / "challenge.yaml")
    prepared = prepare(settled, bool(settled.plugins))
    named = [Named("submission", _scored_file(submission, bool(settled.submission.parts)))]
    report = score(prepared, named)
    valid = sent(report).valid
    if not valid or not run.values:
        told = run.code in (0, 1) or not platform.computes
        return Rehearsed(submission.name, run, valid, told and (not run.values or valid))
    parts = by_split(report).items()
    found = [
        next((split for split, part in parts if _equal_values(part, values, platform)), None)
        for values in (run.values, *run.others)
    ]
    return Rehearsed(submission.name, run, valid, None not in found, found[0])


def _equal_values(part: Report, values: Mapping[str, float], platform: Platform) -> bool:
    """Whether a platform's values are those of `score`.

    They are to the bit, but for code of the platform's own, which adds up otherwise.
    """
    wanted, given = list(means(part).values()), list(values.values())
    if not platform.computes:
        return wanted == given
    value = means(part).get(part.primary.id, math.nan)
    return len(given) == 1 and math.isclose(value, given[0], rel_tol=NEAR, abs_tol=NEAR)


def _scored_file(submission: Path, parts: bool) -> Path:
    """The file that is scored: of a folder the only one, unless its files are one submission."""
    if parts or not submission.is_dir():
        return submission
    files = [path for path in submission.rglob("*") if path.is_file() and path.name[0] != "."]
    return files[0] if len(files) == 1 else submission
