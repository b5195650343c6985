"""How a board's database is opened: its engine, its migrations, and the challenge that owns it.

A board has a SQLite file of its own, or a schema of its own in a PostgreSQL database.
"""

from __future__ import annotations

import hashlib
import json
import os
from contextlib import suppress
from functools import partial
from typing import Any

from alembic import command
from alembic.config import Config
from sqlalchemy import Connection, Engine, create_engine, event, make_url, select, text
from sqlalchemy.exc import DBAPIError, OperationalError, ProgrammingError
from sqlalchemy.orm import Session

from scorer.board.models import Owner
from scorer.core.errors import UsageError
from scorer.core.text import quoted

REVISION = "0010"  # the newest migration
FIRST_REVISION = "0010"  # older ones are of commits before the first release
MIGRATIONS = "scorer.board:migrations"  # where Alembic finds them
WRITE_TIMEOUT = 60  # seconds that a writer waits for another one
LONGEST_NAME = 63  # bytes of a name in PostgreSQL

# Held until the end of a transaction; no other transaction of the same board has it meanwhile.
LOCK = text("SELECT pg_advisory_xact_lock(hashtext(current_schema()))")


def open_engine(url: str, board: str) -> Engine:
    """Open the database at a URL; its tables are made, or migrated, where that is needed.

    Args:
        url: SQLite's or PostgreSQL's.
        board: The id of the challenge.

    Raises:
        UsageError: It cannot be reached, another version of scorer made it, or it is another
            challenge's.
    """
    try:
        engine = _connect(url, schema_of(board))
        try:
            _prepare(engine, board)
        except BaseException:
            engine.dispose()
            raise
    except ImportError:
        raise UsageError(
            "a PostgreSQL store needs its driver: pip install challenge-scorer[postgres]"
        ) from None
    except DBAPIError as error:
        raise UsageError(f"the store cannot be opened: {error.orig}") from None
    return engine


def schema_of(board: str) -> str:
    """Return the name of a board's schema in a PostgreSQL database; a long id ends in its digest.

    >>> schema_of("course-2026"), len(schema_of("a long id " * 20))
    ('scorer_course-2026', 63)
    """
    name = f"scorer_{board}"
    if len(name.encode()) <= LONGEST_NAME:
        return name
    digest = hashlib.sha256(board.encode()).hexdigest()[:16]
    return f"{name.encode()[: LONGEST_NAME - 17].decode(errors='ignore')}_{digest}"


def shown_url(url: str) -> str:
    """Return a database's URL without its password."""
    return make_url(url).render_as_string(hide_password=True)


def _connect(url: str, schema: str) -> Engine:
    """Return the engine of a database; a SQLite file is locked by a writer as soon as it begins.

    On PostgreSQL all tables are in that schema.
    """
    write_json = partial(json.dumps, sort_keys=True)
    if not url.startswith("sqlite"):
        named = {"application_name": schema}  # by which `require_exclusive` finds other processes
        engine = create_engine(
            url, pool_pre_ping=True, connect_args=named, json_serializer=write_json
        )

        @event.listens_for(engine, "connect")
        def _search(connection: Any, record: Any) -> None:
            connection.autocommit = True  # else the end of a transaction could undo it
            cursor = connection.cursor()
            cursor.execute(f"SET search_path TO {_identifier(schema)}")
            cursor.close()
            connection.autocommit = False

        return engine
    settings = {"timeout": WRITE_TIMEOUT, "isolation_level": None}
    engine = create_engine(url, connect_args=settings, json_serializer=write_json)
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
    """Return a name in quotes, as SQL has it."""
    return '"' + name.replace('"', '""') + '"'


def _keep_private(path: str) -> None:
    """Make a database's file readable by its owner alone; SQLite's side files follow its mode."""
    with suppress(OSError):  # another's, or on no disk: opening it reports the fault
        try:
            os.close(os.open(path, os.O_CREAT | os.O_EXCL, 0o600))
        except FileExistsError:  # not opened: to close it would end SQLite's locks of this process
            os.chmod(path, 0o600)


def _copy_sqlite(engine: Engine, target: str) -> None:
    """Write a consistent copy of a SQLite database in use.

    SQLite itself reads it: to open and close the file here would end the locks of this process, and
    another one could take away what it writes to.
    """
    with suppress(FileNotFoundError):
        os.remove(target)  # of a migration that was cut off
    _keep_private(target)
    connection = engine.raw_connection()  # VACUUM begins no transaction of its own
    try:
        connection.cursor().execute("VACUUM INTO ?", (target,))
    finally:
        connection.close()


def _prepare(engine: Engine, board: str) -> None:
    """Make or migrate the tables of a store, and record in a new store the challenge that owns it.

    Raises:
        UsageError: Another version of scorer made the store, or it is another challenge's.
    """
    revision, owner = _read_state(engine)
    if revision != REVISION:
        _migrate(engine, board, revision)
    if owner is None:
        with Session(engine.execution_options(writes=True)) as session, session.begin():
            if engine.dialect.name != "sqlite":
                session.execute(LOCK)
            owner = session.scalar(select(Owner.id))
            if owner is None:
                session.add(Owner(board))
                return
    if owner != board:
        raise UsageError(
            f"this store is of challenge {quoted(owner)}, not of {quoted(board)}; each has a store "
            "of its own: without --store a file beside its challenge.yaml, else another SQLite "
            "file, or one PostgreSQL database for all. Without id: in challenge.yaml the folder's "
            "name is the id"
        )


def _read_state(engine: Engine) -> tuple[str | None, str | None]:
    """Return the revision of a store and whose it is; None where there are no tables yet."""
    revision = None
    with engine.connect() as connection, suppress(OperationalError, ProgrammingError):
        revision = connection.execute(text("SELECT version_num FROM alembic_version")).scalar()
        if revision == REVISION:
            return revision, connection.execute(select(Owner.id)).scalar()
    return revision, None


def _migrate(engine: Engine, board: str, revision: str | None) -> None:
    """Bring the tables to this scorer's revision; an older store is copied first.

    Args:
        engine: Of the store.
        board: The id of the challenge, of whose schema on PostgreSQL there may be none yet.
        revision: Of the store; None: it is empty.
    """
    if revision is not None and revision > REVISION:
        raise UsageError(
            f"this store is of revision {revision}, made by a newer scorer; "
            f"this one reads up to {REVISION}"
        )
    if revision is not None and revision < FIRST_REVISION:
        raise UsageError(
            f"this store is of revision {revision}, made before the first release of scorer; this "
            "one cannot read it. Name a new store (--store, or move .scorer/board.db away) and "
            "add the entries again, by score add --at; their files are in .scorer/files"
        )
    path = engine.url.database
    if revision is not None and engine.dialect.name == "sqlite" and path:
        _copy_sqlite(engine, f"{path}.{revision}.backup")
    config = Config()
    config.set_main_option("script_location", MIGRATIONS)
    with engine.connect().execution_options(writes=True) as connection, connection.begin():
        if engine.dialect.name == "postgresql":
            connection.execute(text("SELECT pg_advisory_xact_lock(hashtext('scorer migrations'))"))
            there = text("SELECT 1 FROM pg_namespace WHERE nspname = :name")
            schema = schema_of(board)
            if connection.execute(there, {"name": schema}).first() is None:
                made = _identifier(schema).replace(":", r"\:")  # which names no parameter
                connection.execute(text(f"CREATE SCHEMA {made}"))
        config.attributes["connection"] = connection
        command.upgrade(config, "head")
