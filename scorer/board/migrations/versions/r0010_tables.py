"""The tables of the first release."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0010"
down_revision = None


# One function for each type of column, with what all its columns have in common.


def _number(name: str) -> sa.Column[int]:
    return sa.Column(name, sa.Integer, primary_key=True, autoincrement=False)


def _text(
    name: str, *, nullable: bool = False, primary_key: bool = False, unique: bool = False
) -> sa.Column[str]:
    return sa.Column(
        name, sa.Text, nullable=nullable, primary_key=primary_key, unique=unique or None
    )


def _json(name: str) -> sa.Column[object]:
    return sa.Column(name, sa.JSON, nullable=False)


def _time(name: str, *, nullable: bool = False) -> sa.Column[str]:
    return sa.Column(name, sa.String(32), nullable=nullable)


def upgrade() -> None:
    """Create the tables and their indexes."""
    op.create_table("challenge", _text("id", primary_key=True))
    op.create_table(
        "version",
        _number("number"),
        _time("since"),
        _text("values_digest"),
        _text("fingerprint"),
        _json("files"),
        _text("facts"),
        _json("splits"),
    )
    op.create_table("team", _number("id"), _text("name", unique=True), _time("made"))
    op.create_table(
        "token",
        _number("id"),
        sa.Column("team", sa.Integer, sa.ForeignKey("team.id")),
        _text("hash", unique=True),
        _time("made"),
        _time("used", nullable=True),
        _time("revoked", nullable=True),
        _text("label", nullable=True),
    )
    op.create_table(
        "entry",
        _number("number"),
        sa.Column("team", sa.Integer, sa.ForeignKey("team.id")),
        _time("received"),
        _text("sha256"),
        _text("file"),
        sa.Column("size", sa.Integer, nullable=False),
        _text("phase", nullable=True),
        _text("name"),
        _json("answers"),
    )
    op.create_index("entry_of_team", "entry", ["team", "number"])
    op.create_index("entry_received", "entry", ["received"])
    op.create_index("entry_latest", "entry", ["team", "received", "number"])
    op.create_index("entry_file", "entry", ["sha256", "size"])
    op.create_table(
        "evaluation",
        _text("values_digest", primary_key=True),
        _text("sha256", primary_key=True),
        _text("status"),
        _text("findings"),
        sa.Column("card", sa.LargeBinary),
        sa.Column("folds", sa.LargeBinary),
        _text("summary", nullable=True),
        _text("reference", nullable=True),
        _text("cause", nullable=True),
        _time("made", nullable=True),
        _time("asked", nullable=True),
        _text("worker", nullable=True),
        _time("lease", nullable=True),
        sa.Column("tries", sa.Integer, nullable=False),
    )
    op.create_index("evaluation_waiting", "evaluation", ["status", "lease"])
    op.create_index("evaluation_made", "evaluation", ["made"])
    columns = ["values_digest", "status", "sha256"]
    op.create_index("evaluation_status", "evaluation", columns)
    op.create_table(
        "decision",
        _number("number"),
        _time("time"),
        _text("act"),
        sa.Column("team", sa.Integer),
        sa.Column("entry", sa.Integer),
        _text("reason"),
        _text("by", nullable=True),
        _text("name", nullable=True),
        sa.Column("late", sa.Boolean, nullable=False),
    )
    op.create_table(
        "receipt",
        _number("number"),
        _text("kind"),
        _text("about"),
        _text("previous", nullable=True),
        _text("digest"),
        _text("body"),
        _text("salt", nullable=True),
        sa.Column("entry", sa.Integer, sa.ForeignKey("entry.number")),
        sa.UniqueConstraint("kind", "about"),
    )
