"""Thresholds of an overlap, and the share of them that a value is above."""

from __future__ import annotations

from typing import Annotated, Any

import numpy as np
from pydantic import BeforeValidator, Field, Strict

from scorer.metrics.notation import NotationError
from scorer.metrics.quotient import Quotient

ROUNDING = 10  # decimals of a threshold: 0.5:0.95:0.05 are 10 thresholds, the last 0.95


def _thresholds(value: Any) -> Any:
    """Numbers, one number, or `first:last:step`."""
    if isinstance(value, str) and value.count(":") == 2:
        first, last, step = (float(part) for part in value.split(":"))
        if not step > 0 or (last - first) / step > 1000:
            raise ValueError("thresholds are written first:last:step")
        count = int(np.floor((last - first) / step + 1e-9)) + 1
        return tuple(round(first + n * step, ROUNDING) for n in range(count))
    return (value,) if isinstance(value, int | float) else value


Thresholds = Annotated[
    tuple[Annotated[float, Field(gt=0, le=1)], ...],
    Strict(False),
    BeforeValidator(_thresholds),
    Field(
        min_length=1,
        description="The intersection over union from which on two match: a number, several, or "
        "first:last:step, as '0.5:0.95:0.05'; the value is the mean over all.",
    ),
]


def above(quotient: Quotient, thresholds: tuple[float, ...], average: str) -> Quotient:
    """Of each list the share of the thresholds that its value is above.

    `NotationError` where the lists are pooled, which leaves them without values.
    """
    if average == "pooled":
        raise NotationError("thresholds= are for the value of each list", "thresholds")
    values = quotient.values
    share = (values[:, None] > np.array(thresholds)).mean(axis=1)
    share = np.where(np.isnan(values), np.nan, share)
    says = "share of the thresholds below the value"
    return Quotient(
        share, None, says, quotient.table, "{}", (share,), relevant=quotient.relevant,
        undefined=quotient.undefined,
    )  # fmt: skip
