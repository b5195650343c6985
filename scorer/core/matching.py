"""Finds rows with the same texts: hashes narrow the search, and the texts decide.

A hash is a number of 64 bits. Equal texts have equal hashes, but equal hashes do not mean equal
texts: the hash of polars is not cryptographic, and whoever knows its seed can make a text with the
hash of any other. So no other module makes hashes, and all that is returned is confirmed by the
texts. Each process draws its own seed, and no hash is stored or sent to another process.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
import polars as pl
from numpy.typing import NDArray

from scorer.core.arrays import Ints, Mask

SEED = int.from_bytes(os.urandom(8), "big")
FACTOR = np.uint64(0x9E3779B97F4A7C15)  # odd, so that no bits of a hash are lost when multiplied
BATCH = 1_000_000  # rows that are hashed or compared at once: a copy takes 16 bytes a text
ROW = np.uint64(2**32 - 1)  # the bits of a row's number; polars has no more rows

# Columns of the same length, of texts or whole numbers; None of their cells is null.
Columns = Sequence[pl.Series]


def hash_rows(columns: Columns) -> NDArray[np.uint64]:
    """Return a number for each row: equal for equal rows, and for few others."""
    keys = np.zeros(len(columns[0]), dtype=np.uint64)
    for part in _batches(keys.size):
        key = keys[part]
        for column in columns:
            cells = column[part]
            is_text = cells.dtype == pl.String
            key *= FACTOR
            key += cells.hash(SEED).to_numpy() if is_text else cells.to_numpy().astype(np.uint64)
    return keys


@dataclass(frozen=True, eq=False)
class RowIndex:
    """Rows in the order of their hashes, to find rows that may be equal.

    Its methods are given the columns whose cells decide: those that were hashed, or others that are
    equal for the same rows, such as the numbers of texts.

    Attributes:
        entries: The upper half of each row's hash, then its number, in 64 bits: sorted. Numbers
            sort faster than rows; few rows of different texts share the upper half.
    """

    entries: NDArray[np.uint64]

    @classmethod
    def of(cls, columns: Columns) -> RowIndex:
        """Return the index of the rows of some columns."""
        entries = hash_rows(columns)
        for part in _batches(entries.size):
            entries[part] &= ~ROW
            entries[part] |= np.arange(part.start, part.stop, dtype=np.uint64)
        return cls(pl.Series(entries).sort().to_numpy())

    def find_repeats(self, columns: Columns) -> tuple[Ints, Ints]:
        """Return the rows that an earlier row equals, ascending, and the first that equals each."""
        entries = self.entries
        # The places of entries with the hash of the entry before.
        later = np.concatenate(
            [
                np.empty(0, dtype=np.int64),
                *(
                    np.flatnonzero((entries[part][1:] ^ entries[part][:-1]) <= ROW) + part.start + 1
                    for part in _batches(entries.size, overlap=1)
                ),
            ]
        )
        is_second = np.diff(later, prepend=-1) > 1  # of those with one hash
        first = (later[is_second] - 1)[np.cumsum(is_second) - 1]
        rows, first_rows = _row_numbers(entries[later]), _row_numbers(entries[first])
        is_equal = _are_equal(columns, rows, columns, first_rows)
        if not is_equal.all():
            is_mixed = np.isin(first_rows, first_rows[~is_equal])
            mixed = np.union1d(rows[is_mixed], first_rows[is_mixed])
            later, first = _find_repeats_exactly([_take(column, mixed) for column in columns])
            rows = np.append(rows[~is_mixed], mixed[later])
            first_rows = np.append(first_rows[~is_mixed], mixed[first])
        order = np.argsort(rows)
        return rows[order], first_rows[order]

    def match(self, columns: Columns, other: RowIndex, others: Columns) -> tuple[Ints, Ints]:
        """Return the rows here and the rows there that are equal, in the order of the rows here.

        Two arrays of shape (matches,). No two rows there may be equal.
        """
        is_fewer = other.entries.size < self.entries.size
        few, many = (other, self) if is_fewer else (self, other)
        of_few, of_many = _find_same_hashes(few.entries, many.entries)
        rows, matches = (of_many, of_few) if is_fewer else (of_few, of_many)
        pairs = pl.Series(rows << np.uint64(32) | matches).sort().to_numpy()
        row, match = (pairs >> np.uint64(32)).astype(np.int64), _row_numbers(pairs)
        is_equal = _are_equal(columns, row, others, match)
        return (row, match) if is_equal.all() else (row[is_equal], match[is_equal])


def find_repeats(columns: Columns) -> tuple[Ints, Ints]:
    """Return the rows that an earlier row equals, ascending, and the first that equals each.

    >>> rows, first_rows = find_repeats([pl.Series(["a", "b", "a", "a"])])
    >>> rows.tolist(), first_rows.tolist()
    ([2, 3], [0, 0])
    """
    return RowIndex.of(columns).find_repeats(columns)


def number_rows(columns: Columns) -> Ints:
    """Number the different rows from 0, in the order of their first places.

    >>> number_rows([pl.Series(["b", "a", "b"])]).tolist()
    [0, 1, 0]
    """
    rows, first_rows = find_repeats(columns)
    is_first = np.ones(len(columns[0]), dtype=bool)
    is_first[rows] = False
    numbers: Ints = np.cumsum(is_first) - 1
    numbers[rows] = numbers[first_rows]
    return numbers


def _find_same_hashes(
    few: NDArray[np.uint64], many: NDArray[np.uint64]
) -> tuple[NDArray[np.uint64], NDArray[np.uint64]]:
    """Return the rows of each two entries of two indexes that share the half of a hash."""
    if not many.size:
        return few[:0], many
    begin = np.searchsorted(many, few & ~ROW)
    is_shared = (many[np.minimum(begin, many.size - 1)] ^ few) <= ROW
    begin, few = begin[is_shared], few[is_shared]
    sizes = np.ones_like(begin)  # most hashes have one entry
    is_several = (many[np.minimum(begin + 1, many.size - 1)] ^ few) <= ROW
    end = np.searchsorted(many, few[is_several] | ROW, side="right")
    sizes[is_several] = end - begin[is_several]
    offsets = np.arange(int(sizes.sum())) - np.repeat(np.cumsum(sizes) - sizes, sizes)
    return np.repeat(few, sizes) & ROW, many[np.repeat(begin, sizes) + offsets] & ROW


def _find_repeats_exactly(columns: Columns) -> tuple[Ints, Ints]:
    """Return what `find_repeats` returns, without hashes of our own, which takes more memory."""
    frame = pl.DataFrame({str(n): column for n, column in enumerate(columns)})
    first = frame.with_row_index("row").select(pl.col("row").first().over(frame.columns))
    first_rows = first["row"].to_numpy().astype(np.int64)
    rows = np.flatnonzero(first_rows != np.arange(first_rows.size))
    return rows, first_rows[rows]


def _are_equal(columns: Columns, rows: Ints, others: Columns, other_rows: Ints) -> Mask:
    """Return whether each of some rows has the same cells as another row."""
    is_equal = np.ones(rows.size, dtype=bool)
    for part in _batches(rows.size):
        for column, other in zip(columns, others, strict=True):
            cells, other_cells = _take(column, rows[part]), _take(other, other_rows[part])
            is_equal[part] &= (cells == other_cells).to_numpy()
    return is_equal


def _take(column: pl.Series, rows: Ints) -> pl.Series:
    """Return the cells of some rows."""
    if column.n_chunks() == 1:
        return column.gather(rows)
    # Polars joins the chunks before it gathers, which copies the whole column.
    is_taken = np.zeros(len(column), dtype=bool)
    is_taken[rows] = True
    cells = column.filter(is_taken)
    if len(cells) == rows.size and (rows[1:] > rows[:-1]).all():
        return cells
    return cells.rechunk().gather(np.searchsorted(np.flatnonzero(is_taken), rows))


def _row_numbers(entries: NDArray[np.uint64]) -> Ints:
    return (entries & ROW).astype(np.int64)


def _batches(rows: int, overlap: int = 0) -> Iterator[slice]:
    """Yield slices of at most `BATCH` rows, and of some rows of the next one."""
    for begin in range(0, rows, BATCH):
        yield slice(begin, min(begin + BATCH + overlap, rows))
