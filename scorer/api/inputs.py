"""The challenge and the submissions that words name: paths, NAME=PATH, folders, kits and pipes."""

from __future__ import annotations

import os
from collections.abc import Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import BinaryIO, NamedTuple

from scorer.api.folders import list_folder
from scorer.api.submissions import SubmissionFile, find_originals, submission_name
from scorer.challenge.kit_archive import open_kit
from scorer.challenge.model import Challenge
from scorer.challenge.yaml import YAML_SUFFIXES
from scorer.core.errors import UsageError
from scorer.core.text import printable, quoted
from scorer.reading.open import is_open_pipe
from scorer.reading.write import temporary_copy
from scorer.scoring.bind import load_challenge
from scorer.scoring.measures import replace_measures


class NamedSubmissions(NamedTuple):
    """The submissions that words name, and notes on files that are left out."""

    files: list[SubmissionFile]
    notes: list[str]


def read_challenge(
    path: Path,
    cleanup: ExitStack,
    metrics: Sequence[str] | None = None,
    truth: Path | None = None,
    submissions: Sequence[str] | None = None,
    measured: bool = True,
) -> tuple[Challenge, tuple[str, ...]]:
    """Return a challenge, with other metrics and another truth where they are given, and notes.

    Args:
        path: The challenge's file, its folder, or a kit, which is unpacked until `cleanup` ends.
        cleanup: Removes an unpacked kit.
        metrics: The notations that replace its metrics.
        truth: The file that replaces its truth.
        submissions: The words that name submissions, if a truth can take the challenge's place.
        measured: Whether measures are needed, which a truth does not name.
    """
    if submissions is not None and is_truth_file(path):
        from scorer.infer.challenge import infer_from_submissions  # slow to import, rarely needed

        if measured and not metrics:
            word = printable(path)
            raise UsageError(f"{word} is a truth; say what to measure, such as -m nDCG@10")
        challenge = infer_from_submissions(path, _existing_files(submissions), metrics or ())
    else:
        challenge = load_challenge(cleanup.enter_context(open_kit(path)))
    if truth is not None:
        challenge = challenge.with_truth(truth)
    if not metrics:
        return challenge, ()
    if not all(metrics):
        raise UsageError("-m needs a measure, such as nDCG@10")
    if odd := next((word for word in metrics if not word.isprintable()), None):
        raise UsageError(f"-m {quoted(odd)} is no measure; write one such as nDCG@10")
    challenge, lost = replace_measures(challenge, metrics)
    notes = (
        f"warning: leaderboard.tie_break names {quoted(name)}, which -m leaves out" for name in lost
    )
    return challenge, tuple(notes)


def is_truth_file(path: Path) -> bool:
    """Return whether a file is a truth; folders and YAML files are not read for that."""
    if not os.path.isfile(path) or path.suffix.lower() in YAML_SUFFIXES:
        return False
    from scorer.infer.challenge import is_truth  # slow to import, rarely needed

    return is_truth(path)


def _existing_files(words: Sequence[str]) -> list[Path]:
    """Return the files that words for submissions name, with the files of folders."""
    paths = [Path(word if os.path.exists(word) else word.partition("=")[2]) for word in words]
    files = [list_folder(path).paths if os.path.isdir(path) else [path] for path in paths]
    return [path for of_word in files for path in of_word if os.path.isfile(path)]


def find_submissions(
    words: Sequence[str], challenge: Challenge, stdin: BinaryIO | None, cleanup: ExitStack
) -> NamedSubmissions:
    """Return the files that words name: PATH, NAME=PATH, a folder, or - for standard input.

    Of a folder all files are taken that can be submissions; a note names the others.

    Args:
        words: The words.
        challenge: The challenge that the submissions are for.
        stdin: Standard input; None if it is closed.
        cleanup: Removes the temporary files in which the contents of pipes are kept.

    Raises:
        UsageError: Standard input is named twice or closed, or a folder has no files.
    """
    if list(words).count("-") > 1:
        raise UsageError("standard input can be read once; '-' is given twice")
    files = list[SubmissionFile]()
    notes = list[str]()
    for word in words:
        if os.path.isdir(word) and not _is_submission_in_parts(word, challenge):
            folder = list_folder(word)
            files += [SubmissionFile(submission_name(path), path) for path in folder.paths]
            if omitted := folder.describe_omitted(word):
                notes.append(f"note: {omitted}")
        else:
            most = challenge.submission.limits.size
            files.append(_find_submission(word, stdin, cleanup, most))
    return _without_copies(files, notes)


def _find_submission(
    word: str, stdin: BinaryIO | None, cleanup: ExitStack, most: int
) -> SubmissionFile:
    """Return the file that PATH, NAME=PATH, -, or NAME=- names; pipes are read up to `most`."""
    name, equals, path = word.partition("=")
    if not (equals and name) or os.path.exists(word):
        name, path = "", word
    if path == "-":
        if stdin is None:
            raise UsageError("standard input is closed; '-' cannot be read")
        copy = cleanup.enter_context(temporary_copy(stdin, most))
        return SubmissionFile(name or "stdin", copy, label="stdin")
    name = name or submission_name(Path(path))
    if not is_open_pipe(path):
        return SubmissionFile(name, Path(path))
    with open(path, "rb") as pipe:
        copy = cleanup.enter_context(temporary_copy(pipe, most))
    return SubmissionFile(name, copy, label=path)


def _without_copies(files: list[SubmissionFile], notes: list[str]) -> NamedSubmissions:
    """Return files without repaired copies of others among them, which the notes name."""
    paths = {file.path for file in files}
    kept = []
    for file in files:
        if paths.isdisjoint(find_originals(file.path)):
            kept.append(file)
            continue
        notes.append(
            f"note: {printable(file.path)} is left out, a repaired copy of a file beside it; "
            "score check --fix -o DIR makes a folder with repaired files alone"
        )
    return NamedSubmissions(kept, notes)


def _is_submission_in_parts(folder: str, challenge: Challenge) -> bool:
    """Return whether a folder is one submission: it holds a part of one."""
    files = challenge.submission.parts.values()
    return any(os.path.exists(os.path.join(folder, file)) for file in files)
