"""A platform's worker in small: folders, environment, a process, and what it leaves."""

from __future__ import annotations

import json
import math
import os
import shutil
import subprocess
import sys
import tarfile
import zipfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from time import perf_counter
from typing import Any, NamedTuple

from scorer.core.errors import UsageError
from scorer.core.text import printable

LONGEST = 600  # seconds, Codabench's own limit


class WorkerEnd(NamedTuple):
    """How a process ended."""

    code: int
    seconds: float
    out: str
    err: str


def run(words: Sequence[str], folder: Path, score: str, **environment: str) -> WorkerEnd:
    """Run a command with the environment of a worker: nothing of ours but PATH and SCORE."""
    given = {"PATH": os.environ.get("PATH", os.defpath), "SCORE": score, "PYTHONUNBUFFERED": "1"}
    begin = perf_counter()
    try:
        done = subprocess.run(
            words, cwd=folder, env=given | environment, capture_output=True, timeout=LONGEST
        )
    except subprocess.TimeoutExpired:
        return WorkerEnd(-1, perf_counter() - begin, "", f"it took more than {LONGEST} seconds")
    out, err = (text.decode("utf-8", "replace") for text in (done.stdout, done.stderr))
    return WorkerEnd(done.returncode, perf_counter() - begin, out, err)


def python() -> str:
    """The Python that stands for the worker's."""
    return sys.executable


def laid_out(submission: Path, folder: Path) -> Path:
    """The folder of a submission as platforms lay it out: an archive's files, else the file."""
    folder.mkdir(parents=True, exist_ok=True)
    if submission.is_dir():
        shutil.copytree(submission, folder, dirs_exist_ok=True)
    elif zipfile.is_zipfile(submission):
        with zipfile.ZipFile(submission) as archive:
            archive.extractall(folder)
    else:
        shutil.copy(submission, folder)
    return folder


def unpacked_archive(place: Path, folder: Path) -> Path:
    """A zip or tar archive of plain files as a folder; `UsageError` if it is none.

    The filters of `tarfile` are younger than the first Python 3.11.
    """
    try:
        if zipfile.is_zipfile(place):
            with zipfile.ZipFile(place) as archive:
                archive.extractall(folder)
            return folder
        with tarfile.open(place) as tar:
            for member in tar.getmembers():
                target = folder / os.path.normpath(member.name)
                stream = tar.extractfile(member) if member.isfile() else None
                if (
                    stream is not None
                    and ".." not in target.parts
                    and target.is_relative_to(folder)
                ):
                    made(target.parent)
                    target.write_bytes(stream.read())
    except (OSError, tarfile.TarError):
        message = f"{printable(place)} is neither a folder nor an archive"
        raise UsageError(message) from None
    return folder


def made(folder: Path) -> Path:
    """The folder, made."""
    folder.mkdir(parents=True, exist_ok=True)
    return folder


def numbers(found: Mapping[str, Any], where: str) -> dict[str, float]:
    """The values that a platform reads; `UsageError` where one of them is none for it."""
    for name, value in found.items():
        plain = isinstance(value, int | float) and not isinstance(value, bool)
        if not plain or not math.isfinite(value):
            raise UsageError(f"{where}: {printable(name)} is {value!r}, no finite number")
    return {name: float(value) for name, value in found.items()}


def read_json(file: Path) -> Any:
    """A result file; `UsageError` if it is not there, or not strict JSON."""
    try:
        return json.loads(file.read_text("utf-8"), parse_constant=_refuse_constant)
    except (OSError, ValueError) as error:
        raise UsageError(f"{printable(file.name)}: {error}") from None


def _refuse_constant(word: str) -> Any:
    raise ValueError(f"{word} is no JSON")
