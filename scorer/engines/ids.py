"""The ids of scattered rows by their places in the file.

All are held as long as they take little memory; of a larger file those of few rows are read again
where they are asked for.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np
from numpy.typing import NDArray

from scorer.core.arrays import Ints, distinct
from scorer.io.formats.base import Format
from scorer.io.limits import Limits
from scorer.io.pieces import reread
from scorer.io.table import CodedColumn, Hashes, IdTexts, Schema, UnreadColumn, text_of

if TYPE_CHECKING:
    import polars as pl

MOST = 64 << 20  # bytes of ids that are held; of more none is
VIEW = 16  # bytes that polars takes for a text beside its own


class IdsByPlace(Protocol):
    """Ids of a column, by the places of their rows."""

    def at(self, places: Ints) -> IdTexts:
        """The ids at these places."""
        ...


class HeldIds:
    """The ids of all rows, as long as they take little memory."""

    def __init__(self) -> None:
        self.whole = True  # whether they are all held
        self._texts: dict[str, list[pl.Series]] = {}
        self._size = 0  # in bytes

    def add(self, columns: Mapping[str, CodedColumn]) -> None:
        """Hold those of some more rows."""
        for role, column in columns.items():
            if self.whole:
                texts = text_of(column)
                self._texts.setdefault(role, []).append(texts)
                self._size += VIEW * len(texts) + int(texts.estimated_size())
                self.whole = self._size <= MOST
        if not self.whole:
            self._texts.clear()

    def columns(self) -> dict[str, IdsByPlace]:
        """The ids of each column, where they are all held."""
        import polars as pl

        assert self.whole
        return {role: Ids(pl.concat(parts)) for role, parts in self._texts.items()}


@dataclass
class Ids:
    """The ids of a column."""

    texts: pl.Series

    def at(self, places: Ints) -> IdTexts:
        """The ids at these places."""
        return self.texts.gather(places)


@dataclass
class AskedIds:
    """The ids of some rows of the file: those that are known, and those that were asked for."""

    role: str
    places: NDArray[np.uint32] = field(default_factory=lambda: np.empty(0, dtype=np.uint32))
    known: pl.Series | None = None
    _missed: list[NDArray[np.uint32]] = field(default_factory=list)

    def at(self, places: Ints) -> IdTexts:
        """The ids at these places; where they are not known yet, they are noted, and nothing."""
        asked = places.astype(np.uint32)
        if self.known is not None and self.places.size:
            at = np.minimum(np.searchsorted(self.places, asked), self.places.size - 1)
            if (self.places[at] == asked).all():
                return self.known.gather(at)
        if asked.size:
            self._missed.append(asked)
        return ["?"] * asked.size

    def ask(self, places: Ints) -> None:
        """Note that these are wanted."""
        if places.size:
            self._missed.append(places.astype(np.uint32))

    @property
    def missed(self) -> int:
        """How many have been asked for and are not known."""
        return sum(map(len, self._missed))

    def read(self, path: Path, format: Format, schema: Schema, limits: Limits) -> None:
        """Read again what has been asked for; what was known before stays so."""
        if not self._missed:
            return
        self.places = distinct(np.concatenate([self.places, *self._missed]))
        self._missed.clear()
        self.known = None  # given back before more are read
        self.known = reread(path, format, schema, limits, self.places, self.role)

    def forget(self) -> None:
        """Know nothing any more."""
        self.places, self.known = self.places[:0].copy(), None


class GatheredColumn(UnreadColumn):
    """A column of which only hashes are gathered; ids of few rows are to be had by their places."""

    def __init__(self, hashes: Hashes, places: Ints, texts: IdsByPlace) -> None:
        super().__init__(hashes)
        self._places, self._texts = places, texts

    def text(self, row: int) -> str:
        """The id of one row."""
        return str(self._texts.at(self._places[row : row + 1])[0])

    def gathered(self, rows: NDArray[np.integer[Any]]) -> IdTexts:
        """The ids of some rows."""
        return self._texts.at(self._places[rows])

    def where(self, rows: Ints) -> CodedColumn:
        """The column of some rows alone."""
        return GatheredColumn(self.row_hashes[rows], self._places[rows], self._texts)
