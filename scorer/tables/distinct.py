"""How many different ids the columns of a file have, in little memory and time."""

from __future__ import annotations

import math

import numpy as np

from scorer.core.arrays import Mask, distinct
from scorer.tables.columns import CodedColumn, Hashes, TextColumn
from scorer.tables.table import Table

PLACES = 20  # bits: of so many places that small counts are exact but for one in thousands
SURE = 1.001  # what an estimate must exceed a bound by; its error is a tenth of that
SURE_OF_SHARE = 1.01  # where only a share of the ids is counted; its error is a fifth of that


class Distinct:
    """Counts ids by the first bits of their hashes.

    Linear counting: Whang, Vander-Zanden and Taylor, "A linear-time probabilistic counting
    algorithm for database applications", ACM Transactions on Database Systems 15, 1990.
    """

    def __init__(self, most: int) -> None:
        """Count up to some more than `most`: of very many ids those whose hash is low."""
        self._unused = max(0, (2 * most).bit_length() - PLACES)  # first bits, which are 0 then
        self._places: dict[str, Mask] = {}
        self._counts: dict[str, int] = {}  # places of each column

    def add(self, table: Table) -> None:
        """Count the ids of one more table."""
        for role, column in table.ids.items():
            if role not in self._places:
                self._places[role] = np.zeros(1 << PLACES, dtype=bool)
            place = _id_hashes(column) >> np.uint64(64 - PLACES - self._unused)
            place = place[place < 1 << PLACES] if self._unused else place
            new = distinct(place[~self._places[role][place]])
            self._places[role][new] = True
            self._counts[role] = self._counts.get(role, 0) + new.size

    def exceeds(self, most: int) -> bool:
        """Whether a column has surely more different ids than that."""
        places = 1 << PLACES
        free = places - max(self._counts.values(), default=0)
        estimate = -places * math.log(max(free, 1) / places) * (1 << self._unused)
        return estimate > (SURE_OF_SHARE if self._unused else SURE) * most


def _id_hashes(column: CodedColumn) -> Hashes:
    """The hash of each id that a column has, some of them more than once."""
    if not isinstance(column, TextColumn):
        return column.hashes
    return column.runs.hashes if column.in_runs else column.row_hashes
