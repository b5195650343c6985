"""The records of a board: each class is a table of its store, each instance a row.

All times are aware and in UTC. Records are read in short sessions and used after them; whoever
changes one writes an update, not an attribute.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any, ClassVar, Literal

from sqlalchemy import JSON, ForeignKey, Index, LargeBinary, String, Text, UniqueConstraint
from sqlalchemy.engine import Dialect
from sqlalchemy.orm import DeclarativeBase, Mapped, MappedAsDataclass, mapped_column
from sqlalchemy.types import TypeDecorator

from scorer.core.errors import UsageError
from scorer.core.problems import Findings
from scorer.core.text import quoted

Status = Literal["pending", "scored", "rejected", "failed"]
Kind = Literal["version", "team", "entry", "evaluation", "decision"]
Act = Literal["disqualify", "restore", "select", "unselect", "withdraw", "rename"]
TEAM_ACTS: tuple[Act, ...] = ("select", "unselect", "withdraw")  # acts that end with their time


class UtcDateTime(TypeDecorator[datetime]):
    """An aware time as text in UTC, so that both databases keep and order it alike."""

    impl = String(32)
    cache_ok = True

    def process_bind_param(self, value: datetime | None, dialect: Dialect) -> str | None:
        """Return the text with microseconds: 2011-04-18T08:00:00.000000+00:00."""
        if value is None:
            return None
        return value.astimezone(UTC).isoformat(timespec="microseconds")

    def process_result_value(self, value: Any, dialect: Dialect) -> datetime | None:
        """Return the time that the text says. Raises `UsageError` if it says none."""
        if value is None:
            return None
        try:
            time = datetime.fromisoformat(value)
        except ValueError:
            raise UsageError(
                f"the store has no time in {quoted(value)}, where one belongs"
            ) from None
        # Without an offset it was written by somebody else; `score verify` reports that.
        return time if time.tzinfo else time.replace(tzinfo=UTC)


class PackedBytes(TypeDecorator[Mapping[str, bytes]]):
    """Several scorecards in one value: a JSON head of names and sizes, then their bytes."""

    impl = LargeBinary
    cache_ok = True
    HEAD: ClassVar = 4  # bytes that hold the size of the head

    def process_bind_param(
        self, value: Mapping[str, bytes] | None, dialect: Dialect
    ) -> bytes | None:
        """Return head and bytes; None where there are no scorecards."""
        if not value:
            return None
        head = json.dumps([[name, len(data)] for name, data in value.items()]).encode()
        return len(head).to_bytes(self.HEAD, "big") + head + b"".join(value.values())

    def process_result_value(self, value: Any, dialect: Dialect) -> Mapping[str, bytes]:
        """Return the bytes by their names."""
        if not value:
            return {}
        start = self.HEAD + int.from_bytes(value[: self.HEAD], "big")
        cards = {}
        for name, size in json.loads(value[self.HEAD : start]):
            cards[name] = value[start : start + size]
            start += size
        return cards


class Base(MappedAsDataclass, DeclarativeBase):
    """What all records have in common."""

    type_annotation_map: ClassVar = {
        str: Text,
        bytes: LargeBinary,
        datetime: UtcDateTime,
        Mapping[str, str]: JSON,
        Mapping[str, bytes]: PackedBytes,
    }


class Owner(Base):
    """Whose board a store holds; a table of one row."""

    __tablename__ = "challenge"

    id: Mapped[str] = mapped_column(primary_key=True)


class Version(Base):
    """The challenge at one moment."""

    __tablename__ = "version"

    # from 1, in the order in which they came into force
    number: Mapped[int] = mapped_column(primary_key=True, autoincrement=False)
    since: Mapped[datetime]
    # digest of all that a value depends on beside its submission
    values: Mapped[str] = mapped_column("values_digest")
    fingerprint: Mapped[str]
    files: Mapped[Mapping[str, str]]  # path below the challenge's folder -> SHA-256
    facts: Mapped[str]  # JSON: what a board needs to know of the truth
    splits: Mapped[Mapping[str, str]]  # list -> split; empty without splits


class Team(Base):
    """A team that takes part."""

    __tablename__ = "team"

    id: Mapped[int] = mapped_column(primary_key=True, autoincrement=False)
    name: Mapped[str] = mapped_column(unique=True)  # as it was made; decisions may have renamed it
    made: Mapped[datetime]


class Token(Base):
    """A secret that lets somebody in; only its hash is kept."""

    __tablename__ = "token"

    id: Mapped[int] = mapped_column(primary_key=True, autoincrement=False)
    team: Mapped[int | None] = mapped_column(ForeignKey("team.id"))  # None: an organizer's
    hash: Mapped[str] = mapped_column(unique=True)  # SHA-256 in hexadecimal
    made: Mapped[datetime]
    used: Mapped[datetime | None] = mapped_column(default=None)
    revoked: Mapped[datetime | None] = mapped_column(default=None)
    label: Mapped[str | None] = mapped_column(default=None)  # who or what holds it, if given

    @property
    def is_valid(self) -> bool:
        """Whether one can sign in with it: it is not revoked."""
        return self.revoked is None


class Entry(Base):
    """One recorded submission."""

    __tablename__ = "entry"

    number: Mapped[int] = mapped_column(primary_key=True, autoincrement=False)  # never reused
    team: Mapped[int | None] = mapped_column(ForeignKey("team.id"))  # None: a baseline
    received: Mapped[datetime]
    sha256: Mapped[str]
    file: Mapped[str]  # the name it was sent under
    size: Mapped[int]  # bytes
    phase: Mapped[str | None]
    name: Mapped[str] = mapped_column(default="")  # a baseline's
    answers: Mapped[Mapping[str, str]] = mapped_column(default_factory=dict)

    @property
    def baseline(self) -> bool:
        """Whether it stands outside the ranks."""
        return self.team is None


class Evaluation(Base):
    """The problems and the scorecard of one file under one state of the challenge."""

    __tablename__ = "evaluation"

    # the digest of the state, as a version has it
    values: Mapped[str] = mapped_column("values_digest", primary_key=True)
    sha256: Mapped[str] = mapped_column(primary_key=True)
    status: Mapped[Status] = mapped_column(Text)
    findings: Mapped[str] = mapped_column(default_factory=lambda: Findings().to_json())
    card: Mapped[bytes | None] = mapped_column(default=None)
    # fold, or run -> its scorecard
    folds: Mapped[Mapping[str, bytes]] = mapped_column(nullable=True, default_factory=dict)
    summary: Mapped[str | None] = mapped_column(default=None)  # JSON: means by split
    reference: Mapped[str | None] = mapped_column(default=None)  # of a failure
    cause: Mapped[str | None] = mapped_column(default=None)  # of a failure; for organizers only
    made: Mapped[datetime | None] = mapped_column(default=None)
    asked: Mapped[datetime | None] = mapped_column(default=None)  # since when it waits
    worker: Mapped[str | None] = mapped_column(default=None)
    lease: Mapped[datetime | None] = mapped_column(default=None)  # until when the worker holds it
    tries: Mapped[int] = mapped_column(default=0)


class Decision(Base):
    """An act on an entry or a team; never deleted, undone by another."""

    __tablename__ = "decision"

    number: Mapped[int] = mapped_column(primary_key=True, autoincrement=False)
    time: Mapped[datetime]
    act: Mapped[Act] = mapped_column(Text)
    team: Mapped[int | None]
    entry: Mapped[int | None]
    reason: Mapped[str]
    by: Mapped[str | None] = mapped_column(default=None)
    name: Mapped[str | None] = mapped_column(default=None)  # the new one, of a rename
    # made for a team after the time for it, by an organizer
    late: Mapped[bool] = mapped_column(default=False)


class Receipt(Base):
    """The receipt of an act on a store: a link of a chain that anybody can verify."""

    __tablename__ = "receipt"
    __table_args__ = (UniqueConstraint("kind", "about"),)

    kind: Mapped[Kind] = mapped_column(Text)
    about: Mapped[str]  # which of that kind: a number, or the digests of an evaluation
    previous: Mapped[str | None]  # the digest of the receipt before
    digest: Mapped[str]
    body: Mapped[str]  # JSON, of which `digest` is the SHA-256
    salt: Mapped[str | None] = mapped_column(default=None)  # of the commitment to the row
    number: Mapped[int] = mapped_column(primary_key=True, autoincrement=False, default=0)
    entry: Mapped[int | None] = mapped_column(ForeignKey("entry.number"), default=None)


Index("entry_of_team", Entry.team, Entry.number)
Index("entry_received", Entry.received)
Index("entry_latest", Entry.team, Entry.received, Entry.number)
Index("entry_file", Entry.sha256, Entry.size)
Index("evaluation_waiting", Evaluation.status, Evaluation.lease)
Index("evaluation_made", Evaluation.made)
Index("evaluation_status", Evaluation.values, Evaluation.status, Evaluation.sha256)
