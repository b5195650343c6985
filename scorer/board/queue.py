"""The evaluations of a store: waiting, leased to workers, and finished."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence, Set
from contextlib import AbstractContextManager
from datetime import datetime, timedelta
from typing import Any, NamedTuple

from sqlalchemy import ColumnElement, Row, case, func, insert, or_, select, update
from sqlalchemy.orm import Session, load_only

from scorer.board.models import Evaluation, Status
from scorer.board.receipts import RECORDED_STATUSES, append_receipt
from scorer.core.problems import Findings

MOST_NAMED = 1_000  # files that one query names; where there are more, all rows are read


class Backlog(NamedTuple):
    """The evaluations that are not made yet."""

    waiting: int  # that no worker holds
    oldest: datetime | None  # since when the first of them waits
    leases: int  # that a worker holds


class EvaluationQueue:
    """The evaluations of a store, by the digest of the challenge's state and of the file."""

    def __init__(
        self,
        read: Callable[[], AbstractContextManager[Session]],
        write: Callable[[bool], AbstractContextManager[Session]],
    ) -> None:
        self._read, self._write = read, write

    def all(self) -> Iterator[Evaluation]:
        """All evaluations, complete, one after the other."""
        with self._read() as session:
            keys = session.execute(
                select(Evaluation.values, Evaluation.sha256).order_by(Evaluation.sha256)
            ).all()
        for values, sha256 in keys:
            if (evaluation := self.get(values, sha256)) is not None:
                yield evaluation

    def get(self, values: str, sha256: str) -> Evaluation | None:
        """One evaluation, complete."""
        with self._read() as session:
            return session.get(Evaluation, (values, sha256))

    def results(
        self, values: str, files: Set[str] | None = None
    ) -> Sequence[Row[str, Status, str | None]]:
        """SHA-256, status and summary of the evaluations under one state, of all or some files."""
        columns = Evaluation.sha256, Evaluation.status, Evaluation.summary
        query = select(*columns).where(_is_of(values))
        if files is not None and len(files) <= MOST_NAMED:
            query = query.where(Evaluation.sha256.in_(files))
        with self._read() as session:
            rows = session.execute(query).all()
        return [row for row in rows if files is None or row.sha256 in files]

    def statuses(self, values: str, files: Set[str] | None = None) -> dict[str, Status]:
        """SHA-256 -> status of the evaluations under one state, of all or some files."""
        return {row.sha256: row.status for row in self.results(values, files)}

    def get_several(self, values: str, files: Sequence[str]) -> list[Evaluation]:
        """The evaluations of these files, complete; at most some hundred."""
        query = select(Evaluation).where(_is_of(values), Evaluation.sha256.in_(files))
        with self._read() as session:
            return list(session.scalars(query))

    def summarize(self, values: str, sha256: str, summary: str) -> None:
        """Keep the summary of an evaluation, JSON with the means by split."""
        with self._write(False) as session:
            self._change(session, values, sha256, {"summary": summary})

    def failure(self, reference: str) -> Evaluation | None:
        """The failed evaluation of that reference."""
        with self._read() as session:
            return session.scalar(select(Evaluation).where(Evaluation.reference == reference))

    def enqueue(self, values: str, files: Sequence[str], now: datetime) -> None:
        """Queue files that are not evaluated yet under a state of the challenge."""
        with self._write(True) as session:
            enqueue(session, values, files, now)

    def claim(self, values: str, worker: str, now: datetime, seconds: float) -> str | None:
        """Lease an evaluation that waits, or whose lease has ended: its file's SHA-256, if any."""
        free = or_(Evaluation.lease.is_(None), Evaluation.lease < now)
        query = (
            select(Evaluation)
            .options(load_only(Evaluation.tries))
            .where(_is_of(values), Evaluation.status == "pending", free)
            .order_by(Evaluation.asked, Evaluation.sha256)
            .limit(1)
            .with_for_update(skip_locked=True)
        )
        with self._write(False) as session:
            waiting = session.scalar(query)
            if waiting is None:
                return None
            waiting.worker, waiting.tries = worker, waiting.tries + 1
            waiting.lease = now + timedelta(seconds=seconds)
        return waiting.sha256

    def backlog(self, values: str, now: datetime) -> Backlog:
        """What waits under a state of the challenge, and what workers hold."""
        held = Evaluation.lease >= now
        waits = case((held, None), else_=Evaluation.asked)  # NULL, where a worker holds it
        query = select(func.count(waits), func.min(waits), func.count(case((held, 1)))).where(
            _is_of(values), Evaluation.status == "pending"
        )
        with self._read() as session:
            return Backlog(*session.execute(query).one())

    def renew(self, values: str, sha256: str, worker: str, until: datetime) -> None:
        """Extend the lease of an evaluation that this worker has taken."""
        with self._write(False) as session:
            self._change(session, values, sha256, {"lease": until}, Evaluation.worker == worker)

    def status(self, values: str, sha256: str) -> Status:
        """The status of a file; it is pending until its evaluation is finished."""
        query = select(Evaluation.status).where(_is_of(values, sha256))
        with self._read() as session:
            return session.scalar(query) or "pending"

    def attempts(self, values: str, sha256: str) -> int:
        """How many workers have claimed the evaluation of a file."""
        query = select(Evaluation.tries).where(_is_of(values, sha256))
        with self._read() as session:
            return session.scalar(query) or 0

    def finish(self, evaluation: Evaluation) -> None:
        """Keep the result of an evaluation; one that is finished already stays as it is."""
        kept = ["status", "findings", "card", "folds", "summary", "reference", "cause", "made"]
        fields = {name: getattr(evaluation, name) for name in kept}
        fields |= {"worker": None, "lease": None}
        pending = Evaluation.status == "pending"
        with self._write(True) as session:
            changed = self._change(session, evaluation.values, evaluation.sha256, fields, pending)
            if changed and evaluation.status in RECORDED_STATUSES:
                append_receipt(session, evaluation)

    def retry(self, values: str, sha256: str) -> None:
        """Queue a failed evaluation again."""
        fields = {"status": "pending", "reference": None, "cause": None, "lease": None, "tries": 0}
        with self._write(False) as session:
            self._change(session, values, sha256, fields, Evaluation.status == "failed")

    def _change(
        self,
        session: Session,
        values: str,
        sha256: str,
        fields: dict[str, Any],
        *where: ColumnElement[bool],
    ) -> bool:
        """Change the evaluation of a file; return whether there was one to be changed."""
        query = update(Evaluation).where(_is_of(values, sha256), *where).values(fields)
        return bool(session.execute(query.returning(Evaluation.sha256)).all())


def enqueue(session: Session, values: str, files: Iterable[str], now: datetime) -> None:
    """Queue files that are not evaluated yet under a state of the challenge."""
    wanted = list(dict.fromkeys(files))
    query = select(Evaluation.sha256).where(_is_of(values))
    if len(wanted) <= MOST_NAMED:
        query = query.where(Evaluation.sha256.in_(wanted))
    queued = set(session.scalars(query))
    fields: dict[str, Any] = {"values": values, "status": "pending", "asked": now, "tries": 0}
    fields |= {"findings": Findings().to_json()}
    if rows := [fields | {"sha256": sha256} for sha256 in wanted if sha256 not in queued]:
        session.execute(insert(Evaluation), rows)


def _is_of(values: str, sha256: str | None = None) -> ColumnElement[bool]:
    """Return the condition for evaluations of one state of the challenge, or of one file in it."""
    condition = Evaluation.values == values
    return condition if sha256 is None else condition & (Evaluation.sha256 == sha256)
