"""Copies of a store's rows from one database to another."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from sqlalchemy import Connection, Engine, func, select
from sqlalchemy.exc import DBAPIError

from scorer.core.errors import UsageError
from scorer.store.schema import challenge, metadata, receipt
from scorer.store.tables import Tables

# whose board it is, each database has said when it was opened
TABLES = tuple(table for table in metadata.sorted_tables if table is not challenge)
ROWS = 100  # read and written at a time; a row may hold a scorecard


def copy_rows(source: Connection, target: Tables) -> dict[str, int]:
    """Copy all rows of a board, in one transaction of the target.

    Returns:
        The number of rows of each table.

    Raises:
        UsageError: The target has a board already, or the copy has other numbers of rows, or
            another chain of receipts.
    """
    with target.write() as connection:
        if any(_count_rows(connection).values()):
            raise UsageError("there is a board in that store already")
        for table in TABLES:
            rows = source.execute(select(table), execution_options={"yield_per": ROWS})
            for batch in rows.mappings().partitions():
                connection.execute(table.insert(), [dict(row) for row in batch])
        counts = _count_rows(source)
        if _count_rows(connection) != counts or _chain(connection) != _chain(source):
            raise UsageError("the copy differs from the store; nothing was copied")
    return counts


def _count_rows(connection: Connection) -> dict[str, int]:
    """Return the number of rows of each table."""
    counts = {table: select(func.count()).select_from(table) for table in TABLES}
    return {table.name: connection.execute(query).scalar_one() for table, query in counts.items()}


def _chain(connection: Connection) -> list[str]:
    """Return the digests of all receipts in order, of which each commits to the ones before."""
    query = select(receipt.c.digest).order_by(receipt.c.number)
    return list(connection.execute(query).scalars())


@contextmanager
def keep_snapshot(engine: Engine) -> Iterator[Connection]:
    """Yield a connection to which the database stays as it is, whatever others write."""
    try:
        with engine.connect() as connection:
            if engine.dialect.name == "postgresql":
                connection = connection.execution_options(isolation_level="REPEATABLE READ")
            with connection.begin():
                yield connection
    except DBAPIError as error:
        raise UsageError(f"the store cannot be read: {error.orig}") from error
