"""A comparison as fields: full doubles, no value as None."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from scorer.reports.base import PRIVATE, Options
from scorer.reports.comparison.cells import ComparedReport
from scorer.results import comparison as results
from scorer.results.comparison import Pairing, Tested
from scorer.results.json import ABSENT, VERSION, ChallengeIdentity, by_list, optional
from scorer.results.report import Report, Scope


@dataclass(frozen=True, slots=True)
class File:
    """A submission that was compared."""

    name: str
    path: str
    sha256: str | None
    baseline: bool


@dataclass(frozen=True, slots=True)
class Preferred:
    """The outcome of a preference for a pair."""

    mean: float | None
    wins: int
    ties: int
    losses: int
    per_list: Mapping[str, float | None]


@dataclass(frozen=True, slots=True)
class Most:
    """A list, and by how much the pair differs there."""

    list: str
    difference: float


@dataclass(frozen=True, slots=True)
class Differing:
    """How a measure differs between a pair; positive where the first has more of it."""

    difference: float | None
    wins: int
    ties: int
    losses: int
    interval: tuple[float | None, float | None] | None
    effect_size: float | None
    p: float | None
    lists: int
    interval_of_all: tuple[float | None, float | None] | None
    equivalence_p: float | None
    most: Sequence[Most]


@dataclass(frozen=True, slots=True)
class Pair:
    """Two submissions."""

    a: str
    b: str
    preferences: Mapping[str, Preferred]
    measures: Mapping[str, Differing]


@dataclass(frozen=True, slots=True)
class How:
    """The rules of the challenge by which pairs were compared."""

    alpha: float | None
    level: float | None
    seed: int
    margin: float | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Record:
    """Every pair, and the orders that preferences make."""

    private: str = optional()
    schema: str = "comparison/1"
    scorer: str = VERSION
    challenge: ChallengeIdentity
    submissions: Sequence[File] = optional()
    pairs: Sequence[Pair]
    orders: Mapping[str, Mapping[str, Sequence[Sequence[str]]]]  # preference -> aggregation
    tests: Mapping[str, Tested]  # measure -> how it was tested
    how: How
    untested: Mapping[str, str]  # measure -> why it was not tested
    cycles: Mapping[str, Sequence[Sequence[str]]]  # preference -> groups that contradict
    scope: Scope | None = optional()


def fields(compared: ComparedReport, options: Options) -> Record:
    """The record of a comparison."""
    report, pairing = compared.report, compared.pairing
    rules = compared.challenge.leaderboard
    return Record(
        private=PRIVATE if options.private else ABSENT,
        challenge=ChallengeIdentity.of(compared.challenge, report.fingerprint if report else None),
        submissions=_file_records(report) if options.private and report else ABSENT,
        pairs=[_pair(pair, pairing) for pair in pairing.pairs],
        orders=pairing.orders,
        tests=pairing.tests,
        how=How(
            rules.tiers.alpha if rules.tiers else None, rules.intervals, rules.seed,
            pairing.margin,
        ),
        untested=pairing.untested,
        cycles=pairing.cycles,
        scope=ABSENT if report is None or report.scope is None else report.scope,
    )  # fmt: skip


def _file_records(report: Report) -> list[File]:
    return [File(s.name, s.path, s.sha256, s.baseline) for s in report.submissions]


def _pair(pair: results.ComparedPair, pairing: Pairing) -> Pair:
    index = {name: n for n, name in enumerate(pairing.lists)}
    preferences = {
        key: Preferred(
            outcome.mean, outcome.tally.wins, outcome.tally.ties, outcome.tally.losses,
            by_list(pairing.lists, outcome.per_list),
        )
        for key, outcome in pair.preferences.items()
    }  # fmt: skip
    measures = {key: _differing(found, index) for key, found in pair.measures.items()}
    return Pair(pair.a, pair.b, preferences, measures)


def _differing(found: results.Differing, index: Mapping[str, int]) -> Differing:
    return Differing(
        found.difference, found.tally.wins, found.tally.ties, found.tally.losses, found.interval,
        found.effect, found.p, found.lists, found.together, found.equivalent,
        [Most(name, float(found.per_list[index[name]])) for name in found.most],
    )  # fmt: skip
