"""Receipts of versions, teams, evaluations and decisions, too; acts that came late are marked.

Receipts that are out stay as they are; what had none is appended to the chain as it is now.
"""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime
from typing import Any

import sqlalchemy as sa
from alembic import op

from scorer.store import chain
from scorer.store.records import Receipt
from scorer.store.rows import decision_of, evaluation_of, team_of, version_of

revision = "0003"
down_revision = "0002"

TIMES = ("since", "made", "time")


def upgrade() -> None:
    """Make the chain of all acts."""
    op.add_column(
        "decision", sa.Column("late", sa.Boolean, nullable=False, server_default=sa.false())
    )
    before = list(_rows("receipt", "entry"))
    op.drop_table("receipt")
    table = op.create_table(
        "receipt",
        sa.Column("board", sa.String(200), primary_key=True),
        sa.Column("number", sa.Integer, primary_key=True, autoincrement=False),
        sa.Column("kind", sa.String(10), nullable=False),
        sa.Column("about", sa.String(140), nullable=False),
        sa.Column("entry", sa.Integer),
        sa.Column("previous", sa.String(64)),
        sa.Column("digest", sa.String(64), nullable=False),
        sa.Column("body", sa.Text, nullable=False),
        sa.Column("salt", sa.String(64)),
        sa.ForeignKeyConstraint(["board", "entry"], ["entry.board", "entry.number"]),
        sa.UniqueConstraint("board", "kind", "about"),
    )
    boards: dict[str, list[dict[str, Any]]] = {}
    for row in before:
        link = Receipt("entry", str(row.entry), row.previous, row.digest, row.body)
        _append(boards.setdefault(row.board, []), link, row.entry)
    for board, record in _records():
        links = boards.setdefault(board, [])
        previous = links[-1]["digest"] if links else None
        _append(links, chain.receipt(record, previous, chain.new_salt(), scorer=""), None)
    rows = [{"board": board, **link} for board, links in boards.items() for link in links]
    if rows:
        op.bulk_insert(table, rows)


def _append(links: list[dict[str, Any]], link: Receipt, entry: int | None) -> None:
    fields = {name: getattr(link, name) for name in link.__dataclass_fields__}
    links.append({"number": len(links) + 1, "entry": entry, **fields})


def _records() -> Iterator[tuple[str, chain.Record]]:
    """All rows that have no receipt yet, with their boards."""
    kinds: tuple[tuple[str, str, Any], ...] = (
        ("version", "number", version_of),
        ("team", "id", team_of),
        ("decision", "number", decision_of),
        ("evaluation", "sha256", evaluation_of),
    )
    for name, order, record_of in kinds:
        for row in _rows(name, order):
            if name != "evaluation" or row.status in chain.LINKED:
                yield row.board, record_of(_Row(row))


class _Row:
    """A row whose texts of times are times."""

    def __init__(self, row: Any) -> None:
        self._row = row

    def __getattr__(self, name: str) -> Any:
        value = getattr(self._row, name)
        return datetime.fromisoformat(value) if name in TIMES and value else value


def _rows(name: str, order: str) -> Iterator[Any]:
    query = sa.text(f"SELECT * FROM {name} ORDER BY board, {order}")
    yield from op.get_bind().execute(query)
