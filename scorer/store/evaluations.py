"""The evaluations of a store: waiting, leased to workers, and finished."""

from __future__ import annotations

from collections.abc import Iterator, Sequence, Set
from datetime import datetime, timedelta
from typing import Any

from sqlalchemy import ColumnElement, Connection, Update, and_, case, func, or_, select

from scorer.core.problems import Findings
from scorer.store import chain, schema
from scorer.store.records import Evaluation, Queue, Status
from scorer.store.rows import evaluation_of, packed
from scorer.store.tables import Tables

MOST_NAMED = 1_000  # files that one query names; where there are more, all rows are read


class EvaluationQueue:
    """The evaluations of a store, by the digest of the challenge's state and of the file."""

    def __init__(self, tables: Tables) -> None:
        self._tables = tables

    def all(self) -> Iterator[Evaluation]:
        """All evaluations, complete, one after the other."""
        table = schema.evaluation
        query = select(table).order_by(table.c.sha256)
        with self._tables.engine.connect() as connection:
            for row in connection.execution_options(yield_per=20).execute(query):
                yield evaluation_of(row)

    def statuses(self, values: str) -> dict[str, Status]:
        """SHA-256 of a file -> the status of its evaluation under one state of the challenge."""
        table = schema.evaluation
        query = select(table.c.sha256, table.c.status).where(under(values))
        return {r.sha256: r.status for r in self._tables.rows(query)}

    def one(self, values: str, sha256: str) -> Evaluation | None:
        """One evaluation, complete."""
        table = schema.evaluation
        query = select(table).where(under(values, sha256))
        return next((evaluation_of(r) for r in self._tables.rows(query)), None)

    def results(self, values: str, files: Set[str] | None = None) -> list[Any]:
        """SHA-256, status and summary of the evaluations under one state, of all or some files."""
        table = schema.evaluation
        query = select(table.c.sha256, table.c.status, table.c.summary).where(under(values))
        if files is None:
            return self._tables.rows(query)
        if len(files) <= MOST_NAMED:
            return self._tables.rows(query.where(table.c.sha256.in_(files)))
        return [row for row in self._tables.rows(query) if row.sha256 in files]

    def several(self, values: str, files: Sequence[str]) -> list[Evaluation]:
        """The evaluations of these files, complete; at most some hundred."""
        table = schema.evaluation
        query = select(table).where(under(values), table.c.sha256.in_(files))
        return [evaluation_of(row) for row in self._tables.rows(query)]

    def summarize(self, values: str, sha256: str, summary: str) -> None:
        """Keep the summary of an evaluation, JSON with the means by split."""
        with self._tables.write(lock=False) as connection:
            connection.execute(self._change(values, sha256).values(summary=summary))

    def failure(self, reference: str) -> Evaluation | None:
        """The failed evaluation of that reference."""
        table = schema.evaluation
        query = select(table).where(table.c.reference == reference)
        return next((evaluation_of(r) for r in self._tables.rows(query)), None)

    def ask(self, values: str, files: Sequence[str], now: datetime) -> None:
        """Queue files that are not evaluated yet under a state of the challenge."""
        with self._tables.write() as connection:
            table = schema.evaluation
            query = select(table.c.sha256).where(under(values))
            queued = set(connection.execute(query).scalars())
            for sha256 in dict.fromkeys(files):
                if sha256 not in queued:
                    self.add(connection, values, sha256, now)

    def knows(self, connection: Connection, values: str, sha256: str) -> bool:
        """Whether a file is queued or evaluated, within a transaction."""
        table = schema.evaluation
        query = select(table.c.status).where(under(values, sha256))
        return connection.execute(query).first() is not None

    def add(self, connection: Connection, values: str, sha256: str, now: datetime) -> None:
        """Queue a file within a transaction."""
        connection.execute(
            schema.evaluation.insert().values(
                values_digest=values,
                sha256=sha256,
                status="pending",
                findings=Findings().to_json(),
                asked=now,
                tries=0,
            )
        )

    def claim(self, values: str, worker: str, now: datetime, seconds: float) -> str | None:
        """Lease an evaluation that waits, or whose lease has ended: its file's SHA-256, if any."""
        table = schema.evaluation
        with self._tables.write(lock=False) as connection:
            free = or_(table.c.lease.is_(None), table.c.lease < now)
            row = connection.execute(
                select(table.c.sha256, table.c.tries)
                .where(under(values), table.c.status == "pending", free)
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

    def queue(self, values: str, now: datetime) -> Queue:
        """What waits under a state of the challenge, and what workers hold."""
        table = schema.evaluation
        held = table.c.lease >= now
        waits = case((held, None), else_=table.c.asked)  # NULL, where a worker holds it
        query = select(func.count(waits), func.min(waits), func.count(case((held, 1)))).where(
            under(values), table.c.status == "pending"
        )
        with self._tables.engine.connect() as connection:
            return Queue(*connection.execute(query).one())

    def renew(self, values: str, sha256: str, worker: str, until: datetime) -> None:
        """Extend the lease of an evaluation that this worker has taken."""
        table = schema.evaluation
        with self._tables.write(lock=False) as connection:
            connection.execute(
                self._change(values, sha256).where(table.c.worker == worker).values(lease=until)
            )

    def tries(self, values: str, sha256: str) -> int:
        """How often an evaluation was begun."""
        table = schema.evaluation
        query = select(table.c.tries).where(under(values, sha256))
        return next((r.tries for r in self._tables.rows(query)), 0)

    def finish(self, evaluation: Evaluation) -> None:
        """Keep the result of an evaluation; one that is finished already stays as it is."""
        table = schema.evaluation
        with self._tables.write() as connection:
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
                self._tables.link(connection, evaluation)

    def retry(self, values: str, sha256: str) -> None:
        """Queue a failed evaluation again."""
        table = schema.evaluation
        with self._tables.write(lock=False) as connection:
            connection.execute(
                self._change(values, sha256)
                .where(table.c.status == "failed")
                .values(status="pending", reference=None, cause=None, lease=None, tries=0)
            )

    def _change(self, values: str, sha256: str) -> Update:
        """A change of the evaluation of a file under one state of the challenge."""
        table = schema.evaluation
        return table.update().where(under(values, sha256))


def under(values: str, sha256: str | None = None) -> ColumnElement[bool]:
    """Which evaluations are of one state of the challenge, or of one file under it."""
    table = schema.evaluation
    condition = table.c.values_digest == values
    return condition if sha256 is None else and_(condition, table.c.sha256 == sha256)
