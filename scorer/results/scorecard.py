"""What scoring gives, and what reports show."""

from __future__ import annotations

import io
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from scorer.challenge.model import Challenge
from scorer.core.arrays import Floats, Ints, Mask
from scorer.core.problems import Findings, Problem
from scorer.metrics.base import Measure
from scorer.views.hits import ratio
from scorer.views.pooled import Statistics
from scorer.views.positions import Positions

Missing = Literal["error", "zero", "skip"]
Undefined = Literal["zero", "skip", "error"]

SCORED, MISSING, UNDEFINED = 0, 1, 2  # the state of a list for a measure
POSITIONS = ("in_list", "position", "grade", "truth_list", "truth_grade")


class Rules(NamedTuple):
    """How lists without a value count: settled by the challenge, for one measure."""

    missing: Missing = "error"
    undefined: Undefined = "zero"


@dataclass(frozen=True, slots=True)
class Scorecard:
    """All values of one submission, raw: no rule has been applied to them yet.

    Identified by `digests`: submission, rules, truth, plugins, and scorer's version.
    """

    lists: tuple[str, ...]  # the truth's, in the order of their names
    answered: Mask  # one a list: whether the submission has it
    values: Mapping[str, Floats]  # measure id -> one a list, NaN where undefined
    statistics: Mapping[str, Statistics] = field(
        default_factory=dict
    )  # of whole-challenge measures
    digests: Mapping[str, str] = field(default_factory=dict)
    positions: Positions | None = None  # of the relevant items, where preferences are asked

    def states(self, measure: str, rules: Rules) -> NDArray[np.uint8]:
        """SCORED, MISSING or UNDEFINED for each list.

        A list that is left out is scored as an empty one, so it can be
        undefined too; where such lists are skipped, that decides first.
        """
        undefined, missing = np.isnan(self.values[measure]), ~self.answered
        states = np.where(undefined, UNDEFINED, np.where(missing, MISSING, SCORED))
        if rules.missing == "skip":
            states[missing] = MISSING
        return states.astype(np.uint8)

    def to_bytes(self) -> bytes:
        """Everything, as `from_bytes` reads it back, to the bit."""
        arrays: dict[str, Any] = {"answered": self.answered}
        for n, values in enumerate(self.values.values()):
            arrays[f"values{n}"] = values
        for n, statistics in enumerate(self.statistics.values()):
            arrays[f"in_list{n}"] = statistics.in_list
            arrays[f"rows{n}"] = statistics.rows
        if (found := self.positions) is not None:
            for name in POSITIONS:
                arrays[name] = getattr(found, name)
        head = {
            "positions": found is not None,
            "lists": self.lists,
            "values": list(self.values),
            "statistics": list(self.statistics),
            "digests": dict(self.digests),
        }
        arrays["head"] = np.frombuffer(json.dumps(head).encode(), dtype=np.uint8)
        buffer = io.BytesIO()
        np.savez(buffer, **arrays)
        return buffer.getvalue()

    @classmethod
    def from_bytes(cls, data: bytes) -> Scorecard:
        """The scorecard that `to_bytes` wrote."""
        with np.load(io.BytesIO(data), allow_pickle=False) as arrays:
            head = json.loads(arrays["head"].tobytes())
            lists = tuple(head["lists"])
            return cls(
                lists,
                arrays["answered"],
                {name: arrays[f"values{n}"] for n, name in enumerate(head["values"])},
                {
                    name: Statistics(arrays[f"in_list{n}"], arrays[f"rows{n}"], len(lists))
                    for n, name in enumerate(head["statistics"])
                },
                head["digests"],
                Positions(**{name: arrays[name] for name in POSITIONS}, lists=len(lists))
                if head["positions"]
                else None,
            )


def merged(cards: Sequence[Scorecard]) -> Scorecard:
    """The scorecard of all their lists together, in the order of the lists' names.

    The cards hold different lists of one submission: a split of the lists
    scored in parts is the whole scored at once, to the bit.
    """
    lists = [name for card in cards for name in card.lists]
    order = sorted(range(len(lists)), key=lists.__getitem__)
    place = np.empty(len(lists), dtype=np.int64)
    place[order] = np.arange(len(lists))
    offsets = np.cumsum([0, *(len(card.lists) for card in cards)])
    statistics = {}
    for name in cards[0].statistics:
        parts = [card.statistics[name] for card in cards]
        in_list = np.concatenate(
            [place[part.in_list + offset] for part, offset in zip(parts, offsets, strict=False)]
        )
        by = np.argsort(in_list, kind="stable")
        rows = np.concatenate([part.rows for part in parts])
        statistics[name] = Statistics(in_list[by], rows[by], len(lists))
    return Scorecard(
        tuple(lists[n] for n in order),
        np.concatenate([card.answered for card in cards])[order],
        {
            name: np.concatenate([card.values[name] for card in cards])[order]
            for name in cards[0].values
        },
        statistics,
        cards[0].digests,
        _together(
            [(card.positions, place[offset:]) for card, offset in zip(cards, offsets, strict=False)]
        ),
    )


def _together(parts: Sequence[tuple[Positions | None, Ints]]) -> Positions | None:
    """Positions of several parts; each comes with where its lists stand in the whole."""
    columns: dict[str, list[NDArray[Any]]] = {name: [] for name in POSITIONS}
    lists = 0
    for positions, place in parts:
        if positions is None:
            return None
        lists += positions.lists
        for name, column in columns.items():
            array = getattr(positions, name)
            column.append(place[array] if name in ("in_list", "truth_list") else array)
    joined = {name: np.concatenate(column) for name, column in columns.items()}
    mine, truth = (joined[name].argsort(kind="stable") for name in ("in_list", "truth_list"))
    by = {name: truth if name.startswith("truth") else mine for name in POSITIONS}
    return Positions(**{name: joined[name][by[name]] for name in POSITIONS}, lists=lists)


class Value(NamedTuple):
    """A measure of a whole submission, after the challenge's rules."""

    mean: float  # the aggregate: mean, sum or pooled; NaN where no list counts
    lists: int  # how many lists it is made of
    missing: int  # how many lists the submission leaves out
    undefined: int  # for how many lists the measure has no value
    per_list: Floats | None  # one a list, NaN where skipped; None for whole-challenge measures
    folds: Mapping[str, float] | None = None  # fold -> its mean, where the truth has folds
    deviation: float | None = None  # of these means from theirs


def settle(card: Scorecard, measure: Measure, rules: Rules, keep: Mask | None = None) -> Value:
    """The value that the rules make of a scorecard's lists, or of those that `keep` names."""
    kept = np.ones(len(card.lists), dtype=bool) if keep is None else keep
    if (statistics := card.statistics.get(measure.id)) is not None:
        assert measure.metric.figure is not None
        counts = card.answered & kept if rules.missing == "skip" else kept
        # lists that are left out have nothing in a figure, but can be what it is about
        figure = measure.metric.figure(statistics.of(kept), **measure.params)
        absent = int((~card.answered & kept).sum())
        return Value(float(figure), int(counts.sum()), absent, 0, None)
    values = card.values[measure.id].copy()
    states = card.states(measure.id, rules)
    values[states == UNDEFINED] = 0.0 if rules.undefined == "zero" else np.nan
    if rules.missing == "skip":
        values[states == MISSING] = np.nan
    values[~kept] = np.nan
    counted = values[~np.isnan(values)]
    # one after the other, as trec_eval adds them, to the bit
    total = float(np.cumsum(counted)[-1]) if counted.size else np.nan
    mean = total if measure.metric.aggregate == "sum" or not counted.size else total / counted.size
    return Value(
        mean,
        counted.size,
        int(((states == MISSING) & kept).sum()),
        int(((states == UNDEFINED) & kept).sum()),
        values,
    )


def over_folds(
    cards: Mapping[str, Scorecard], lists: Sequence[str], measure: Measure, rules: Rules
) -> Value:
    """The mean over folds, each settled as a truth of its own, and how much they differ.

    The deviation is the sample's (n - 1). A fold without a value counts in
    neither. A list's value is its mean over the folds that it is in.
    """
    found = {fold: settle(card, measure, rules) for fold, card in cards.items()}
    means = np.array([value.mean for value in found.values()])
    means = means[~np.isnan(means)]
    total, times = np.zeros(len(lists)), np.zeros(len(lists))
    missing, undefined = np.zeros(len(lists), dtype=bool), np.zeros(len(lists), dtype=bool)
    place = {name: n for n, name in enumerate(lists)}
    for fold, value in found.items():
        card = cards[fold]
        mine = np.array([place[name] for name in card.lists], dtype=np.int64)
        if value.per_list is None:
            missing[mine] |= ~card.answered
            continue
        states, known = card.states(measure.id, rules), ~np.isnan(value.per_list)
        missing[mine] |= states == MISSING
        undefined[mine] |= states == UNDEFINED
        total[mine[known]] += value.per_list[known]
        times[mine[known]] += 1
    whole = any(value.per_list is None for value in found.values())
    return Value(
        float(means.mean()) if means.size else np.nan,
        int((~missing).sum() if rules.missing == "skip" else len(lists))
        if whole
        else int((times > 0).sum()),
        int(missing.sum()),
        int(undefined.sum()),
        None if whole else ratio(total, times),
        {fold: value.mean for fold, value in found.items()},
        float(means.std(ddof=1)) if means.size > 1 else np.nan,
    )


@dataclass(frozen=True, slots=True)
class Outcome:
    """What an engine gives for one submission."""

    findings: Findings
    sha256: str | None  # None: the file cannot be read
    card: Scorecard | None  # None: rejected, or only checked
    folds: Mapping[str, Scorecard] = field(default_factory=dict)  # fold -> scored by its truth


@dataclass(frozen=True, slots=True)
class Scored:
    """One submission and what became of it."""

    name: str
    path: str
    sha256: str | None
    baseline: bool
    findings: Findings
    card: Scorecard | None  # None: rejected
    values: Mapping[str, Value]
    groups: Mapping[str, Mapping[str, float]] = field(
        default_factory=dict
    )  # measure id -> group of lists -> mean

    @property
    def valid(self) -> bool:
        """Whether it was scored."""
        return self.card is not None


@dataclass(frozen=True, slots=True)
class Standing:
    """A row of the leaderboard."""

    rank: int | None  # None: a baseline, outside the ranks
    name: str
    values: Mapping[str, float]  # measure id -> mean
    baseline: bool = False
    interval: tuple[float, float] | None = None  # of the primary measure's mean
    deviations: Mapping[str, float] = field(default_factory=dict)  # measure id -> over folds
    tier: int | None = None  # from 1; standings of one tier cannot be told apart from its head
    ranks: tuple[int, int] | None = None  # the best and the worst rank it could truly have


class Certainty(NamedTuple):
    """How far the lists tell the submissions apart by the primary measure."""

    names: tuple[str, ...]  # the compared ones, in the order of the board
    difference: Floats  # (names, names): mean of the row less mean of the column
    p: Floats  # (names, names), corrected for the number of pairs
    lists: int  # how many lists all of them have a value for
    detectable: float  # the smallest difference so many lists would show, with a power of .8


@dataclass(frozen=True, slots=True)
class Report:
    """All that a run found out, before it is made text."""

    challenge: Challenge
    fingerprint: str
    measures: tuple[Measure, ...]
    signatures: Mapping[str, str]
    submissions: tuple[Scored, ...]
    standings: tuple[Standing, ...]
    lists: tuple[str, ...]
    called: Mapping[str, str]  # role -> the challenge's word for it
    notes: tuple[Problem, ...] = ()  # warnings about the challenge itself
    certainty: Certainty | None = None
    cycles: tuple[tuple[str, ...], ...] = ()  # where preferences that rank contradict each other
    groups: Mapping[str, int] = field(default_factory=dict)  # group -> how many lists it has
    rank_by: tuple[Measure, Measure] | None = None  # a preference and its aggregation; else primary

    @property
    def primary(self) -> Measure:
        """The measure that ranks, unless preferences do."""
        return next((m for m in self.measures if m.primary), self.measures[0])
