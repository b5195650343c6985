"""Copies of a store's rows from one database to another, and digests by which both are equal."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import datetime
from typing import Any

from sqlalchemy import Connection, Engine, select
from sqlalchemy.exc import DBAPIError

from scorer.core.errors import UsageError
from scorer.store.schema import challenge, metadata
from scorer.store.tables import Tables

# whose board it is, each database has said when it was opened
TABLES = tuple(table for table in metadata.sorted_tables if table is not challenge)
ROWS = 100  # read and written at a time; a row may hold a scorecard


def copied(source: Connection, target: Tables) -> dict[str, str]:
    """Copy all rows of a board, in one transaction of the target; what `digests` gives of them.

    Raises:
        UsageError: the target has a board already, or differs from the source in the end.
    """
    with target.write() as connection:
        if any(next(_rows(connection, table.name), None) for table in TABLES):
            raise UsageError("there is a board in that store already")
        for table in TABLES:
            batch = []
            for row in _rows(source, table.name):
                batch.append(row)
                if len(batch) == ROWS:
                    connection.execute(table.insert(), batch)
                    batch = []
            if batch:
                connection.execute(table.insert(), batch)
        wanted = digests(source)
        if digests(connection) != wanted:
            raise UsageError("the copy differs from the store; nothing was copied")
    return wanted


def digests(connection: Connection) -> dict[str, str]:
    """Table -> the number of its rows and the SHA-256 of all of them, in whatever order."""
    found = {}
    for table in sorted(table.name for table in TABLES):
        rows = sorted(_row_digest(row) for row in _rows(connection, table))
        found[table] = f"{len(rows)} {hashlib.sha256(''.join(rows).encode()).hexdigest()}"
    return found


def _row_digest(row: dict[str, Any]) -> str:
    text = json.dumps(row, sort_keys=True, default=_json_of)
    return hashlib.sha256(text.encode()).hexdigest()


def _json_of(value: Any) -> str:
    """A time or bytes as JSON has them."""
    if isinstance(value, datetime):
        return value.isoformat()
    return hashlib.sha256(value).hexdigest()


def _rows(connection: Connection, name: str) -> Iterator[dict[str, Any]]:
    query = select(metadata.tables[name])
    for row in connection.execute(query, execution_options={"yield_per": ROWS}):
        yield dict(row._mapping)


@contextmanager
def standing(engine: Engine) -> Iterator[Connection]:
    """A connection to which the database stays as it is, whatever others write."""
    try:
        with engine.connect() as connection:
            if engine.dialect.name == "postgresql":
                connection = connection.execution_options(isolation_level="REPEATABLE READ")
            with connection.begin():
                yield connection
    except DBAPIError as error:
        raise UsageError(f"the store cannot be read: {error.orig}") from error
