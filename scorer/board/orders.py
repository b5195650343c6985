"""The order in which a submission's file has its items, for audits."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np

from scorer.core.problems import Findings
from scorer.formats.read import read
from scorer.prepare.bind import BoundChallenge
from scorer.views.join import order

DEPTH = 50  # ranks that are compared


class Orders(NamedTuple):
    """A submission's items, best first, as comparisons see them.

    `items` holds 64-bit hashes, one row a list, 0 behind the last; shape (lists, DEPTH).
    """

    items: np.ndarray[tuple[int, int], np.dtype[np.uint64]]


class Ordered(NamedTuple):
    """A submission's items by list and rank, and a digest of that order."""

    orders: Orders
    digest: str  # equal for files that say the same in other words


def order_of(path: Path, bound: BoundChallenge, lists: Sequence[str]) -> Ordered:
    """The order of items in a submission's file, written by rows, ranks or scores."""
    table = read(path, bound.format(path), bound.shapes, Findings(), bound.limits)
    items = np.zeros((len(lists), DEPTH), dtype=np.uint64)
    digest = hashlib.sha256()
    if table is None:
        return Ordered(Orders(items), digest.hexdigest())
    if "item" not in table.ids or "prediction" in table.numbers:
        names = sorted(table.ids)
        rows = sorted(
            (
                *(table.ids[name].text(row) for name in names),
                *(float(numbers[row]) for numbers in table.numbers.values()),
            )
            for row in range(len(table))
        )
        digest.update(repr(rows).encode())
        return Ordered(Orders(items), digest.hexdigest())
    ranking = order(table, lists, bound.challenge.submission.ties)
    item = table.ids["item"]
    texts = [item.text(int(row)) for row in ranking.row]
    for name, rank, text in zip(
        ranking.in_list.tolist(), ranking.rank.tolist(), texts, strict=True
    ):
        digest.update(f"{name}\t{rank}\t{text}\n".encode())
        if rank <= DEPTH:
            code = int.from_bytes(hashlib.blake2b(text.encode(), digest_size=8).digest(), "big")
            items[name, rank - 1] = code or 1
    return Ordered(Orders(items), digest.hexdigest())
