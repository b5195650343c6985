"""Which entries may lead: found by the database, however many there are, and none of them read.

Values are read from the JSON of summaries, each to its last digit but one: what is near to the best
is given too, and whoever asks decides by the values themselves.
"""

from __future__ import annotations

import json
from collections.abc import Collection, Sequence
from datetime import datetime
from operator import itemgetter
from typing import Any

from sqlalchemy import (
    JSON,
    String,
    and_,
    bindparam,
    case,
    cast,
    func,
    literal,
    null,
    or_,
    select,
    type_coerce,
)

from scorer.core.named_tuple import NamedTuple
from scorer.store import schema
from scorer.store.evaluations import NAMED, under
from scorer.store.listing import PENDING
from scorer.store.records import Entry, Status
from scorer.store.rows import entry_of
from scorer.store.tables import Tables

NEAR = 1e-9  # of a value: what differs by less may be better
SCORED: Status = "scored"
OF_TEAMS = schema.entry.c.team.is_not(None)


class Pool(NamedTuple):
    """The entries among which it is looked."""

    now: datetime  # by which they were received
    entries_out: Collection[int] = ()  # which do not count
    teams_out: Collection[int] = ()
    by_answers: bool = False  # entries of a team with other answers are looked at by themselves


class Waiting(NamedTuple):
    """A file without a result."""

    sha256: str
    file: str
    asked: bool  # whether it is queued


class Leading:
    """The entries of teams under one state of the challenge; no baselines."""

    def __init__(self, tables: Tables, values: str, fingerprint: str) -> None:
        self._tables, self._values = tables, values
        self._head = json.dumps({"fingerprint": fingerprint})[:-1]  # of a summary

    def entries(self, numbers: Collection[int]) -> list[Entry]:
        """The entries of these numbers, in order; baselines too."""
        table, asked, found = schema.entry, sorted(numbers), list[Entry]()
        for start in range(0, len(asked), NAMED):
            some = table.c.number.in_(asked[start : start + NAMED])
            query = select(table).where(some).order_by(table.c.number)
            found += map(entry_of, self._tables.rows(query, table))
        return found

    def waiting(self) -> list[Waiting]:
        """The files of entries without a result, each by the name it was last sent under."""
        entry, made = schema.entry, schema.evaluation
        of_file = and_(
            made.c.board == entry.c.board, under(self._values), made.c.sha256 == entry.c.sha256
        )
        columns = entry.c.number, entry.c.sha256, entry.c.file
        asked = select(made.c.sha256).where(of_file).exists()
        queued = select(made.c.sha256).where(
            made.c.board == self._tables.board, under(self._values), made.c.status == PENDING
        )
        found = [
            row
            for is_asked, waits in ((True, entry.c.sha256.in_(queued)), (False, ~asked))
            for row in self._tables.rows(
                select(*columns, literal(is_asked).label("asked")).where(waits), entry
            )
        ]
        files = {row.sha256: Waiting(*row[1:]) for row in sorted(found, key=itemgetter(0))}
        return [*files.values()]

    def counts(self, now: datetime) -> dict[int | None, int]:
        """Team -> the number of its scored entries received by then; of None, the baselines."""
        team = schema.entry.c.team
        query = self._scored([team, func.count().label("most")], Pool(now)).group_by(team)
        return {row.team: row.most for row in self._tables.rows(query, schema.entry)}

    def first(self, pool: Pool) -> list[int]:
        """The first scored entry of each team."""
        number = schema.entry.c.number
        if not pool.by_answers:
            return self._of_each(pool, [number], scored=True)
        query = self._scored([func.min(number).label("number")], pool)
        query = query.where(OF_TEAMS).group_by(*_whose(pool))
        return [row.number for row in self._tables.rows(query, schema.entry)]

    def latest(self, pool: Pool, *, scored: bool) -> list[int]:
        """The latest entry of each team, or the latest that is scored."""
        entry = schema.entry.c
        return self._of_each(pool, [entry.received.desc(), entry.number.desc()], scored=scored)

    def _of_each(self, pool: Pool, order: Sequence[Any], *, scored: bool) -> list[int]:
        """The entry of each team that is the first in an order, which an index has."""
        entry, team = schema.entry, schema.team
        conditions = [entry.c.board == team.c.board, entry.c.team == team.c.id,
                      entry.c.received <= pool.now, *_among(pool)]  # fmt: skip
        if scored:
            conditions.append(select(schema.evaluation.c.sha256).where(self._of_entry()).exists())
        one = select(entry.c.number).where(*conditions).order_by(*order).limit(1)
        rows = self._tables.rows(select(one.scalar_subquery().label("number")), team)
        return [row.number for row in rows if row.number is not None]

    def best(self, pool: Pool, split: str, measure: str, most: int, lower: bool) -> list[int]:
        """The best entries of each team on a split, so many and what is near to them.

        Those of which no value is known are among them.

        Args:
            measure: the id of the measure.
            most: how many of each team.
            lower: whether a lower value is better.
        """
        summary = schema.evaluation.c.summary
        # JSON has no infinite number
        known = and_(
            func.substr(summary, 1, len(self._head)) == self._head,
            func.replace(summary, "Infinity", "") == summary,
        )
        value = self._value(summary, split, measure)
        value = case((known, -value if lower else value), else_=None).label("value")
        entry, whose = schema.entry.c, _whose(pool)
        read = self._scored([entry.board, entry.number, *whose, value], pool)
        mine = read.where(OF_TEAMS, entry.board == self._tables.board).subquery()
        last = func.nth_value(mine.c.value, most).over(
            partition_by=[mine.c[column.name] for column in whose],
            order_by=(mine.c.value.is_(None), mine.c.value.desc()), rows=(None, None),
        )  # fmt: skip
        ends = select(mine, last.label("last")).subquery()
        near = ends.c.value >= ends.c.last - func.abs(ends.c.last) * NEAR
        leads = or_(ends.c.last.is_(None), ends.c.value.is_(None), near)
        return [row.number for row in self._tables.rows(select(ends.c.number).where(leads), ends)]

    def _value(self, summary: Any, split: str, measure: str) -> Any:
        if self._tables.engine.dialect.name != "sqlite":
            return cast(summary, JSON)["means"][split][measure].as_float()
        if any(not name.isascii() or set('"\\') & set(name) for name in (split, measure)):
            return null()  # no path is made for such a name
        return type_coerce(summary, JSON)["means", split, measure].as_float()

    def _scored(self, columns: Sequence[Any], pool: Pool) -> Any:
        made = schema.evaluation
        rows = schema.entry.join(made, self._of_entry())
        # an index of times, which SQLite would take for each evaluation, is of no use here
        received = type_coerce(schema.entry.c.received.concat(literal("", String)), schema.Moment)
        return select(*columns).select_from(rows).where(received <= pool.now, *_among(pool))

    def _of_entry(self) -> Any:
        """Which evaluation is of an entry's file, and has values."""
        made, entry = schema.evaluation, schema.entry
        return and_(
            made.c.board == entry.c.board, under(self._values), made.c.sha256 == entry.c.sha256,
            made.c.status == SCORED,
        )  # fmt: skip


def _whose(pool: Pool) -> list[Any]:
    """The columns whose equal values make entries of one pool."""
    entry = schema.entry.c
    return [entry.team, entry.answers] if pool.by_answers else [entry.team]


def _among(pool: Pool) -> list[Any]:
    entry = schema.entry.c
    conditions = []
    for column, out in ((entry.number, pool.entries_out), (entry.team, pool.teams_out)):
        if out:  # written out: a database takes some thousands of parameters
            written: Any = bindparam(None, [*out], expanding=True, literal_execute=True)
            conditions.append(column.not_in(written))
    return conditions
