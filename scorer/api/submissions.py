"""Submissions as named files, and what becomes of each."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import NamedTuple

from scorer.challenge.load import load
from scorer.challenge.model import Challenge
from scorer.challenge.trespass import trespass
from scorer.core.errors import UsageError
from scorer.core.problems import Findings
from scorer.core.text import display_path, quoted
from scorer.engines.local import local
from scorer.io.formats.base import COMPRESSED, formats
from scorer.leaderboard.board import Terms, settled
from scorer.prepare.bind import BoundChallenge
from scorer.prepare.fingerprint import board_digest, fingerprint, signature
from scorer.prepare.open import OpenChallenge
from scorer.results.report import Scored
from scorer.results.scorecard import Outcome


class Named(NamedTuple):
    """A submission's file, and what it is called."""

    name: str
    path: Path
    baseline: bool = False
    shown: str = ""  # what messages call the file, where that is not its path

    @property
    def display(self) -> str:
        """What messages call the file."""
        return self.shown or str(self.path)


Progress = Callable[[float, int, str], None]  # how many are done, of how many, and which is next


def submission_name(path: Path) -> str:
    """A file's name less one format suffix and one compression suffix.

    >>> submission_name(Path("runs/bm25.b0.4.run.gz"))
    'bm25.b0.4'
    """
    name = path.name
    for suffix in COMPRESSED:
        if name.lower().endswith(suffix):
            name = name[: -len(suffix)]
            break
    for suffix in sorted({s for known in formats() for s in known.suffixes}, key=len, reverse=True):
        if name.lower().endswith(suffix) and len(name) > len(suffix):
            return name[: -len(suffix)]
    return name


def terms_of(ready: OpenChallenge) -> Terms:
    """What the board needs of an opened challenge."""
    prepared = ready.prepared
    challenge, lists = prepared.challenge, ready.answers.lists if ready.answers else ()
    ties, folds = challenge.submission.ties, len(ready.folds)
    return Terms(
        challenge,
        ready.measures,
        fingerprint(ready.digests, board_digest(challenge, prepared.measures)),
        {m.id: signature(m, prepared.rules[m.id], ties, len(lists), folds) for m in ready.measures},
        prepared.rules,
        prepared.breakers,
        prepared.rank_by,
        lists,
        ready.public.groups,
        ready.public.called,
        ready.warnings,
    )


def loaded(challenge: Challenge | Path | str) -> Challenge:
    """The challenge itself, or the one that a path leads to."""
    return challenge if isinstance(challenge, Challenge) else load(Path(challenge))


def named_files(submissions: Iterable[Named | Path | str]) -> list[Named]:
    """Submissions with their names: a path is named after its file."""
    return [
        each if isinstance(each, Named) else Named(submission_name(Path(each)), Path(each))
        for each in submissions
    ]


def baselines(prepared: BoundChallenge) -> list[Named]:
    """The challenge's own baselines."""
    return [
        Named(submission_name(path), Path(display_path(path)), baseline=True)
        for path in prepared.challenge.leaderboard.baselines
    ]


def distinct(files: Sequence[Named]) -> None:
    """Refuse two submissions of one name with `UsageError`."""
    seen: dict[str, Named] = {}
    for file in files:
        if (other := seen.setdefault(file.name, file)) is not file:
            raise UsageError(
                f"two submissions are called {quoted(file.name)}: "
                f"{other.display} and {file.display}; "
                "name one of them: NAME=PATH"
            )


def scored_files(
    ready: OpenChallenge, files: Sequence[Named], progress: Progress | None
) -> list[Scored]:
    """Each file read, checked and, where the truth is open, scored by the challenge's rules.

    Raises:
        UsageError: two submissions have one name.
    """
    distinct(files)
    strays = [trespasses(ready, file.path) for file in files]
    read = [file for file, stray in zip(files, strays, strict=True) if not stray]

    def tick(done: float) -> None:
        if progress is not None and read:
            progress(done, len(read), read[min(int(done), len(read) - 1)].name)

    outcomes = local(ready, [file.path for file in read], tick)
    terms, scored = terms_of(ready), []
    for file, stray in zip(files, strays, strict=True):
        outcome = Outcome(stray, None, None) if stray else next(outcomes)
        outcome.findings.show_as(file.display)
        scored.append(settled(terms, file.name, file.display, outcome, baseline=file.baseline))
    return scored


def trespasses(ready: OpenChallenge, path: Path) -> Findings:
    """What forbids to read a submission's file at all; nothing, for most."""
    findings = Findings(str(path))
    if (problem := trespass(ready.prepared.challenge, path)) is not None:
        findings.add(problem)
    return findings
