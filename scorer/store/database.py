"""The database of a store: records in, records out, each act one transaction."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Callable, Mapping, Sequence
from contextlib import closing
from datetime import datetime
from pathlib import Path
from typing import Any, NamedTuple

from sqlalchemy import Connection, Engine, and_, func, select, text
from sqlalchemy.exc import DBAPIError, IntegrityError

from scorer.core.errors import UsageError
from scorer.core.text import quoted
from scorer.store import schema
from scorer.store.connect import engine_at, migrate, schema_of
from scorer.store.copying import copy_rows, keep_snapshot
from scorer.store.evaluations import EvaluationQueue, under
from scorer.store.listing import EntryList
from scorer.store.records import Act, Decision, Entry, Kind, Receipt, Status, Team, Token, Version
from scorer.store.rows import decision_of, entry_of, receipt_of, team_of, version_of
from scorer.store.tables import Tables

OTHERS = text(  # connections of other processes to this store
    "SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() "
    "AND application_name = current_setting('application_name') AND pid <> pg_backend_pid()"
)


class Draft(NamedTuple):
    """An entry before it has a number."""

    team: int | None
    received: datetime
    sha256: str
    file: str
    size: int
    phase: str | None
    name: str
    answers: Mapping[str, str]


class TeamEntries(NamedTuple):
    """The entries of a team, and what became of them."""

    entries: Sequence[Entry]
    statuses: Mapping[str, Status]  # SHA-256 of an evaluated or waiting file -> its status


class Database:
    """One board's records in a database that several processes may share.

    A board has a SQLite file of its own, or a schema of its own in a PostgreSQL database.
    """

    def __init__(self, engine: Engine, board: str) -> None:
        self._engine, self.board = engine, board
        self._tables = Tables(engine)
        self.evaluations = EvaluationQueue(self._tables)

    @classmethod
    def open(cls, url: str, board: str) -> Database:
        """Open the database at `url`, SQLite or PostgreSQL, made or migrated where that is needed.

        Args:
            url: of the database; of PostgreSQL, the board has a schema of its own there.
            board: the id of the challenge.

        `UsageError` if it cannot be reached, a newer scorer made it, or it is another challenge's.
        """
        try:
            engine = engine_at(url, schema_of(board))
            try:
                migrate(engine, schema_of(board))
                _claim(engine, board)
            except BaseException:
                engine.dispose()
                raise
        except ImportError:
            raise UsageError(
                "a PostgreSQL store needs its driver: pip install challenge-scorer[postgres]"
            ) from None
        except DBAPIError as error:
            raise UsageError(f"the store cannot be opened: {error.orig}") from None
        return cls(engine, board)

    def close(self) -> None:
        """Let all connections go."""
        self._engine.dispose()

    def __enter__(self) -> Database:
        """The database itself."""
        return self

    def __exit__(self, *error: object) -> None:
        """Let all connections go."""
        self.close()

    def versions(self) -> list[Version]:
        """All versions, in order."""
        return [version_of(row) for row in self._ordered(schema.version.c.number)]

    def teams(self) -> list[Team]:
        """All teams, in the order in which they were made."""
        return [team_of(row) for row in self._ordered(schema.team.c.id)]

    def entries(self, after: int = 0, **equal: object) -> list[Entry]:
        """The entries with a greater number whose columns have these values, in order."""
        number = schema.entry.c.number
        return [entry_of(row) for row in self._ordered(number, number > after, **equal)]

    def counts(self, *names: str) -> tuple[int, ...]:
        """How many rows some tables have, by their names."""
        return self._tables.counts(*(schema.metadata.tables[name] for name in names))

    def entry(self, number: int) -> Entry | None:
        """The entry of that number."""
        return next(iter(self.entries(number=number)), None)

    def decisions(self) -> list[Decision]:
        """All decisions, in order."""
        return [decision_of(row) for row in self._ordered(schema.decision.c.number)]

    def receipts(self) -> list[Receipt]:
        """The chain, in order."""
        return [receipt_of(row) for row in self._ordered(schema.receipt.c.number)]

    def receipt(self, kind: Kind, number: int) -> Receipt:
        """The receipt of an act. Raises `UsageError` if it was removed."""
        table = schema.receipt
        query = select(table).where(table.c.kind == kind, table.c.about == str(number))
        rows = self._tables.rows(query)
        if not rows:
            raise UsageError(f"the receipt of {kind} {number} was removed from the store")
        return receipt_of(rows[0])

    def tokens(self, **equal: object) -> list[Token]:
        """The tokens whose columns have these values, all without any; revoked ones too."""
        return [
            Token(r.id, r.team, r.hash, r.made, r.used, r.revoked, r.label)
            for r in self._ordered(schema.token.c.id, **equal)
        ]

    def _ordered(self, column: Any, *where: Any, **equal: object) -> list[Any]:
        """The rows of a column's table whose columns have these values, by that column."""
        table = column.table
        equals = (table.c[name] == value for name, value in equal.items())
        query = select(table).where(*where, *equals)
        return self._tables.rows(query.order_by(column))

    def stamp(self) -> tuple[int, ...]:
        """Numbers that change whenever entries, evaluations, decisions, teams or versions do."""
        columns = (
            schema.entry.c.number,
            schema.decision.c.number,
            schema.version.c.number,
            schema.team.c.id,
        )
        most = [select(func.max(column)).scalar_subquery() for column in columns]
        evaluation = schema.evaluation.c
        # by an index, which has the state before the status
        states = evaluation.values_digest.in_(select(schema.version.c.values_digest))
        count = select(func.count()).where(states, evaluation.status == "pending")
        # one that failed and was made again between two looks changes no count
        last = select(func.max(evaluation.made)).scalar_subquery()
        with self._engine.connect() as connection:
            *numbers, moment = connection.execute(
                select(*most, count.scalar_subquery(), last)
            ).one()
        microseconds = 0 if moment is None else int(moment.timestamp() * 1e6)
        return (*(int(number or 0) for number in numbers), microseconds)

    def given(self, entries: Sequence[int] | None = None) -> set[tuple[str, str]]:
        """Kind and name of the acts whose receipts say that their time was given, no clock's.

        Of the entries all, or these.
        """
        table = schema.receipt
        query = select(table.c.kind, table.c.about).where(table.c.body.contains('"given":true'))
        parts = [query]
        if entries is not None:  # one query each, which an index answers
            others = table.c.kind.in_(("version", "team", "decision"))
            these = table.c.kind == "entry", table.c.about.in_(map(str, entries))
            parts = [query.where(others), query.where(*these)]
        return {(row.kind, row.about) for part in parts for row in self._tables.rows(part)}

    def add_version(self, version: Version, given: bool = False) -> bool:
        """Put a version in force; False where another process took its number first."""
        with self._tables.write() as connection:
            if self._tables.next(connection, schema.version.c.number) != version.number:
                return False
            connection.execute(
                schema.version.insert().values(
                    number=version.number,
                    since=version.since,
                    values_digest=version.values,
                    fingerprint=version.fingerprint,
                    files=json.dumps(dict(version.files), sort_keys=True),
                    terms=version.terms,
                    splits=json.dumps(dict(version.splits), sort_keys=True),
                )
            )
            self._tables.link(connection, version, given=given)
        return True

    def add_team(self, name: str, made: datetime) -> Team:
        """Make a team; `UsageError` if the name is taken."""
        try:
            with self._tables.write() as connection:
                number = self._tables.next(connection, schema.team.c.id, "team")
                connection.execute(schema.team.insert().values(id=number, name=name, made=made))
                team = Team(number, name, made)
                self._tables.link(connection, team)
        except IntegrityError:
            raise UsageError(f"there is a team {quoted(name)} already") from None
        return team

    def add_token(self, team: int | None, hash: str, made: datetime, label: str | None) -> Token:
        """Record a token by its SHA-256 in hexadecimal; an organizer's where `team` is None."""
        table = schema.token
        with self._tables.write() as connection:
            number = self._tables.next(connection, table.c.id)
            fields = {"team": team, "hash": hash, "made": made, "label": label}
            connection.execute(table.insert().values(id=number, **fields))
        return Token(number, team, hash, made, label=label)

    def mark_token(self, id: int, **times: datetime) -> None:
        """Note when a token was last used, or revoked."""
        table = schema.token
        with self._tables.write() as connection:
            connection.execute(table.update().where(table.c.id == id).values(**times))

    def record(
        self,
        draft: Draft,
        values: str,
        admit: Callable[[Sequence[Entry], Mapping[str, Status]], Any],
        team: str,
        version: str,
        given: bool,
    ) -> tuple[Entry | None, Receipt | None, Any]:
        """Give an entry its number, its receipt and a pending evaluation, all in one transaction.

        Args:
            draft: the entry; its file is kept already.
            admit: the refusal by the rules, given the team's entries and their files' statuses;
                called while no other process can record; anything but None refuses.
            given: whether the organizer gave the time.

        Returns:
            The entry and its receipt; or None, None and the refusal.
        """
        entries = schema.entry
        with self._tables.write() as connection:
            refused = admit(*self._sent(connection, draft.team, values))
            if refused is not None:
                return None, None, refused
            entry = Entry(
                self._tables.next(connection, entries.c.number, "entry"),
                draft.team,
                draft.received,
                draft.sha256,
                draft.file,
                draft.size,
                draft.phase,
                draft.name,
                dict(draft.answers),
            )
            connection.execute(
                entries.insert().values(
                    number=entry.number,
                    team=entry.team,
                    received=entry.received,
                    sha256=entry.sha256,
                    file=entry.file,
                    size=entry.size,
                    phase=entry.phase,
                    name=entry.name,
                    answers=json.dumps(dict(entry.answers), sort_keys=True),
                )
            )
            receipt = self._tables.link(connection, entry, team=team, version=version, given=given)
            if not self.evaluations.knows(connection, values, entry.sha256):
                self.evaluations.add(connection, values, entry.sha256, entry.received)
        return entry, receipt, None

    def listing(self, values: str) -> EntryList:
        """The entries and what became of them under one state of the challenge."""
        return EntryList(self._tables, values)

    def sent(self, team: int, values: str) -> TeamEntries:
        """The entries of a team in order, and the statuses of their files."""
        try:
            with self._engine.connect() as connection:
                return self._sent(connection, team, values)
        except DBAPIError as error:
            raise UsageError(f"the store cannot be read: {error.orig}") from error

    def _sent(self, connection: Connection, team: int | None, values: str) -> TeamEntries:
        table, made = schema.entry, schema.evaluation
        of_file = and_(under(values), made.c.sha256 == table.c.sha256)
        rows = connection.execute(
            select(table, made.c.status)
            .outerjoin(made, of_file)
            .where(table.c.team == team)
            .order_by(table.c.number)
        ).all()
        return TeamEntries(
            [*map(entry_of, rows)], {row.sha256: row.status for row in rows if row.status}
        )

    def decide(
        self,
        act: Act,
        time: datetime,
        reason: str,
        *,
        team: int | None = None,
        entry: int | None = None,
        by: str | None = None,
        name: str | None = None,
        late: bool = False,
        given: bool = False,
    ) -> Decision:
        """Append a decision on a team or an entry, by their numbers; `name` is the new one."""
        with self._tables.write() as connection:
            number = self._tables.next(connection, schema.decision.c.number, "decision")
            decision = Decision(number, time, act, team, entry, reason, by, name, late)
            connection.execute(
                schema.decision.insert().values(
                    number=number,
                    time=time,
                    act=act,
                    team=team,
                    entry=entry,
                    reason=reason,
                    by=by,
                    name=name,
                    late=late,
                )
            )
            self._tables.link(connection, decision, given=given)
        return decision

    def copy_to(self, target: Database, *, last: bool = False) -> dict[str, int]:
        """Copy the board's rows to another database; gives how many of each table there are.

        `last`: nobody writes here meanwhile. Raises `UsageError` if the target has the board.
        """
        with self._tables.write() if last else keep_snapshot(self._engine) as source:
            return copy_rows(source, target._tables)

    def named(self) -> set[str]:
        """The SHA-256 of all files that entries and versions name."""
        query = select(schema.entry.c.sha256).distinct()
        named = {row.sha256 for row in self._tables.rows(query)}
        return named.union(*(version.files.values() for version in self.versions()))

    def refuse_others(self) -> None:
        """Raise `UsageError` if another process has the store open."""
        refused = UsageError("another process has the store open; end it first")
        self._engine.dispose()
        if self.path is None:
            with self._engine.connect() as connection:
                if connection.execute(OTHERS).scalar():
                    raise refused
            return
        with closing(sqlite3.connect(self.path, timeout=0, isolation_level=None)) as database:
            try:  # only who is alone may leave the mode in which several read and write
                database.execute("PRAGMA journal_mode=DELETE").fetchall()
                database.execute("BEGIN EXCLUSIVE")
            except sqlite3.OperationalError:
                raise refused from None

    def size(self) -> int:
        """The bytes of the database itself; of PostgreSQL, with all boards that are in it."""
        query = "SELECT page_count * page_size FROM pragma_page_count(), pragma_page_size()"
        if not self.is_sqlite:
            query = "SELECT pg_database_size(current_database())"
        with self._engine.connect() as connection:
            return int(connection.execute(text(query)).scalar() or 0)

    def file_size(self) -> int:
        """The bytes of the files that entries name."""
        table = schema.entry
        sizes = select(func.max(table.c.size).label("size")).group_by(table.c.sha256)
        each = sizes.subquery()
        with self._engine.connect() as connection:
            return int(connection.execute(select(func.sum(each.c.size))).scalar() or 0)

    @property
    def path(self) -> Path | None:
        """The SQLite file; None for another store."""
        return Path(self._engine.url.database or "").resolve() if self.is_sqlite else None

    @property
    def is_sqlite(self) -> bool:
        """Whether it is a SQLite file."""
        return self._engine.dialect.name == "sqlite"


def _claim(engine: Engine, board: str) -> None:
    """Make a new store that of a challenge; `UsageError` if it is another's."""
    table = schema.challenge
    with engine.connect() as connection:
        owner = connection.execute(select(table.c.id)).scalar()
    if owner is None:
        with Tables(engine).write() as connection:
            owner = connection.execute(select(table.c.id)).scalar()
            if owner is None:
                connection.execute(table.insert().values(id=board))
                return
    if owner != board:
        raise UsageError(
            f"this store is of challenge {quoted(owner)}, not of {quoted(board)}; each has a store "
            "of its own, and without id: in challenge.yaml the folder's name is the id"
        )
