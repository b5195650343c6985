"""Values that were computed elsewhere, and whole files for metrics that read data frames."""

from __future__ import annotations

import csv
import io
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import ClassVar

from scorer.core.arrays import Floats, Mask
from scorer.reading.schema import TEXT
from scorer.reading.table import Table
from scorer.views.columns import (
    NO_EXTRAS,
    Extras,
    WithColumns,
)


@dataclass(frozen=True)
class Given(WithColumns):
    """The values that a submission gives of each list. All arrays have one element a list."""

    kinds: ClassVar[frozenset[str]] = frozenset({"values"})

    names: Sequence[str]
    answered: Mask
    # Name of a value -> (lists,), or numerators and denominators (lists, 2); NaN if it is missing.
    values: Mapping[str, Floats]
    extras: Extras = NO_EXTRAS

    @property
    def lists(self) -> int:
        """The number of lists."""
        return len(self.names)


CSV = "csv"  # the fact of a table that has the text of its whole file


@dataclass(frozen=True)
class Frames:
    """Both files as CSV; their rows in the order of the files."""

    kinds: ClassVar[frozenset[str]] = frozenset(
        {"frames", "grades", "labels", "preferences", "ratings"}
    )

    names: Sequence[str]  # of the lists of the truth
    answered: Mask  # one a list: whether the submission has it
    solution: str
    submission: str


def text_of(table: Table) -> str:
    """Return a submission as CSV: the text of its file, else the columns that have roles."""
    if (text := table.facts.get(CSV)) is not None:
        return str(text)
    roles = sorted(table.frame.columns[1:], key=lambda role: role not in TEXT)  # texts first
    columns = [table.frame[role].to_list() for role in roles]
    cells = (
        column if role in TEXT else list(map(repr, column))
        for role, column in zip(roles, columns, strict=True)
    )
    out = io.StringIO()
    lines = csv.writer(out, lineterminator="\n")
    lines.writerow(table.column_name(role) for role in roles)
    lines.writerows(zip(*cells, strict=True))
    return out.getvalue()
