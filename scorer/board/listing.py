"""Lists of entries, a page at a time: each is one query, however many entries there are."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from datetime import datetime
from typing import Any, Literal, NamedTuple, TypeAlias

from sqlalchemy import ColumnElement, Row, Select, String, and_, cast, func, select
from sqlalchemy.orm import Session

from scorer.board.models import Entry, Evaluation, Receipt, Status

Query: TypeAlias = "Select[*tuple[Any, ...]]"
PENDING: Status = "pending"  # also of an entry of which no evaluation was asked yet


class EntryRow(NamedTuple):
    """An entry, its evaluation without scorecards, and the digest of its receipt."""

    entry: Entry
    evaluation: Evaluation
    receipt: str | None  # None: it was removed


class Failure(NamedTuple):
    """A failed evaluation, and the first entry that it concerns."""

    reference: str
    entry: int


class EntryFilter(NamedTuple):
    """Which entries are wanted; None: any."""

    team: int | None = None
    status: Status | None = None
    number: int | None = None


class Page(NamedTuple):
    """Which part of a list is wanted, and in which order."""

    most: int | None = None  # None: all
    skip: int = 0
    order: Literal["number", "latest"] = "number"


class EntryList:
    """The entries of a board, and what became of them under one state of the challenge."""

    def __init__(self, read: Callable[[], AbstractContextManager[Session]], values: str) -> None:
        self._read, self._values = read, values
        self._of_file = and_(Evaluation.values == values, Evaluation.sha256 == Entry.sha256)
        self._status = func.coalesce(Evaluation.status, PENDING)

    def _rows(self, query: Query) -> Sequence[Row[*tuple[Any, ...]]]:
        with self._read() as session:
            return session.execute(query).all()

    def _joined(self, query: Query) -> Query:
        """Return a query on entries with their evaluations beside them."""
        return query.select_from(Entry).outerjoin(Evaluation, self._of_file)

    def found(self, wanted: EntryFilter, page: Page) -> list[EntryRow]:
        """A page of the entries that are wanted."""
        # the numbers first; what else is read, is read of them alone
        numbers = select(Entry.number).order_by(*_order(page)).limit(page.most).offset(page.skip)
        chosen = self._filtered(numbers, wanted).subquery()
        own = and_(Receipt.kind == "entry", Receipt.about == cast(Entry.number, String))
        made = Evaluation.findings, Evaluation.summary, Evaluation.reference
        query = self._joined(select(Entry, self._status, *made, Receipt.digest))
        query = query.outerjoin(Receipt, own).join(chosen, chosen.c.number == Entry.number)
        return [
            EntryRow(
                entry,
                Evaluation(
                    self._values,
                    entry.sha256,
                    status,
                    findings or "",
                    summary=summary,
                    reference=reference,
                ),
                digest,
            )
            for entry, status, findings, summary, reference, digest in self._rows(
                query.order_by(*_order(page))
            )
        ]

    def count(self, wanted: EntryFilter) -> int:
        """The number of entries that are wanted."""
        ((number,),) = self._rows(self._filtered(select(func.count(Entry.number)), wanted))
        return int(number)

    def failures(self) -> list[Failure]:
        """The failed evaluations, in the order of their first entries."""
        first = func.min(Entry.number)
        query = self._joined(select(Evaluation.reference, first))
        query = query.where(Evaluation.status == "failed").group_by(Evaluation.reference)
        return [
            Failure(reference or "", number)
            for reference, number in self._rows(query.order_by(first))
        ]

    def by_status(self, since: datetime | None = None) -> dict[Status, int]:
        """Status -> the number of entries, or of those that came since a time."""
        query = self._joined(select(self._status, func.count())).group_by(self._status)
        if since is not None:
            query = query.where(Entry.received >= since)
        return dict(self._rows(query))

    def by_team(self) -> dict[int | None, int]:
        """Team -> the number of its entries; of None, the baselines."""
        query = select(Entry.team, func.count()).group_by(Entry.team)
        return dict(self._rows(query))

    def _filtered(self, query: Query, wanted: EntryFilter) -> Query:
        """Return a query of the entries that are wanted alone."""
        if wanted.status is not None:
            query = self._joined(query)
        # what waits may have no row; others are found by an index
        status = self._status if wanted.status == PENDING else Evaluation.status
        conditions: dict[Any, object] = {
            Entry.team: wanted.team,
            status: wanted.status,
            Entry.number: wanted.number,
        }
        return query.where(
            *(column == value for column, value in conditions.items() if value is not None)
        )


def _order(page: Page) -> list[ColumnElement[Any]]:
    """Return the columns by which a page is ordered."""
    if page.order == "latest":
        return [Entry.received.desc(), Entry.number.desc()]
    return [Entry.number.asc()]
