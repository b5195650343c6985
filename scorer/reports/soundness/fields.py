"""The findings of lint as fields."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from scorer.reports.base import LINTED, Options
from scorer.results.json import VERSION, ChallengeIdentity, ReportedProblem
from scorer.results.soundness import POWER, Lint, Remark


@dataclass(frozen=True, slots=True)
class Random:
    """How the random submissions were drawn."""

    draws: int
    seed: int
    from_: str


@dataclass(frozen=True, slots=True)
class Chance:
    """The distribution of a measure over random submissions."""

    mean: float | None
    deviation: float | None
    low: float | None  # a further draw lies from here
    high: float | None  # to here in 99 % of cases


@dataclass(frozen=True, slots=True)
class Measured:
    """A measure's values of submissions made from the truth."""

    id: str
    primary: bool
    range: tuple[float | None, float | None]
    canaries: Mapping[str, float | None]
    random: Chance


@dataclass(frozen=True, slots=True)
class Among:
    """The smallest difference among so many submissions; None: none can be detected."""

    submissions: int
    difference: float | None


@dataclass(frozen=True, slots=True)
class Smaller:
    """A smaller difference between two submissions, and how many lists it takes."""

    difference: float
    lists: int


@dataclass(frozen=True, slots=True)
class Detectable:
    """The smallest difference of the primary measure that the lists could show."""

    difference: float | None
    deviation: float | None
    alpha: float
    power: float
    basis: str
    test: str
    adjust: str
    over: str
    lists: int
    units: int
    among: Sequence[Among]
    smaller: Sequence[Smaller]


@dataclass(frozen=True, slots=True)
class Said:
    """Something found, in words."""

    severity: str
    message: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Record:
    """All that lint knows of a challenge."""

    private: str = LINTED
    schema: str = "soundness/1"
    scorer: str = VERSION
    challenge: ChallengeIdentity
    sound: bool
    kind: str
    lists: int
    random: Random
    measures: Sequence[Measured]
    detectable: Detectable
    examples: Sequence[Said]
    problems: Sequence[ReportedProblem]
    remarks: Sequence[Said]


def fields(lint: Lint, options: Options) -> Record:
    """The record of what lint found."""
    return Record(
        challenge=ChallengeIdentity.of(lint.challenge, lint.fingerprint),
        sound=lint.sound,
        kind=lint.kind,
        lists=lint.lists,
        random=Random(lint.draws, lint.challenge.leaderboard.seed, lint.drawn),
        measures=[
            Measured(m.id, m.primary, m.metric.range, lint.probed[m.id], _chance(lint, m.id))
            for m in lint.measures
        ],
        detectable=_detectable(lint),
        examples=[_said(remark) for remark in lint.examples],
        problems=[ReportedProblem.of(finding) for finding in lint.problems],
        remarks=[_said(remark) for remark in lint.remarks],
    )


def _chance(lint: Lint, key: str) -> Chance:
    chance = lint.chance[key]
    return Chance(chance.mean, chance.deviation, chance.low, chance.high)


def _detectable(lint: Lint) -> Detectable:
    known = lint.detectable
    return Detectable(
        known.difference, known.deviation, known.alpha, POWER, known.basis, known.test,
        known.adjust, known.over, known.lists, known.units,
        [Among(*pair) for pair in known.among], [Smaller(*pair) for pair in known.smaller],
    )  # fmt: skip


def _said(remark: Remark) -> Said:
    return Said(remark.severity, remark.text)
