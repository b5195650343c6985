"""What submissions tell of measures, lists and truth, as fields."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from scorer.results.diagnosis import Diagnosis


@dataclass(frozen=True, slots=True)
class MeasureTold:
    """How many pairs a measure separates, and its order beside the official one."""

    measure: str
    separated: int
    pairs: int
    tau: float | None
    ap: float | None


@dataclass(frozen=True, slots=True)
class MeasuresAgree:
    """The agreement of the orders by two measures."""

    measures: Sequence[str]
    tau: float | None
    ap: float | None


@dataclass(frozen=True, slots=True)
class AgainstTotal:
    """A list on which submissions that are better elsewhere do worse."""

    list: str
    correlation: float
    p: float
    beyond_chance: bool


@dataclass(frozen=True, slots=True)
class ListsTold:
    """The lists that separate nobody, or go against the others."""

    measure: str
    failed: Sequence[str]
    solved: Sequence[str]
    alike: Sequence[str]
    tested: int
    against: Sequence[AgainstTotal]


@dataclass(frozen=True, slots=True)
class SuspectList:
    """A list on which all of the better half are far below their usual value."""

    list: str
    deviations: float


@dataclass(frozen=True, slots=True)
class SuspectRow:
    """A row to which most of the better half give another class than the truth."""

    list: str
    truth: str
    said: str
    share: float


@dataclass(frozen=True, slots=True)
class WorseThanChance:
    """A measure by which all would gain if labels were reversed."""

    measure: str
    best: float
    chance: float


@dataclass(frozen=True, slots=True)
class DoubtedTruth:
    """Where the truth may be wrong."""

    file: str
    better_half: Sequence[str]
    lists: Sequence[SuspectList]
    rows: Sequence[SuspectRow]
    reversed: Sequence[WorseThanChance]


@dataclass(frozen=True, slots=True, kw_only=True)
class Told:
    """What submissions tell of the measures, the lists and the truth."""

    alpha: float
    measures: Sequence[MeasureTold]
    agreements: Sequence[MeasuresAgree]
    lists: ListsTold | None  # None: no measure has a value for each
    suspects: DoubtedTruth
    rank_shares: Sequence[Sequence[float]] | None  # a row a submission, a column a rank
    unknown: Sequence[str]


def told(found: Diagnosis) -> Told:
    """The record of a diagnosis."""
    lists = ListsTold(
        found.measure, found.failed, found.solved, found.alike, found.tested,
        [AgainstTotal(*each) for each in found.against],
    )  # fmt: skip
    return Told(
        alpha=found.alpha,
        measures=[
            MeasureTold(*row[:3], row.tau, row.ap) for row in found.separations
        ],
        agreements=[
            MeasuresAgree([each.first, each.second], each.tau, each.ap)
            for each in found.agreements
        ],
        suspects=DoubtedTruth(
            found.truth, found.better_half, [SuspectList(*each) for each in found.low],
            [SuspectRow(*each) for each in found.mislabelled],
            [WorseThanChance(*each) for each in found.reversed],
        ),
        lists=lists if found.measure else None,
        rank_shares=None if found.shares is None else found.shares.tolist(),
        unknown=found.unknown,
    )  # fmt: skip
