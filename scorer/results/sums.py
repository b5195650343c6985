"""Sums over blocks of lists: what a mean, its interval and its tests are made of.

Of more lists than `MOST_SHOWN` a report is made of these alone. A
block is made of lists by a hash of their names, so that whoever has all lists of a block has its
sum.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from scorer.core.arrays import Floats, Ints
from scorer.stats.exact import exact_mean, exact_sum
from scorer.tables.columns import Hashes
from scorer.tables.names import as_lines

MOST_SHOWN = 100_000  # lists of which each has a value in the report's means, intervals and tests
BLOCKS = 10_000
NAMES_TOGETHER = 1 << 14  # names that are hashed together: they stay in the cache
HIGH = -1 << 26  # of a value's 53 bits, those that are kept
SPLITMIX_STEP = 0x9E3779B97F4A7C15  # of SplitMix64
FILLED = np.array([2 ** (8 * size) - 1 for size in range(9)], dtype=np.uint64)  # masks of bytes


class ListSums(NamedTuple):
    """A measure's sums over blocks of a submission's lists, after the challenge's rules.

    The sums of any split of the blocks add up to the same bits, exactly.
    """

    block: Ints  # (blocks,), ascending: those that have a list that counts
    total: Floats  # (blocks,), the sum of their lists' values, in the order of the lists' names
    size: Ints  # (blocks,), how many lists of each count
    which: int  # a digest of the lists that count
    low: float  # the least value
    high: float
    missing: int  # how many lists the submission leaves out
    undefined: int  # for how many lists the measure has no value
    lost: int = 0  # for how many of them because of the submission, which then has none at all

    @classmethod
    def of(
        cls,
        values: Floats,
        hashes: Hashes,
        missing: int,
        undefined: int,
        lost: int = 0,
        block: Ints | None = None,
    ) -> ListSums:
        """The sums of whole blocks.

        Args:
            values: shape (lists,), in the order of the lists' names; NaN where a list is skipped.
            hashes: shape (lists,), of their names.
            undefined: for how many of them there was no value.
            lost: for how many because of the submission, where that is not let pass.
            block: shape (lists,), what `blocks_of` gives of the hashes, where that is known.
        """
        counted, counted_hashes = values, hashes
        block = blocks_of(hashes) if block is None else block
        if not (counts := ~np.isnan(values)).all():
            counted, counted_hashes, block = values[counts], hashes[counts], block[counts]
        size = np.bincount(block, minlength=BLOCKS)
        filled = np.flatnonzero(size)
        # half of a value's bits are added without a rounding, where values are of like sizes
        high = (counted.view(np.int64) & HIGH).view(np.float64)
        with np.errstate(invalid="ignore"):
            low = counted - high
        low[np.isinf(counted)] = 0.0
        total: Floats = np.sum(
            [np.bincount(block, half, minlength=BLOCKS) for half in (high, low)], axis=0
        )
        return cls(
            filled, total[filled], size[filled],
            int(np.add.reduce(counted_hashes, dtype=np.uint64)),
            float(counted.min(initial=math.inf)), float(counted.max(initial=-math.inf)),
            missing, undefined, lost,
        )  # fmt: skip

    def plus(self, others: Sequence[ListSums]) -> ListSums:
        """The sums of all blocks; no two parts have lists of one block."""
        parts = (self, *others)
        block = np.concatenate([part.block for part in parts])
        order = np.argsort(block)
        return ListSums(
            block=block[order],
            total=np.concatenate([part.total for part in parts])[order],
            size=np.concatenate([part.size for part in parts])[order],
            which=sum(part.which for part in parts) % 2**64,
            low=min(part.low for part in parts),
            high=max(part.high for part in parts),
            missing=sum(part.missing for part in parts),
            undefined=sum(part.undefined for part in parts),
            lost=sum(part.lost for part in parts),
        )

    @property
    def totals(self) -> Floats:
        """The total of each block; NaN where the submission has no value."""
        return np.full_like(self.total, np.nan) if self.lost else self.total

    @property
    def lists(self) -> int:
        """How many lists there are."""
        return int(self.size.sum())

    @property
    def sum(self) -> float:
        """The sum of the lists' values."""
        return exact_sum(self.totals) if self.block.size else math.nan

    @property
    def mean(self) -> float:
        """The mean of the lists' values."""
        if self.lost or not self.block.size:
            return math.nan
        if self.low == self.high:
            return self.low
        return exact_mean(self.totals, self.lists)


class Unnamed(tuple[str, ...]):
    """Lists that are counted but not named, since they are too many; iterating gives none."""

    def __new__(cls, count: int) -> Unnamed:
        """A tuple without names."""
        unnamed = super().__new__(cls)
        unnamed.count_of = count
        return unnamed

    count_of: int

    def __len__(self) -> int:
        return self.count_of


def name_hashes(names: Sequence[str], seed: int) -> Hashes:
    """A hash of each list's name: shape (lists,).

    It is the same on every machine and in every version, which the hash of a library need not be.
    The UTF-8 bytes of a name are cut into words of eight, little-endian, the last filled up with
    zeros. With `mix` of SplitMix64 (Steele, Lea & Flood, "Fast splittable pseudorandom number
    generators", OOPSLA 2014) and its step g, and k words w of n bytes, all modulo 2**64, it is
    `mix(seed * g + n + mix(w[0]) + mix(w[1] + g) + .. + mix(w[k-1] + (k-1) * g))`: another seed
    makes other blocks.
    """
    hashes = np.empty(len(names), dtype=np.uint64)
    for start in range(0, len(names), NAMES_TOGETHER):
        some = names[start : start + NAMES_TOGETHER]
        checksums = _checksums(some)
        checksums += np.uint64(seed * SPLITMIX_STEP % 2**64)
        hashes[start : start + len(some)] = _mix(checksums)
    return hashes


def _checksums(names: Sequence[str]) -> Hashes:
    """The number of bytes of each name, and the sum of its mixed words."""
    data = as_lines(names)
    ends = np.flatnonzero(np.frombuffer(data, dtype=np.uint8) == ord("\n"))
    if ends.size > len(names):  # there are line ends in names
        encoded = (name.encode("utf-8", "surrogatepass") for name in names)
        ends = np.cumsum([len(each) + 1 for each in encoded]) - 1
    sizes = np.diff(ends, prepend=-1) - 1
    every = np.ndarray(len(data) + 1, dtype="<u8", buffer=data + bytes(8), strides=(1,))
    if sizes.max(initial=0) <= 8:  # a word each
        return _mix(every[ends - sizes] & FILLED[sizes]) + sizes.view(np.uint64)
    counts = np.maximum((sizes + 7) // 8, 1)
    first = np.cumsum(counts) - counts
    place = np.arange(int(counts.sum())) - np.repeat(first, counts)  # of each word in its name
    left = np.repeat(sizes, counts) - 8 * place  # bytes from there on
    words = every[np.repeat(ends, counts) - left] & FILLED[np.minimum(left, 8)]
    words += place.view(np.uint64) * np.uint64(SPLITMIX_STEP)
    return np.add.reduceat(_mix(words), first) + sizes.view(np.uint64)


def _mix(numbers: Hashes) -> Hashes:
    """The numbers mixed as in SplitMix64, in place."""
    for shift, factor in ((30, 0xBF58476D1CE4E5B9), (27, 0x94D049BB133111EB)):
        numbers ^= numbers >> np.uint64(shift)
        numbers *= np.uint64(factor)
    numbers ^= numbers >> np.uint64(31)
    return numbers


def blocks_of(hashes: Hashes) -> Ints:
    """The block of each list, by the hash of its name: shape (lists,), from 0 to `BLOCKS` - 1."""
    return (hashes % np.uint64(BLOCKS)).astype(np.int64)
