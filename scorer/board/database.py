"""The database of a board: its records are read here, and each act is one transaction."""

from __future__ import annotations

import sqlite3
import threading
from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager
from datetime import datetime
from pathlib import Path
from typing import TypeVar, cast

from sqlalchemy import (
    Engine,
    Select,
    func,
    select,
    text,
    update,
)
from sqlalchemy.exc import DBAPIError, IntegrityError
from sqlalchemy.orm import Session

from scorer.board.connection import LOCK, open_engine
from scorer.board.listing import EntryList
from scorer.board.models import (
    Base,
    Decision,
    Entry,
    Evaluation,
    Kind,
    Owner,
    Receipt,
    Team,
    Token,
    Version,
)
from scorer.board.queue import EvaluationQueue, enqueue
from scorer.board.receipts import append_receipt, next_number
from scorer.core.errors import UsageError
from scorer.core.text import quoted

T = TypeVar("T")

ROWS = 100  # copied at a time; a row may hold a scorecard
# whose board it is, each database has said when it was opened
COPIED = tuple(t for t in Base.metadata.sorted_tables if t is not Owner.__table__)

OTHERS = text(  # connections of other processes to this store
    "SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() "
    "AND application_name = current_setting('application_name') AND pid <> pg_backend_pid()"
)


class Database:
    """One board's records in a database that several processes may share."""

    def __init__(self, engine: Engine, board: str) -> None:
        self.engine, self.board = engine, board
        self._writing = engine.execution_options(writes=True)
        self._threads = threading.local()
        self._reading = engine
        if not self.is_sqlite:  # all reads of a transaction see one moment, as they do in SQLite
            self._reading = engine.execution_options(isolation_level="REPEATABLE READ")
        self.queue = EvaluationQueue(self.read, self.write)

    @classmethod
    def open(cls, url: str, board: str) -> Database:
        """Open the database of a challenge's board at a URL; see `open_engine`."""
        return cls(open_engine(url, board), board)

    def close(self) -> None:
        """Close all connections."""
        self.engine.dispose()

    def __enter__(self) -> Database:
        """The database itself."""
        return self

    def __exit__(self, *error: object) -> None:
        """Close all connections."""
        self.close()

    # transactions

    @contextmanager
    def read(self) -> Iterator[Session]:
        """Yield a session whose queries all see the store as it is at one moment.

        Within another `read` or `write` of this thread it is a part of that.

        Raises:
            UsageError: The store cannot be read.
        """
        if (outer := self._session) is not None:
            yield outer
            return
        with self._transaction(self._reading, "read") as session:
            yield session

    @contextmanager
    def write(self, lock: bool = True) -> Iterator[Session]:
        """Yield a session whose changes are all kept, on disk, or none of them.

        Within another `write` of this thread it is a part of that.

        Args:
            lock: Whether no other transaction of this store with a lock may run meanwhile.

        Raises:
            IntegrityError: A key is taken.
            UsageError: The store cannot be written.
        """
        if (outer := self._session) is not None and self.is_writing:
            yield outer
            return
        with self._transaction(self._writing, "written") as session:
            if lock and not self.is_sqlite:
                session.execute(LOCK)
            yield session

    @contextmanager
    def _transaction(self, engine: Engine, verb: str) -> Iterator[Session]:
        outer = self._session
        try:
            with Session(engine, expire_on_commit=False) as session, session.begin():
                self._threads.session = session
                try:
                    yield session
                finally:
                    self._threads.session = outer
        except IntegrityError:
            raise
        except DBAPIError as error:
            raise UsageError(f"the store cannot be {verb}: {error.orig}") from error

    @property
    def is_writing(self) -> bool:
        """Whether this thread is in a transaction that writes, and may still be undone."""
        return self._session is not None and self._session.get_bind() is self._writing

    @property
    def _session(self) -> Session | None:
        """The session of the transaction that this thread is in."""
        return getattr(self._threads, "session", None)

    def _all(self, query: Select[T]) -> list[T]:
        """Return the records of a query."""
        with self.read() as session:
            return list(session.scalars(query))

    # reads

    def versions(self) -> list[Version]:
        """All versions, in order."""
        return self._all(select(Version).order_by(Version.number))

    def teams(self) -> list[Team]:
        """All teams, in the order in which they were made."""
        return self._all(select(Team).order_by(Team.id))

    def entries(self, **equal: object) -> list[Entry]:
        """The entries whose fields have these values, in order."""
        return self._all(select(Entry).filter_by(**equal).order_by(Entry.number))

    def entry_rows(self, **equal: object) -> Sequence[Entry]:
        """The same as `entries`, as rows with the same fields, which are read five times as fast.

        For the state of a board, which has them all.
        """
        query = select(*Entry.__table__.columns).filter_by(**equal).order_by(Entry.number)
        with self.read() as session:
            return cast("Sequence[Entry]", session.execute(query).all())

    def entry(self, number: int) -> Entry | None:
        """The entry of that number."""
        return next(iter(self.entries(number=number)), None)

    def decisions(self) -> list[Decision]:
        """All decisions, in order."""
        return self._all(select(Decision).order_by(Decision.number))

    def receipts(self) -> list[Receipt]:
        """The chain, in order."""
        return self._all(select(Receipt).order_by(Receipt.number))

    def receipt(self, kind: Kind, number: int) -> Receipt:
        """The receipt of an act. Raises `UsageError` if it was removed."""
        found = self._all(select(Receipt).filter_by(kind=kind, about=str(number)))
        if not found:
            raise UsageError(f"the receipt of {kind} {number} was removed from the store")
        return found[0]

    def tokens(self, **equal: object) -> list[Token]:
        """The tokens whose fields have these values, all without any; revoked ones too."""
        return self._all(select(Token).filter_by(**equal).order_by(Token.id))

    def counts(self, *models: type[Base]) -> tuple[int, ...]:
        """How many records of some classes there are."""
        counts = [select(func.count()).select_from(model).scalar_subquery() for model in models]
        with self.read() as session:
            return tuple(session.execute(select(*counts)).one())

    def stamp(self) -> tuple[int, ...]:
        """Numbers that change whenever entries, evaluations, decisions, teams or versions do."""
        columns = (Entry.number, Decision.number, Version.number, Team.id)
        most = [select(func.max(column)).scalar_subquery() for column in columns]
        # by an index, which has the state before the status
        states = Evaluation.values.in_(select(Version.values))
        count = select(func.count()).where(states, Evaluation.status == "pending")
        # one that failed and was made again between two looks changes no count
        last = select(func.max(Evaluation.made)).scalar_subquery()
        with self.read() as session:
            *numbers, moment = session.execute(select(*most, count.scalar_subquery(), last)).one()
        microseconds = 0 if moment is None else int(moment.timestamp() * 1e6)
        return (*(int(number or 0) for number in numbers), microseconds)

    def given(self) -> set[tuple[str, str]]:
        """Kind and name of the acts whose receipts say that their time was given, no clock's."""
        query = select(Receipt.kind, Receipt.about).where(Receipt.body.contains('"given":true'))
        with self.read() as session:
            return {(kind, about) for kind, about in session.execute(query)}

    def listing(self, values: str) -> EntryList:
        """The entries and what became of them under one state of the challenge."""
        return EntryList(self.read, values)

    # acts

    def add_version(self, version: Version, given: bool = False) -> bool:
        """Put a version in force; False where another process took its number first."""
        with self.write() as session:
            if next_number(session, Version.number) != version.number:
                return False
            session.add(version)
            append_receipt(session, version, given=given)
        return True

    def add_team(self, name: str, made: datetime) -> Team:
        """Make a team. Raises `UsageError` if the name is taken."""
        try:
            with self.write() as session:
                team = Team(next_number(session, Team.id, "team"), name, made)
                session.add(team)
                append_receipt(session, team)
        except IntegrityError:
            raise UsageError(f"there is a team {quoted(name)} already") from None
        return team

    def add_token(self, team: int | None, hash: str, made: datetime, label: str | None) -> Token:
        """Record a token by its SHA-256 in hexadecimal; an organizer's where `team` is None."""
        with self.write() as session:
            token = Token(next_number(session, Token.id), team, hash, made, label=label)
            session.add(token)
        return token

    def mark_token(self, id: int, **times: datetime) -> None:
        """Note when a token was last used, or revoked."""
        with self.write() as session:
            session.execute(update(Token).filter_by(id=id).values(**times))

    def add_entry(self, entry: Entry, version: Version, *, team: str, given: bool) -> Receipt:
        """Record an entry with its receipt and a pending evaluation; its number is given here.

        Args:
            entry: The entry; its file is kept already.
            version: The version in force.
            team: The present name of its team, or of the baseline.
            given: Whether the organizer gave the time.
        """
        with self.write() as session:
            entry.number = next_number(session, Entry.number, "entry")
            session.add(entry)
            session.flush()
            receipt = append_receipt(
                session, entry, team=team, version=version.fingerprint, given=given
            )
            assert receipt is not None  # no entry had its number
            enqueue(session, version.values, [entry.sha256], entry.received)
        return receipt

    def add_decision(self, decision: Decision, given: bool = False) -> Decision:
        """Append a decision, whose number is given here.

        Args:
            decision: The decision.
            given: Whether the organizer gave its time.
        """
        with self.write() as session:
            decision.number = next_number(session, Decision.number, "decision")
            session.add(decision)
            append_receipt(session, decision, given=given)
        return decision

    # upkeep

    def copy_to(self, target: Database, *, last: bool = False) -> int:
        """Copy the board's rows to another database, in one transaction of it.

        Args:
            target: The other database.
            last: Whether nobody may write here meanwhile.

        Returns:
            The number of entries.

        Raises:
            UsageError: The target has a board already, or the copy has other numbers of rows, or
                another chain of receipts.
        """
        with self.write() if last else self.read() as source, target.write() as copy:
            if any(_count_rows(copy).values()):
                raise UsageError("there is a board in that store already")
            for table in COPIED:
                rows = source.execute(select(table), execution_options={"yield_per": ROWS})
                for batch in rows.mappings().partitions():
                    copy.execute(table.insert(), [dict(row) for row in batch])
            counts = _count_rows(source)
            if _count_rows(copy) != counts or _digests(copy) != _digests(source):
                raise UsageError("the copy differs from the store; nothing was copied")
        return counts["entry"]

    def referenced_files(self) -> set[str]:
        """The SHA-256 of all files that entries and versions name."""
        digests = set(self._all(select(Entry.sha256).distinct()))
        return digests.union(*(version.files.values() for version in self.versions()))

    def require_exclusive(self) -> None:
        """Raise `UsageError` if another process has the store open."""
        refused = UsageError("another process has the store open; end it first")
        self.engine.dispose()
        if self.path is None:
            with self.read() as session:
                if session.execute(OTHERS).scalar():
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
        with self.read() as session:
            return int(session.execute(text(query)).scalar() or 0)

    def file_size(self) -> int:
        """The bytes of the files that entries name."""
        sizes = select(func.max(Entry.size).label("size")).group_by(Entry.sha256).subquery()
        return int(self._all(select(func.sum(sizes.c.size)))[0] or 0)

    @property
    def path(self) -> Path | None:
        """The SQLite file; None for another store."""
        return Path(self.engine.url.database or "").resolve() if self.is_sqlite else None

    @property
    def is_sqlite(self) -> bool:
        """Whether it is a SQLite file."""
        return self.engine.dialect.name == "sqlite"


def _count_rows(session: Session) -> dict[str, int]:
    """Return the number of rows of each table."""
    counts = {table.name: select(func.count()).select_from(table) for table in COPIED}
    return {name: session.execute(query).scalar_one() for name, query in counts.items()}


def _digests(session: Session) -> list[str]:
    """Return the digests of all receipts in order; each one commits to all before it."""
    return list(session.scalars(select(Receipt.digest).order_by(Receipt.number)))
