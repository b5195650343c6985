"""Connections to the database of a store, and its migrations."""

from __future__ import annotations

import hashlib
import os
from contextlib import suppress
from typing import Any

from sqlalchemy import Connection, Engine, create_engine, event, make_url, text
from sqlalchemy.exc import OperationalError, ProgrammingError

from scorer.core.errors import UsageError
from scorer.store import schema

WAIT = 60  # seconds that a writer waits for another
LONGEST = 63  # bytes of a name in PostgreSQL
MIGRATIONS = "scorer.store:migrations"  # where Alembic finds them


def schema_of(board: str) -> str:
    """The name of a board's schema in a PostgreSQL database; a long id ends in its digest.

    >>> schema_of("course-2026"), len(schema_of("a long id " * 20))
    ('scorer_course-2026', 63)
    """
    name = f"scorer_{board}"
    if len(name.encode()) <= LONGEST:
        return name
    digest = hashlib.sha256(board.encode()).hexdigest()[:16]
    return f"{name.encode()[: LONGEST - 17].decode(errors='ignore')}_{digest}"


def engine_at(url: str, schema: str) -> Engine:
    """The engine of a database; a SQLite file is locked by a writer as soon as it begins.

    On PostgreSQL all tables are those of that schema.
    """
    if not url.startswith("sqlite"):
        named = {"application_name": schema}  # by which `refuse_others` finds other processes
        engine = create_engine(url, pool_pre_ping=True, connect_args=named)

        @event.listens_for(engine, "connect")
        def _search(connection: Any, record: Any) -> None:
            connection.autocommit = True  # else the end of a transaction could undo it
            cursor = connection.cursor()
            cursor.execute(f"SET search_path TO {_identifier(schema)}")
            cursor.close()
            connection.autocommit = False

        return engine
    engine = create_engine(url, connect_args={"timeout": WAIT, "isolation_level": None})
    if (path := engine.url.database) and path != ":memory:":
        _keep_private(path)

    @event.listens_for(engine, "connect")
    def _settings(connection: Any, record: Any) -> None:
        cursor = connection.cursor()
        for setting in ("journal_mode=WAL", "synchronous=FULL", "foreign_keys=ON"):
            cursor.execute(f"PRAGMA {setting}")
        cursor.close()

    @event.listens_for(engine, "begin")
    def _begin(connection: Connection) -> None:
        # a writer locks at once: one that began by reading could not be let in later
        writes = connection.get_execution_options().get("writes", False)
        connection.exec_driver_sql("BEGIN IMMEDIATE" if writes else "BEGIN")

    return engine


def _identifier(name: str) -> str:
    """A name in quotes, as SQL has it."""
    return '"' + name.replace('"', '""') + '"'


def shown_url(url: str) -> str:
    """A database's URL without its password."""
    return make_url(url).render_as_string(hide_password=True)


def _keep_private(path: str) -> None:
    """Make a database's file readable by its owner alone; SQLite's side files follow its mode."""
    with suppress(OSError):  # another's, or on no disk: opening it reports the fault
        try:
            os.close(os.open(path, os.O_CREAT | os.O_EXCL, 0o600))
        except FileExistsError:  # not opened: to close it would end SQLite's locks of this process
            os.chmod(path, 0o600)


def copy_to(engine: Engine, target: str) -> None:
    """Write a consistent copy of a SQLite database in use.

    SQLite itself reads it: to open and close the file here would end the locks of this process, and
    another one could take away what it writes to.
    """
    _keep_private(target)
    connection = engine.raw_connection()  # VACUUM begins no transaction of its own
    try:
        connection.cursor().execute("VACUUM INTO ?", (target,))
    finally:
        connection.close()


def migrate(engine: Engine, name: str) -> None:
    """Bring the tables to this scorer's revision; an older store is copied first.

    `name` is that of the schema on PostgreSQL, which is made where there is none.
    """
    revision = None
    with engine.connect() as connection, suppress(OperationalError, ProgrammingError):
        # where the table is not there, the store is empty
        revision = connection.execute(text("SELECT version_num FROM alembic_version")).scalar()
    if revision == schema.REVISION:
        return
    if revision is not None and revision > schema.REVISION:
        raise UsageError(
            f"this store is of revision {revision}, made by a newer scorer; "
            f"this one reads up to {schema.REVISION}"
        )
    path = engine.url.database
    if revision is not None and engine.dialect.name == "sqlite" and path:
        copy = f"{path}.{revision}.backup"
        with suppress(FileNotFoundError):
            os.remove(copy)  # of a migration that was cut off
        copy_to(engine, copy)
    from alembic import command
    from alembic.config import Config

    config = Config()
    config.set_main_option("script_location", MIGRATIONS)
    with engine.connect().execution_options(writes=True) as connection, connection.begin():
        if engine.dialect.name == "postgresql":
            connection.execute(text("SELECT pg_advisory_xact_lock(hashtext('scorer migrations'))"))
            there = text("SELECT 1 FROM pg_namespace WHERE nspname = :name")
            if connection.execute(there, {"name": name}).first() is None:
                made = _identifier(name).replace(":", r"\:")  # which names no parameter
                connection.execute(text(f"CREATE SCHEMA {made}"))
        config.attributes["connection"] = connection
        command.upgrade(config, "head")
