"""Lists of entries, a part at a time: each is one query, however many entries there are."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from sqlalchemy import ColumnElement, Select, String, and_, cast, func, select

from scorer.store import schema
from scorer.store.evaluations import under
from scorer.store.records import Evaluation, Extract, Found, Status, Wanted
from scorer.store.rows import entry_of
from scorer.store.tables import Tables

PENDING: Status = "pending"  # also of an entry of which no evaluation was asked yet


class EntryList:
    """The entries of a board, and what became of them under one state of the challenge."""

    def __init__(self, tables: Tables, values: str) -> None:
        self._tables, self._values = tables, values
        entry, made = schema.entry, schema.evaluation
        of_file = and_(under(values), made.c.sha256 == entry.c.sha256)
        self._both = entry.outerjoin(made, of_file)
        self._status = func.coalesce(made.c.status, PENDING)

    def found(self, wanted: Wanted, part: Extract) -> list[Found]:
        """A part of the entries that are wanted."""
        entry, made, receipt = schema.entry, schema.evaluation, schema.receipt
        numbers = self._numbers(wanted, part).subquery()
        own = and_(
            receipt.c.kind == "entry",
            receipt.c.about == cast(entry.c.number, String),
        )
        query = (
            select(entry, self._status.label("status"), made.c.findings, made.c.summary,
                   made.c.reference, receipt.c.digest)
            .select_from(self._both.outerjoin(receipt, own))
            .join(numbers, numbers.c.number == entry.c.number)
            .order_by(*self._order(part))
        )  # fmt: skip
        return [self._found(row) for row in self._tables.rows(query)]

    def _numbers(self, wanted: Wanted, part: Extract) -> Select[Any]:
        """The numbers of the entries; what else is read, is read of them alone."""
        entry = schema.entry
        rows = entry if wanted.status is None else self._both
        query = select(entry.c.number).select_from(rows).where(*self._conditions(wanted))
        return query.order_by(*self._order(part)).limit(part.most).offset(part.skip)

    def _order(self, part: Extract) -> list[Any]:
        received, number = schema.entry.c.received, schema.entry.c.number
        return [received.desc(), number.desc()] if part.order == "latest" else [number]

    def _found(self, row: Any) -> Found:
        made = Evaluation(
            self._values, row.sha256, row.status, row.findings or "",
            summary=row.summary, reference=row.reference,
        )  # fmt: skip
        return Found(entry_of(row), made, row.digest)

    def count(self, wanted: Wanted) -> int:
        """The number of entries that are wanted."""
        entry = schema.entry
        query = select(func.count().label("most")).select_from(
            entry if wanted.status is None else self._both
        )
        (row,) = self._tables.rows(query.where(*self._conditions(wanted)))
        return int(row.most)

    def failures(self) -> list[tuple[str, int]]:
        """The reference of each failed evaluation, and the first entry it concerns."""
        entry, made = schema.entry, schema.evaluation
        first = func.min(entry.c.number).label("first")
        query = select(made.c.reference, first).select_from(self._both)
        query = query.where(made.c.status == "failed").group_by(made.c.reference).order_by(first)
        return [(row.reference or "", row.first) for row in self._tables.rows(query)]

    def by_status(self, since: datetime | None = None) -> dict[Status, int]:
        """Status -> the number of entries, or of those that came since a time."""
        query = select(self._status.label("status"), func.count().label("most"))
        query = query.select_from(self._both).group_by(self._status)
        if since is not None:
            query = query.where(schema.entry.c.received >= since)
        return {row.status: row.most for row in self._tables.rows(query)}

    def by_team(self) -> dict[int | None, int]:
        """Team -> the number of its entries; of None, the baselines."""
        team = schema.entry.c.team
        query = select(team, func.count().label("most")).group_by(team)
        return {row.team: row.most for row in self._tables.rows(query)}

    def _conditions(self, wanted: Wanted) -> list[ColumnElement[bool]]:
        conditions = {
            schema.entry.c.team: wanted.team,
            # what waits may have no row; others are found by an index
            self._status if wanted.status == PENDING else schema.evaluation.c.status: wanted.status,
            schema.entry.c.number: wanted.number,
        }
        return [column == value for column, value in conditions.items() if value is not None]
