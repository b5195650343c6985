"""What metrics of early detection share: outcomes of rows, and when each was decided."""

from __future__ import annotations

from typing import Annotated, Any

import numpy as np
from pydantic import Field

from scorer.core.arrays import Floats
from scorer.core.text import printable
from scorer.metrics.labels.base import one_label, place
from scorer.metrics.notation import NotationError
from scorer.views.labelled import Labelled

DELAY = "delay"

DelayColumn = Annotated[
    str,
    Field(
        min_length=1,
        description="The further column of the submission that says after how many observations "
        "a row was decided.",
    ),
]


def needed(params: Any) -> tuple[str, ...]:
    """What the challenge must declare."""
    return (f"submission.extra.{params['delay']}",)


def outcomes(
    labelled: Labelled, name: str, positive: str | None, delay: str
) -> tuple[Floats, Floats, Floats]:
    """Of each row whether it is positive, whether it is predicted so, and when it was decided.

    Gives three arrays of shape (rows,): 0 or 1, 0 or 1, and observations.

    `delay` is the column of the observations after which a row was decided. `NotationError` if no
    class is positive, or the delay is no number.
    """
    one_label(labelled, name)
    code = place(labelled, positive)
    if code is None:
        raise NotationError(f"{name} needs positive=, the class that is to be detected", "positive")
    decided = labelled.decided(code)
    when = labelled.submission[delay]
    if when.dtype == object:
        raise NotationError(
            f"{name}: {printable(delay, 60)} must be a number; write submission: "
            f"{{columns: {{extra: {{{printable(delay, 60)}: number}}}}}}",
            "delay",
        )
    true, predicted = labelled.truth == code, decided == code
    return true.astype(np.float64), predicted.astype(np.float64), np.nan_to_num(when)
