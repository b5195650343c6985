"""Access to the tables of a store: reads, transactions, numbers, and the chain of receipts."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict
from datetime import UTC, datetime
from typing import Any

from sqlalchemy import Connection, Engine, Integer, Table, cast, func, select, text
from sqlalchemy.exc import DBAPIError, IntegrityError

from scorer.core.errors import UsageError
from scorer.store import chain, schema
from scorer.store.records import Entry, Kind, Receipt

LOCK = text("SELECT pg_advisory_xact_lock(hashtext(current_schema()))")


class Tables:
    """The tables of a store in its database."""

    def __init__(self, engine: Engine) -> None:
        self.engine = engine

    def rows(self, query: Any) -> list[Any]:
        """The rows of a query. Raises `UsageError` if the store cannot be read."""
        try:
            with self.engine.connect() as connection:
                return list(connection.execute(query))
        except DBAPIError as error:
            raise UsageError(f"the store cannot be read: {error.orig}") from error

    def counts(self, *tables: Table) -> tuple[int, ...]:
        """How many rows some tables have."""
        counts = [select(func.count()).select_from(table).scalar_subquery() for table in tables]
        with self.engine.connect() as connection:
            return tuple(connection.execute(select(*counts)).one())

    @contextmanager
    def write(self, lock: bool = True) -> Iterator[Connection]:
        """A transaction that writes; with `lock` the only one of this store at its time."""
        engine = self.engine.execution_options(writes=True)
        try:
            with engine.begin() as connection:
                if lock and engine.dialect.name == "postgresql":
                    connection.execute(LOCK)
                yield connection
        except IntegrityError:
            raise
        except DBAPIError as error:
            raise UsageError(f"the store cannot be written: {error.orig}") from error

    def link(self, connection: Connection, record: chain.Record, **more: Any) -> Receipt | None:
        """Append a receipt to the chain; None if the record has one, being made again."""
        table = schema.receipt
        kind, about = chain.named(record)
        known = select(table.c.number).where(table.c.kind == kind, table.c.about == about)
        if connection.execute(known).first() is not None:
            return None
        last = select(table.c.digest).order_by(table.c.number.desc()).limit(1)
        digest = connection.execute(last).scalar()
        receipt = chain.receipt(
            record, digest, chain.new_salt(), recorded=datetime.now(UTC), **more
        )
        row = {
            "number": self.next(connection, table.c.number),
            "entry": record.number if isinstance(record, Entry) else None,
            **asdict(receipt),
        }
        connection.execute(table.insert().values(**row))
        return receipt

    def next(self, connection: Connection, column: Any, kind: Kind | None = None) -> int:
        """The next number of a column; of a kind with receipts one that no receipt had."""
        receipts = schema.receipt
        numbers = [connection.execute(select(func.max(column))).scalar()]
        if kind is not None:
            had = select(func.max(cast(receipts.c.about, Integer)))
            numbers.append(connection.execute(had.where(receipts.c.kind == kind)).scalar())
        return max(int(number or 0) for number in numbers) + 1
