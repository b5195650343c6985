"""The tables of the first release."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0001"
down_revision = None


def _moment(name: str, *, nullable: bool = True) -> sa.Column[str]:
    return sa.Column(name, sa.String(32), nullable=nullable)


def upgrade() -> None:
    """Create them, with their indexes."""
    op.create_table("challenge", sa.Column("id", sa.Text, primary_key=True))
    op.create_table(
        "version",
        sa.Column("number", sa.Integer, primary_key=True, autoincrement=False),
        _moment("since", nullable=False),
        sa.Column("values_digest", sa.String(64), nullable=False),
        sa.Column("fingerprint", sa.String(64), nullable=False),
        sa.Column("files", sa.Text, nullable=False),
        sa.Column("terms", sa.Text, nullable=False),
        sa.Column("splits", sa.Text, nullable=False),
    )
    op.create_table(
        "team",
        sa.Column("id", sa.Integer, primary_key=True, autoincrement=False),
        sa.Column("name", sa.String(200), nullable=False, unique=True),
        _moment("made", nullable=False),
    )
    op.create_table(
        "token",
        sa.Column("id", sa.Integer, primary_key=True, autoincrement=False),
        sa.Column("team", sa.Integer, sa.ForeignKey("team.id")),
        sa.Column("hash", sa.String(64), nullable=False, unique=True),
        _moment("made", nullable=False),
        _moment("used"),
        _moment("revoked"),
        sa.Column("label", sa.String(200)),
    )
    op.create_table(
        "entry",
        sa.Column("number", sa.Integer, primary_key=True, autoincrement=False),
        sa.Column("team", sa.Integer, sa.ForeignKey("team.id")),
        _moment("received", nullable=False),
        sa.Column("sha256", sa.String(64), nullable=False),
        sa.Column("file", sa.Text, nullable=False),
        sa.Column("size", sa.Integer, nullable=False),
        sa.Column("phase", sa.String(200)),
        sa.Column("name", sa.String(200), nullable=False),
        sa.Column("answers", sa.Text, nullable=False),
    )
    op.create_index("entry_of_team", "entry", ["team", "number"])
    op.create_index("entry_received", "entry", ["received"])
    op.create_index("entry_latest", "entry", ["team", "received", "number"])
    op.create_index("entry_file", "entry", ["sha256", "size"])
    op.create_table(
        "evaluation",
        sa.Column("values_digest", sa.String(64), primary_key=True),
        sa.Column("sha256", sa.String(64), primary_key=True),
        sa.Column("status", sa.String(10), nullable=False),
        sa.Column("findings", sa.Text, nullable=False),
        sa.Column("card", sa.LargeBinary),
        sa.Column("folds", sa.LargeBinary),
        sa.Column("summary", sa.Text),
        sa.Column("reference", sa.String(32)),
        sa.Column("cause", sa.Text),
        _moment("made"),
        _moment("asked", nullable=False),
        sa.Column("worker", sa.String(100)),
        _moment("lease"),
        sa.Column("tries", sa.Integer, nullable=False),
    )
    op.create_index("evaluation_waiting", "evaluation", ["status", "lease"])
    op.create_index("evaluation_made", "evaluation", ["made"])
    columns = ["values_digest", "status", "sha256"]
    op.create_index("evaluation_status", "evaluation", columns)
    op.create_table(
        "decision",
        sa.Column("number", sa.Integer, primary_key=True, autoincrement=False),
        _moment("time", nullable=False),
        sa.Column("act", sa.String(12), nullable=False),
        sa.Column("team", sa.Integer),
        sa.Column("entry", sa.Integer),
        sa.Column("reason", sa.Text, nullable=False),
        sa.Column("by", sa.Text),
        sa.Column("name", sa.String(200)),
        sa.Column("late", sa.Boolean, nullable=False),
    )
    op.create_table(
        "receipt",
        sa.Column("number", sa.Integer, primary_key=True, autoincrement=False),
        sa.Column("kind", sa.String(10), nullable=False),
        sa.Column("about", sa.String(140), nullable=False),
        sa.Column("entry", sa.Integer, sa.ForeignKey("entry.number")),
        sa.Column("previous", sa.String(64)),
        sa.Column("digest", sa.String(64), nullable=False),
        sa.Column("body", sa.Text, nullable=False),
        sa.Column("salt", sa.String(64)),
        sa.UniqueConstraint("kind", "about"),
    )
