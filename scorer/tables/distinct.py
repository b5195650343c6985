"""How many different ids the columns of a file have, in little memory and time."""

from __future__ import annotations

import math
from collections import Counter

import numpy as np

from scorer.core.arrays import Mask, distinct
from scorer.tables.columns import TextColumn
from scorer.tables.table import Table

FEWEST = 20  # bits: of so few places that small counts are exact but for one in thousands
SURE = 1.001  # what an estimate must exceed a bound by; its error is a tenth of that


class Distinct:
    """Counts ids by the first bits of their hashes.

    Linear counting: Whang, Vander-Zanden and Taylor, "A linear-time probabilistic counting
    algorithm for database applications", ACM Transactions on Database Systems 15, 1990.
    """

    def __init__(self, most: int) -> None:
        """Count up to some more than `most`."""
        self._bits = max(FEWEST, (2 * most).bit_length())
        self._places = dict[str, Mask]()
        self._counts = Counter[str]()  # places of each column

    def add(self, table: Table) -> None:
        """Count the ids of one more table."""
        for role, column in table.ids.items():
            if role not in self._places:
                self._places[role] = np.zeros(1 << self._bits, dtype=bool)
            hashes = column.row_hashes if isinstance(column, TextColumn) else column.hashes
            place = (hashes >> np.uint64(64 - self._bits)).view(np.int64)
            new = distinct(place[~self._places[role][place]])
            self._places[role][new] = True
            self._counts[role] += new.size

    def exceeds(self, most: int) -> bool:
        """Whether a column has surely more different ids than that."""
        places = 1 << self._bits
        free = places - max(self._counts.values(), default=0)
        return -places * math.log(max(free, 1) / places) > SURE * most
