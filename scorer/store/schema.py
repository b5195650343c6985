"""The tables of a store: one schema for SQLite and PostgreSQL."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

from sqlalchemy import (
    Boolean,
    Column,
    ForeignKey,
    Index,
    Integer,
    LargeBinary,
    MetaData,
    String,
    Table,
    Text,
    UniqueConstraint,
)
from sqlalchemy.engine import Dialect
from sqlalchemy.types import TypeDecorator

from scorer.core.errors import UsageError
from scorer.core.text import quoted

REVISION = "0001"  # the newest migration


class Moment(TypeDecorator[datetime]):
    """An aware time as text in UTC, so that both databases keep and order it alike."""

    impl = String(32)
    cache_ok = True

    def process_bind_param(self, value: datetime | None, dialect: Dialect) -> str | None:
        """To text with microseconds: 2011-04-18T08:00:00.000000+00:00."""
        if value is None:
            return None
        return value.astimezone(UTC).isoformat(timespec="microseconds")

    def process_result_value(self, value: Any, dialect: Dialect) -> datetime | None:
        """From that text."""
        if value is None:
            return None
        try:
            time = datetime.fromisoformat(value)
        except ValueError:
            raise UsageError(
                f"the store has no time in {quoted(value)}, where one belongs"
            ) from None
        # without an offset it was written by somebody else; `score verify` tells that
        return time if time.tzinfo else time.replace(tzinfo=UTC)


metadata = MetaData()

# of one row: whose board it is, since a store is of one challenge
challenge = Table("challenge", metadata, Column("id", Text, primary_key=True))

version = Table(
    "version",
    metadata,
    Column("number", Integer, primary_key=True, autoincrement=False),
    Column("since", Moment, nullable=False),
    Column("values_digest", String(64), nullable=False),
    Column("fingerprint", String(64), nullable=False),
    Column("files", Text, nullable=False),  # JSON: path -> SHA-256
    Column("terms", Text, nullable=False),  # JSON: what a board needs of the challenge
    Column("splits", Text, nullable=False),  # JSON: list -> split
)

team = Table(
    "team",
    metadata,
    Column("id", Integer, primary_key=True, autoincrement=False),
    Column("name", String(200), nullable=False, unique=True),
    Column("made", Moment, nullable=False),
)

token = Table(
    "token",
    metadata,
    Column("id", Integer, primary_key=True, autoincrement=False),
    Column("team", Integer, ForeignKey("team.id")),  # null: an organizer's
    Column("hash", String(64), nullable=False, unique=True),
    Column("made", Moment, nullable=False),
    Column("used", Moment),
    Column("revoked", Moment),
    Column("label", String(200)),
)

entry = Table(
    "entry",
    metadata,
    Column("number", Integer, primary_key=True, autoincrement=False),
    Column("team", Integer, ForeignKey("team.id")),  # null: a baseline
    Column("received", Moment, nullable=False),
    Column("sha256", String(64), nullable=False),
    Column("file", Text, nullable=False),
    Column("size", Integer, nullable=False),
    Column("phase", String(200)),
    Column("name", String(200), nullable=False),
    Column("answers", Text, nullable=False),  # JSON
)

evaluation = Table(
    "evaluation",
    metadata,
    Column("values_digest", String(64), primary_key=True),
    Column("sha256", String(64), primary_key=True),
    Column("status", String(10), nullable=False),
    Column("findings", Text, nullable=False),
    Column("card", LargeBinary),
    Column("folds", LargeBinary),
    Column("summary", Text),  # JSON: means by split under one fingerprint
    Column("reference", String(32)),
    Column("cause", Text),
    Column("made", Moment),
    Column("asked", Moment, nullable=False),
    Column("worker", String(100)),
    Column("lease", Moment),  # until when the worker holds it
    Column("tries", Integer, nullable=False),
)

decision = Table(
    "decision",
    metadata,
    Column("number", Integer, primary_key=True, autoincrement=False),
    Column("time", Moment, nullable=False),
    Column("act", String(12), nullable=False),
    Column("team", Integer),
    Column("entry", Integer),
    Column("reason", Text, nullable=False),
    Column("by", Text),
    Column("name", String(200)),
    Column("late", Boolean, nullable=False),
)

receipt = Table(
    "receipt",
    metadata,
    Column("number", Integer, primary_key=True, autoincrement=False),
    Column("kind", String(10), nullable=False),
    Column("about", String(140), nullable=False),
    Column("entry", Integer, ForeignKey("entry.number")),  # of an entry's
    Column("previous", String(64)),
    Column("digest", String(64), nullable=False),
    Column("body", Text, nullable=False),
    Column("salt", String(64)),
    UniqueConstraint("kind", "about"),
)

Index("entry_of_team", entry.c.team, entry.c.number)
Index("entry_received", entry.c.received)
Index("entry_latest", entry.c.team, entry.c.received, entry.c.number)
Index("entry_file", entry.c.sha256, entry.c.size)
Index("evaluation_waiting", evaluation.c.status, evaluation.c.lease)
Index("evaluation_made", evaluation.c.made)
Index(
    "evaluation_status",
    evaluation.c.values_digest,
    evaluation.c.status,
    evaluation.c.sha256,
)
