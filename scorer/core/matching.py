"""Finds rows with the same texts: hashes narrow the search, and the texts decide.

A hash is a number of 64 bits. Equal texts have equal hashes, but equal hashes do not mean equal
texts: the hash of polars is not cryptographic, and whoever knows its seed can make a text with the
hash of any other. So no function here returns a hash but `hash_rows`, and no other module uses
that one. Each process draws its own seed, and no hash is stored or sent to another process.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence

import numpy as np
import polars as pl
from numpy.typing import NDArray

from scorer.core.arrays import Ints, Mask, starts

SEED = int.from_bytes(os.urandom(8), "big")
FACTOR = np.uint64(0x9E3779B97F4A7C15)  # odd, so that no bits of a hash are lost when multiplied
BATCH = 1_000_000  # rows that are hashed or compared at once: a copy takes 16 bytes a text

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


def match_rows(columns: Columns, others: Columns) -> tuple[Ints, Ints]:
    """Return the rows and the other rows that are equal, in the order of the rows.

    Two arrays of shape (matches,). No two of the other rows may be equal.
    """
    rows, matches = (
        pl.DataFrame({"key": hash_rows(each)}).with_row_index(name)
        for each, name in ((columns, "row"), (others, "match"))
    )
    joined = rows.lazy().join(matches.lazy(), on="key").drop("key")
    found = joined.collect(engine="streaming").sort("row")  # half the cost of an ordered join
    del rows, matches, joined  # their keys take 16 bytes a row
    row, match = found["row"].to_numpy(), found["match"].to_numpy()
    is_equal = _are_equal(columns, row, others, match)
    if not is_equal.all():  # different rows with the same hash
        row, match = row[is_equal], match[is_equal]
    return row.astype(np.int64), match.astype(np.int64)


def find_repeats(columns: Columns) -> tuple[Ints, Ints]:
    """Return the rows that an earlier row equals, ascending, and the first row that equals each.

    >>> rows, first_rows = find_repeats([pl.Series(["a", "b", "a", "a"])])
    >>> rows.tolist(), first_rows.tolist()
    ([2, 3], [0, 0])
    """
    # The highest bits of a row's hash and its number are sorted as one number of 64 bits, so that
    # rows with the same bits follow each other in their order. Few rows of different texts do.
    packed = hash_rows(columns)
    row_bits = np.uint64(packed.size.bit_length())
    number_of_row = (np.uint64(1) << row_bits) - np.uint64(1)
    packed &= ~number_of_row
    packed |= np.arange(packed.size, dtype=np.uint64)
    packed = pl.Series(packed).sort().to_numpy()
    is_first = starts(packed >> row_bits)
    packed = packed[~(is_first & np.append(is_first[1:], True))]  # groups of several rows
    is_first = starts(packed >> row_bits)
    rows = (packed & number_of_row).astype(np.int64)
    first_rows = rows[is_first][np.cumsum(is_first) - 1]
    rows, first_rows = rows[~is_first], first_rows[~is_first]
    is_equal = _are_equal(columns, rows, columns, first_rows)
    if not is_equal.all():
        is_mixed = np.isin(first_rows, first_rows[~is_equal])  # in a group of different texts
        mixed = np.union1d(rows[is_mixed], first_rows[is_mixed])
        texts = pl.DataFrame({str(n): each.gather(mixed) for n, each in enumerate(columns)})
        first = texts.with_row_index("row").select(pl.col("row").first().over(texts.columns))
        first_of_mixed = mixed[first["row"].to_numpy()]
        is_repeat = mixed != first_of_mixed
        rows = np.append(rows[~is_mixed], mixed[is_repeat])
        first_rows = np.append(first_rows[~is_mixed], first_of_mixed[is_repeat])
    order = np.argsort(rows)
    return rows[order], first_rows[order]


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


def _are_equal(columns: Columns, rows: Ints, others: Columns, other_rows: Ints) -> Mask:
    """Return whether each of some rows has the same cells as another row."""
    is_equal = np.ones(rows.size, dtype=bool)
    for part in _batches(rows.size):
        for column, other in zip(columns, others, strict=True):
            cells, other_cells = column.gather(rows[part]), other.gather(other_rows[part])
            is_equal[part] &= (cells == other_cells).to_numpy()
    return is_equal


def _batches(rows: int) -> Iterator[slice]:
    """Yield slices of at most `BATCH` rows."""
    for begin in range(0, rows, BATCH):
        yield slice(begin, begin + BATCH)
