"""Values of lists whose truth Spark reads, too: nothing of either is ever in one place."""

from __future__ import annotations

import pickle
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from scorer.challenge.model import Challenge
from scorer.challenge.public import Names, Public
from scorer.checks.base import Truthful, examine
from scorer.core.errors import ChallengeError, PluginError, SubmissionRejected
from scorer.core.problems import Findings, of_organizer
from scorer.engines.spark.pack import bucket_of, unpacked
from scorer.engines.spark.reading import NOTES
from scorer.engines.spark.scoring import Work, encoded
from scorer.io.table import TEXT, CodedColumn, Schema, Table, TextColumn
from scorer.kinds.base import Asking, Constants, OpenTruth, SideTables, kinds
from scorer.kinds.labels import classes_of, named_in
from scorer.results.scorecard import UNDEFINED, Rules
from scorer.scoring.lists import Plan, outcome, score_lists
from scorer.scoring.settle import settle

VALUES = "list string, measure string, value double"
LEARNT = "data binary"


@dataclass(frozen=True)
class Opening:
    """What a bucket's truth is opened with. It pickles."""

    public: Public  # without what the truth itself says
    aids: SideTables
    challenge: Challenge
    shape: Schema  # of a truth
    buckets: int
    rules: Mapping[str, Rules] = field(default_factory=dict)

    def public_of(self, bucket: int, truth: Table) -> Public:
        """What is public of a bucket's lists."""
        import polars as pl

        known = self.public
        lists: Mapping[str, None]
        if self.challenge.lists is None:
            lists = Names(sorted(truth.ids["list"].names))
        else:
            names = pl.Series(list(known.lists), dtype=pl.String)
            mine = bucket_of(TextColumn(names).row_hashes, self.buckets) == bucket
            lists = Names(names.filter(mine).to_list())
        # candidates that are the truth's own: before it is read, none are known
        part = known._replace(lists=lists, candidates=known.candidates or None, asked=None)
        asking = Asking(self.challenge, (), lambda: truth)
        return kinds().get(known.kind).public(part, asking)

    def open(self, bucket: int, truth: Table, findings: Findings) -> tuple[Public, OpenTruth]:
        """A bucket's truth made ready."""
        public = self.public_of(bucket, truth)
        told = Findings()
        examine(Truthful(truth, public, self.challenge), told)
        made = kinds().get(public.kind).open(truth, self.aids._replace(public=public), told)
        findings.extend(of_organizer(told))
        return public, made


@dataclass(frozen=True)
class Learnt:
    """What the buckets of a truth say together."""

    constants: Constants = field(default_factory=Constants)
    problems: tuple[Any, ...] = ()
    rows: int = 0


def learner(opening: bytes) -> Callable[[Any, Any], Any]:
    """What learns the constants of a bucket of a truth."""
    return lambda key, rows: _learnt(pickle.loads(opening), key[0].as_py(), rows)


def _learnt(opening: Opening, bucket: int, rows: Any) -> Any:
    import pyarrow as pa

    data = rows.column("data").to_pylist()
    findings, constants, count = Findings(), Constants(), 0
    if bucket == NOTES:
        for notes in map(pickle.loads, data):
            findings.extend(of_organizer(notes.findings))
    else:
        table = unpacked(data)
        assert table is not None
        count = len(table)
        if opening.public.kind == "labels" and "label" in table.ids and not opening.public.classes:
            separator = opening.challenge.separators[0]
            found = named_in(table, opening.public, separator)
            opening = replace(opening, public=opening.public._replace(classes=found))
        constants = opening.open(bucket, table, findings)[1].constants
    problems = tuple(p for p in findings if p.severity == "error")
    made = Learnt(constants, problems, count)
    return pa.Table.from_arrays([pa.array([encoded(made)], pa.binary())], ["data"])


def together(parts: Iterable[Learnt], opening: Opening) -> Learnt:
    """The constants of a whole truth.

    Raises:
        ChallengeError: something is wrong with it.
    """
    parts = list(parts)
    if problems := [each for part in parts for each in part.problems]:
        raise ChallengeError(problems=sorted(problems, key=str)[:5])
    grades = [c.max_grade for c in (p.constants for p in parts) if c.max_grade is not None]
    labels = [name for part in parts for name in part.constants.classes]
    first = next((part.constants for part in parts if part.rows), Constants())
    classes = tuple(classes_of(labels, None)) if labels else ()
    made = first._replace(
        max_grade=max(grades, default=None),
        classes=opening.challenge.classes or classes,
        several=any(part.constants.several for part in parts),
        weighted=any(part.constants.weighted for part in parts),
    )
    return Learnt(made, (), sum(part.rows for part in parts))


def valuer(opening: bytes, work: Work) -> Callable[[Any, Any, Any], Any]:
    """What gives the values of a bucket's lists."""
    return lambda key, left, right: _valued(
        pickle.loads(opening), work.open(), key[0].as_py(), left, right
    )


def _valued(opening: Opening, plan: Plan, bucket: int, left: Any, right: Any) -> Any:
    import pyarrow as pa

    data = left.column("data").to_pylist()
    if bucket == NOTES:
        for notes in map(pickle.loads, data):
            if notes.findings.fatal:
                raise SubmissionRejected(problems=notes.findings)
        return pa.table(_no_values())
    truth, table = unpacked(right.column("data").to_pylist()), unpacked(data)
    truth = without_rows(opening.shape) if truth is None else truth
    public, ready = opening.open(bucket, truth, Findings())
    whole = replace(plan, public=public, truth=ready)
    findings = Findings()
    part = score_lists(whole, without_rows(plan.shapes[0]) if table is None else table)
    made = outcome(whole, part, findings, None)
    return pa.table(_values_of(whole, opening.rules, made))


def _no_values() -> dict[str, Any]:
    import pyarrow as pa

    return {
        "list": pa.array([], pa.string()),
        "measure": pa.array([], pa.string()),
        "value": pa.array([], pa.float64()),
    }


def _values_of(plan: Plan, rules: Mapping[str, Rules], made: Any) -> dict[str, Any]:
    import pyarrow as pa

    if made.card is None:
        wrong = [problem for problem in made.findings if problem.severity == "error"]
        raise SubmissionRejected(problems=wrong[:3])
    lists, measures, values = list[str](), list[str](), list[np.ndarray[Any, Any]]()
    for measure in plan.measures:
        states = made.card.states(measure.id, rules[measure.id])
        if rules[measure.id].undefined == "error" and (states == UNDEFINED).any():
            at = made.card.lists[int(np.argmax(states == UNDEFINED))]
            raise PluginError(f"{measure.id} is undefined for list {at!r}")
        found = settle(made.card, measure, rules[measure.id]).per_list
        assert found is not None
        lists += made.card.lists
        measures += [measure.id] * len(made.card.lists)
        values.append(found)
    column = np.concatenate([np.empty(0), *values])
    return {
        "list": pa.array(lists, pa.string()),
        "measure": pa.array(measures, pa.string()),
        "value": pa.array(column, pa.float64(), mask=np.isnan(column)),
    }


def without_rows(shape: Schema) -> Table:
    """A table of that shape that has no rows."""
    none = np.empty(0, dtype=np.int64)
    return Table(
        {role: CodedColumn(none, ()) for role in shape.required if role in TEXT},
        {role: np.empty(0) for role in shape.required if role not in TEXT},
        none,
        shape,
    )
