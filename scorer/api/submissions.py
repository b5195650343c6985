"""Submissions as named files, and the outcome of each."""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from itertools import groupby
from pathlib import Path

from scorer.api import data
from scorer.api.systems import SubmissionFile as SubmissionFile
from scorer.api.systems import holds_systems, split_systems
from scorer.challenge.load import load, own_file_problem
from scorer.challenge.model import Challenge
from scorer.core.errors import UsageError
from scorer.core.problems import Findings
from scorer.core.text import display_path, quoted
from scorer.leaderboard.board import Terms, settled
from scorer.reading.formats import format_suffix
from scorer.reading.read import FileTable
from scorer.reading.repair import FIXED
from scorer.reading.unpack import COMPRESSED_SUFFIXES
from scorer.results.report import Scored
from scorer.results.scorecard import Outcome
from scorer.scoring.bind import BoundChallenge, bind
from scorer.scoring.fingerprint import board_digest, fingerprint, signature
from scorer.scoring.open import OpenChallenge
from scorer.scoring.run import Tick, score_submissions

# data frames, dicts or rows of a Python session have names; files are named after themselves
Submissions = Mapping[str, object] | Iterable[SubmissionFile | Path | str]
Progress = Callable[[float, int, str], None]  # how many are done, of how many, and which is next


def submission_name(path: Path) -> str:
    """A file's name less one format suffix and one compression suffix; of a repaired copy, too.

    >>> submission_name(Path("runs/bm25.b0.4.run.gz")), submission_name(Path("a.fixed.csv"))
    ('bm25.b0.4', 'a')
    """
    name = path.name.replace(FIXED, ".")
    for suffix in COMPRESSED_SUFFIXES:
        if name.lower().endswith(suffix):
            name = name[: -len(suffix)]
            break
    suffix = format_suffix(name.lower())
    return name[: len(name) - len(suffix)] or name


def original(path: Path) -> set[Path]:
    """The files of which a file is the repaired copy, by its name; none of another file."""
    if FIXED not in path.name:
        return set()
    name = path.name.replace(FIXED, ".")
    return {path.with_name(f"{name}{suffix}") for suffix in ("", *COMPRESSED_SUFFIXES)}


def terms_of(ready: OpenChallenge) -> Terms:
    """The board's terms of an opened challenge."""
    prepared = ready.bound
    challenge = prepared.challenge
    lists = ready.truth.lists if ready.truth else ()
    ties, folds = challenge.submission.ties, len(ready.folds)
    measures = tuple(
        replace(m, board_signature=signature(m, prepared.rules[m.id], ties, len(lists), folds))
        for m in ready.measures
    )
    return Terms(
        challenge,
        measures,
        fingerprint(ready.digests, board_digest(challenge, prepared.measures)),
        prepared.rules,
        prepared.breakers,
        prepared.rank_by,
        lists,
        ready.public.groups,
        ready.public.called,
        ready.warnings,
        ready.public.clusters,
        prepared.ranked_by,
    )


def to_challenge(challenge: object) -> Challenge:
    """The challenge itself, or the one that a path leads to. Raises `TypeError` for others."""
    if isinstance(challenge, Challenge):
        return challenge
    if data.is_path(challenge):
        return load(Path(challenge))
    what = type(challenge).__name__
    raise TypeError(f"{what} is no challenge; a truth needs measures, as in scorer.evaluate")


def bind_challenge(
    challenge: Challenge | BoundChallenge | Path | str, allow_plugins: bool
) -> BoundChallenge:
    """The challenge with its measures bound; one that is bound already stays as it is."""
    if isinstance(challenge, BoundChallenge):
        return challenge
    return bind(to_challenge(challenge), allow_plugins)


@contextmanager
def list_submissions(
    submissions: Submissions, prepared: BoundChallenge
) -> Iterator[list[SubmissionFile]]:
    """Submissions as files with names; those that are data have one inside the `with`.

    `TypeError` if they are of another type, `UsageError` if data cannot be written as a table.
    """
    if not isinstance(submissions, Mapping):
        given = [to_submission_file(submission) for submission in _listed(submissions)]
        if not holds_systems(prepared):
            yield given
            return
        with tempfile.TemporaryDirectory(prefix="scorer-") as folder:
            yield [part for n, file in enumerate(given)
                   for part in split_systems(prepared, file, Path(folder, str(n)))]  # fmt: skip
        return
    layout = data.Layout.of(prepared.shapes, prepared.challenge.submission.columns)
    with tempfile.TemporaryDirectory(prefix="scorer-") as folder:
        files = []
        for n, (name, submission) in enumerate(submissions.items()):
            if not isinstance(name, str) or not name:
                raise TypeError(f"{name!r} is no name of a run; write {{'name': run}}")
            if data.is_path(submission):
                files.append(SubmissionFile(name, Path(submission)))
                continue
            path = Path(folder, f"{n}.jsonl")
            data.write(path, submission, layout, f"run {quoted(name)}")
            has_rows = path.stat().st_size > 0
            table = None if has_rows else data.table_without_rows(submission, layout)
            files.append(SubmissionFile(name, path, label=name, format=data.FORMAT, table=table))
        yield files


def _listed(submissions: object) -> Iterable[object]:
    """The submissions of a list; a text or a frame is none."""
    if data.is_path(submissions) or isinstance(submissions, bytes | SubmissionFile):
        raise TypeError(f"{quoted(submissions)} is one submission; write a list: [...]")
    if data.is_frame(submissions) or not isinstance(submissions, Iterable):
        what = type(submissions).__name__
        raise TypeError(f"{what} is not understood; write {{'name': run}} or a list of paths")
    return submissions


def to_submission_file(submission: object) -> SubmissionFile:
    """A submission's file, named after itself; `TypeError` if it is no path."""
    if isinstance(submission, SubmissionFile):
        return submission
    if not data.is_path(submission):
        what = type(submission).__name__
        raise TypeError(f"a submission in a list is a path, not {what}; write {{'name': run}}")
    path = Path(submission)
    return SubmissionFile(submission_name(path), path)


def list_baselines(prepared: BoundChallenge) -> list[SubmissionFile]:
    """The challenge's own baselines."""
    return [
        SubmissionFile(submission_name(path), Path(display_path(path)), baseline=True)
        for path in prepared.challenge.leaderboard.baselines
    ]


def separate_baselines(
    files: Sequence[SubmissionFile], prepared: BoundChallenge
) -> tuple[list[SubmissionFile], list[SubmissionFile]]:
    """Files that are no baseline of the challenge, and the ones that share a baseline's name."""
    baseline_paths = {baseline.name: baseline.path for baseline in list_baselines(prepared)}
    others, same = list[SubmissionFile](), list[SubmissionFile]()
    for file in files:
        (
            same
            if file.name in baseline_paths and _alike(file.path, baseline_paths[file.name])
            else others
        ).append(file)
    return others, same


def _alike(first: Path, second: Path) -> bool:
    """Whether two files are one, or hold the same."""
    try:
        from filecmp import cmp

        return first.samefile(second) or cmp(first, second, shallow=False)
    except (OSError, ValueError):  # one is not there, which reading it tells
        return False


def refuse_equal_names(files: Sequence[SubmissionFile]) -> None:
    """Refuse two submissions of one name with `UsageError`."""
    by_name: dict[str, SubmissionFile] = {}
    for file in files:
        if (other := by_name.setdefault(file.name, file)) is not file:
            raise UsageError(
                f"two submissions are called {quoted(file.name)}: "
                f"{other.display} and {file.display}; "
                "name one of them: NAME=PATH"
            )


def scored_files(
    ready: OpenChallenge,
    files: Sequence[SubmissionFile],
    progress: Progress | None,
) -> list[Scored]:
    """Each file read, checked and, where the truth is open, scored by the challenge's rules.

    Raises as `score_files`.
    """
    outcomes = score_files(ready, files, progress)
    return to_scored(terms_of(ready), files, outcomes)


def to_scored(
    terms: Terms, files: Sequence[SubmissionFile], outcomes: Sequence[Outcome]
) -> list[Scored]:
    """The outcome of each file after the challenge's rules."""
    return [
        settled(terms, file.name, file.told, outcome, baseline=file.baseline)
        for file, outcome in zip(files, outcomes, strict=True)
    ]


def score_files(
    ready: OpenChallenge, files: Sequence[SubmissionFile], progress: Progress | None, jobs: int = 1
) -> list[Outcome]:
    """Each file read, checked and, where the truth is open, scored, by that many processes.

    `UsageError` if two have one name, or a metric cannot be sent to another process.
    """
    refuse_equal_names(files)

    def tick(done: int) -> None:
        if progress is not None and files:
            progress(done, len(files), files[min(int(done), len(files) - 1)].name)

    outcomes = list(_outcomes(ready, files, tick, dict(ready.bound.tables), jobs))
    for file, outcome in zip(files, outcomes, strict=True):
        outcome.findings.rename_path(file.display)
        if file.part is not None and not file.refused:  # whose problems have lines of the table
            outcome.findings.replace(file.part.located)
    return outcomes


def _outcomes(
    ready: OpenChallenge,
    files: Sequence[SubmissionFile],
    tick: Tick,
    read: dict[Path, FileTable],
    jobs: int,
) -> Iterator[Outcome]:
    """The outcome of each file; those that follow each other in one format go together.

    Of `read` what is used is taken.
    """
    done = 0
    for (format, refused, known), group in groupby(
        files,
        lambda file: (
            file.format,
            bool(file.refused),
            file.table is not None or file.path in read,
        ),
    ):
        part, start = list(group), done
        done += len(part)
        if refused:
            yield from map(rejected_outcome, part)
            continue
        opened = ready if format is None else ready.reading(format)
        if known:
            from scorer.api.value_tables import outcomes_of_tables

            outcomes = outcomes_of_tables(opened.plan, part, lambda n, s=start: tick(s + n), read)  # type: ignore[misc]
        else:
            paths = [file.path for file in part]
            outcomes = score_submissions(opened.plan, paths, lambda n, s=start: tick(s + n), jobs)  # type: ignore[misc]
        for outcome in outcomes:
            if format is not None:
                # rows of data have no columns of characters
                outcome.findings.replace(lambda problem: replace(problem, column=None))
            yield outcome


def rejected_outcome(file: SubmissionFile) -> Outcome:
    """Return the outcome of a file of which it is known why it cannot be read."""
    findings = Findings(file.display)
    findings.extend(file.refused)
    return Outcome(findings, None, None)


def find_own_file(ready: OpenChallenge, path: Path, own: Sequence[Path] | None = None) -> Findings:
    """The problem of a submission whose path must not be read; empty for most."""
    findings = Findings(str(path))
    if (problem := own_file_problem(ready.bound.challenge, path, own)) is not None:
        findings.add(problem)
    return findings
