"""What lint found, as data."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np

from scorer.challenge.model import Challenge
from scorer.core.problems import Problem, Severity
from scorer.metrics.base import Measure

PROBES = ("perfect", "reversed", "constant", "majority", "prior", "mean", "tied", "empty")


NINETY_NINE = 2.5758293035489004  # standard deviations to either side


SAME = 1e-9


POWER = 0.8


@dataclass(frozen=True, slots=True)
class Remark:
    """Something found; only an error makes a challenge unsound."""

    severity: Severity | Literal["note"]
    text: str


@dataclass(frozen=True, slots=True)
class Chance:
    """What random submissions come to."""

    mean: float
    deviation: float  # of the draws' means
    low: float  # 99 % of the draws lie from here
    high: float  # to here

    @classmethod
    def of(cls, means: Sequence[float]) -> Chance:
        """Of the means of several draws: as a normal variable, and as far as they went."""
        found = np.array(means)
        found = found[~np.isnan(found)]
        if found.size < 2:
            return cls(*[math.nan] * 4)
        mean, apart = float(found.mean()), float(found.std(ddof=1))
        wide = NINETY_NINE * apart + SAME
        low, high = min(mean - wide, found.min()), max(mean + wide, found.max())
        return cls(mean, apart, float(low), float(high))


@dataclass(frozen=True, slots=True)
class Detectable:
    """The smallest difference of the primary measure that the lists could show."""

    difference: float
    deviation: float  # of the difference of two submissions, over lists
    alpha: float
    basis: str  # whose differences that are


@dataclass(frozen=True)
class Lint:
    """All that is known of a challenge."""

    challenge: Challenge
    fingerprint: str
    kind: str
    lists: int
    judged: int  # rows of the truth
    measures: tuple[Measure, ...]
    found: Mapping[str, Mapping[str, float | None]]  # measure -> probe -> mean; None: refused
    chance: Mapping[str, Chance]
    draws: int
    drawn: str
    detectable: Detectable
    examples: tuple[Remark, ...]
    problems: tuple[Problem, ...]
    remarks: tuple[Remark, ...]

    @property
    def sound(self) -> bool:
        """Whether nothing found is an error."""
        return not any(each.severity == "error" for each in (*self.examples, *self.remarks))
