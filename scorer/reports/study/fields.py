"""How far a board depends on what was decided, as fields."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from scorer.reports.base import LINTED, Options
from scorer.results.json import VERSION, ChallengeIdentity, optional
from scorer.results.study import PODIUM, Study


@dataclass(frozen=True, slots=True)
class Place:
    """A submission's official rank, and those of the decisions, without draws of lists."""

    name: str
    rank: int
    best: int
    worst: int


@dataclass(frozen=True, slots=True)
class Staying:
    """In how many decisions, draws of lists aside, the same submissions are in front."""

    decisions: int
    winner: int
    podium: int


@dataclass(frozen=True, slots=True)
class Changed:
    """The board by another decision."""

    about: str
    variation: str
    tau: float
    winner: Sequence[str]
    winner_stays: bool
    podium_stays: bool
    ranks: Sequence[int]  # of the submissions in their order


@dataclass(frozen=True, slots=True)
class SplitHalf:
    """How far two random halves of the lists agree, on average."""

    draws: int
    tau: float
    correlation: float | None
    reliability: float | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Record:
    """How far a board depends on what was decided."""

    private: str = optional()
    schema: str = "study/1"
    scorer: str = VERSION
    challenge: ChallengeIdentity
    ranked_by: str
    lists: int
    seed: int
    submissions: Sequence[Place]
    staying: Staying
    variations: Sequence[Changed]
    halves: SplitHalf | None  # None: too few lists
    left_out: Sequence[str]


def fields(study: Study, options: Options) -> Record:
    """The record of a study."""
    decisions = study.decisions()
    counts = [sum(study.stays(each, most) for each in decisions) for most in (1, PODIUM)]
    halves = study.halves and SplitHalf(
        study.halves.draws,
        study.halves.tau,
        study.halves.correlation,
        study.halves.reliability,
    )
    record = Record(
        challenge=ChallengeIdentity.of(study.challenge, study.fingerprint),
        ranked_by=study.ruled,
        lists=study.lists,
        seed=study.seed,
        submissions=[Place(*each) for each in study.spread()],
        staying=Staying(len(decisions), *counts),
        variations=[
            Changed(
                each.about, each.name, each.tau, study.top(each.ranks), study.stays(each),
                study.stays(each, PODIUM), each.ranks,
            )
            for each in study.variations
        ],
        halves=halves,
        left_out=study.left_out,
    )  # fmt: skip
    return record if study.open else replace(record, private=LINTED)
