"""Truth and submission with every column of their files, for metrics that read data frames."""

from __future__ import annotations

import csv
import io
from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

from scorer.core.arrays import Mask
from scorer.tables.table import Table

TEXT = "csv"  # the fact of a table that has the text of its whole file


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
    """A submission as CSV: the text of its file, else a table of the columns that have roles."""
    if (text := table.facts.get(TEXT)) is not None:
        return str(text)
    rows = range(len(table))
    columns = {role: [ids.text(row) for row in rows] for role, ids in table.ids.items()}
    columns |= {role: list(map(repr, x.tolist())) for role, x in table.numbers.items()}
    out = io.StringIO()
    lines = csv.writer(out, lineterminator="\n")
    lines.writerow(table.called(role) for role in columns)
    lines.writerows(zip(*columns.values(), strict=True))
    return out.getvalue()
