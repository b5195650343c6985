"""The results of scoring: values, standings, the report."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from pathlib import Path
from typing import Annotated, Any, NamedTuple

from scorer.challenge.leaderboard import Track
from scorer.challenge.model import Challenge
from scorer.core.arrays import Floats
from scorer.core.problems import Findings
from scorer.metrics.notation import Measure
from scorer.results.certainty import Certainty
from scorer.results.front import Front
from scorer.results.json import (
    ABSENT,
    VERSION,
    ChallengeIdentity,
    Internal,
    ListValues,
    Number,
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
# Names that no measure or question may have, since the CSV would have a column twice.
RESERVED_COLUMNS = frozenset(
    ["split", "rank", "name", "list", "front", "reason", "private_path", "private_sha256"]
).union(BOARD_COLUMNS)
INFERRED_FROM_TRUTH = "max_grade"  # a parameter whose default is taken from the truth


class Value(NamedTuple):
    """A measure of a whole submission, after the challenge's rules."""

    mean: float  # the aggregate: mean, sum or pooled; NaN where no list counts
    lists: int  # how many lists it is made of
    missing: int  # how many lists the submission leaves out
    undefined: int  # for how many lists the measure has no value
    per_list: Floats | None  # one a list, NaN where skipped; None for whole-challenge measures
    folds: Mapping[str, float] | None = None  # fold -> its mean, where the truth has folds
    deviation: float | None = None  # the standard deviation of the means of folds or runs
    combined: bool = False  # whether the mean is not the plain mean of the lists, but of groups, ..
    groups: Floats | None = None  # (groups,): of a win rate in groups, the value of each group
    runs: Mapping[str, float] | None = None  # run -> its mean, if a system has several runs
    listed: ListValues | None = ABSENT  # `per_list` as the JSON shows it, if that is asked for

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
    # Measure id -> group of lists -> mean.
    groups: Mapping[str, Mapping[str, float]] = field(default_factory=dict)
    runs: tuple[Scored, ...] = ()  # the runs of a system; its values are their means
    description: str = ""  # the layout of a file that was only checked

    @property
    def valid(self) -> bool:
        """Whether it was scored."""
        return self.card is not None

    def with_lists(self, lists: Sequence[str]) -> Scored:
        """Return the submission with the value of every list in its JSON."""
        values = {
            key: value._replace(
                listed=None if value.per_list is None else ListValues(lists, value.per_list)
            )
            for key, value in self.values.items()
        }
        return replace(self, values=values)

    def published(self, paths: bool = False) -> Scored:
        """Return the submission without the folder of its file.

        A baseline may be made of the truth: its digest and the rows of its problems are left out.
        `paths` keeps the path of any other submission, for marks at the lines of its file.
        """
        name = self.path if paths and not self.baseline else Path(self.path).name
        if not self.baseline:
            return replace(self, path=name, findings=self.findings.with_path(name))
        findings = self.findings.summarize(name, "score check shows them")
        return replace(self, path=name, sha256=None, findings=findings)


@dataclass(frozen=True, slots=True)
class Varies:
    """The variance of the value of a system of several runs, in two parts."""

    lists: float  # from the choice of lists, with the residual
    runs: float  # from the choice of runs


@dataclass(frozen=True, slots=True)
class Standing:
    """A row of the leaderboard."""

    rank: int | None  # None: a baseline, outside the ranks
    name: str
    values: Mapping[str, Number]  # measure id -> mean
    tier: int | None  # from 1
    ranks: tuple[int, int] | None  # the best and the worst rank that the tests leave open
    interval: tuple[float, float] | None  # of the primary measure's mean
    fewer_lists: tuple[int, int] | None  # its number of lists and the others', if it has fewer
    worse: bool  # whether it is significantly worse than the first, or than one below it
    points: float = optional()  # of ranks by several measures: their sum, ..
    variance: Varies = optional()  # of the primary measure's mean, if there are several runs
    front: str | None = optional()  # yes or no; None: it lacks a number on some axis
    # Only a board that takes entries has these four.
    entry: int | None = optional()
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


RANK_AGGREGATIONS = ("WinRate", "MeanRank", "Borda")  # of the ranks in each list or group


@dataclass(frozen=True, slots=True)
class Scope:
    """The part of the truth that a board scores."""

    split: str | None  # None: all lists
    lists: int  # how many lists the part has
    of: int  # how many lists the truth has
    others: Mapping[str, int]  # the other splits, and how many lists each has
    final: str | None = None  # the split that ranks at the end, if it is another
    phase: str | None = None  # of a board that takes entries, with the time of the ranking
    time: str | None = None


class RankAggregate(NamedTuple):
    """The rule that ranks by several measures at once."""

    measures: tuple[str, ...]  # their ids
    aggregate: Measure
    tie_break: tuple[str, ...] = ()  # of first_places and earliest
    each: str | None = None  # rank in each `list` or `group`; None: by the means


def group_gap(means: Mapping[str, float]) -> float:
    """Return the greatest mean of a group minus the least one; NaN for fewer than two groups."""
    known = [mean for mean in means.values() if not math.isnan(mean)]
    return max(known) - min(known) if len(known) > 1 else math.nan


@dataclass(frozen=True, slots=True)
class ReportedValue:
    """A measure of a submission, as results show it."""

    mean: Number
    lists: int
    missing: int
    undefined: int
    folds: Mapping[str, Number] | None = optional()
    deviation: Number | None = optional()
    per_list: ShownListValues | None = optional()
    groups: Mapping[str, Number] = optional()
    gap: Number | None = optional()  # between the best and the worst group
    runs: Mapping[str, Number] = optional()  # run -> its mean, if a system has several

    @classmethod
    def of(cls, value: Value, groups: Mapping[str, float]) -> ReportedValue:
        """Return a value as results show it, with the means of groups of lists."""
        has_parts = value.folds is not None or value.runs is not None
        return cls(
            value.mean,
            value.lists,
            value.missing,
            value.undefined,
            ABSENT if value.folds is None else value.folds,
            value.deviation if has_parts else ABSENT,
            value.listed,
            groups or ABSENT,
            group_gap(groups) if groups else ABSENT,
            ABSENT if value.runs is None else value.runs,
        )


@dataclass(frozen=True, slots=True)
class RunOfSystem:
    """The file of one run of a system that has several."""

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
    runs: Sequence[RunOfSystem] = optional()  # if it is a system of several runs


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
    """The board of a track: some groups of lists, or the submissions with certain answers."""

    id: str
    groups: Sequence[str]  # empty: all lists
    answer: Mapping[str, Sequence[str]]  # question -> the answers that take part
    lists: int
    leaderboard: Sequence[Standing]
    submissions: Sequence[ShownSubmission]
    certainty: Certainty | None
    pareto: Front | None = optional()


@dataclass(frozen=True, slots=True)
class SplitBoard:
    """The board of another split than the reported one."""

    scope: Scope
    leaderboard: Sequence[Standing]
    submissions: Sequence[ShownSubmission]
    tracks: Sequence[Annotated[Report, shown_as(TrackBoard)]] | None = optional()


@dataclass(frozen=True, slots=True, kw_only=True)
class Report:
    """A leaderboard with everything that its reports show."""

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
    # The unit (lists, clusters, ..) that some submission has too few of for an interval.
    too_few: Internal[str | None] = None
    # The number of rows of the rarest class, of the value with the fewest; infinite: no classes.
    rarest_class: Annotated[float, shown_as(float | None)]
    cycles: Sequence[Sequence[str]]  # names that ranking preferences order in a circle
    groups: Mapping[str, int]  # group of lists -> how many it has
    omitted: int = optional()  # how many ranked submissions are below the part that is shown
    notes: Sequence[ShownProblem]  # warnings about the challenge itself
    scope: Scope | None = optional()
    splits: Sequence[Annotated[Report, shown_as(SplitBoard)]] | None = optional()
    pareto: Front | None = optional()
    tracks: Sequence[Annotated[Report, shown_as(TrackBoard)]] | None = optional()
    split: str = optional()  # of a board that takes entries, with its phase
    phase: str | None = optional()
    definition: Internal[Challenge]
    lists: Internal[Sequence[str]]
    called: Internal[Mapping[str, str]]  # role -> the challenge's word for it
    # What ranks: a preference with its aggregation, or several measures; if both are None, the
    # primary measure.
    pairwise: Internal[tuple[Measure, Measure] | None]
    rank_aggregate: Internal[RankAggregate | None]
    clusters: Internal[Mapping[str, str]]  # list -> its cluster of lists that depend on each other
    absent: Internal[Mapping[str, str]] = field(default_factory=dict)  # team without a row -> why
    # A team without a row whose latest entry was rejected -> that entry.
    rejected: Internal[Mapping[str, Scored]] = field(default_factory=dict)
    received: Internal[Mapping[str, datetime]] = field(default_factory=dict)  # name -> its time
    # Name -> question -> answer, for the questions that the board shows.
    answers: Internal[Mapping[str, Mapping[str, str]]] = field(default_factory=dict)
    track: Internal[Track | None] = None  # the track, if this is the board of one
    other_split: Internal[bool] = False  # whether this is one of the `splits` of another report

    def with_lists(self) -> Report:
        """Return the report with the value of every list in its JSON."""
        return replace(
            self,
            submissions=tuple(each.with_lists(self.lists) for each in self.submissions),
            splits=tuple(split.with_lists() for split in self.splits or ()) or ABSENT,
            tracks=tuple(track.with_lists() for track in self.tracks or ()) or ABSENT,
        )

    def published(self, paths: bool = False) -> Report:
        """Return the report without details of the truth, of baselines' files, and of paths.

        Warnings about the challenge are only counted, since they name items of the truth. Warnings
        about the files that were given (S codes) are left out: they are for whoever scores them.
        A parameter that is inferred from the truth has no value.

        `paths` keeps the paths of submissions, for marks at the lines of a file.
        """
        notes = Findings()
        notes.extend(note for note in self.notes if not note.code.startswith("S"))
        # Decisions made too late for the rules, which everybody is to know.
        late_decisions = [note for note in self.notes if note.code == "S807"]
        return replace(
            self,
            private=ABSENT,
            measures=public_measures(self.measures),
            submissions=tuple(submission.published(paths) for submission in self.submissions),
            splits=tuple(split.published(paths) for split in self.splits or ()) or ABSENT,
            tracks=tuple(track.published(paths) for track in self.tracks or ()) or ABSENT,
            rejected={team: scored.published(paths) for team, scored in self.rejected.items()},
            notes=(*late_decisions, *notes.summarize(None, "score lint shows them")),
        )

    @property
    def primary(self) -> Measure:
        """The primary measure, which ranks if `measured`."""
        return next((m for m in self.measures if m.primary), self.measures[0])

    @property
    def measured(self) -> bool:
        """Whether the primary measure ranks, not preferences or points of several measures."""
        several = self.rank_aggregate
        return self.pairwise is None and (several is None or several.each is not None)


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
    """Return whether a parameter of a measure, or of its parts, is inferred from the truth."""
    return any(INFERRED_FROM_TRUTH in part.inferred for part in measure.all_parts)


def public_measures(measures: Sequence[Measure]) -> tuple[Measure, ...]:
    """Return the measures without the parameters that are inferred from the truth.

    A measure that only a board has, such as WinRate, has the signatures of others within its own.
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
    hidden = rf"\|{INFERRED_FROM_TRUTH}:[^|)]*"
    return re.sub(hidden, f"|{INFERRED_FROM_TRUTH}:truth", signature)


def public_measure(measure: Measure) -> Measure:
    """Return the measure without the parameters that are inferred from the truth."""
    if not hides_truth(measure):
        return measure
    params = measure.params
    if INFERRED_FROM_TRUTH in measure.inferred:
        params = {**params, INFERRED_FROM_TRUTH: None}
    return replace(
        measure,
        params=params,
        parts=tuple(map(public_measure, measure.parts)),
        board_signature=_public_signature(measure.board_signature),
    )
