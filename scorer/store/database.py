"""The database of a store: records in, records out, each act one transaction."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import asdict
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any, NamedTuple

from sqlalchemy import (
    ColumnElement,
    Connection,
    Engine,
    Integer,
    Update,
    and_,
    cast,
    func,
    or_,
    select,
    text,
)
from sqlalchemy.exc import DBAPIError, IntegrityError

from scorer.core.errors import UsageError
from scorer.core.problems import Findings
from scorer.core.text import quoted
from scorer.store import chain, schema
from scorer.store.connect import engine_at, migrate
from scorer.store.records import (
    Act,
    Decision,
    Entry,
    Evaluation,
    Kind,
    Receipt,
    Status,
    Team,
    Token,
    Version,
)
from scorer.store.rows import (
    decision_of,
    entry_of,
    evaluation_of,
    packed,
    receipt_of,
    team_of,
    version_of,
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


class Database:
    """One board's records in a database that several boards and processes may share."""

    def __init__(self, engine: Engine, board: str) -> None:
        self._engine, self.board = engine, board

    @classmethod
    def open(cls, url: str, board: str) -> Database:
        """Open the database at `url`, made or migrated where that is needed.

        Args:
            url: `sqlite:///path` or `postgresql+psycopg://...`.
            board: the challenge's id.

        Raises:
            UsageError: it cannot be reached, or a newer scorer made it.
        """
        try:
            engine = engine_at(url)
            try:
                migrate(engine)
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

    # what is there

    def versions(self) -> list[Version]:
        """All versions, in order."""
        table = schema.version
        return [version_of(r) for r in self._rows(select(table).order_by(table.c.number), table)]

    def teams(self) -> list[Team]:
        """All teams, in the order in which they were made."""
        table = schema.team
        return [team_of(r) for r in self._rows(select(table).order_by(table.c.id), table)]

    def entries(self) -> list[Entry]:
        """All entries, in order."""
        table = schema.entry
        return [entry_of(r) for r in self._rows(select(table).order_by(table.c.number), table)]

    def entry(self, number: int) -> Entry | None:
        """The entry of that number."""
        table = schema.entry
        query = select(table).where(table.c.number == number)
        return next((entry_of(row) for row in self._rows(query, table)), None)

    def decisions(self) -> list[Decision]:
        """All decisions, in order."""
        table = schema.decision
        return [decision_of(r) for r in self._rows(select(table).order_by(table.c.number), table)]

    def receipts(self) -> list[Receipt]:
        """The chain, in order."""
        table = schema.receipt
        return [receipt_of(r) for r in self._rows(select(table).order_by(table.c.number), table)]

    def receipt(self, entry: int) -> Receipt:
        """The receipt of an entry. Raises `UsageError` where somebody removed it."""
        table = schema.receipt
        rows = self._rows(select(table).where(table.c.entry == entry), table)
        if not rows:
            raise UsageError(f"the receipt of entry {entry} was removed from the store")
        return receipt_of(rows[0])

    def evaluations(self) -> Iterator[Evaluation]:
        """All evaluations, whole, one after the other."""
        table = schema.evaluation
        query = select(table).where(table.c.board == self.board).order_by(table.c.sha256)
        with self._engine.connect() as connection:
            for row in connection.execution_options(yield_per=20).execute(query):
                yield evaluation_of(row)

    def tokens(self) -> list[Token]:
        """All tokens, revoked ones too."""
        table = schema.token
        return [
            Token(r.id, r.team, r.hash, r.made, r.used, r.revoked)
            for r in self._rows(select(table).order_by(table.c.id), table)
        ]

    def stamp(self) -> tuple[int, ...]:
        """Numbers that change whenever entries, evaluations, decisions, teams or versions do."""
        columns = (
            schema.entry.c.number,
            schema.decision.c.number,
            schema.version.c.number,
            schema.team.c.id,
        )
        most = [
            select(func.max(column)).where(column.table.c.board == self.board).scalar_subquery()
            for column in columns
        ]
        evaluation = schema.evaluation.c
        finished = and_(evaluation.board == self.board, evaluation.status != "pending")
        count = select(func.count()).where(finished).scalar_subquery()
        # one that failed and was made again changes no count
        last = select(func.max(evaluation.made)).where(finished).scalar_subquery()
        with self._engine.connect() as connection:
            *numbers, moment = connection.execute(select(*most, count, last)).one()
        microseconds = 0 if moment is None else int(moment.timestamp() * 1e6)
        return (*(int(number or 0) for number in numbers), microseconds)

    def statuses(self, values: str) -> dict[str, Status]:
        """SHA-256 of a file -> the status of its evaluation under one state of the challenge."""
        table = schema.evaluation
        query = select(table.c.sha256, table.c.status).where(_under(values))
        return {r.sha256: r.status for r in self._rows(query, table)}

    def evaluation(self, values: str, sha256: str) -> Evaluation | None:
        """One evaluation, whole."""
        table = schema.evaluation
        query = select(table).where(_under(values, sha256))
        return next((evaluation_of(r) for r in self._rows(query, table)), None)

    def summaries(self, values: str) -> dict[str, str | None]:
        """SHA-256 of each scored file -> the summary of its evaluation."""
        table = schema.evaluation
        scored = table.c.status == "scored"
        query = select(table.c.sha256, table.c.summary).where(_under(values), scored)
        return {r.sha256: r.summary for r in self._rows(query, table)}

    def summarize(self, values: str, sha256: str, summary: str) -> None:
        """Keep the summary of an evaluation.

        Args:
            values: the digest of the challenge's state.
            sha256: of the file.
            summary: JSON: the means by split.
        """
        with self._write(lock=False) as connection:
            connection.execute(self._change(values, sha256).values(summary=summary))

    def failure(self, reference: str) -> Evaluation | None:
        """The failed evaluation of that reference."""
        table = schema.evaluation
        query = select(table).where(table.c.reference == reference)
        return next((evaluation_of(r) for r in self._rows(query, table)), None)

    # what is done

    def add_version(self, version: Version) -> bool:
        """Put a version in force; False where another process took its number first."""
        with self._write() as connection:
            if self._next(connection, schema.version.c.number) != version.number:
                return False
            connection.execute(
                schema.version.insert().values(
                    board=self.board,
                    number=version.number,
                    since=version.since,
                    values_digest=version.values,
                    fingerprint=version.fingerprint,
                    files=json.dumps(dict(version.files), sort_keys=True),
                    terms=version.terms,
                    splits=json.dumps(dict(version.splits), sort_keys=True),
                )
            )
            self._link(connection, version)
        return True

    def add_team(self, name: str, made: datetime) -> Team:
        """Make a team.

        Raises:
            UsageError: the name is taken.
        """
        try:
            with self._write() as connection:
                number = self._next(connection, schema.team.c.id, "team")
                connection.execute(
                    schema.team.insert().values(board=self.board, id=number, name=name, made=made)
                )
                team = Team(number, name, made)
                self._link(connection, team)
        except IntegrityError:
            raise UsageError(f"there is a team {quoted(name)} already") from None
        return team

    def add_token(self, team: int | None, hash: str, made: datetime) -> Token:
        """Record a token.

        Args:
            team: the team's number; None: an organizer's token.
            hash: SHA-256 of the token, in hexadecimal.
            made: when it was made.
        """
        with self._write() as connection:
            number = self._next(connection, schema.token.c.id)
            connection.execute(
                schema.token.insert().values(
                    board=self.board, id=number, team=team, hash=hash, made=made
                )
            )
        return Token(number, team, hash, made)

    def mark_token(self, id: int, **times: datetime) -> None:
        """Note when a token was last used, or revoked."""
        table = schema.token
        with self._write() as connection:
            connection.execute(
                table.update().where(table.c.board == self.board, table.c.id == id).values(**times)
            )

    def record(
        self,
        draft: Draft,
        values: str,
        admit: Callable[[Sequence[Entry], Mapping[str, Status]], Any],
        team: str,
        version: str,
    ) -> tuple[Entry | None, Receipt | None, Any]:
        """Give an entry its number, its receipt and a pending evaluation, or nothing at all.

        Args:
            draft: the entry; its file is kept already.
            values: the digest of the challenge's state that is in force.
            admit: what the rules say, given the team's entries and the statuses of their files;
                asked while no other process can record; anything but None refuses.
            team: what the team, or the baseline, is called.
            version: the fingerprint of the challenge in force.

        Returns:
            The entry and its receipt; or None, None and what `admit` said.
        """
        entries, waiting = schema.entry, schema.evaluation
        with self._write() as connection:
            of_team = and_(entries.c.board == self.board, entries.c.team == draft.team)
            earlier = [
                entry_of(row)
                for row in connection.execute(
                    select(entries).where(of_team).order_by(entries.c.number)
                )
            ]
            files = {draft.sha256, *(entry.sha256 for entry in earlier)}
            statuses: dict[str, Status] = {
                row.sha256: row.status
                for row in connection.execute(
                    select(waiting.c.sha256, waiting.c.status).where(
                        waiting.c.board == self.board, _under(values), waiting.c.sha256.in_(files)
                    )
                )
            }
            refused = admit(earlier, statuses)
            if refused is not None:
                return None, None, refused
            entry = Entry(
                self._next(connection, entries.c.number, "entry"),
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
                    board=self.board,
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
            receipt = self._link(connection, entry, team=team, version=version)
            if entry.sha256 not in statuses:
                self._ask(connection, values, entry.sha256, entry.received)
        return entry, receipt, None

    def ask(self, values: str, files: Sequence[str], now: datetime) -> None:
        """Queue the files that are not evaluated yet under a state of the challenge.

        Args:
            values: the digest of the state.
            files: their SHA-256.
            now: when this is asked, by which evaluations wait.
        """
        with self._write() as connection:
            table = schema.evaluation
            query = select(table.c.sha256).where(table.c.board == self.board, _under(values))
            queued = set(connection.execute(query).scalars())
            for sha256 in dict.fromkeys(files):
                if sha256 not in queued:
                    self._ask(connection, values, sha256, now)

    def claim(self, values: str, worker: str, now: datetime, seconds: float) -> str | None:
        """Take one evaluation that waits, or whose worker's lease has ended.

        Args:
            values: the digest of the challenge's state.
            worker: the name of who takes it.
            now: the time.
            seconds: for how long it is taken.

        Returns:
            The SHA-256 of its file; None where nothing waits.
        """
        table = schema.evaluation
        with self._write(lock=False) as connection:
            free = or_(table.c.lease.is_(None), table.c.lease < now)
            row = connection.execute(
                select(table.c.sha256, table.c.tries)
                .where(
                    table.c.board == self.board, _under(values), table.c.status == "pending", free
                )
                .order_by(table.c.asked, table.c.sha256)
                .limit(1)
                .with_for_update(skip_locked=True)
            ).first()
            if row is None:
                return None
            connection.execute(
                self._change(values, row.sha256).values(
                    worker=worker, lease=now + timedelta(seconds=seconds), tries=row.tries + 1
                )
            )
        return str(row.sha256)

    def renew(self, values: str, sha256: str, worker: str, until: datetime) -> None:
        """Extend the lease of an evaluation that this worker has taken.

        Args:
            values: the digest of the challenge's state.
            sha256: of the file.
            worker: the name of who has taken it.
            until: when the lease ends.
        """
        table = schema.evaluation
        with self._write(lock=False) as connection:
            connection.execute(
                self._change(values, sha256).where(table.c.worker == worker).values(lease=until)
            )

    def tries(self, values: str, sha256: str) -> int:
        """How often an evaluation was begun."""
        table = schema.evaluation
        query = select(table.c.tries).where(_under(values, sha256))
        return next((r.tries for r in self._rows(query, table)), 0)

    def finish(self, evaluation: Evaluation) -> None:
        """Keep the result of an evaluation; one that is finished already stays as it is."""
        table = schema.evaluation
        with self._write() as connection:
            changed = connection.execute(
                self._change(evaluation.values, evaluation.sha256)
                .where(table.c.status == "pending")
                .values(
                    status=evaluation.status,
                    findings=evaluation.findings,
                    card=evaluation.card,
                    folds=packed(evaluation.folds),
                    summary=evaluation.summary,
                    reference=evaluation.reference,
                    cause=evaluation.cause,
                    made=evaluation.made,
                    worker=None,
                    lease=None,
                )
            )
            if changed.rowcount and evaluation.status in chain.LINKED:
                self._link(connection, evaluation)

    def retry(self, values: str, sha256: str) -> None:
        """Queue a failed evaluation again."""
        table = schema.evaluation
        with self._write(lock=False) as connection:
            connection.execute(
                self._change(values, sha256)
                .where(table.c.status == "failed")
                .values(status="pending", reference=None, cause=None, lease=None, tries=0)
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
    ) -> Decision:
        """Append a decision.

        Args:
            act: what is decided.
            time: when it was made.
            reason: why.
            team: the number of the team it is about.
            entry: the number of the entry it is about.
            by: who decided.
            name: the new name, of a rename.
            late: whether it came after the time for it.
        """
        with self._write() as connection:
            number = self._next(connection, schema.decision.c.number, "decision")
            decision = Decision(number, time, act, team, entry, reason, by, name, late)
            connection.execute(
                schema.decision.insert().values(
                    board=self.board,
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
            self._link(connection, decision)
        return decision

    @property
    def copies(self) -> bool:
        """Whether it is a SQLite file, which can be copied."""
        return self._engine.dialect.name == "sqlite"

    def backup(self, target: Path) -> None:
        """Write a consistent copy of a SQLite database while others use it.

        Raises:
            UsageError: the store is no SQLite file.
        """
        if not self.copies:
            raise UsageError("a PostgreSQL store is backed up with pg_dump")
        connection = self._engine.raw_connection()  # VACUUM begins no transaction of its own
        try:
            connection.cursor().execute("VACUUM INTO ?", (str(target),))
        finally:
            connection.close()

    def _link(self, connection: Connection, record: chain.Record, **more: str) -> Receipt | None:
        """Append a receipt to the chain; None where the record has one, being made again."""
        table = schema.receipt
        kind, about = chain.named(record)
        known = select(table.c.number).where(
            table.c.board == self.board, table.c.kind == kind, table.c.about == about
        )
        if connection.execute(known).first() is not None:
            return None
        last = select(table.c.digest).where(table.c.board == self.board)
        digest = connection.execute(last.order_by(table.c.number.desc()).limit(1)).scalar()
        receipt = chain.receipt(record, digest, chain.new_salt(), **more)
        row = {
            "board": self.board,
            "number": self._next(connection, table.c.number),
            "entry": record.number if isinstance(record, Entry) else None,
            **asdict(receipt),
        }
        connection.execute(table.insert().values(**row))
        return receipt

    def _ask(self, connection: Connection, values: str, sha256: str, now: datetime) -> None:
        connection.execute(
            schema.evaluation.insert().values(
                board=self.board,
                values_digest=values,
                sha256=sha256,
                status="pending",
                findings=Findings().to_json(),
                asked=now,
                tries=0,
            )
        )

    def _next(self, connection: Connection, column: Any, kind: Kind | None = None) -> int:
        """The next number of a column; of a kind with receipts one that no receipt had."""
        receipts, table = schema.receipt, column.table
        most = select(func.max(column)).where(table.c.board == self.board)
        numbers = [connection.execute(most).scalar()]
        if kind is not None:
            had = select(func.max(cast(receipts.c.about, Integer)))
            of_kind = had.where(receipts.c.board == self.board, receipts.c.kind == kind)
            numbers.append(connection.execute(of_kind).scalar())
        return max(int(number or 0) for number in numbers) + 1

    def _change(self, values: str, sha256: str) -> Update:
        """A change of the evaluation of a file under one state of the challenge."""
        table = schema.evaluation
        return table.update().where(table.c.board == self.board, _under(values, sha256))

    def _rows(self, query: Any, table: Any) -> list[Any]:
        try:
            with self._engine.connect() as connection:
                return list(connection.execute(query.where(table.c.board == self.board)))
        except DBAPIError as error:
            raise UsageError(f"the store cannot be read: {error.orig}") from error

    @contextmanager
    def _write(self, lock: bool = True) -> Iterator[Connection]:
        """A transaction that writes; with `lock` the only one of this board at its time."""
        engine = self._engine.execution_options(writes=True)
        try:
            with engine.begin() as connection:
                if lock and engine.dialect.name == "postgresql":
                    key = {"board": self.board}
                    connection.execute(text("SELECT pg_advisory_xact_lock(hashtext(:board))"), key)
                yield connection
        except IntegrityError:
            raise
        except DBAPIError as error:
            raise UsageError(f"the store cannot be written: {error.orig}") from error


def _under(values: str, sha256: str | None = None) -> ColumnElement[bool]:
    """Which evaluations are of one state of the challenge, or of one file under it."""
    table = schema.evaluation
    condition = table.c.values_digest == values
    return condition if sha256 is None else and_(condition, table.c.sha256 == sha256)
