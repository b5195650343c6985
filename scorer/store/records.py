"""The records of a store, as data. All times are aware and in UTC."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Literal, NamedTuple

from scorer.core.problems import Findings

Status = Literal["pending", "scored", "rejected", "failed"]
Kind = Literal["version", "team", "entry", "evaluation", "decision"]
Act = Literal["disqualify", "restore", "select", "unselect", "withdraw", "rename"]
OF_TEAMS: tuple[Act, ...] = ("select", "unselect", "withdraw")  # acts that end with their time


@dataclass(frozen=True, slots=True)
class Version:
    """The challenge at one moment."""

    number: int  # from 1, in the order in which they came into force
    since: datetime
    values: str  # digest of all that a value depends on beside its submission
    fingerprint: str
    files: Mapping[str, str]  # path below the challenge's folder -> SHA-256
    terms: str  # JSON: what a board needs of the challenge
    splits: Mapping[str, str]  # list -> split; empty without splits


@dataclass(frozen=True, slots=True)
class Team:
    """A team that takes part."""

    id: int
    name: str  # as it was made; decisions may have renamed it
    made: datetime


@dataclass(frozen=True, slots=True)
class Entry:
    """One recorded submission."""

    number: int  # from 1, never reused
    team: int | None  # None: a baseline of the organizer's
    received: datetime
    sha256: str
    file: str  # the name it was sent under
    size: int  # bytes
    phase: str | None
    name: str = ""  # a baseline's
    answers: Mapping[str, str] = field(default_factory=dict)

    @property
    def baseline(self) -> bool:
        """Whether it stands outside the ranks."""
        return self.team is None


@dataclass(frozen=True, slots=True)
class Evaluation:
    """The problems and the scorecard of one file under one state of the challenge."""

    values: str  # the digest of the state, as a version has it
    sha256: str
    status: Status
    findings: str = field(default_factory=lambda: Findings().to_json())
    card: bytes | None = None
    folds: Mapping[str, bytes] = field(default_factory=dict)  # fold, or run -> its scorecard
    summary: str | None = None  # JSON: means by split, under one fingerprint
    reference: str | None = None  # of a failure
    cause: str | None = None  # of a failure; for the organizer only
    made: datetime | None = None


@dataclass(frozen=True, slots=True)
class Queue:
    """The evaluations that are not made yet."""

    waiting: int  # that no worker holds
    oldest: datetime | None  # since when the first of them waits
    leases: int  # that a worker holds


@dataclass(frozen=True, slots=True)
class Decision:
    """An act on an entry or a team; never deleted, undone by another."""

    number: int
    time: datetime
    act: Act
    team: int | None
    entry: int | None
    reason: str
    by: str | None = None
    name: str | None = None  # the new one, of a rename
    late: bool = False  # made for a team after the time for it, by an organizer


@dataclass(frozen=True, slots=True)
class Token:
    """A secret that lets somebody in; only its hash is kept."""

    id: int
    team: int | None  # None: an organizer's
    hash: str
    made: datetime
    used: datetime | None = None
    revoked: datetime | None = None
    label: str | None = None  # who or what holds it, if that was said

    @property
    def opens(self) -> bool:
        """Whether one can sign in with it."""
        return self.revoked is None


@dataclass(frozen=True, slots=True)
class Receipt:
    """The receipt of an act on a store: a link of a chain that anybody can verify."""

    kind: Kind
    about: str  # which of that kind: a number, or the digests of an evaluation
    previous: str | None  # the digest of the receipt before
    digest: str
    body: str  # JSON, of which `digest` is the SHA-256
    salt: str | None = None  # of the commitment to the row; None: there is none


class Found(NamedTuple):
    """An entry, its evaluation without scorecards, and the digest of its receipt."""

    entry: Entry
    evaluation: Evaluation
    receipt: str | None  # None: it was removed


class Wanted(NamedTuple):
    """Which entries are wanted; None: any."""

    team: int | None = None
    status: Status | None = None
    number: int | None = None


class Extract(NamedTuple):
    """Which part of a list is wanted, and in which order."""

    most: int | None = None  # None: all
    skip: int = 0
    order: Literal["number", "latest"] = "number"
