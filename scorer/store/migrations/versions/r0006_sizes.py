"""Indexes with the sizes of files, to add up their room, and with a team's entries in order."""

from __future__ import annotations

from alembic import op

revision = "0006"
down_revision = "0005"


def upgrade() -> None:
    """Put them in the place of the ones without, and add one."""
    op.drop_index("entry_file", "entry")
    op.create_index("entry_file", "entry", ["board", "sha256", "size"])
    op.drop_index("entry_of_team", "entry")
    op.create_index("entry_of_team", "entry", ["board", "team", "number"])
    op.create_index("entry_latest", "entry", ["board", "team", "received", "number"])
