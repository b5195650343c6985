"""The items of each list, as arrays, since a challenge may have millions of (list, item) pairs."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from scorer.core.arrays import Ints, at_or_missing
from scorer.reading.table import find_indices


@dataclass(eq=False)
class ItemsByList(Mapping[str, frozenset[str]]):
    """The items of each list; the set of a list is made when the list is looked up."""

    lists: tuple[str, ...]  # their names
    names: pl.Series  # of all items, each once, sorted
    starts: Ints  # where each list begins in `item`, and where the last one ends: (lists + 1,)
    item: NDArray[np.signedinteger[Any]]  # indices in `names`, by list, then ascending

    @classmethod
    def of(cls, items: Mapping[str, frozenset[str]]) -> ItemsByList:
        """Return the items of a mapping from lists to sets."""
        if isinstance(items, ItemsByList):
            return items
        rows = [(name, item) for name, named in items.items() for item in named]
        frame = pl.DataFrame(rows, {"list": pl.String, "item": pl.String}, orient="row")
        return cls.of_columns(frame, "item").subset(list(items))  # adds the lists without items

    @classmethod
    def of_columns(cls, frame: pl.DataFrame, *roles: str) -> ItemsByList:
        """Return the items in some columns of a table; lists in the order of their first rows."""
        lists = frame["list"].unique(maintain_order=True)
        pairs = pl.concat(frame.select("list", item=role) for role in roles).unique()
        names = pairs["item"].unique().sort()
        in_list, item = find_indices(pairs["list"], lists), find_indices(pairs["item"], names)
        places = pl.DataFrame({"list": in_list, "item": item}).sort("list", "item")
        sizes = np.bincount(in_list, minlength=len(lists))
        starts = np.append(0, np.cumsum(sizes))
        item = places["item"].to_numpy().astype(np.int32)
        return cls(tuple(lists), names, starts, item)

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
        """The index of the list of each element of `item`."""
        return np.repeat(np.arange(len(self.lists)), np.diff(self.starts))

    def subset(self, lists: Sequence[str]) -> ItemsByList:
        """Return the items of the given lists, in that order; no items for an unknown list."""
        if tuple(lists) == self.lists:
            return self
        place = np.array([self._place.get(name, -1) for name in lists], dtype=np.int64)
        old_starts = at_or_missing(self.starts, place, 0)
        sizes = at_or_missing(np.diff(self.starts), place, 0)
        starts = np.append(0, np.cumsum(sizes))
        # A list's items move together from its old start to its new one.
        rows = np.arange(starts[-1]) + np.repeat(old_starts - starts[:-1], sizes)
        return ItemsByList(tuple(lists), self.names, starts, self.item[rows])

    def items_of_lists(self) -> pl.Series:
        """Return the items that some list has, each once, in the order of their first place."""
        codes, first = np.unique(self.item, return_index=True)
        return self.names.gather(codes[np.argsort(first)])
