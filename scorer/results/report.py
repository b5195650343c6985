"""The results of scoring: values, standings, the report."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from datetime import datetime
from pathlib import Path
from typing import Annotated, Any, NamedTuple

from scorer.challenge.model import Challenge
from scorer.challenge.rank_by import Track
from scorer.core.arrays import Floats
from scorer.core.problems import Findings, Problem
from scorer.metrics.notation import Measure
from scorer.results.front import Front
from scorer.results.json import (
    CountRows,
    Counts,
    Internal,
    Number,
    NumberRows,
    Numbers,
    Time,
    optional,
    shown_as,
)
from scorer.results.scorecard import Scorecard

# The columns of a board as CSV around the values of its measures.
BOARD_COLUMNS = ("lists", "baseline", "valid", "best_rank", "worst_rank", "tier", "low", "high",
                 "missing", "undefined", "of_lists", "better")  # fmt: skip
# Names that no measure or question may have, since a column would stand there twice.
RESERVED_COLUMNS = frozenset({"split", "rank", "name", "list", "front", "reason", "private_path",
                              "private_sha256", *BOARD_COLUMNS})  # fmt: skip
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
    whole: bool = False  # lists have values, and the mean is not just theirs: that of groups, ...
    groups: Floats | None = None  # (groups,): values whose mean it is, of win rates in groups
    runs: Mapping[str, float] | None = None  # run -> its mean, of a system of several

    @property
    def plain(self) -> bool:
        """Whether the mean is that of the lists' values, all alike."""
        return self.per_list is not None and not self.whole


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
    deviations: Internal[Mapping[str, float]] = field(default_factory=dict)  # measure id -> its

    @classmethod
    def untested(
        cls, rank: int | None, name: str, values: Mapping[str, float], baseline: bool = False
    ) -> Standing:
        """Return a row of which neither intervals nor tests are known."""
        return cls(rank, name, values, None, None, None, None, False, baseline=baseline)


@dataclass(frozen=True, slots=True)
class How:
    """How intervals and tests were made; equal ones can be compared."""

    test: str  # permutation; of runs t, of folds corrected t
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


@dataclass(frozen=True, slots=True)
class Report:
    """The results of a run, before they are written as text."""

    challenge: Challenge
    fingerprint: str
    measures: tuple[Measure, ...]
    signatures: Mapping[str, str]
    submissions: tuple[Scored, ...]
    standings: tuple[Standing, ...]
    lists: Sequence[str]
    called: Mapping[str, str]  # role -> the challenge's word for it
    notes: tuple[Problem, ...] = ()  # warnings about the challenge itself
    certainty: Certainty | None = None
    cycles: tuple[tuple[str, ...], ...] = ()  # where preferences that rank contradict each other
    groups: Mapping[str, int] = field(default_factory=dict)  # group -> how many lists it has
    rank_by: tuple[Measure, Measure] | None = None  # a preference and its aggregation; else primary
    omitted: int = 0  # ranked submissions that stand below the part that is shown
    ranked_by: RankedBy | None = None  # several measures; else rank_by, or primary
    uncertain: str = ""  # why the primary measure has neither intervals nor tests
    rests_on: float = math.inf  # how many lists of the rarest class one of the values rests on
    scope: Scope | None = None
    splits: tuple[Report, ...] = ()  # the boards of the splits that this one mixes
    clusters: Mapping[str, str] = field(default_factory=dict)  # list -> those that depend on it
    absent: Mapping[str, str] = field(default_factory=dict)  # team without a row -> why
    # of the absent, those whose latest entry was rejected -> that entry
    rejected: Mapping[str, Scored] = field(default_factory=dict)
    received: Mapping[str, datetime] = field(default_factory=dict)  # name -> when it came
    # name -> question -> answer, of questions that the board shows
    answers: Mapping[str, Mapping[str, str]] = field(default_factory=dict)
    front: Front | None = None
    track: Track | None = None  # of the board, where this is a track of one
    tracks: tuple[Report, ...] = ()  # the boards of its tracks

    def published(self, paths: bool = False) -> Report:
        """The report without details of the truth, of baselines' files, and of this machine.

        Warnings about the challenge are only counted, since they name items of the truth; those
        about files that were given are for whoever scores them, and left out; a parameter that the
        truth settles is not said.

        `paths` keeps the paths of submissions, for marks at the lines of a file.
        """
        notes, signatures = Findings(), dict(self.signatures)
        notes.extend(note for note in self.notes if not note.code.startswith("S"))
        acts = [note for note in self.notes if note.code == "S807"]  # everybody is to know them
        measures = tuple(map(public_measure, self.measures))
        for measure in filter(hides_truth, self.measures):
            signatures[measure.id] = re.sub(
                rf"\|{SETTLED_BY_TRUTH}:[^|)]*",
                f"|{SETTLED_BY_TRUTH}:truth",
                signatures[measure.id],
            )
        return replace(
            self,
            measures=measures,
            signatures=signatures,
            submissions=tuple(submission.published(paths) for submission in self.submissions),
            splits=tuple(split.published(paths) for split in self.splits),
            tracks=tuple(track.published(paths) for track in self.tracks),
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
        return self.rank_by is None and (self.ranked_by is None or self.ranked_by.each is not None)


def hides_truth(measure: Measure) -> bool:
    """Whether a parameter of a measure, or of one that it is composed of, tells of the truth."""
    return any(SETTLED_BY_TRUTH in part.inferred for part in measure.all_parts)


def public_measure(measure: Measure) -> Measure:
    """The measure without what the truth alone settles; as it is where the challenge says it."""
    if not hides_truth(measure):
        return measure
    params = measure.params
    if SETTLED_BY_TRUTH in measure.inferred:
        params = {**params, SETTLED_BY_TRUTH: None}
    return replace(measure, params=params, parts=tuple(map(public_measure, measure.parts)))
