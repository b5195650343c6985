"""Further columns of a table that metrics of numbers look at, beside the prediction."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Annotated

import numpy as np
from pydantic import Field

from scorer.core.arrays import Floats
from scorer.core.text import printable
from scorer.metrics.notation import NotationError
from scorer.views.extras import NamedColumns
from scorer.views.labelled import Targets

PREDICTION = "prediction"  # names the column of predictions itself

SentColumns = Annotated[
    tuple[str, ...],
    Field(
        min_length=1,
        description="Columns of the submission: `prediction`, or further ones of the kind number.",
    ),
]


def sent_columns(names: Iterable[str]) -> tuple[str, ...]:
    """What a challenge must declare, so that its submissions have these columns."""
    return tuple(f"submission.extra.{name}" for name in names if name != PREDICTION)


def numbers(columns: NamedColumns, name: str, metric: str) -> Floats:
    """A further column of numbers, shape (rows,); `NotationError` of texts."""
    if (column := columns[name]).dtype == object:
        section = {"list": "lists"}.get(columns.section, columns.section)
        shown = printable(name, 60)
        raise NotationError(
            f"{metric}: {shown} must be a number; write {section}: "
            f"{{columns: {{extra: {{{shown}: number}}}}}}"
        )
    return column


def sent(targets: Targets, names: Iterable[str], metric: str) -> Floats:
    """Some columns of the submission side by side, shape (rows, columns)."""
    columns = [
        targets.prediction if name == PREDICTION else numbers(targets.submission, name, metric)
        for name in names
    ]
    return np.column_stack(columns).astype(np.float64)
