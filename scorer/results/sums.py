"""Sums over blocks of lists: what a mean, its interval and its tests are made of.

Of more lists than `MOST` a report is made of these alone, whatever engine scores them. A block
is made of lists by a hash of their names, so that whoever has all lists of a block has its sum.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple
from zlib import crc32

import numpy as np
from numpy.typing import NDArray

from scorer.core.arrays import Floats, Ints

MOST = 100_000  # lists of which each has a value in the report's means, intervals and tests
BLOCKS = 10_000

Hashes = NDArray[np.uint64]


class Sums(NamedTuple):
    """A measure's sums over blocks of a submission's lists, after the challenge's rules.

    The sums of any split of the blocks add up to the same bits.
    """

    block: Ints  # (blocks,), ascending: those that have a list that counts
    total: Floats  # (blocks,), the sum of their lists' values, in the order of the lists' names
    size: Ints  # (blocks,), how many lists of each count
    which: int  # a digest of the lists that count
    low: float  # the least value
    high: float
    missing: int  # how many lists the submission leaves out
    undefined: int  # for how many lists the measure has no value

    @classmethod
    def of(cls, values: Floats, hashes: Hashes, missing: int, undefined: int) -> Sums:
        """The sums of whole blocks.

        Args:
            values: shape (lists,), in the order of the lists' names; NaN where a list is skipped.
            hashes: shape (lists,), of their names.
            missing: how many of the lists are left out.
            undefined: for how many of them there was no value.
        """
        if (counts := ~np.isnan(values)).all():
            counted, counted_hashes = values, hashes
        else:
            counted, counted_hashes = values[counts], hashes[counts]
        block = blocks_of(counted_hashes)
        size = np.bincount(block, minlength=BLOCKS)
        filled = np.flatnonzero(size)
        # one after the other, in the order of the names
        total: Floats = np.bincount(block, counted, minlength=BLOCKS).astype(np.float64)
        return cls(
            filled, total[filled], size[filled],
            int(np.add.reduce(counted_hashes, dtype=np.uint64)),
            float(counted.min(initial=math.inf)), float(counted.max(initial=-math.inf)),
            missing, undefined,
        )  # fmt: skip

    def plus(self, others: Sequence[Sums]) -> Sums:
        """The sums of all blocks; no two parts have lists of one block."""
        parts = (self, *others)
        block = np.concatenate([part.block for part in parts])
        order = np.argsort(block)
        return Sums(
            block=block[order],
            total=np.concatenate([part.total for part in parts])[order],
            size=np.concatenate([part.size for part in parts])[order],
            which=sum(part.which for part in parts) % 2**64,
            low=min(part.low for part in parts),
            high=max(part.high for part in parts),
            missing=sum(part.missing for part in parts),
            undefined=sum(part.undefined for part in parts),
        )

    @property
    def lists(self) -> int:
        """How many lists there are."""
        return int(self.size.sum())

    @property
    def sum(self) -> float:
        """The sum of the lists' values."""
        return math.fsum(self.total.tolist()) if self.block.size else math.nan

    @property
    def mean(self) -> float:
        """The mean of the lists' values."""
        if not self.block.size or self.low == self.high:
            return self.low if self.block.size else math.nan
        return self.sum / self.lists


class Unnamed(tuple[str, ...]):
    """Lists that are counted but not named, since they are too many; iterating gives none.

    Args:
        count: how many lists there are.
    """

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

    It is the same on every machine and in every version, which the hash of a library need not be:
    a checksum of the name, mixed with the seed as in SplitMix64 (Steele, Lea & Flood, "Fast
    splittable pseudorandom number generators", OOPSLA 2014), so that another seed makes other
    blocks.

    Args:
        names: of the lists.
        seed: of the leaderboard.
    """
    checksums = (crc32(name.encode("utf-8", "surrogatepass")) for name in names)
    mixed = np.fromiter(checksums, dtype=np.uint64, count=len(names))
    mixed += np.uint64(seed * 0x9E3779B97F4A7C15 % 2**64)
    for shift, factor in ((30, 0xBF58476D1CE4E5B9), (27, 0x94D049BB133111EB)):
        mixed ^= mixed >> np.uint64(shift)
        mixed *= np.uint64(factor)
    mixed ^= mixed >> np.uint64(31)
    return mixed


def blocks_of(hashes: Hashes) -> Ints:
    """The block of each list, by the hash of its name: shape (lists,), from 0 to `BLOCKS` - 1."""
    return (hashes % np.uint64(BLOCKS)).astype(np.int64)
