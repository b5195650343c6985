"""A truth that Spark reads: opened bucket by bucket, and what all of it settles."""

from __future__ import annotations

import pickle
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from scorer.bytes.limits import NoTable, ReadLimits, Unreadable
from scorer.challenge.model import Challenge
from scorer.challenge.public import IdNames, Public
from scorer.checks.base import Truthful, examine
from scorer.checks.tally import ListFindings
from scorer.core.errors import ChallengeError
from scorer.core.problems import Findings, Problem, of_organizer
from scorer.engines.spark.arrays import spread_truth
from scorer.engines.spark.fetch import refused_truth
from scorer.engines.spark.frames import frame_source
from scorer.engines.spark.pack import AS_ROWS_ASK, Buckets, unpacked
from scorer.engines.spark.reading import NOTES
from scorer.engines.spark.scoring import decoded, encoded
from scorer.engines.spark.sources import SparkSource, source_of, unreadable
from scorer.kinds.base import Asking, Constants, OpenTruth, SideTables, kinds
from scorer.kinds.labels import classes_of, named_in
from scorer.prepare.bind import BoundChallenge
from scorer.prepare.board_rules import refuse_flat
from scorer.prepare.open import aids_of, public
from scorer.results.scorecard import Rules
from scorer.scoring.lists import Plan
from scorer.tables.columns import CodedColumn
from scorer.tables.table import TEXT, Schema, Table

LEARNT = "data binary"


@dataclass(frozen=True)
class Opening:
    """What a bucket's truth is opened with. It pickles."""

    public: Public  # without what the truth itself says
    aids: SideTables
    challenge: Challenge
    shape: Schema  # of a truth
    buckets: Buckets
    rules: Mapping[str, Rules] = field(default_factory=dict)

    def knowing(self, known: Learnt, rules: Mapping[str, Rules]) -> Opening:
        """The same, with what the whole truth says."""
        public = self.public._replace(classes=known.constants.classes)
        return replace(self, public=public, rules=rules)

    def public_of(self, bucket: int, truth: Table) -> Public:
        """What is public of a bucket's lists."""
        import polars as pl

        known = self.public
        lists: Mapping[str, None]
        if self.challenge.lists is None:
            lists = IdNames(sorted(truth.ids["list"].names))
        else:
            names = pl.Series(list(known.lists), dtype=pl.String)
            in_bucket = self.buckets.of_names(names) == bucket
            lists = IdNames(names.filter(in_bucket).to_list())
        # candidates that are the truth's own: before it is read, none are known
        part = known._replace(lists=lists, candidates=known.candidates or None, asked=None)
        asking = Asking(self.challenge, (), lambda: truth)
        return kinds().get(known.kind).public(part, asking)

    def open(
        self, bucket: int, truth: Table, findings: Findings | None = None
    ) -> tuple[Public, OpenTruth]:
        """A bucket's truth, ready, and its lists' public part; unexamined without `findings`."""
        public = self.public_of(bucket, truth)
        problems = Findings()
        if findings is not None:
            examine(Truthful(truth, public, self.challenge), problems)
        ready = kinds().get(public.kind).open(truth, self.aids._replace(public=public), problems)
        if findings is not None:
            findings.extend(of_organizer(problems))
        return public, ready


def truth_shapes(prepared: BoundChallenge) -> list[Schema]:
    """What a challenge's truth may look like."""
    source = prepared.challenge.truth
    return [
        replace(shape, columns=source.columns).with_columns(source.further)
        for shape in prepared.kind.truth
    ]


def truth_source(
    session: Any,
    prepared: BoundChallenge,
    truth: Any,
    limits: ReadLimits,
    buckets: Buckets = AS_ROWS_ASK,
) -> SparkSource:
    """A truth as Spark reads it; `ChallengeError` if it cannot be read.

    `truth` is a data frame in place of the challenge's.
    """
    source, findings = prepared.challenge.truth, Findings()
    shapes, form = truth_shapes(prepared), prepared.challenge.form(source)
    try:
        if truth is None:
            path, format = str(source.file), source.format
            return source_of(session, path, format, shapes, limits, findings, buckets, form)
        with refused_truth():
            frame = spread_truth(truth, shapes, form)
        return frame_source(frame, "the truth", shapes, limits, findings, buckets, form)
    except (Unreadable, NoTable) as error:
        problems = [error.problem] if isinstance(error, Unreadable) else findings
        raise ChallengeError(problems=of_organizer(problems)) from None


def opening_of(prepared: BoundChallenge, buckets: Buckets) -> Opening:
    """What the truth of a bucket is opened with, before it is known what all of it says."""
    source, findings = prepared.challenge.truth, Findings()
    shape = replace(prepared.kind.truth[0], columns=source.columns)
    shape = shape.with_columns(source.further)
    known = public(prepared, without_rows(shape))
    aids = aids_of(prepared, known, findings)
    if findings.fatal:
        raise ChallengeError(problems=findings)
    return Opening(known, aids, prepared.challenge, shape, buckets)


@dataclass(frozen=True)
class Learnt:
    """What the buckets of a truth say together."""

    constants: Constants = field(default_factory=Constants)
    problems: tuple[Problem, ...] = ()
    rows: int = 0
    lists: int = 0
    warnings: ListFindings = field(default_factory=ListFindings)


def learner(opening: bytes) -> Callable[[Any, Any], Any]:
    """What learns the constants of a bucket of a truth."""
    return lambda key, rows: _learnt(pickle.loads(opening), key[0].as_py(), rows)


def _learnt(opening: Opening, bucket: int, rows: Any) -> Any:
    import pyarrow as pa

    data = rows.column("data").to_pylist()
    findings, constants, count, lists = Findings(), Constants(), 0, 0
    if bucket == NOTES:
        for notes in map(pickle.loads, data):
            findings.extend(of_organizer(notes.findings))
    else:
        table = unpacked(data)
        assert table is not None
        count = len(table)
        if opening.public.kind == "labels" and "label" in table.ids and not opening.public.classes:
            separator = opening.challenge.separators[0]
            classes = named_in(table, opening.public, separator)
            opening = replace(opening, public=opening.public._replace(classes=classes))
        truth = opening.open(bucket, table, findings)[1]
        constants, lists = truth.constants, len(truth.lists)
    problems = tuple(p for p in findings if p.severity == "error")
    warnings = ListFindings.of(p for p in findings if p.severity != "error")
    part = Learnt(constants, problems, count, lists, warnings)
    return pa.Table.from_arrays([pa.array([encoded(part)], pa.binary())], ["data"])


def together(parts: Iterable[Learnt], opening: Opening) -> Learnt:
    """The constants of a whole truth; `ChallengeError` if something is wrong with it."""
    parts = list(parts)
    if problems := [problem for part in parts for problem in part.problems]:
        raise ChallengeError(problems=sorted(problems, key=str)[:5])
    grades = [c.max_grade for c in (p.constants for p in parts) if c.max_grade is not None]
    labels = [name for part in parts for name in part.constants.classes]
    first = next((part.constants for part in parts if part.rows), Constants())
    classes = tuple(classes_of(labels, None)) if labels else ()
    constants = first._replace(
        max_grade=max(grades, default=None),
        classes=opening.challenge.classes or classes,
        several=any(part.constants.several for part in parts),
        weighted=any(part.constants.weighted for part in parts),
    )
    warnings = ListFindings().plus([part.warnings for part in parts])
    rows, lists = (
        sum(numbers) for numbers in zip(*((p.rows, p.lists) for p in parts), strict=True)
    )
    return Learnt(constants, (), rows, lists, warnings)


def learnt(truths: SparkSource, opening: Opening) -> Learnt:
    """All buckets of a truth together, by Spark; `ChallengeError` if it is unreadable or wrong."""
    frame = truths.rows.groupBy("bucket").applyInArrow(learner(pickle.dumps(opening)), LEARNT)
    try:
        parts = [decoded(bytes(row["data"])) for row in frame.collect()]
    except Exception as error:
        raise ChallengeError(problems=of_organizer([unreadable(error).problem])) from None
    return together(parts, opening)


def names_reader(key: Any, rows: Any) -> Any:
    """The names of the lists of a bucket of a truth."""
    import pyarrow as pa

    table = None if key[0].as_py() == NOTES else unpacked(rows.column("data").to_pylist())
    names = () if table is None else table.ids["list"].names
    return pa.Table.from_arrays([pa.array([encoded(names)], pa.binary())], ["data"])


def plan_of(prepared: BoundChallenge, opening: Opening, known: Learnt) -> Plan:
    """The plan that each bucket is scored by, with the truth that it opens itself.

    `ChallengeError` if a measure does not fit the truth.
    """
    measures = tuple(measure.settled(known.constants) for measure in prepared.measures)
    refuse_flat(prepared.challenge, measures)
    return Plan(
        opening.public._replace(classes=known.constants.classes, lists={}),
        prepared.challenge.submission,
        prepared.shapes,
        prepared.limits,
        measures,
        prepared.views,
        form=prepared.challenge.form(prepared.challenge.submission),
        plugins=tuple(prepared.challenge.plugins),
    )


def without_rows(shape: Schema) -> Table:
    """A table of that shape that has no rows."""
    none = np.empty(0, dtype=np.int64)
    return Table(
        {role: CodedColumn(none, ()) for role in shape.required if role in TEXT},
        {role: np.empty(0) for role in shape.required if role not in TEXT},
        none,
        shape,
    )
