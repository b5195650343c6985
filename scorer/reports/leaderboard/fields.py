"""The report as fields: full doubles, keys in a fixed order, no value as None."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from scorer.metrics.notation import Measure
from scorer.reports.base import Options
from scorer.reports.leaderboard.cells import gap
from scorer.results.front import Front
from scorer.results.json import (
    ABSENT,
    PRIVATE,
    VERSION,
    ChallengeIdentity,
    ListValues,
    ReportedProblem,
    ShownListValues,
    optional,
)
from scorer.results.report import Certainty, Report, Scope, Scored, Standing
from scorer.results.report import Value as Worth


@dataclass(frozen=True, slots=True)
class Value:
    """A measure of a submission; folds and groups where the challenge has them."""

    mean: float | None
    lists: int
    missing: int
    undefined: int
    folds: Mapping[str, float | None] | None = optional()
    deviation: float | None = optional()
    per_list: ShownListValues | None = optional()
    groups: Mapping[str, float | None] = optional()
    gap: float | None = optional()  # between the best and the worst group
    runs: Mapping[str, float | None] = optional()  # of a system of several, as is the deviation


@dataclass(frozen=True, slots=True)
class Submission:
    """A submission with its problems and values."""

    name: str
    path: str
    sha256: str | None
    valid: bool
    baseline: bool
    problems: Sequence[ReportedProblem]
    values: Mapping[str, Value] | None
    runs: Sequence[RunOfSystem] = optional()  # of a system of several


@dataclass(frozen=True, slots=True)
class RunOfSystem:
    """A run of a system of several, which is a file."""

    name: str
    path: str
    sha256: str | None


@dataclass(frozen=True, slots=True)
class Pareto:
    """The Pareto front of the ranked."""

    axes: Sequence[Mapping[str, Any]]  # id, better; of an answer its unit; the first ranks
    front: Sequence[str]  # that no other one dominates
    dominated_by: Mapping[str, Sequence[str]]
    without: Sequence[str]  # the ranked that lack a number


@dataclass(frozen=True, slots=True)
class TrackBoard:
    """The board of a track: of groups of lists, or of some submissions by their answers."""

    id: str
    groups: Sequence[str]  # none: all lists
    answer: Mapping[str, Sequence[str]]
    lists: int
    leaderboard: Sequence[Standing]
    submissions: Sequence[Submission]
    certainty: Certainty | None
    pareto: Pareto | None = optional()


@dataclass(frozen=True, slots=True)
class Split:
    """The board of a split beside the one that is reported."""

    scope: Scope
    leaderboard: Sequence[Standing]
    submissions: Sequence[Submission]
    tracks: Sequence[TrackBoard] | None = optional()


@dataclass(frozen=True, slots=True, kw_only=True)
class Record:
    """Everything that is known of a board."""

    private: str = optional()
    schema: str = "report/2"
    scorer: str = VERSION
    challenge: ChallengeIdentity
    measures: Sequence[Mapping[str, Any]]
    submissions: Sequence[Submission]
    leaderboard: Sequence[Standing]
    ranked_by: Mapping[str, Any]
    certainty: Certainty | None
    no_certainty: str | None
    rarest_class: float | None  # rows of the rarest class that a value rests on; null: no class
    cycles: Sequence[Sequence[str]]
    groups: Mapping[str, int]  # group of lists -> how many it has
    omitted: int = optional()
    notes: Sequence[ReportedProblem]
    scope: Scope | None = optional()
    splits: Sequence[Split] | None = optional()
    pareto: Pareto | None = optional()
    tracks: Sequence[TrackBoard] | None = optional()
    split: str = optional()  # of a living board
    phase: str | None = optional()


def fields(report: Report, options: Options) -> Record:
    """The record of a report; with `per_list` the value of every list is in it."""
    return Record(
        private=PRIVATE if options.private else ABSENT,
        challenge=ChallengeIdentity.of(report.challenge, report.fingerprint),
        measures=[_measure_record(measure, report) for measure in report.measures],
        submissions=[_submission(scored, report, options) for scored in report.submissions],
        leaderboard=_rows(report),
        ranked_by=_ranked_by(report),
        certainty=report.certainty,
        no_certainty=report.uncertain or None,
        rarest_class=report.rests_on,
        cycles=report.cycles,
        groups=report.groups,
        omitted=report.omitted or ABSENT,
        notes=[ReportedProblem.of(note) for note in report.notes],
        scope=report.scope or ABSENT,
        splits=[_split(split, options) for split in report.splits] or ABSENT,
        pareto=_pareto(report.front),
        tracks=_track_boards(report, options),
    )


def _pareto(front: Front | None) -> Pareto:
    if front is None:
        return ABSENT  # type: ignore[no-any-return]
    return Pareto(
        [{"id": axis.id, "better": axis.better} for axis in front.axes],
        front.on,
        front.dominated_by,
        front.without,
    )


def _track_boards(report: Report, options: Options) -> Sequence[TrackBoard]:
    return [_track(each, options) for each in report.tracks] or ABSENT


def _track(report: Report, options: Options) -> TrackBoard:
    assert report.track is not None
    return TrackBoard(
        report.track.id,
        report.track.group,
        report.track.answer,
        len(report.lists),
        _rows(report),
        [_submission(scored, report, options) for scored in report.submissions],
        report.certainty,
        _pareto(report.front),
    )


def _split(report: Report, options: Options) -> Split:
    assert report.scope is not None
    return Split(
        report.scope,
        _rows(report),
        [_submission(scored, report, options) for scored in report.submissions],
        _track_boards(report, options),
    )


def _measure_record(measure: Measure, report: Report) -> Mapping[str, Any]:
    return {
        "id": measure.id,
        "metric": measure.metric.name,
        "params": measure.params,
        "better": measure.metric.better,
        "aggregate": measure.aggregate,
        **{k: v for k, v in measure.combination.facts().items() if k != "aggregate"},
        **({"parts": [part.id for part in measure.parts]} if measure.parts else {}),
        "primary": measure.primary,
        "signature": report.signatures[measure.id],
    }


def _submission(scored: Scored, report: Report, options: Options) -> Submission:
    values = {m.id: _value(scored, m, report, options) for m in report.measures if scored.valid}
    return Submission(
        scored.name,
        scored.path,
        scored.sha256,
        scored.valid,
        scored.baseline,
        [ReportedProblem.of(finding) for finding in scored.findings],
        values if scored.valid else None,
        [RunOfSystem(run.name, run.path, run.sha256) for run in scored.runs] or ABSENT,
    )


def _value(scored: Scored, measure: Measure, report: Report, options: Options) -> Value:
    value, folds = scored.values[measure.id], scored.values[measure.id].folds
    return Value(
        value.mean,
        value.lists,
        value.missing,
        value.undefined,
        ABSENT if folds is None else folds,
        ABSENT if folds is None and value.runs is None else value.deviation,
        _per_list(value, report) if options.per_list else ABSENT,
        scored.groups[measure.id] if report.groups else ABSENT,
        gap(scored, measure) if report.groups else ABSENT,
        ABSENT if value.runs is None else value.runs,
    )


def _per_list(value: Worth, report: Report) -> ListValues | None:
    return None if value.per_list is None else ListValues(report.lists, value.per_list)


def _rows(report: Report) -> Sequence[Standing]:
    rows: Sequence[Standing] = report.standings
    if (front := report.front) is not None:
        rows = [replace(row, front=front.place(row.name) or None) for row in rows]
    if report.answers:
        rows = [replace(row, answers=report.answers.get(row.name, {})) for row in rows]
    return rows


def _ranked_by(report: Report) -> dict[str, Any]:
    if (by := report.ranked_by) is not None:
        each = {} if by.each is None else {"each": by.each}
        rule = {"measures": by.measures, "aggregate": by.aggregate.name, "tie_break": by.tie_break}
        return rule | each
    if report.rank_by is None:
        return {"measure": report.primary.id}
    preference, aggregate = report.rank_by
    return {"preference": preference.name, "aggregate": aggregate.name}
