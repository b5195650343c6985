"""Names of very many lists, which stay as polars has them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import chain
from typing import TYPE_CHECKING, overload

from scorer.core.arrays import Ints

if TYPE_CHECKING:
    import polars as pl

MANY = 100_000  # names that take much less memory as polars has them
TOGETHER = 1 << 14  # names that are made at a time


class HeldNames(Sequence[str]):
    """Names in order; only those that are looked at become `str`."""

    def __init__(self, series: pl.Series) -> None:
        self.series = series

    def __len__(self) -> int:
        return len(self.series)

    def __iter__(self) -> Iterator[str]:
        starts = range(0, len(self), TOGETHER)
        return chain.from_iterable(self.series[n : n + TOGETHER].to_list() for n in starts)

    @overload
    def __getitem__(self, at: int) -> str: ...
    @overload
    def __getitem__(self, at: slice) -> HeldNames: ...
    def __getitem__(self, at: int | slice) -> str | HeldNames:
        return HeldNames(self.series[at]) if isinstance(at, slice) else str(self.series[at])

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, HeldNames):
            return NotImplemented
        return other is self or other.series is self.series or self.series.equals(other.series)

    def __hash__(self) -> int:
        return hash((len(self), *self.series[:1], *self.series[-1:]))

    def __reduce__(self) -> tuple[type[HeldNames], tuple[pl.Series]]:
        return HeldNames, (self.series,)


def names_of(held: Sequence[str] | pl.Series) -> Sequence[str]:
    """The ids of a column as names: a tuple, of very many as polars has them."""
    if isinstance(held, HeldNames):
        return held
    if isinstance(held, Sequence):
        return tuple(held)
    return HeldNames(held) if len(held) > MANY else tuple(held.to_list())


def names_at(names: Sequence[str], places: Ints) -> Sequence[str]:
    """The names that stand at those places."""
    if isinstance(names, HeldNames):
        return HeldNames(names.series.gather(places))
    return tuple(map(names.__getitem__, places.tolist()))


def same_names(names: Sequence[str], others: Sequence[str]) -> bool:
    """Whether these are the same names in the same order."""
    if names is others:
        return True
    if len(names) != len(others):
        return False
    if isinstance(names, HeldNames) and isinstance(others, HeldNames):
        return names == others
    return tuple(names) == tuple(others)


def as_lines(names: Sequence[str]) -> bytes:
    """The names in UTF-8, each with a line end after it."""
    if isinstance(names, HeldNames):
        text: str = (names.series + "\n").str.join().item()
        return text.encode()
    return "\n".join((*names, "")).encode("utf-8", "surrogatepass")
