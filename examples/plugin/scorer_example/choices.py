"""A kind of challenge: each list has items that are right, and a submission chooses some.

Its metrics look at `Chosen`. In scorer itself the view would be in scorer/views, since metrics
import no kinds.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import ClassVar, NamedTuple

import numpy as np

from scorer.core.arrays import Ints
from scorer.core.problems import Findings
from scorer.kinds.base import Constants, SideTables, kind
from scorer.tables.table import Schema, Table
from scorer.views.hits import Ties
from scorer.views.meeting import Views
from scorer.views.names import Names

CHOICES = Schema(("list", "item"))
Sets = dict[str, set[str]]


@dataclass(frozen=True, eq=False)
class Chosen:
    """The number of items chosen, of right ones, and of both, shape (lists,)."""

    kinds: ClassVar[frozenset[str]] = frozenset({"choices"})
    names: tuple[str, ...]
    chosen: Ints
    right: Ints
    both: Ints


class Truth(NamedTuple):
    """The right items of each list."""

    right: Sets
    constants: Constants = Constants()

    @property
    def lists(self) -> tuple[str, ...]:
        """The lists that are scored."""
        return tuple(sorted(self.right))

    def only(self, lists: Ints) -> Truth:
        """The truth of some lists alone."""
        return Truth({self.lists[n]: self.right[self.lists[n]] for n in lists.tolist()})

    def meet(self, submission: Table, ties: Ties, views: frozenset[type]) -> Views:
        """What was chosen, beside what is right."""
        chosen = _sets(submission)
        mine = [chosen.get(name, set()) for name in self.lists]
        right = [self.right[name] for name in self.lists]
        both = [a & b for a, b in zip(mine, right, strict=True)]
        sizes = (
            np.array([len(each) for each in side], dtype=np.int64) for side in (mine, right, both)
        )
        answered = np.array([name in chosen for name in self.lists], dtype=bool)
        return Views(answered, {Chosen: Chosen(self.lists, *sizes)})

    def named(self, submission: Table, ties: Ties, view: type, at: int) -> Names:
        """The items of one list."""
        name = self.lists[at]
        return Names(
            tuple(sorted(self.right[name])), tuple(sorted(_sets(submission).get(name, ())))
        )


@kind("choices", truth=(CHOICES,), known=(Schema(("list",)),), submission=(CHOICES,))
def choices(table: Table, aids: SideTables, findings: Findings) -> Truth:
    """Right items, by list."""
    return Truth({name: set() for name in aids.public.lists} | _sets(table))


def _sets(table: Table) -> Sets:
    sets: Sets = {}
    for name, item in _pairs(table):
        sets.setdefault(name, set()).add(item)
    return sets


def _pairs(table: Table) -> Iterator[tuple[str, str]]:
    lists, items = table.ids["list"], table.ids["item"]
    return ((lists.text(row), items.text(row)) for row in range(len(table)))
