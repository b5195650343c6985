"""The results of lint, as data."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal

import numpy as np

from scorer.challenge.model import Challenge
from scorer.core.problems import Problem, Severity
from scorer.metrics.notation import Measure

PROBES = ("perfect", "reversed", "constant", "majority", "prior", "mean", "tied", "empty")
NINETY_NINE = 0.995  # the quantile of the upper end
SAME = 1e-9
POWER = 0.8


@dataclass(frozen=True, slots=True)
class Remark:
    """Something found; only an error makes a challenge unsound."""

    severity: Severity | Literal["note"]
    text: str


@dataclass(frozen=True, slots=True)
class Chance:
    """The distribution of a measure over random submissions."""

    mean: float
    deviation: float  # of the draws' means
    low: float  # a further draw lies from here in 99 % of cases
    high: float  # to here

    @classmethod
    def of(cls, means: Sequence[float]) -> Chance:
        """Estimated from the means of several draws, as those of a normal variable."""
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
class Detectable:
    """The smallest difference of the primary measure that the lists could show."""

    difference: float  # between two submissions; infinite: none can be significant
    deviation: float  # of the difference of two submissions, over units
    alpha: float
    basis: str  # whose differences that are
    among: tuple[tuple[int, float], ...] = ()  # submissions: the difference, all pairs tested
    test: str = "permutation"
    adjust: str = "max"
    over: str = "lists"
    lists: int = 0
    units: int = 0  # lists, clusters or folds
    smaller: tuple[tuple[float, int], ...] = ()  # a difference between two: the lists it takes
    why: str = ""  # nothing is known


@dataclass(frozen=True)
class Lint:
    """All that is known of a challenge."""

    challenge: Challenge
    fingerprint: str
    kind: str
    lists: int
    judged: int  # rows of the truth
    measures: tuple[Measure, ...]
    probed: Mapping[str, Mapping[str, float | None]]  # measure -> probe -> mean; None: refused
    chance: Mapping[str, Chance]
    draws: int
    drawn: str
    detectable: Detectable
    examples: tuple[Remark, ...]
    problems: tuple[Problem, ...]
    remarks: tuple[Remark, ...]
    called: Mapping[str, str] = field(default_factory=dict)  # role -> the challenge's word

    @property
    def sound(self) -> bool:
        """Whether nothing found is an error."""
        return not any(remark.severity == "error" for remark in (*self.examples, *self.remarks))
