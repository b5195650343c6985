"""The public part of a challenge, which is all that checks get."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from typing import NamedTuple

import polars as pl

from scorer.core.text import plural, printable


class IdNames(Mapping[str, None]):
    """Ids, each once, in order; a million of them are not hashed before one is looked up."""

    def __init__(self, ids: Sequence[str] | pl.Series) -> None:
        self.ids = ids

    def __len__(self) -> int:
        return len(self.ids)

    def __iter__(self) -> Iterator[str]:
        return iter(self._texts)

    def __getitem__(self, name: str) -> None:
        return self._known[name]

    def __contains__(self, name: object) -> bool:
        return name in self._known

    @cached_property
    def _texts(self) -> Sequence[str]:
        return self.ids if isinstance(self.ids, Sequence) else self.ids.to_list()

    @cached_property
    def _known(self) -> dict[str, None]:
        return dict.fromkeys(self)


def ids_of(names: Mapping[str, object]) -> Sequence[str] | pl.Series:
    """Return ids in their order; `IdNames` gives its own series, without hashing the ids."""
    return names.ids if isinstance(names, IdNames) else tuple(names)


class ClassCells(NamedTuple):
    """A column whose cells name classes, such as boxes, tags or spans with their types.

    Attributes:
        role: The role of the column.
        find_classes: Gives the classes that a cell names; "" for a box, tag or span without one.
    """

    role: str
    find_classes: Callable[[str], Iterable[str]]


def cell_as_class(cell: str) -> tuple[str]:
    """Return the class of a cell that holds nothing but its name."""
    return (cell,)


class ClassColumn(NamedTuple):
    """A column that names classes, in submissions and in the truth, and which classes there are."""

    submission: ClassCells
    truth: ClassCells
    classes: tuple[str, ...]  # as the challenge says, else as the truth has them; () if unknown


class Domain(NamedTuple):
    """The numbers of a column that a measure is made for."""

    role: str
    low: float
    high: float
    measure: str  # its name


class Public(NamedTuple):
    """The public part: nothing here depends on a truth's items, grades or labels.

    Of the labels only the set is public: what can be answered at all.
    """

    kind: str  # grades, ratings, preferences or labels
    lists: Mapping[str, None]  # the ids of the lists, in order; a mapping for its look-up
    items: Mapping[str, None] | None = None  # the catalogue, where it is public
    # The items of each list, where they are public; of ratings, those that are to be predicted.
    candidates: Mapping[str, frozenset[str]] | None = None
    called: Mapping[str, str] = {}  # role -> the challenge's word for it
    groups: Mapping[str, str] = {}  # list -> the group that it is in
    classes: tuple[str, ...] = ()  # the labels there are, in their order
    separator: str | None = None  # of the labels in a cell of a submission
    clusters: Mapping[str, str] = {}  # list -> its cluster, whose lists depend on each other
    numbers: frozenset[str] = frozenset()  # the groups whose labels are numbers
    complete: bool = False  # whether a list has to have all of its candidates
    has_texts: bool = False  # answers are texts, no ids
    class_columns: tuple[ClassColumn, ...] = ()  # beside a column of labels
    domains: tuple[Domain, ...] = ()  # the numbers that the measures are made for
    # Whether boxes are shares of the image, 0 to 1, and no pixels; None if that is not known.
    boxes_are_shares: bool | None = None

    @property
    def list_names(self) -> tuple[str, ...]:
        """The ids of the lists, in order."""
        return tuple(self.lists)

    def have_numbers(self, names: Sequence[str]) -> list[bool]:
        """Return for each of these lists whether its label is a number."""
        return [self.groups.get(name) in self.numbers for name in names]

    def word(self, role: str) -> str:
        """Return the challenge's own word for a list or an item, for messages."""
        return printable(self.called.get(role, role), 60)

    @property
    def list_called(self) -> str:
        """The word for one list; for tables, values and texts the column's name, such as `id`."""
        return self.word("list") if self.kind in ("labels", "values") or self.has_texts else "list"

    @property
    def lists_called(self) -> str:
        """The word for several lists."""
        return plural(self.list_called)
