"""Which entries lead: found by the database in an order that is kept, and no others are read.

The order is of the table `place`, in which a scored entry is put once somebody looks for the first.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from datetime import datetime
from math import isnan, nan
from operator import itemgetter
from typing import Any, NamedTuple

from sqlalchemy import and_, bindparam, func, select, tuple_
from sqlalchemy.dialects import postgresql, sqlite

from scorer.store import schema
from scorer.store.evaluations import NAMED, under
from scorer.store.listing import PENDING
from scorer.store.records import Entry, Status
from scorer.store.rows import entry_of
from scorer.store.tables import Tables

SCORED: Status = "scored"
INSERTS: dict[str, Any] = {"sqlite": sqlite.insert, "postgresql": postgresql.insert}


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


class Unplaced(NamedTuple):
    """A scored file whose entries have no places."""

    sha256: str
    summary: str | None


class TeamPlace(NamedTuple):
    """An entry among those of its team on a split."""

    entry: int
    split: str
    team: int
    received: datetime
    cost: float  # the primary measure, negated if higher is better; NaN: no value


class Leading:
    """The entries of teams under one version of the challenge; no baselines."""

    def __init__(self, tables: Tables, values: str, version: int) -> None:
        self._tables, self._values, self._version = tables, values, version

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
        known = select(made.c.sha256).where(of_file).exists()
        # in the order of an index, in which the evaluations are too
        unknown = select(entry.c.sha256).where(~known).order_by(entry.c.sha256)
        queued = select(made.c.sha256).where(under(self._values), made.c.status == PENDING)
        asked = {row.sha256: False for row in self._tables.rows(unknown, entry)}
        asked |= {row.sha256: True for row in self._tables.rows(queued, made)}
        columns, files = (entry.c.number, entry.c.sha256, entry.c.file), [*asked]
        found = list[Any]()
        for start in range(0, len(files), NAMED):
            some = entry.c.sha256.in_(files[start : start + NAMED])
            found += self._tables.rows(select(*columns).where(some), entry)
        found.sort(key=itemgetter(0))
        files_of = {r.sha256: Waiting(r.sha256, r.file, asked[r.sha256]) for r in found}
        return [*files_of.values()]

    def unplaced(self) -> list[Unplaced]:
        """Some of the scored files whose entries have no places; none if all have."""
        made, found = schema.evaluation, list[Any]()
        query = select(made.c.sha256, made.c.summary).limit(NAMED)
        query = query.where(under(self._values), made.c.status == SCORED)
        placed = made.c.placed
        for other in (placed.is_(None), placed < self._version, placed > self._version):
            found = found or self._tables.rows(query.where(other), made)
        return [Unplaced(*row) for row in found]

    def places(self) -> Iterator[TeamPlace]:
        """All places under the version."""
        table = schema.place
        here = table.c.board == self._tables.board, table.c.version == self._version
        with self._tables.engine.connect() as connection:
            for row in connection.execute(select(table).where(*here)):
                cost = nan if row.no_value else row.cost
                yield TeamPlace(row.entry, row.split, row.team, row.received, cost)

    def place(self, costs: Mapping[str, Mapping[str, float]]) -> None:
        """Give the entries of files their places, by split -> cost (lower is better, or NaN)."""
        entry, made, board = schema.entry, schema.evaluation, self._tables.board
        columns = entry.c.number, entry.c.team, entry.c.received, entry.c.sha256
        query = select(*columns).where(entry.c.board == board, entry.c.sha256.in_(costs))
        with self._tables.write() as connection:
            rows = [
                {"board": board, "version": self._version, "split": split, "entry": sent.number,
                 "team": sent.team, "received": sent.received, "no_value": bool(isnan(cost)),
                 "cost": 0.0 if isnan(cost) else cost}
                for sent in connection.execute(query).all()
                if sent.team is not None  # not asked of SQLite, which would go by the teams' index
                for split, cost in costs[sent.sha256].items()
            ]  # fmt: skip
            if rows:
                insert = INSERTS[self._tables.engine.dialect.name](schema.place)
                connection.execute(insert.on_conflict_do_nothing(), rows)
            these = made.c.board == board, under(self._values), made.c.sha256.in_(costs)
            connection.execute(made.update().where(*these).values(placed=self._version))

    def counts(self, now: datetime, split: str) -> dict[int | None, int]:
        """Team -> the number of its scored entries received by then; of None, the baselines."""
        entry, place, most = schema.entry, schema.place, func.count().label("most")
        placed = select(place.c.team, most).group_by(place.c.team)
        placed = placed.where(*self._of_split(split), place.c.received <= now)
        rows = entry.join(schema.evaluation, self._of_entry())
        baselines = select(entry.c.team, most).select_from(rows).group_by(entry.c.team)
        baselines = baselines.where(entry.c.team.is_(None), entry.c.received <= now)
        found = [*self._tables.rows(placed, place), *self._tables.rows(baselines, entry)]
        return {row.team: row.most for row in found}

    def first(self, pool: Pool) -> list[int]:
        """The first scored entry of each team."""
        number = schema.entry.c.number
        if not pool.by_answers:
            return self._of_each(pool, [number], scored=True)
        entry = schema.entry
        rows = entry.join(schema.evaluation, self._of_entry())
        query = select(func.min(number).label("number")).select_from(rows)
        query = query.where(entry.c.team.is_not(None), *_among(pool, entry.c, number))
        query = query.group_by(entry.c.team, entry.c.answers)
        return [row.number for row in self._tables.rows(query, entry)]

    def latest(self, pool: Pool, *, scored: bool) -> list[int]:
        """The latest entry of each team, or the latest that is scored."""
        entry = schema.entry.c
        return self._of_each(pool, [entry.received.desc(), entry.number.desc()], scored=scored)

    def _of_each(self, pool: Pool, order: Sequence[Any], *, scored: bool) -> list[int]:
        """The entry of each team that is the first in an order, which an index has."""
        entry, team = schema.entry, schema.team
        conditions = [entry.c.board == team.c.board, entry.c.team == team.c.id,
                      *_among(pool, entry.c, entry.c.number)]  # fmt: skip
        if scored:
            conditions.append(select(schema.evaluation.c.sha256).where(self._of_entry()).exists())
        one = select(entry.c.number).where(*conditions).order_by(*order).limit(1)
        rows = self._tables.rows(select(one.scalar_subquery().label("number")), team)
        return [row.number for row in rows if row.number is not None]

    def best(self, pool: Pool, split: str, most: int) -> list[int]:
        """The best entries of each team on a split, so many; without a value they come last."""
        place, team, entry = schema.place, schema.team, schema.entry
        query = select(place.c.entry).where(*self._placed(pool, split))
        if not pool.by_answers:
            own = query.where(place.c.team == team.c.id).order_by(*_in_turn(place)).limit(1)
            each = [own.offset(n).scalar_subquery().label(f"best{n}") for n in range(most)]
            rows = self._tables.rows(select(*each), team)
            return [number for row in rows for number in row if number is not None]
        whose = [place.c.team, entry.c.answers]
        rank = func.row_number().over(partition_by=whose, order_by=_in_turn(place)).label("rank")
        sent = and_(entry.c.board == place.c.board, entry.c.number == place.c.entry)
        both = query.add_columns(place.c.board, rank).select_from(place.join(entry, sent))
        ranked = both.where(place.c.board == self._tables.board).subquery()
        first = select(ranked.c.entry).where(ranked.c.rank <= most)
        return [row.entry for row in self._tables.rows(first, ranked)]

    def advances(self, pool: Pool, split: str) -> list[int]:
        """The entries that were better than all of their team before, as they came.

        From the best back in time: the one before is the best of those that had come by then.
        """
        place, team, last = schema.place, schema.team, schema.place.alias()
        valued = [*self._placed(pool, split), place.c.no_value.is_(False)]
        first = select(place.c.entry).where(*valued, place.c.team == team.c.id)
        first = first.order_by(*_in_turn(place)).limit(1)
        starts = select(first.scalar_subquery().label("entry")).where(
            team.c.board == self._tables.board
        )
        chain = starts.cte("advances", recursive=True)
        earlier = tuple_(place.c.received, place.c.entry) < tuple_(last.c.received, last.c.entry)
        before = select(place.c.entry).where(
            *valued, place.c.team == last.c.team, place.c.cost > last.c.cost, earlier
        )
        before = before.order_by(*_in_turn(place)).limit(1)
        of_last = [*self._of_split(split, last), last.c.entry == chain.c.entry]
        step = select(before.scalar_subquery()).select_from(chain.join(last, and_(*of_last)))
        found = chain.union_all(step.where(last.c.board == self._tables.board))
        with self._tables.engine.connect() as connection:
            numbers = connection.execute(select(found.c.entry)).scalars()
            return [number for number in numbers if number is not None]

    def last_placed(self, pool: Pool, split: str, most: int) -> list[int]:
        """The latest entries that have a value on a split, so many of all teams."""
        entry, place = schema.entry, schema.place
        placed = [*self._placed(pool, split), place.c.entry == entry.c.number]
        has_value = select(place.c.entry).where(*placed, place.c.no_value.is_(False)).exists()
        query = select(entry.c.number).where(has_value)
        query = query.order_by(entry.c.received.desc(), entry.c.number.desc()).limit(most)
        return [row.number for row in self._tables.rows(query, entry)]

    def _placed(self, pool: Pool, split: str) -> list[Any]:
        """Which places are of entries in the pool that are there and scored still."""
        place, entry, made = schema.place, schema.entry.alias(), schema.evaluation
        scored = select(made.c.sha256).where(
            entry.c.board == place.c.board, entry.c.number == place.c.entry,
            made.c.board == entry.c.board, under(self._values), made.c.sha256 == entry.c.sha256,
            made.c.status == SCORED,
        )  # fmt: skip
        return [*self._of_split(split), *_among(pool, place.c, place.c.entry), scored.exists()]

    def _of_split(self, split: str, place: Any = schema.place) -> list[Any]:
        board = place.c.board == self._tables.board
        return [board, place.c.version == self._version, place.c.split == split]

    def _of_entry(self) -> Any:
        """Which evaluation is of an entry's file, and has values."""
        made, entry = schema.evaluation, schema.entry
        return and_(
            made.c.board == entry.c.board, under(self._values), made.c.sha256 == entry.c.sha256,
            made.c.status == SCORED,
        )  # fmt: skip


def _in_turn(place: Any) -> list[Any]:
    """The order in which a team's entries count, as `place_order` has it."""
    return [place.c.no_value, place.c.cost, place.c.received, place.c.entry]


def _among(pool: Pool, columns: Any, number: Any) -> list[Any]:
    """Which rows are in the pool."""
    conditions = [columns.received <= pool.now]
    for column, out in ((number, pool.entries_out), (columns.team, pool.teams_out)):
        if out:  # written out: a database takes some thousands of parameters
            written: Any = bindparam(None, [*out], expanding=True, literal_execute=True)
            conditions.append(column.not_in(written))
    return conditions
