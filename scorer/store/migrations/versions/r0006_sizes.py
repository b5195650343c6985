"""An index that has the sizes of files, by which the room that they take is added up."""

from __future__ import annotations

from alembic import op

revision = "0006"
down_revision = "0005"


def upgrade() -> None:
    """Put it in the place of the one without sizes."""
    op.drop_index("entry_file", "entry")
    op.create_index("entry_file", "entry", ["board", "sha256", "size"])
