"""The outcome of a submission that Spark reads: its job, and its parts put together."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from scorer.bytes.address import is_url
from scorer.bytes.limits import Unreadable
from scorer.core.errors import PluginError
from scorer.core.problems import Findings, Problem
from scorer.core.text import describe_exception, join_first, printable, quoted
from scorer.engines import local
from scorer.engines.base import with_causes
from scorer.engines.spark.reading import SparkNotes, notes_of
from scorer.engines.spark.scoring import (
    FAILED,
    MIXED,
    NOTE,
    PART,
    REFUSED,
    RESULT,
    Work,
    bucket_scorer,
    decoded,
    part_merger,
)
from scorer.engines.spark.sources import (
    DAMAGED,
    WHOLE,
    SparkSource,
    cause_of,
    refuse_form,
    united,
    unreadable,
)
from scorer.formats.cells import tell_twice
from scorer.formats.form import FileForm
from scorer.formats.trec import TagNotes as Tags
from scorer.results.scorecard import Outcome
from scorer.scoring.lists import ListsResult, Plan, merged, outcome, score_lists
from scorer.tables.columns import CodedColumn
from scorer.tables.table import TEXT, Schema, Table

# what a message says of lines; where there are several files, they are no lines of one
OF_LINES = re.compile(
    r" \((?:first on )?(?:[\d,]+ )?lines?,? (?:up to )?[\d,]+(?:(?:, | and )[\d,]+)*\)"
)


@dataclass(frozen=True)
class SparkOutcomes:
    """What came back from the workers."""

    parts: tuple[Any, ...]  # `SparkPart`, or what else buckets are made into
    notes: tuple[SparkNotes, ...]
    refused: tuple[Problem, ...]
    mixed: bool


class JobFailed(PluginError):
    """Spark failed, for a reason that no task told."""


def job(work: Work, sources: Sequence[SparkSource], most_errors: int) -> Any:
    """The data frame of the parts that the buckets of submissions give."""
    from pyspark.sql import functions as F

    rows = [
        source.rows.withColumn("number", F.lit(number)) for number, source in enumerate(sources)
    ]
    buckets = united(rows).groupBy("number", "bucket")
    parts = buckets.applyInArrow(bucket_scorer(work), RESULT)
    return parts.mapInArrow(part_merger(most_errors), RESULT)


def returned(frame: Any) -> SparkOutcomes:
    """Run the job of one submission; raises as `collected`."""
    return returned_each(frame, 1)[0]


def returned_each(frame: Any, count: int) -> list[SparkOutcomes]:
    """Run the job of so many submissions; raises as `collected`."""
    found = collected(frame)
    return [_outcomes_of(found.get(number, {})) for number in range(count)]


def _outcomes_of(data_by_kind: Mapping[str, Sequence[bytes]]) -> SparkOutcomes:
    return SparkOutcomes(
        tuple(decoded(each) for each in data_by_kind.get(PART, ())),
        tuple(notes_of(data_by_kind.get(NOTE, ()))),
        tuple(decoded(each) for each in data_by_kind.get(REFUSED, ())),
        MIXED in data_by_kind,
    )


def collected(frame: Any) -> dict[int, dict[str, list[bytes]]]:
    """What a job gives, by the number of the submission and its kind.

    `PluginError` if a metric fails, `JobFailed` if Spark does, `Unreadable` if a file is damaged.
    """
    try:
        rows = frame.collect()
    except Exception as error:
        if DAMAGED.search(describe_exception(error, WHOLE)):
            raise unreadable(error) from error
        message = f"the engine spark failed: {printable(cause_of(error), 400)}"
        raise JobFailed(message) from error
    found: dict[int, dict[str, list[bytes]]] = {}
    for row in rows:
        data_by_kind = found.setdefault(row["number"], {})
        data_by_kind.setdefault(row["kind"], []).append(bytes(row["data"]))
    failed = [each for data_by_kind in found.values() for each in data_by_kind.get(FAILED, ())]
    if failed:
        raise PluginError(min(failed).decode())
    return found


def told_here(plan: Plan, path: Path, outcome: Outcome) -> Outcome:
    """The outcome of a path, of which the engine of one machine tells where it is no table.

    So a file of this machine is refused for the same reasons, and one that is not what its name
    says is read, whatever engine is asked for. What is too large for one machine stays Spark's.
    """
    refused = [problem.code for problem in outcome.findings if problem.severity == "error"]
    if any(code < "S3" for code in refused) and _is_here(path) and _reads(plan.form):
        here = local.scored(plan, path)
        codes = {problem.code for problem in here.findings}
        if (here.card or here.findings.fatal) and not codes & {"S104"} - set(refused):
            return here
    return with_causes(plan, path, outcome) if path.is_file() else outcome


def _is_here(path: Path) -> bool:
    """Whether the engine of one machine knows more of a path than Spark: no URL, no parts."""
    if is_url(str(path)):
        return False
    return path.is_file() or not path.is_dir() or not any(path.iterdir())


def _reads(form: FileForm) -> bool:
    try:
        refuse_form(form)
    except Unreadable:
        return False
    return True


def settled(
    plan: Plan, source: SparkSource, back: SparkOutcomes, findings: Findings, sha256: str | None
) -> Outcome:
    """The outcome of a submission, given what came back of it."""
    if not readable(source, back, findings):
        return Outcome(placed(findings, source), sha256, None)
    part = merged([nothing(plan, source, back), *back.parts])
    scored = outcome(plan, part, findings, sha256)
    return scored._replace(findings=placed(scored.findings, source))


def readable(source: SparkSource, back: SparkOutcomes, findings: Findings) -> bool:
    """Whether all of a submission could be read."""
    tags = Tags()
    for notes in back.notes:
        findings.merge(notes.findings)
        if notes.tags is not None:
            tags.add(notes.tags)
    tags.tell(findings)
    if records := [each for notes in back.notes for each in notes.records]:
        shape = back.notes[0].shape
        tell_twice(records, shape.called("list") if shape else "list", findings)
    whole = all(notes.whole for notes in back.notes)
    if whole and (back.mixed or len({tuple(sorted(n.roles)) for n in back.notes}) > 1):
        findings.add(_mixed(source, back.notes))
        whole = False
    if back.refused:
        findings.add(min(back.refused, key=str))
        whole = False
    return whole


def nothing(plan: Plan, source: SparkSource, back: SparkOutcomes) -> ListsResult:
    """The part of a submission without its rows, so that every check runs.

    The first of the notes in `back` have the columns.
    """
    first = next(iter(back.notes), None)
    shape = (first.shape if first else source.shape) or plan.shapes[0]
    facts = first.facts if first else source.facts
    roles = first.roles if first else shape.required
    return score_lists(plan, _empty(shape, roles, dict(facts)))


def _empty(shape: Schema, roles: Sequence[str], facts: dict[str, Any]) -> Table:
    none = np.empty(0, dtype=np.int64)
    return Table(
        {role: CodedColumn(none, ()) for role in roles if role in TEXT},
        {role: np.empty(0) for role in roles if role not in TEXT},
        none,
        shape,
        facts,
    )


def _mixed(source: SparkSource, notes: Sequence[SparkNotes]) -> Problem:
    """The first part whose columns are not those of the part before it."""
    kinds = {each.number: tuple(sorted(each.roles)) for each in notes}
    files = {part.number: part.file for part in source.parts}
    numbers = list(kinds)
    at = next((n for n in numbers if kinds[n] != kinds[numbers[0]]), numbers[0])
    message = (
        f"the parts have different columns: {quoted(files.get(numbers[0], ''))} has "
        f"{join_first(kinds[numbers[0]])}, {quoted(files.get(at, ''))} has {join_first(kinds[at])}"
    )
    return Problem("S201", message)


def placed(findings: Findings, source: SparkSource) -> Findings:
    """The findings, each at its line where there is one file, else at the line of its part."""
    if len(source.files) == 1:
        return findings
    placed_findings = Findings(findings.path)
    left = findings.counts.copy()
    for problem in findings:
        left[problem.code] -= 1
        message = OF_LINES.sub("", problem.message)
        place = None if problem.line is None else source.place(problem.line)
        path, line = place or (problem.path, None)
        moved = replace(problem, message=message, path=path, line=line, column=None)
        placed_findings.add(moved)
    placed_findings.counts.update(+left)
    return placed_findings
