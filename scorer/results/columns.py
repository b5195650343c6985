"""Columns of the lists that values depend on: the groups that lists are in, and their weights."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

from scorer.core.arrays import Floats, Ints, Mask


class Groups(NamedTuple):
    """The group of each list."""

    names: tuple[str, ...]  # all that the challenge has, whatever lists are here
    codes: Ints  # (lists,)


WHERE = "where "
CHOSEN = ("", "chosen")  # the groups of a condition: lists of which it is not true, and others


class ListColumns(NamedTuple):
    """The groups and weights of lists, by the names of their columns.

    A condition is a column of two groups, called by its text after `WHERE`.
    """

    groups: Mapping[str, Groups] = {}
    weights: Mapping[str, Floats] = {}  # (lists,)

    def chosen(self, where: str) -> Mask:
        """Return for which lists a condition is true: shape (lists,)."""
        mask: Mask = self.groups[WHERE + where].codes == 1
        return mask

    def at(self, rows: Any) -> ListColumns:
        """The columns of some of the lists: places, or a mask."""
        if not self.groups and not self.weights:
            return self
        return ListColumns(
            {
                name: Groups(column.names, column.codes[rows])
                for name, column in self.groups.items()
            },
            {name: column[rows] for name, column in self.weights.items()},
        )


NO_COLUMNS = ListColumns()
