"""The items of each list, as arrays: a challenge may have many millions of such pairs."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from scorer.core.arrays import Ints
from scorer.reading.table import find_places


class ItemsByList(Mapping[str, frozenset[str]]):
    """The items of each list; a set of them is only made where one list is looked up.

    Args:
        lists: The names of the lists.
        names: The names of all items, each once, in their order.
        starts: Where the items of each list begin, and where the last ones end, (lists + 1,).
        item: Places in `names`, list by list, ascending in each.
    """

    def __init__(
        self,
        lists: Sequence[str],
        names: pl.Series,
        starts: Ints,
        item: NDArray[np.signedinteger[Any]],
    ) -> None:
        self.lists, self.names, self.starts, self.item = tuple(lists), names, starts, item

    @classmethod
    def of(cls, items: Mapping[str, frozenset[str]]) -> ItemsByList:
        """Return the items of a mapping from lists to sets."""
        if isinstance(items, ItemsByList):
            return items
        rows = [(name, item) for name, named in items.items() for item in named]
        frame = pl.DataFrame(rows, {"list": pl.String, "item": pl.String}, orient="row")
        return cls.of_columns(frame, "item").subset(list(items))

    @classmethod
    def of_columns(cls, frame: pl.DataFrame, *roles: str) -> ItemsByList:
        """Return the items that columns of a table name; lists are in the order of their rows."""
        lists = frame["list"].unique(maintain_order=True)
        pairs = pl.concat(frame.select("list", item=role) for role in roles).unique()
        names = pairs["item"].unique().sort()
        in_list, item = find_places(pairs["list"], lists), find_places(pairs["item"], names)
        places = pl.DataFrame({"list": in_list, "item": item}).sort("list", "item")
        sizes = np.bincount(in_list, minlength=len(lists))
        starts = np.append(0, np.cumsum(sizes))
        return cls(lists.to_list(), names, starts, places["item"].to_numpy().astype(np.int32))

    def __len__(self) -> int:
        return len(self.lists)

    def __iter__(self) -> Iterator[str]:
        return iter(self.lists)

    def __getitem__(self, name: str) -> frozenset[str]:
        at = self._place[name]
        return frozenset(self.names.gather(self.item[self.starts[at] : self.starts[at + 1]]))

    def __contains__(self, name: object) -> bool:
        return name in self._place

    @cached_property
    def _place(self) -> dict[str, int]:
        return {name: n for n, name in enumerate(self.lists)}

    @property
    def in_list(self) -> Ints:
        """The number of the list of each element of `item`."""
        return np.repeat(np.arange(len(self.lists)), np.diff(self.starts))

    def subset(self, lists: Sequence[str]) -> ItemsByList:
        """Return the items of these lists, in their order; none of a list that is not here."""
        if tuple(lists) == self.lists:
            return self
        place = np.array([self._place.get(name, -1) for name in lists], dtype=np.int64)
        first = np.where(place >= 0, self.starts[place], 0)
        sizes = np.where(place >= 0, self.starts[place + 1] - first, 0)
        starts = np.append(0, np.cumsum(sizes))
        rows = np.arange(starts[-1]) + np.repeat(first - starts[:-1], sizes)
        return ItemsByList(lists, self.names, starts, self.item[rows])

    def first_named(self) -> pl.Series:
        """Return each item that some list has, in the order in which lists name them."""
        codes, first = np.unique(self.item, return_index=True)
        return self.names.gather(codes[np.argsort(first)])
