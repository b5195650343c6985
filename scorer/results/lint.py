"""The results of lint, as data."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Annotated, Literal

import numpy as np

from scorer.core.problems import Severity
from scorer.metrics.notation import Measure
from scorer.results.json import (
    LINTED,
    VERSION,
    ChallengeIdentity,
    Internal,
    Number,
    ShownProblem,
    shown_as,
)

PROBES = ("perfect", "reversed", "constant", "majority", "prior", "mean", "tied", "empty")
NINETY_NINE = 0.995  # the quantile of the upper end
SAME = 1e-9


@dataclass(frozen=True, slots=True)
class Remark:
    """Something found, in words."""

    severity: Annotated[Severity | Literal["note"], shown_as(str)]  # an error: it is not sound
    message: str


@dataclass(frozen=True, slots=True)
class RandomSubmissions:
    """How the random submissions were drawn."""

    draws: int
    seed: int
    from_: str


@dataclass(frozen=True, slots=True)
class Chance:
    """The distribution of a measure over random submissions."""

    mean: Number
    deviation: Number  # of the draws' means
    low: Number  # a further draw lies from here in 99 % of cases
    high: Number  # to here

    @classmethod
    def of(cls, means: Sequence[float]) -> Chance:
        """Return the estimate from the means of several draws of a normal variable."""
        values = np.array(means)
        values = values[~np.isnan(values)]
        if values.size < 2:
            return cls(*[math.nan] * 4)
        from scipy.special import stdtrit

        mean, deviation = float(values.mean()), float(values.std(ddof=1))
        # a prediction interval: the mean and the deviation are themselves known from the draws
        margin = (
            float(stdtrit(values.size - 1, NINETY_NINE))
            * deviation
            * math.sqrt(1 + 1 / values.size)
        )
        return cls(mean, deviation, mean - margin - SAME, mean + margin + SAME)


@dataclass(frozen=True, slots=True)
class ProbedMeasure:
    """A measure's values of submissions made from the truth."""

    measure: Internal[Measure]
    id: str
    primary: bool
    range: tuple[float | None, float | None]
    canaries: Mapping[str, float | None]  # probe -> mean; None: refused
    random: Chance

    @classmethod
    def of(
        cls, measure: Measure, canaries: Mapping[str, float | None], random: Chance
    ) -> ProbedMeasure:
        """Return the values of a measure."""
        return cls(measure, measure.id, measure.primary, measure.metric.range, canaries, random)


@dataclass(frozen=True, slots=True)
class Among:
    """The smallest difference among so many submissions; None: none can be detected."""

    submissions: int
    difference: Number  # infinite: none can be detected


@dataclass(frozen=True, slots=True)
class Smaller:
    """A smaller difference between two submissions, and how many lists it takes."""

    difference: float
    lists: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Detectable:
    """The smallest difference of the primary measure that the lists could show."""

    difference: Number  # between two submissions; infinite: none can be significant
    deviation: Number  # of the difference of two submissions, over units
    alpha: float
    power: float
    basis: str  # whose differences that are
    test: str
    adjust: str
    over: str
    lists: int
    units: int  # lists, clusters or folds
    among: Sequence[Among]  # all pairs tested
    smaller: Sequence[Smaller]
    why: Internal[str] = ""  # nothing is known


@dataclass(frozen=True, slots=True, kw_only=True)
class Lint:
    """All that lint knows of a challenge."""

    private: str = LINTED
    schema: str = "soundness/1"
    scorer: str = VERSION
    challenge: ChallengeIdentity
    sound: bool  # whether nothing found is an error
    kind: str
    lists: int
    random: RandomSubmissions
    measures: Sequence[ProbedMeasure]
    detectable: Detectable
    examples: Sequence[Remark]
    problems: Sequence[ShownProblem]
    remarks: Sequence[Remark]
    judged: Internal[int]  # rows of the truth
    tested: Internal[int]  # examples of the challenge
    called: Internal[Mapping[str, str]]  # role -> the challenge's word
