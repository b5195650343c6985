"""What scoring gives: values, standings, the report."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import NamedTuple

from scorer.challenge.model import Challenge
from scorer.core.arrays import Floats
from scorer.core.problems import Findings, Problem
from scorer.metrics.base import Measure, measure
from scorer.results.scorecard import Scorecard

SECRET = "max_grade"  # a parameter that the grades of the truth settle


class Value(NamedTuple):
    """A measure of a whole submission, after the challenge's rules."""

    mean: float  # the aggregate: mean, sum or pooled; NaN where no list counts
    lists: int  # how many lists it is made of
    missing: int  # how many lists the submission leaves out
    undefined: int  # for how many lists the measure has no value
    per_list: Floats | None  # one a list, NaN where skipped; None for whole-challenge measures
    folds: Mapping[str, float] | None = None  # fold -> its mean, where the truth has folds
    deviation: float | None = None  # of these means from theirs


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

    def published(self, paths: bool = False) -> Scored:
        """Without its folder; of a baseline, which may be made of the truth, no digest or row.

        Args:
            paths: keep the path of a submission, for marks at the lines of its file.
        """
        name = self.path if paths and not self.baseline else Path(self.path).name
        if not self.baseline:
            return replace(self, path=name, findings=self.findings.at(name))
        findings = self.findings.counted(name, "`score check` shows them")
        return replace(self, path=name, sha256=None, findings=findings)


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
    omitted: int = 0  # ranked submissions that stand below the part that is shown

    def published(self, paths: bool = False) -> Report:
        """Without what tells of the truth, of baselines' files, or of the machine it was made on.

        Warnings about the challenge are only counted, since they name items of the truth; a
        parameter that the truth settles is not said.

        Args:
            paths: keep the paths of submissions, for marks at the lines of a file.
        """
        notes, signatures = Findings(), dict(self.signatures)
        notes.extend(self.notes)
        measures = tuple(map(_published, self.measures))
        for before, each in zip(self.measures, measures, strict=True):
            if each is not before:
                said = rf"\|{SECRET}:[^|]*"
                signatures[each.id] = re.sub(said, f"|{SECRET}:truth", signatures[each.id])
        return replace(
            self,
            measures=measures,
            signatures=signatures,
            submissions=tuple(each.published(paths) for each in self.submissions),
            notes=tuple(notes.counted(None, "`score lint` shows them")),
        )

    @property
    def primary(self) -> Measure:
        """The measure that ranks, unless preferences do."""
        return next((m for m in self.measures if m.primary), self.measures[0])


def _published(each: Measure) -> Measure:
    """The measure without what the truth alone settles; as it is where the challenge says it."""
    if SECRET not in each.params or measure(each.metric, each.name).params[SECRET] is not None:
        return each
    return replace(each, params={**each.params, SECRET: None})
