"""The entries of a board and the state of their files, of which only the news is read again."""

from __future__ import annotations

import threading
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, NamedTuple

from scorer.board.snapshot import Means
from scorer.store.records import Entry, Status

if TYPE_CHECKING:
    from scorer.store.database import Database

FINAL: tuple[Status, ...] = ("scored", "rejected")  # no evaluation leaves these


class Recorded(NamedTuple):
    """The entries in order, and the status of each file that has one."""

    entries: Sequence[Entry]
    statuses: Mapping[str, Status]  # SHA-256 -> status


class MeansOf(dict[str, Means]):
    """SHA-256 of a file -> its means on every split, each made when it is first asked for."""

    def __init__(self, make: Callable[[str], Means]) -> None:
        super().__init__()
        self._make = make

    def __missing__(self, sha256: str) -> Means:
        """Make them."""
        means = self[sha256] = self._make(sha256)
        return means


class Records:
    """The entries of a board and what became of them under one state of the challenge.

    Entries come and stay, and so does what is scored or rejected: what is known of them is kept.

    Args:
        database: which has them.
        values: the digest of the state.
        baselines: the challenge's own entries.
        means: of a file, by its SHA-256 and its summary.
    """

    def __init__(
        self,
        database: Database,
        values: str,
        baselines: Sequence[Entry],
        means: Callable[[str, str | None], Means],
    ) -> None:
        self._database, self._values, self._baselines = database, values, baselines
        self._lock, self._entries = threading.Lock(), list[Entry]()
        self._statuses, self._summaries = dict[str, Status](), dict[str, str | None]()
        self._open = {each.sha256 for each in baselines}  # files without a final result
        self.means = MeansOf(lambda sha256: means(sha256, self._summaries[sha256]))

    def read(self) -> Recorded:
        """The entries and statuses as they are now."""
        with self._lock:
            new = self._new_entries()
            self._entries += new
            self._open.update(e.sha256 for e in new if e.sha256 not in self._statuses)
            for row in self._database.evaluations.results(self._values, self._open):
                self._statuses[row.sha256] = row.status
                if row.status in FINAL:
                    self._open.discard(row.sha256)
                    self._summaries[row.sha256] = row.summary
            return Recorded([*self._entries, *self._baselines], dict(self._statuses))

    def _new_entries(self) -> list[Entry]:
        (count,), known = self._database.counts("entry"), self._entries
        new = self._database.entries(after=known[-1].number if known else 0)
        if known and len(known) + len(new) != count:  # somebody took entries away
            known.clear()
            new = self._database.entries()
        return new
