"""Indexes by which a page of a list, and whether something is new, are found without the whole."""

from __future__ import annotations

from alembic import op

revision = "0005"
down_revision = "0004"


def upgrade() -> None:
    """Create them."""
    op.create_index("entry_received", "entry", ["board", "received"])
    op.create_index("evaluation_made", "evaluation", ["board", "made"])
    op.create_index("entry_file", "entry", ["board", "sha256"])
    columns = ["board", "values_digest", "status", "sha256"]
    op.create_index("evaluation_status", "evaluation", columns)
