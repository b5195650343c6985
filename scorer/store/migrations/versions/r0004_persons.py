"""Tokens of persons, and invitations: tokens that are good once, to get another."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0004"
down_revision = "0003"


def upgrade() -> None:
    """Add whose a token is, and until when an invitation is good."""
    op.add_column("token", sa.Column("person", sa.String(200)))
    op.add_column("token", sa.Column("until", sa.String(32)))
