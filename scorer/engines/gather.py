"""Whole lists from the pieces of a file.

Where the rows of each list stand together, pieces are cut between lists. Where they do not, all
rows are kept, in memory as long as they are few, else on disk, and gathered list by list. That
lists are scattered is mostly seen in the first piece or two.
Where it is seen later, the file is read from its start again: rows of lists that were scored are
gone, since to keep them in case a list goes on later would cost memory in every file.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import ExitStack, closing, suppress
from dataclasses import replace
from functools import partial
from itertools import chain, islice

import numpy as np

from scorer.bytes.limits import Unreadable, limit, too_many_errors
from scorer.checks.base import CheckedLists, Submitted, checked
from scorer.checks.tally import LastLines
from scorer.core.arrays import any_twice, small
from scorer.core.problems import Problem
from scorer.core.threads import ahead
from scorer.engines.kept import GroupedRows
from scorer.formats.pieces import Pieces, joined
from scorer.scoring.lists import ListsResult, Plan, merged, met, score_lists
from scorer.tables.columns import CodedColumn, Hashes, RunColumn, series_of
from scorer.tables.runs import Apart, by_runs, concatenated, cut_rows, own_memory, together
from scorer.tables.spill import Spill
from scorer.tables.table import Table

GATHERED = 100_000  # rows of gathered lists that are scored together: they stay in the cache
THREADS, WAITING = 3, 2  # that score, on as many cores; blocks that wait beside one
LONG = 1 << 20  # rows of a block beside which no other is scored
FIRST = 8  # blocks scored by one thread, which make ready what is known of the challenge
FIRST_GATHERED = 1  # the same, of gathered lists, of whose ids single rows have asked before
MOST_PARTS = 16  # that wait to be put together
CUT = frozenset({"grades", "ratings", "preferences"})  # kinds whose checks look at lists alone

Block = tuple[CodedColumn, list[Table]]  # its lists, and the table, to be taken out


class TooManyErrors(Unreadable):
    """A file has more errors than are accepted; `checked` has those that were found."""

    def __init__(self, problem: Problem, checked: CheckedLists) -> None:
        super().__init__(problem)
        self.checked = checked


def parts_of_file(plan: Plan, tables: Pieces, scattered: bool = False) -> list[ListsResult]:
    """The parts of a file.

    `Apart` if its lists are scattered, and some were scored before that was seen. `Unreadable` if
    it has more errors, or rows in a list, than are accepted, or no room on disk.
    """
    if plan.public.kind not in CUT:
        return _at_once(plan, tables)
    first_two = list(islice(tables, 2))
    tables.tables = chain(first_two, tables.tables)
    if scattered or (len(first_two) == 2 and not all(map(together, first_two))):
        return _parts_apart(plan, tables)
    if len(first_two) < 2:
        return _at_once(plan, tables)
    return _parts_together(plan, tables)


def _parts_together(plan: Plan, tables: Pieces) -> list[ListsResult]:
    """The parts of a file in which the rows of each list stand together; `Apart` if they do not."""
    parts, seen = list[ListsResult](), _Seen(plan)
    score_block = partial(_scored_block, plan)
    with ExitStack() as stack:
        try:
            for lists, scored in _shared(stack, plan, score_block, _blocks(plan, tables), FIRST):
                seen.add(lists)
                parts = _bounded(plan, _added(parts, scored()))
        except TooManyErrors:
            seen.close()
            raise
    seen.close()
    return parts


def _shared(
    stack: ExitStack,
    plan: Plan,
    score_block: Callable[[Block], ListsResult],
    tables: Iterator[Table],
    first: int,
) -> Iterator[tuple[CodedColumn, Callable[[], ListsResult]]]:
    """The lists of each table, with a call that gives its part, as of `ahead`; `first` without."""
    most = THREADS if not plan.plugins else 1  # a metric of one's own need not know of threads
    blocks = map(_handed, tables)
    for count, threads, waiting in ((first, 1, 0), (None, most, WAITING)):
        some = islice(blocks, count)
        for (lists, _), part in ahead(stack, score_block, some, threads, waiting, alone=_is_long):
            yield lists, part


def _handed(block: Table) -> Block:
    return block.ids["list"], [block]  # to be taken out: nobody else holds it


def _scored_block(plan: Plan, block: Block) -> ListsResult:
    return score_lists(plan, block[1].pop())  # which gives it back before it measures


def _is_long(block: Block) -> bool:
    return len(block[1][0]) > LONG


def _parts_apart(plan: Plan, tables: Pieces) -> list[ListsResult]:
    """The parts of a file in which the rows of lists are scattered."""
    with closing(Spill()) as aside:
        kept = GroupedRows(plan, GATHERED, aside)
        rows = _parts_of_rows(plan, tables, kept)
        if not tables.whole:
            return rows
        parts = _parts_of_tables(_plan_after(rows, plan), chain(kept.tables(), aside.tables()))
    if not parts:  # it had rows when it was seen that they are scattered
        raise Unreadable(Problem("S101", "the file changed while it was read"))
    return _with_rows(parts, rows)


def _parts_of_rows(plan: Plan, tables: Pieces, kept: GroupedRows) -> list[ListsResult]:
    """What the checks of single rows find, while the rows are kept."""
    rows = list[ListsResult]()
    for piece in tables:
        ids = {**piece.ids, "list": plan.known.lists.coded(piece.ids["list"])}
        table = replace(piece, ids=ids)
        if plan.checks:
            submitted = Submitted(table, plan.public, plan.rules, plan.known)
            rows = _bounded(plan, _added(rows, ListsResult(checked(submitted, ("row",)))))
        kept.add(table)
    return rows


def _parts_of_tables(plan: Plan, tables: Iterable[Table]) -> list[ListsResult]:
    """The parts of gathered lists."""
    parts, lines = list[ListsResult](), LastLines()

    def score_block(block: Block) -> ListsResult:
        return met(plan, block[1].pop(), rows=False, last=lines.last).scored()

    with ExitStack() as stack:
        whole = map(partial(_not_longer, plan), tables)
        for _, scored in _shared(stack, plan, score_block, whole, FIRST_GATHERED):
            part = scored()
            lines.add(part.checked.of_lists.values())
            parts = _bounded(plan, _added(parts, part))
    return parts


def _not_longer(plan: Plan, table: Table) -> Table:
    """The table; `Unreadable` if a list has more rows than are accepted."""
    _refuse_longer(plan, int(np.bincount(table.ids["list"].codes, minlength=1).max()))
    return table


def _plan_after(rows: Sequence[ListsResult], plan: Plan) -> Plan:
    """The plan for the lists of a file, given what the checks of its single rows have found.

    Where that is an error nothing is scored: measures rely on what the checks look at.
    """
    return plan.unscored if any(part.checked.fatal for part in rows) else plan


def _with_rows(parts: list[ListsResult], rows: Sequence[ListsResult]) -> list[ListsResult]:
    """The one part of a file, with what the checks of single rows have found."""
    part = merged(parts)
    return [part._replace(checked=part.checked.plus([row.checked for row in rows]))]


def _at_once(plan: Plan, tables: Pieces) -> list[ListsResult]:
    """The one part of a file that is scored at once."""
    table = joined(tables)
    if table is None:
        return []
    if len(table):
        with suppress(Apart):  # runs tell lists apart sooner than a sort does
            table = by_runs(table)
    whole = [table]
    del table  # `score_lists` gives it back before it measures
    return [score_lists(plan, whole.pop())]


def _added(parts: list[ListsResult], part: ListsResult) -> list[ListsResult]:
    """The parts and one more; many are put together, so that what they keep stays little."""
    parts.append(part)
    return [merged(parts)] if len(parts) >= MOST_PARTS else parts


def _bounded(plan: Plan, parts: list[ListsResult]) -> list[ListsResult]:
    """The parts, up to the errors that are accepted; `TooManyErrors` if they have more."""
    most = plan.limits.errors
    if sum(part.checked.errors_at_most for part in parts) > most:
        parts = [merged(parts)]
        if parts[0].checked.errors > most:
            raise TooManyErrors(too_many_errors(most), parts[0].checked)
    return parts


def _blocks(plan: Plan, tables: Iterator[Table]) -> Iterator[Table]:
    """Tables of whole lists: those inside a piece, and together those that reach beyond one.

    `Unreadable` if a list has more rows than are accepted.
    """
    across = _Across(plan)
    for table in tables:
        if not len(table):
            yield table
            continue
        table = by_runs(table)
        lists = table.ids["list"]
        assert isinstance(lists, RunColumn)
        first, last = int(lists.ends[0]), len(table) - int(lists.sizes[-1])
        goes_on = across.names(lists.text(0))
        if goes_on:
            across.add(table, 0, first)
        across.close(unless=goes_on and not last)
        start = first if goes_on else 0
        if start < last:
            yield cut_rows(table, start, last)
        if last or not goes_on:
            across.add(table, last, len(table))
        if across.closed >= GATHERED:
            yield across.taken()
    across.close()
    if across.closed:
        yield across.taken()


class _Across:
    """The lists in which one piece ends and the next begins."""

    def __init__(self, plan: Plan) -> None:
        self._plan = plan
        self.closed = 0  # rows of lists that are whole
        self._whole = list[Table]()
        self._open = list[Table]()  # rows of one list

    def names(self, name: str) -> bool:
        """Whether that is the list that may go on."""
        return bool(self._open) and self._open[0].ids["list"].text(0) == name

    def add(self, table: Table, start: int, stop: int) -> None:
        """Add rows of one list, up to that before `stop`."""
        rows = own_memory(cut_rows(table, start, stop), len(table))
        self._open.append(replace(rows, line=small(rows.line, np.int32)))
        _refuse_longer(self._plan, sum(map(len, self._open)))

    def close(self, unless: bool = False) -> None:
        """Take the list to be whole."""
        if not unless:
            self.closed += sum(map(len, self._open))
            self._whole += self._open
            self._open = []

    def taken(self) -> Table:
        """The lists that are whole; `Apart` if one of them comes twice."""
        tables, self._whole, self.closed = self._whole, [], 0
        names = [table.ids["list"].text(0) for table in tables]
        begins = [n for n, name in enumerate(names) if not n or name != names[n - 1]]
        held = tuple(names[n] for n in begins)
        if len(set(held)) < len(held):
            raise Apart
        ends = np.cumsum(np.add.reduceat([len(table) for table in tables], begins))
        return concatenated(tables, RunColumn(ends, series_of(held)))


def _refuse_longer(plan: Plan, rows: int) -> None:
    """Refuse, as `Unreadable`, a file with a list of more rows than are accepted."""
    most = plan.limits.list
    if rows > most:
        message = f"more than {most:,} rows in one {plan.public.word('list')}"
        raise Unreadable(Problem("S104", message, help=limit("list")))


class _Seen:
    """Which lists have been taken, so that one that comes again is noticed."""

    def __init__(self, plan: Plan) -> None:
        self._known = plan.known.lists
        self._taken = np.zeros(len(plan.public.lists), dtype=bool)
        self._others = list[Hashes]()  # looked through each time their number has doubled
        self._size = self._once = 0

    def add(self, lists: CodedColumn) -> None:
        """Take the lists of a table, each of which has one code.

        `Apart` if one was taken before; of lists that the challenge lacks, maybe only later.
        """
        number = self._known.places(lists)
        known = number[number >= 0]
        if self._taken[known].any():
            raise Apart
        self._taken[known] = True
        if known.size < number.size:
            self._others.append(lists.hashes[number < 0])
            self._size += number.size - known.size
            if self._size >= 2 * self._once:
                self.close()

    def close(self) -> None:
        """Raise `Apart` if a list was taken twice."""
        if self._size > self._once and any_twice(self._others):
            raise Apart
        self._once = self._size
