"""Tables as arrays, each row knowing its line."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

import numpy as np

from scorer.core.arrays import Floats, Ints, spread
from scorer.reading.schema import Schema
from scorer.tables.columns import CodedColumn, Rows, TextColumn


@dataclass(frozen=True, eq=False)
class Table:
    """A file's rows, column by column. All arrays have one element a row."""

    ids: Mapping[str, CodedColumn]
    numbers: Mapping[str, Floats]
    line: Ints  # the physical line each row begins on
    wanted: Schema
    facts: Mapping[str, Any] = field(default_factory=dict)  # what a format noticed

    def __len__(self) -> int:
        return len(self.line)

    def where(self, rows: Rows) -> Table:
        """The table of some rows alone."""
        return replace(
            self,
            ids={role: ids.where(rows) for role, ids in self.ids.items()},
            numbers={role: values[rows] for role, values in self.numbers.items()},
            line=self.line[rows],
        )

    def called(self, role: str) -> str:
        """The name of that column in the file."""
        return self.wanted.column_name(role)

    @cached_property
    def once(self) -> bool:
        """Whether no item stands twice in a list."""
        lists, items = self.ids["list"], self.ids["item"]
        if isinstance(items, TextColumn):  # of which codes take longer to make
            hashes = spread(lists.codes) ^ items.row_hashes
            hashes.sort()
            if not (hashes[1:] == hashes[:-1]).any():
                return True
        pairs = lists.codes.astype(np.int64)
        pairs *= max(len(items.held), 1)
        pairs += items.codes
        pairs.sort()
        return not (pairs[1:] == pairs[:-1]).any()
