"""The results of `score lint`: whether a challenge is sound, as data."""

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

# Submissions made from the truth, whose values show whether a measure works.
PROBES = ("perfect", "reversed", "constant", "majority", "prior", "mean", "tied", "empty")
UPPER_QUANTILE = 0.995  # of a central interval of 99 %
ROUNDING = 1e-9  # added to both sides, so that equal values are inside


@dataclass(frozen=True, slots=True)
class Remark:
    """A finding in words; with an error the challenge is not sound."""

    severity: Annotated[Severity | Literal["note"], shown_as(str)]
    message: str


@dataclass(frozen=True, slots=True)
class RandomSubmissions:
    """How the random submissions were drawn."""

    draws: int
    seed: int
    from_: str  # what their answers are drawn from; `from` in JSON


@dataclass(frozen=True, slots=True)
class Chance:
    """The distribution of a measure over random submissions."""

    mean: Number
    deviation: Number  # the standard deviation of the draws' means
    low: Number  # 99 % of further draws lie between `low` and `high`
    high: Number

    @classmethod
    def of(cls, means: Sequence[float]) -> Chance:
        """Return the prediction interval from the means of draws, taken to be normal."""
        values = np.array(means)
        values = values[~np.isnan(values)]
        if values.size < 2:
            return cls(*[math.nan] * 4)
        from scipy.special import stdtrit

        mean, deviation = float(values.mean()), float(values.std(ddof=1))
        # A further draw varies, and so does the mean of the draws: hence 1 + 1 / n.
        margin = (
            float(stdtrit(values.size - 1, UPPER_QUANTILE))
            * deviation
            * math.sqrt(1 + 1 / values.size)
        )
        return cls(mean, deviation, mean - margin - ROUNDING, mean + margin + ROUNDING)


@dataclass(frozen=True, slots=True)
class ProbedMeasure:
    """A measure's values of submissions made from the truth."""

    measure: Internal[Measure]
    id: str
    primary: bool
    range: tuple[float | None, float | None]
    canaries: Mapping[str, float | None]  # name in PROBES -> mean; None: it was rejected
    random: Chance

    @classmethod
    def of(
        cls, measure: Measure, canaries: Mapping[str, float | None], random: Chance
    ) -> ProbedMeasure:
        """Return the values of a measure, with what results say of it."""
        return cls(measure, measure.id, measure.primary, measure.metric.range, canaries, random)


@dataclass(frozen=True, slots=True)
class Among:
    """The smallest detectable difference if all pairs of so many submissions are tested."""

    submissions: int
    difference: Number  # infinite: no difference can be detected


@dataclass(frozen=True, slots=True)
class Smaller:
    """A difference below the detectable one, and how many lists would detect it."""

    difference: float
    lists: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Detectable:
    """The smallest difference of the primary measure that the lists could show."""

    difference: Number  # between two submissions; infinite: no difference can be significant
    deviation: Number  # the standard deviation, over units, of the difference of two submissions
    alpha: float
    power: float
    basis: str  # the submissions whose differences give the deviation
    test: str
    adjust: str
    over: str  # the kind of unit
    lists: int
    units: int  # lists, clusters or folds
    among: Sequence[Among]
    smaller: Sequence[Smaller]
    why: Internal[str] = ""  # the reason if no difference can be computed


@dataclass(frozen=True, slots=True, kw_only=True)
class Lint:
    """Everything that `score lint` finds about a challenge."""

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
    judged: Internal[int]  # how many rows the truth has
    tested: Internal[int]  # how many examples of the challenge were scored
    called: Internal[Mapping[str, str]]  # role -> the challenge's word
