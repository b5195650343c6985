"""The array types, runs of equal rows, and numbers that differ by rounding alone."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

Ints = NDArray[np.int64]
Floats = NDArray[np.float64]
Mask = NDArray[np.bool_]

RANK_DIGITS = 12  # significant digits of values that are ranked
MIN_RUN = 4  # the mean number of successive rows of a list that makes moving whole lists faster


def round_for_ranks(values: Any) -> Floats:
    """Return values rounded to RANK_DIGITS, so that rounding errors decide no rank.

    Values that are mathematically equal, such as means of the same numbers in another order, differ
    in their last digits; after this they are equal.

    >>> round_for_ranks([0.1 + 0.2, 0.3, float("nan")]).tolist()
    [0.3, 0.3, nan]
    """
    numbers = np.asarray(values, dtype=np.float64)
    sizes = np.where(np.isfinite(numbers) & (numbers != 0), np.abs(numbers), 1.0)
    exponent = RANK_DIGITS - 1 - np.floor(np.log10(sizes))
    # Two factors, as one power of ten for a number near 1e-308 would be infinite.
    half = np.trunc(exponent / 2)
    scaled = np.round(numbers * 10.0**half * 10.0 ** (exponent - half))
    rounded: Floats = scaled / 10.0**half / 10.0 ** (exponent - half)
    return rounded


def starts(*keys: NDArray[Any]) -> Mask:
    """Return whether a run begins at each row: it differs from the row before it in any key.

    Each key has the shape (rows,), as the result has; the first row always begins a run.

    >>> starts(np.array([1, 1, 2, 2]), np.array([0, 0, 0, 5])).tolist()
    [True, False, True, True]
    """
    new = np.zeros(keys[0].size, dtype=bool)
    new[:1] = True
    for key in keys:
        new[1:] |= key[1:] != key[:-1]
    return new


def ends(*keys: NDArray[Any]) -> Mask:
    """Return whether a run of equal keys ends at each row; see `starts`.

    >>> ends(np.array([1, 1, 2, 2]), np.array([0, 0, 0, 5])).tolist()
    [False, True, True, True]
    """
    last: Mask = np.append(starts(*keys)[1:], True)[: keys[0].size]
    return last


def sum_by_list(in_list: Ints, weight: ArrayLike, lists: int) -> Floats:
    """Return the sum of the weights of each list's rows, added in order; 0 of a list without rows.

    >>> sum_by_list(np.array([0, 0, 2]), [1, 2, 5], 3).tolist()
    [3.0, 0.0, 5.0]

    Args:
        in_list: The number of each row's list, (rows,).
        weight: One weight a row, or one for all.
    """
    weights = np.broadcast_to(np.asarray(weight, dtype=np.float64), in_list.shape)
    return np.bincount(in_list, weights, minlength=lists).astype(np.float64)


def first_positions(numbers: Ints, size: int) -> Ints:
    """Return where each number from 0 to `size` - 1 stands first; -1 of one that is missing.

    >>> first_positions(np.array([1, -1, 1, 0]), 3).tolist()
    [3, 0, -1]
    """
    positions = np.full(size, -1, dtype=np.int64)
    known = np.flatnonzero(numbers >= 0)[::-1]
    positions[numbers[known]] = known  # from the last, so that the first of several stays
    return positions


def at_or_missing(column: NDArray[Any], rows: Ints, missing: Any) -> NDArray[Any]:
    """Return the elements at some rows; `missing` where a row is -1.

    >>> at_or_missing(np.array([5.0, 7.0]), np.array([1, -1]), np.nan).tolist()
    [7.0, nan]
    """
    is_present = rows >= 0
    if is_present.all():
        return column[rows]
    found = np.full((rows.size, *column.shape[1:]), missing, dtype=column.dtype)
    found[is_present] = column[rows[is_present]]
    return found


def order_runs(in_list: NDArray[np.integer[Any]]) -> Ints:
    """Return the rows by list, each list's in their order; without rows whose list is below 0.

    Runs of rows of one list are ordered, which are far fewer than the rows in most files.

    >>> order_runs(np.array([2, 2, -1, 0, 2])).tolist()
    [3, 0, 1, 4]
    """
    begin = np.flatnonzero(starts(in_list))
    sizes = np.diff(begin, append=in_list.size)
    by = np.argsort(in_list[begin], kind="stable")
    by = by[np.count_nonzero(in_list[begin] < 0) :]
    begin = begin[by]
    sizes = sizes[by]
    moves = begin - (np.cumsum(sizes) - sizes)  # from a run's new place to its old one
    rows: Ints = np.arange(int(sizes.sum())) + np.repeat(moves, sizes)
    return rows


def sort_by_list(in_list: NDArray[np.integer[Any]], key: Floats) -> Ints:
    """Return the rows by list, then by key, equal ones as they stand."""
    if np.count_nonzero(starts(in_list)) > in_list.size // MIN_RUN:
        return _sort_packed(in_list, key)
    # In most files a list's rows follow each other, best first: then moving whole lists is enough.
    rows = order_runs(in_list)
    in_list = in_list[rows]
    key = key[rows]
    if ((in_list[1:] == in_list[:-1]) & (key[1:] < key[:-1])).any():
        rows = rows[_sort_packed(in_list, key)]
    return rows


def _sort_packed(in_list: NDArray[np.integer[Any]], key: Floats) -> Ints:
    """Return the same as `sort_by_list`, for rows in any order.

    The list, the highest bits of the key and the row are sorted as one number of 64 bits, which
    takes a tenth of the time of a sort by several columns.
    """
    row_bits = int(key.size).bit_length()
    key_bits = 64 - row_bits - int(in_list.max(initial=0)).bit_length()
    packed = (key + 0.0).view(np.uint64)  # -0.0 becomes 0.0
    # The bits sort as the floats once negative ones have all bits inverted, others the sign bit.
    inverted = packed.view(np.int64) >> 63
    inverted |= np.int64(-(1 << 63))
    packed = packed ^ inverted.view(np.uint64)
    packed -= packed.min()
    packed >>= np.uint64(max(int(packed.max()).bit_length() - key_bits, 0))
    packed |= in_list.astype(np.uint64) << np.uint64(key_bits)
    packed <<= np.uint64(row_bits)
    packed |= np.arange(key.size, dtype=np.uint64)
    packed.sort()
    order: Ints = (packed & np.uint64((1 << row_bits) - 1)).astype(np.int64)
    packed >>= np.uint64(row_bits)
    equal = np.flatnonzero(packed[1:] == packed[:-1])
    if (key[order[equal + 1]] < key[order[equal]]).any():  # keys differ in bits left out
        at = np.union1d(equal, equal + 1)
        rows = order[at]
        order[at] = rows[np.lexsort((rows, key[rows], packed[at]))]
    return order
