"""Values computed elsewhere, and whole files for Kaggle's metrics, which read data frames."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import ClassVar

from scorer.core.arrays import Floats, Mask
from scorer.reading.schema import holds_text
from scorer.reading.table import Table
from scorer.reading.write import csv_text
from scorer.views.columns import View

CSV = "csv"  # the key in `Table.facts` of the text of the whole file


@dataclass(slots=True, eq=False)
class Given(View):
    """The values that a submission gives for each list."""

    kinds: ClassVar[frozenset[str]] = frozenset({"values"})

    names: Sequence[str]
    # Name of a value -> (lists,), or numerators and denominators (lists, 2); NaN if it is missing.
    values: Mapping[str, Floats]


@dataclass(slots=True, eq=False)
class Frames(View):
    """Truth and submission as the text of a CSV file each, rows in the order of the files."""

    kinds: ClassVar[frozenset[str]] = frozenset(
        {"frames", "grades", "labels", "preferences", "ratings"}
    )

    names: Sequence[str]  # of the lists of the truth
    answered: Mask  # whether the submission has the list
    solution: str  # Kaggle's word for the truth
    submission: str


def text_of(table: Table) -> str:
    """Return a table as CSV: the text of its file if it is kept, else the columns with roles."""
    if (text := table.facts.get(CSV)) is not None:
        return str(text)
    _line, *roles = table.frame.columns
    roles.sort(key=lambda role: not holds_text(role))  # texts first
    columns = [table.frame[role].to_list() for role in roles]
    cells = (  # numbers with all their digits
        column if holds_text(role) else list(map(repr, column))
        for role, column in zip(roles, columns, strict=True)
    )
    return csv_text([map(table.column_name, roles), *zip(*cells, strict=True)])
