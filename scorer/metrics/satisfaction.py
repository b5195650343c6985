"""The reader of ERR, which an item of grade g satisfies with chance (2^g - 1) / 2^max_grade."""

from __future__ import annotations

from typing import Annotated

import numpy as np
from pydantic import Field

from scorer.core.arrays import Floats
from scorer.metrics.notation import NotationError
from scorer.views.hits import Judged

HighestGrade = Annotated[
    float, Field(ge=0, description="The highest grade there is; by default the truth's.")
]


def satisfied_by(grade: Floats, max_grade: float) -> Floats:
    """The chance that an item of each grade satisfies."""
    positive = np.maximum(grade, 0.0)
    chance: Floats = np.exp2(positive - max_grade) - np.exp2(-max_grade)  # 2^g may be too large
    return chance


def highest_grade(name: str, judged: Judged, max_grade: float | None) -> float:
    """The highest grade: as given, else the truth's; `NotationError` if that is higher."""
    highest = float(judged.ideal.grade.max(initial=0.0))
    if max_grade is None:
        return highest
    if max_grade < highest:
        message = f"{name}: max_grade={max_grade:g} is below a grade of the truth, {highest:g}"
        raise NotationError(message, "max_grade")
    return max_grade
