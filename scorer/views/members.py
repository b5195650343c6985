"""The items of each list, as arrays: a challenge may have many millions of such pairs."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from scorer.reading.table import find_places


class Members(Mapping[str, frozenset[str]]):
    """The items of each list; a set of them is only made where one list is looked at.

    Args:
        named: all items, each once, in the order of their ids; many as polars has them.
        starts: where the items of each list begin, and where the last ones end, shape (lists + 1,).
        item: places in `named`, list by list, ascending in each.
    """

    def __init__(
        self,
        lists: Sequence[str],
        named: Sequence[str] | pl.Series,
        starts: NDArray[np.int64],
        item: NDArray[np.signedinteger[Any]],
    ) -> None:
        self.lists, self.named, self.starts, self.item = lists, named, starts, item

    @classmethod
    def of(cls, items: Mapping[str, frozenset[str]]) -> Members:
        """The members that these sets hold; the same ones where they are members already."""
        if isinstance(items, Members):
            return items
        named = sorted(frozenset[str]().union(*items.values()))
        code = {name: n for n, name in enumerate(named)}
        codes = [sorted(code[name] for name in names) for names in items.values()]
        starts = np.cumsum([0, *map(len, codes)], dtype=np.int64)
        return cls(tuple(items), named, starts, np.array([n for c in codes for n in c], np.int32))

    def __len__(self) -> int:
        return len(self.lists)

    def __iter__(self) -> Iterator[str]:
        return iter(self.lists)

    def __getitem__(self, name: str) -> frozenset[str]:
        return frozenset(self.at(self.place[name]))

    def __contains__(self, name: object) -> bool:
        return name in self.place

    def at(self, list_: int) -> list[str]:
        """The items of one list, in the order of their ids."""
        codes = self.item[self.starts[list_] : self.starts[list_ + 1]]
        if isinstance(self.named, Sequence):
            return [self.named[code] for code in codes.tolist()]
        items: list[str] = self.named.gather(codes).to_list()
        return items

    @cached_property
    def place(self) -> dict[str, int]:
        """Where each list stands."""
        return {name: n for n, name in enumerate(self.lists)}

    def of_lists(self, lists: Sequence[str]) -> Members:
        """Return the items of these lists, in their order; none for a list that is not here."""
        if tuple(lists) == tuple(self.lists):
            return self
        place = np.array([self.place.get(name, -1) for name in lists], dtype=np.int64)
        first = np.where(place >= 0, self.starts[place], 0)
        sizes = np.where(place >= 0, self.starts[place + 1] - first, 0)
        starts = np.append(0, np.cumsum(sizes))
        rows = np.arange(starts[-1]) + np.repeat(first - starts[:-1], sizes)
        return Members(tuple(lists), self.named, starts, self.item[rows])

    def first_named(self) -> Sequence[str] | pl.Series:
        """Each item that some list has, in the order in which lists name them."""
        codes, first = np.unique(self.item, return_index=True)
        codes = codes[np.argsort(first)]
        if isinstance(self.named, Sequence):
            return [self.named[code] for code in codes.tolist()]
        return self.named.gather(codes)


class MemberPairs(Mapping[tuple[str, str], None]):
    """The (list, item) pairs of some lists, list by list, in the order of the items' ids."""

    def __init__(self, members: Members) -> None:
        self.members = members

    def __len__(self) -> int:
        return len(self.members.item)

    def __iter__(self) -> Iterator[tuple[str, str]]:
        for n, name in enumerate(self.members.lists):
            for item in self.members.at(n):
                yield name, item

    def __getitem__(self, pair: tuple[str, str]) -> None:
        if pair not in self:
            raise KeyError(pair)

    def __contains__(self, pair: object) -> bool:
        match pair:
            case str(name), str(item):
                return item in self.members.get(name, ())
        return False


def members_of(pairs: Mapping[tuple[str, str], None]) -> Members:
    """The items of each list that pairs name."""
    if isinstance(pairs, MemberPairs):
        return pairs.members
    items_by_list: dict[str, set[str]] = {}
    for name, item in pairs:
        items_by_list.setdefault(name, set()).add(item)
    return Members.of({name: frozenset(items) for name, items in items_by_list.items()})


def items_by_list(frame: pl.DataFrame, *roles: str) -> Members:
    """Return the items of each list, from columns that name them; lists as they come first."""
    lists = frame["list"].unique(maintain_order=True)
    pairs = pl.concat(frame.select("list", item=role) for role in roles).unique()
    named = pairs["item"].unique().sort()
    places = pl.DataFrame(
        {"list": find_places(pairs["list"], lists), "item": find_places(pairs["item"], named)}
    ).sort("list", "item")
    sizes = np.bincount(places["list"].to_numpy(), minlength=len(lists))
    starts = np.append(0, np.cumsum(sizes))
    return Members(tuple(lists), named, starts, places["item"].to_numpy().astype(np.int32))
