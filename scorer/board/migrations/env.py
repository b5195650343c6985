"""Run migrations on the connection that the store hands over."""

from __future__ import annotations

from alembic import context

from scorer.board.models import Base

connection = context.config.attributes["connection"]
context.configure(connection=connection, target_metadata=Base.metadata)
with context.begin_transaction():
    context.run_migrations()
