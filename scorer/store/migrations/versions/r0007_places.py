"""Places of entries among those of their team, by which the best are found without the others."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0007"
down_revision = "0006"


def upgrade() -> None:
    """Make the table; entries get their places when somebody looks for the first of them."""
    op.add_column("evaluation", sa.Column("placed", sa.Integer))
    op.create_table(
        "place",
        sa.Column("board", sa.String(200), primary_key=True),
        sa.Column("version", sa.Integer, primary_key=True, autoincrement=False),
        sa.Column("split", sa.String(200), primary_key=True),
        sa.Column("entry", sa.Integer, primary_key=True, autoincrement=False),
        sa.Column("team", sa.Integer, nullable=False),
        sa.Column("no_value", sa.Boolean, nullable=False),
        sa.Column("cost", sa.Float, nullable=False),
        sa.Column("received", sa.String(32), nullable=False),
    )
    order = ["no_value", "cost", "received", "entry"]
    op.create_index("place_order", "place", ["board", "version", "split", "team", *order])
    columns = ["board", "values_digest", "status", "placed"]
    op.create_index("evaluation_placed", "evaluation", columns)
