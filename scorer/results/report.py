"""The results of scoring: values, standings, the report."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from datetime import datetime
from pathlib import Path
from typing import Annotated, Any, NamedTuple

from scorer.challenge.leaderboard import Track
from scorer.challenge.model import Challenge
from scorer.core.arrays import Floats
from scorer.core.problems import Findings
from scorer.metrics.notation import Measure
from scorer.results.front import Front
from scorer.results.json import (
    ABSENT,
    VERSION,
    ChallengeIdentity,
    CountRows,
    Counts,
    Internal,
    ListValues,
    Number,
    NumberRows,
    Numbers,
    ShownFindings,
    ShownListValues,
    ShownProblem,
    Time,
    optional,
    public_form,
    shown_as,
)
from scorer.results.scorecard import Scorecard

# The columns of a board as CSV around the values of its measures.
BOARD_COLUMNS = (
    *("lists", "baseline", "valid", "best_rank", "worst_rank", "tier", "low", "high"),
    *("missing", "undefined", "of_lists", "better"),
)
# Names that no measure or question may have, since a column would stand there twice.
RESERVED_COLUMNS = frozenset(
    ["split", "rank", "name", "list", "front", "reason", "private_path", "private_sha256"]
).union(BOARD_COLUMNS)
SETTLED_BY_TRUTH = "max_grade"  # a parameter that the grades of the truth settle


class Value(NamedTuple):
    """A measure of a whole submission, after the challenge's rules."""

    mean: float  # the aggregate: mean, sum or pooled; NaN where no list counts
    lists: int  # how many lists it is made of
    missing: int  # how many lists the submission leaves out
    undefined: int  # for how many lists the measure has no value
    per_list: Floats | None  # one a list, NaN where skipped; None for whole-challenge measures
    folds: Mapping[str, float] | None = None  # fold -> its mean, where the truth has folds
    deviation: float | None = None  # of these means, or of those of runs, from theirs
    combined: bool = (
        False  # lists have values, and the mean is not just theirs: that of groups, ...
    )
    groups: Floats | None = None  # (groups,): values whose mean it is, of win rates in groups
    runs: Mapping[str, float] | None = None  # run -> its mean, of a system of several
    listed: ListValues | None = ABSENT  # the values of lists, where the JSON is to have them

    @property
    def plain(self) -> bool:
        """Whether the mean is the plain mean of the lists' values."""
        return self.per_list is not None and not self.combined


@dataclass(frozen=True, slots=True)
class Scored:
    """One submission with its findings and values."""

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
    runs: tuple[Scored, ...] = ()  # of a system of several runs, whose means its values are
    description: str = ""  # of a file that was only checked, what it looks like

    @property
    def valid(self) -> bool:
        """Whether it was scored."""
        return self.card is not None

    def with_lists(self, lists: Sequence[str]) -> Scored:
        """The submission whose JSON has the value of every list, too."""
        values = {
            key: value._replace(
                listed=None if value.per_list is None else ListValues(lists, value.per_list)
            )
            for key, value in self.values.items()
        }
        return replace(self, values=values)

    def published(self, paths: bool = False) -> Scored:
        """Without its folder; of a baseline, which may be made of the truth, no digest or row.

        `paths` keeps the path of a submission, for marks at the lines of its file.
        """
        name = self.path if paths and not self.baseline else Path(self.path).name
        if not self.baseline:
            return replace(self, path=name, findings=self.findings.with_path(name))
        findings = self.findings.summarize(name, "score check shows them")
        return replace(self, path=name, sha256=None, findings=findings)


@dataclass(frozen=True, slots=True)
class Varies:
    """Parts of the variance of the value of a system of several runs."""

    lists: float  # of other lists, and of what is left
    runs: float  # of other runs


@dataclass(frozen=True, slots=True)
class Standing:
    """A row of the leaderboard."""

    rank: int | None  # None: a baseline, outside the ranks
    name: str
    values: Mapping[str, Number]  # measure id -> mean
    tier: int | None  # from 1
    ranks: tuple[int, int] | None  # the best and the worst rank it could truly have
    interval: tuple[float, float] | None  # of the primary measure's mean
    fewer_lists: tuple[int, int] | None  # its lists, of how many that others have
    worse: bool  # significantly, than the first, or than one below
    points: float = optional()  # what ranks by several measures come to: a sum of ranks, ...
    # of the primary measure's mean, of several runs
    variance: Varies = optional()
    front: str | None = optional()  # yes or no; None: it lacks a number on some axis
    entry: int | None = optional()  # of a living board, as are all that follow
    team: str | None = optional()
    received: Time | None = optional()
    entries: int = optional()  # of the team
    answers: Mapping[str, str] = optional()
    baseline: Internal[bool] = False
    # Measure id -> the deviation of its means over folds or runs.
    deviations: Internal[Mapping[str, float]] = field(default_factory=dict)

    @classmethod
    def untested(
        cls, rank: int | None, name: str, values: Mapping[str, float], baseline: bool = False
    ) -> Standing:
        """Return a row without interval and tests."""
        return cls(rank, name, values, None, None, None, None, False, baseline=baseline)


@dataclass(frozen=True, slots=True)
class How:
    """How intervals and tests were made; equal ones can be compared."""

    test: str  # permutation or skew-corrected t; of runs t, of folds corrected t
    adjust: str  # max or holm
    alpha: float
    level: float | None  # of the intervals; None: there are none
    draws: int  # of the tests; 0: none are drawn
    seed: int
    over: str  # lists, clusters or folds
    lists: int  # how many most pairs have in common
    units: int  # how many were drawn of them: lists, clusters or folds

    @property
    def signature(self) -> str:
        """All fields in a line, as the signature of a measure."""
        return "|".join(f"{key}:{value}" for key, value in asdict(self).items())


OF_EACH = ("WinRate", "MeanRank", "Borda")  # aggregations of ranks in each list, or group


@dataclass(frozen=True, slots=True)
class Scope:
    """The part of the truth that a board is of."""

    split: str | None  # None: all lists
    lists: int
    of: int
    others: Mapping[str, int]  # the other splits, and how many lists each has
    final: str | None = None  # the split that ranks at the end, if it is another
    phase: str | None = None  # of a living board, as is the time
    time: str | None = None


class RankedBy(NamedTuple):
    """Ranks by several measures, put together."""

    measures: tuple[str, ...]  # their ids
    aggregate: Measure
    tie_break: tuple[str, ...] = ()  # first_places, earliest
    each: str | None = None  # list or group: in each of these; None: by the whole values


@dataclass(frozen=True, slots=True, eq=False)
class BaselineTests:
    """A baseline against each of the ranked."""

    name: str
    difference: Numbers  # (names,): mean of the ranked less that of the baseline
    p: Numbers  # (names,), corrected for this baseline's pairs, a family of tests of its own
    lists: Counts  # (names,), how many both have


@dataclass(frozen=True, slots=True)
class ShakeUp:
    """How far ranks of two groups of lists differ, beside what random groups would do."""

    groups: tuple[str, str]
    moved: float  # the mean change of rank
    expected: float  # the mean over random groups of the same sizes
    most: float  # what 95 % of random groups stay at or below


@dataclass(frozen=True, slots=True, eq=False)
class Certainty:
    """How far the lists tell the ranked apart by the primary measure."""

    measure: str  # its id
    names: Sequence[str]  # the ranked, in the order of the board
    difference: NumberRows  # (names, names): mean of the row less mean of the column
    p: NumberRows  # (names, names), corrected for the number of pairs; NaN: cannot be had
    lists: int  # how many lists most pairs have in common
    detectable: Number  # the difference found four times in five; NaN: none can be
    how: Annotated[How, shown_as(Mapping[str, Any])]
    signature: str
    common_lists: CountRows  # (names, names): how many lists both have
    pairs: int  # how many pairs the correction is for
    least_p: Number  # the least that any difference can have
    fewest_lists: int  # with which a difference can be significant
    baselines: tuple[BaselineTests, ...]
    shake_up: Annotated[ShakeUp, shown_as(Mapping[str, Any])] | None
    # (names, names): the sign of the difference as the test sees it, whatever its p
    lead: Internal[Floats]


def group_gap(means: Mapping[str, float]) -> float:
    """How far the best group's mean is from the worst one's; NaN for fewer than two of them."""
    known = [mean for mean in means.values() if not math.isnan(mean)]
    return max(known) - min(known) if len(known) > 1 else math.nan


@dataclass(frozen=True, slots=True)
class ReportedValue:
    """A measure of a submission; folds and groups where the challenge has them."""

    mean: Number
    lists: int
    missing: int
    undefined: int
    folds: Mapping[str, Number] | None = optional()
    deviation: Number | None = optional()
    per_list: ShownListValues | None = optional()
    groups: Mapping[str, Number] = optional()
    gap: Number | None = optional()  # between the best and the worst group
    runs: Mapping[str, Number] = optional()  # of a system of several, as is the deviation

    @classmethod
    def of(cls, value: Value, groups: Mapping[str, float]) -> ReportedValue:
        """Return a value as results show it, with the means of groups of lists."""
        several = value.folds is not None or value.runs is not None
        return cls(
            value.mean,
            value.lists,
            value.missing,
            value.undefined,
            ABSENT if value.folds is None else value.folds,
            value.deviation if several else ABSENT,
            value.listed,
            groups or ABSENT,
            group_gap(groups) if groups else ABSENT,
            ABSENT if value.runs is None else value.runs,
        )


@dataclass(frozen=True, slots=True)
class RunOfSystem:
    """A run of a system of several, which is a file."""

    name: str
    path: str
    sha256: str | None


@dataclass(frozen=True, slots=True)
class ReportedSubmission:
    """A submission with its problems and values."""

    name: str
    path: str
    sha256: str | None
    valid: bool
    baseline: bool
    problems: ShownFindings
    values: Mapping[str, ReportedValue] | None
    runs: Sequence[RunOfSystem] = optional()  # of a system of several


@public_form
def _(scored: Scored) -> ReportedSubmission:
    values = {
        key: ReportedValue.of(value, scored.groups.get(key, {}))
        for key, value in scored.values.items()
    }
    return ReportedSubmission(
        scored.name,
        scored.path,
        scored.sha256,
        scored.valid,
        scored.baseline,
        scored.findings,
        values if scored.valid else None,
        [RunOfSystem(run.name, run.path, run.sha256) for run in scored.runs] or ABSENT,
    )


@public_form
def _(measure: Measure) -> Mapping[str, Any]:
    return {
        "id": measure.id,
        "metric": measure.metric.name,
        "params": measure.params,
        "better": measure.metric.better,
        "aggregate": measure.aggregate,
        **{k: v for k, v in measure.combination.facts().items() if k != "aggregate"},
        **({"parts": [part.id for part in measure.parts]} if measure.parts else {}),
        "primary": measure.primary,
        "signature": measure.board_signature,
    }


ShownMeasure = Annotated[Measure, shown_as(Mapping[str, Any])]
ShownSubmission = Annotated[Scored, shown_as(ReportedSubmission)]


@dataclass(frozen=True, slots=True)
class TrackBoard:
    """The board of a track: of groups of lists, or of some submissions by their answers."""

    id: str
    groups: Sequence[str]  # none: all lists
    answer: Mapping[str, Sequence[str]]
    lists: int
    leaderboard: Sequence[Standing]
    submissions: Sequence[ShownSubmission]
    certainty: Certainty | None
    pareto: Front | None = optional()


@dataclass(frozen=True, slots=True)
class SplitBoard:
    """The board of a split beside the one that is reported."""

    scope: Scope
    leaderboard: Sequence[Standing]
    submissions: Sequence[ShownSubmission]
    tracks: Sequence[Annotated[Report, shown_as(TrackBoard)]] | None = optional()


@dataclass(frozen=True, slots=True, kw_only=True)
class Report:
    """Everything that is known of a board."""

    private: str = optional()
    schema: str = "report/2"
    scorer: str = VERSION
    challenge: ChallengeIdentity
    measures: Sequence[ShownMeasure]
    submissions: tuple[ShownSubmission, ...]
    leaderboard: tuple[Standing, ...]
    ranked_by: Mapping[str, Any]
    certainty: Certainty | None
    no_certainty: str | None  # why the primary measure has neither intervals nor tests
    # The word for what is drawn (lists, clusters, ...), if some submission has too few of it for an
    # interval.
    too_few: Internal[str | None] = None
    # How many rows of the rarest class one of the values rests on; infinite: there is no class.
    rarest_class: Annotated[float, shown_as(float | None)]
    cycles: Sequence[Sequence[str]]  # where preferences that rank contradict each other
    groups: Mapping[str, int]  # group of lists -> how many it has
    omitted: int = optional()  # ranked submissions that stand below the part that is shown
    notes: Sequence[ShownProblem]  # warnings about the challenge itself
    scope: Scope | None = optional()
    splits: Sequence[Annotated[Report, shown_as(SplitBoard)]] | None = optional()
    pareto: Front | None = optional()
    tracks: Sequence[Annotated[Report, shown_as(TrackBoard)]] | None = optional()
    split: str = optional()  # of a living board
    phase: str | None = optional()
    definition: Internal[Challenge]
    lists: Internal[Sequence[str]]
    called: Internal[Mapping[str, str]]  # role -> the challenge's word for it
    # A preference and its aggregation, which rank; else several measures, or the primary one.
    rank_by: Internal[tuple[Measure, Measure] | None]
    several: Internal[RankedBy | None]
    clusters: Internal[Mapping[str, str]]  # list -> those that depend on it
    absent: Internal[Mapping[str, str]] = field(default_factory=dict)  # team without a row -> why
    # of the absent, those whose latest entry was rejected -> that entry
    rejected: Internal[Mapping[str, Scored]] = field(default_factory=dict)
    received: Internal[Mapping[str, datetime]] = field(default_factory=dict)  # name -> its time
    # name -> question -> answer, of questions that the board shows
    answers: Internal[Mapping[str, Mapping[str, str]]] = field(default_factory=dict)
    track: Internal[Track | None] = None  # of the board, where this is a track of one
    other_split: Internal[bool] = False  # whether this is the board of a split beside another one

    def with_lists(self) -> Report:
        """The report whose JSON has the value of every list, too."""
        return replace(
            self,
            submissions=tuple(each.with_lists(self.lists) for each in self.submissions),
            splits=tuple(split.with_lists() for split in self.splits or ()) or ABSENT,
            tracks=tuple(track.with_lists() for track in self.tracks or ()) or ABSENT,
        )

    def published(self, paths: bool = False) -> Report:
        """The report without details of the truth, of baselines' files, and of this machine.

        Warnings about the challenge are only counted, since they name items of the truth; those
        about files that were given are for whoever scores them, and left out; a parameter that the
        truth settles is not said.

        `paths` keeps the paths of submissions, for marks at the lines of a file.
        """
        notes = Findings()
        notes.extend(note for note in self.notes if not note.code.startswith("S"))
        acts = [note for note in self.notes if note.code == "S807"]  # everybody is to know them
        return replace(
            self,
            private=ABSENT,
            measures=public_measures(self.measures),
            submissions=tuple(submission.published(paths) for submission in self.submissions),
            splits=tuple(split.published(paths) for split in self.splits or ()) or ABSENT,
            tracks=tuple(track.published(paths) for track in self.tracks or ()) or ABSENT,
            rejected={team: scored.published(paths) for team, scored in self.rejected.items()},
            notes=(*acts, *notes.summarize(None, "score lint shows them")),
        )

    @property
    def primary(self) -> Measure:
        """The measure that ranks, unless `measured` is false."""
        return next((m for m in self.measures if m.primary), self.measures[0])

    @property
    def measured(self) -> bool:
        """Whether the primary measure ranks: neither preferences nor points of several measures."""
        return self.rank_by is None and (self.several is None or self.several.each is not None)


@public_form
def _(report: Report) -> Report | TrackBoard | SplitBoard:
    if report.track is not None:
        return TrackBoard(
            report.track.id,
            report.track.group,
            report.track.answer,
            len(report.lists),
            report.leaderboard,
            report.submissions,
            report.certainty,
            report.pareto,
        )
    if report.other_split:
        assert report.scope is not None
        return SplitBoard(report.scope, report.leaderboard, report.submissions, report.tracks)
    return report


def hides_truth(measure: Measure) -> bool:
    """Whether a parameter of a measure, or of one that it is composed of, tells of the truth."""
    return any(SETTLED_BY_TRUTH in part.inferred for part in measure.all_parts)


def public_measures(measures: Sequence[Measure]) -> tuple[Measure, ...]:
    """Return the measures without the parameters that the truth alone settles.

    The signature of a measure that a board makes for itself, such as WinRate, holds the signatures
    of other measures.
    """
    if not any(map(hides_truth, measures)):
        return tuple(measures)
    shown = map(public_measure, measures)
    return tuple(
        replace(each, board_signature=_public_signature(each.board_signature))
        if not each.metric.in_catalogue
        else each
        for each in shown
    )


def _public_signature(signature: str) -> str:
    hidden = rf"\|{SETTLED_BY_TRUTH}:[^|)]*"
    return re.sub(hidden, f"|{SETTLED_BY_TRUTH}:truth", signature)


def public_measure(measure: Measure) -> Measure:
    """Return the measure without the parameters that the truth alone settles."""
    if not hides_truth(measure):
        return measure
    params = measure.params
    if SETTLED_BY_TRUTH in measure.inferred:
        params = {**params, SETTLED_BY_TRUTH: None}
    return replace(
        measure,
        params=params,
        parts=tuple(map(public_measure, measure.parts)),
        board_signature=_public_signature(measure.board_signature),
    )
