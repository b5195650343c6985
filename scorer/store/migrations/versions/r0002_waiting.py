"""An index for workers that look for evaluations that wait."""

from __future__ import annotations

from alembic import op

revision = "0002"
down_revision = "0001"


def upgrade() -> None:
    """Create it."""
    op.create_index("evaluation_waiting", "evaluation", ["status", "lease"])
