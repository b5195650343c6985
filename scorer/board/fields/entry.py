"""Entries as fields."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from scorer.board.entries import Added
from scorer.results.json import ReportedProblem


@dataclass(frozen=True, slots=True)
class Line:
    """An entry, or a file that was refused."""

    entry: int | None
    team: str
    received: str
    sha256: str
    status: str  # scored, rejected, refused, failed or pending
    code: str | None
    message: str | None
    problems: Sequence[ReportedProblem]
    receipt: str | None
    values: Mapping[str, Mapping[str, float | None]] | None  # split -> measure -> mean


@dataclass(frozen=True, slots=True, kw_only=True)
class Record:
    """The outcomes of the files that were sent."""

    schema: str = "entry/1"
    entries: Sequence[Line]


def fields(added: Iterable[Added]) -> Record:
    """The record of some entries."""
    return Record(entries=[line(each) for each in added])


def line(added: Added) -> Line:
    """The fields of an entry."""
    return Line(
        added.entry,
        added.team,
        added.received.isoformat(),
        added.sha256,
        added.status,
        added.code,
        added.message,
        [ReportedProblem.of(finding) for finding in added.findings],
        added.receipt,
        added.values or None,
    )
