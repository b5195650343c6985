"""Columns of the lists that values depend on: the groups that lists are in, and their weights."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

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

    @classmethod
    def of(
        cls,
        lists: Sequence[str],
        groups: Mapping[str, Mapping[str, str]],
        weights: Mapping[str, Mapping[str, float]],
    ) -> ListColumns:
        """The columns of some lists, in order, from the groups and weights of every list."""
        coded = {}
        for column, group_of in groups.items():
            names = sorted(set(group_of.values()))
            place = {name: n for n, name in enumerate(names)}
            codes = np.array([place[group_of[name]] for name in lists], dtype=np.int64)
            coded[column] = Groups(tuple(names), codes)
        numbers = {
            column: np.array([weight_of[name] for name in lists], dtype=np.float64)
            for column, weight_of in weights.items()
        }
        return cls(coded, numbers)

    def choosing(self, masks: Mapping[str, Mask]) -> ListColumns:
        """The columns with the lists, (lists,), of which each condition is true."""
        chosen = {WHERE + text: Groups(CHOSEN, mask.astype(int)) for text, mask in masks.items()}
        return self._replace(groups={**self.groups, **chosen})

    def chosen(self, where: str) -> Mask:
        """The lists of which a condition is true: shape (lists,)."""
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
