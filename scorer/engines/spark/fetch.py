"""A truth that only Spark reaches, brought to this machine."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from urllib.parse import unquote

from scorer.bytes.limits import Unreadable
from scorer.core.errors import ChallengeError
from scorer.core.problems import Findings, Problem, of_organizer
from scorer.engines.spark.arrays import as_line, frame_form
from scorer.engines.spark.session import quiet, session_of
from scorer.engines.spark.sources import unreadable
from scorer.formats.form import PLAIN, FileForm
from scorer.tables.table import Schema


def fetch(url: str, folder: Path, options: Mapping[str, str]) -> Path:
    """Write a URL's file, or folder of parts in Parquet, to a file of that name in `folder`.

    `ChallengeError` if it cannot be read.
    """
    return fetched(session_of(options), url, folder)


def fetched(session: Any, url: str, folder: Path) -> Path:
    """As `fetch`, by a session that is there."""
    with quiet(), refused_truth(url):
        return _fetched(session, url, folder)


@contextmanager
def refused_truth(path: str | None = None) -> Iterator[None]:
    """Say by `ChallengeError` why Spark cannot read a truth, or compute it."""
    try:
        yield
    except Exception as error:
        told = error if isinstance(error, Unreadable) else unreadable(error)
        findings = Findings(path)
        findings.add(told.problem)
        raise ChallengeError(problems=of_organizer(findings)) from error


def write_truth(frame: Any, shapes: Sequence[Schema], form: FileForm, folder: Path) -> Path:
    """Write a data frame of Spark to a file of this machine, which is read as that form says.

    `ChallengeError` if Spark cannot compute it.
    """
    with refused_truth():
        if frame_form(frame, shapes, form) == PLAIN:
            return write_parquet(frame, folder / "truth.parquet")
        lines = frame.select(as_line(frame, frame.columns)).toArrow().column(0).to_pylist()
    path = folder / "truth.jsonl"
    path.write_text("\n" * form.skip + "\n".join(lines) + "\n", encoding="utf-8")
    return path


def write_parquet(frame: Any, path: Path) -> Path:
    """Write a data frame of Spark to a file of this machine."""
    import polars as pl

    table = pl.from_arrow(frame.toArrow())
    assert isinstance(table, pl.DataFrame)
    table.write_parquet(path)
    return path


def _fetched(session: Any, url: str, folder: Path) -> Path:
    frame = session.read.format("binaryFile").load(url)
    files = [unquote(row["path"]) for row in frame.select("path").collect()]
    if len(files) == 1:
        path = folder / files[0].rpartition("/")[2]
        path.write_bytes(frame.select("content").first()["content"])
        return path
    if not files or not all(file.endswith(".parquet") for file in files):
        message = f"these are {len(files):,} files; a truth of several is read from Parquet alone"
        raise Unreadable(Problem("S107", message))
    return write_parquet(session.read.parquet(url), folder / "truth.parquet")
