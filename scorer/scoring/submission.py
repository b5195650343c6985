"""Reading, checking and scoring of a submission.

`score_table` takes a table and touches no file: lint scores tables that it makes from the truth.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from functools import cached_property
from pathlib import Path
from typing import NamedTuple

import numpy as np
import polars as pl

from scorer.challenge.public import Public
from scorer.challenge.submission import Submission
from scorer.checks.base import CountedProblem, SubmissionRows, examine, is_partial
from scorer.checks.causes import expected_table, replace_by_cause
from scorer.checks.ids import PublicIds
from scorer.core.errors import InternalError, MetricFailed, SubmissionRejected
from scorer.core.plugins import plugin_errors
from scorer.core.problems import Findings, Problem
from scorer.core.text import quoted
from scorer.kinds.base import FilteredTruth, OpenTruth, Views
from scorer.metrics.notation import Measure
from scorer.reading.formats import find_format
from scorer.reading.frame import read_frame
from scorer.reading.layout import PLAIN, Layout
from scorer.reading.limits import ReadLimits, UnreadableError, refuse_many_errors
from scorer.reading.parts import locate_by_part
from scorer.reading.read import FileTable, find_columns, read_as_csv, read_file
from scorer.reading.schema import Schema
from scorer.reading.table import Table, find_indices
from scorer.results.scorecard import NO_COLUMNS, ListColumns, Outcome, Scorecard
from scorer.scoring.describe import describe_rows
from scorer.scoring.evaluate import score
from scorer.scoring.overlap import find_low_overlap
from scorer.views.values import CSV, Frames, text_of

Fold = str | None  # None: the whole truth


@dataclass(eq=False)
class Plan:
    """All that scoring needs of a challenge. It can be pickled for other processes."""

    public: Public
    rules: Submission
    shapes: tuple[Schema, ...]  # what a submission may look like
    limits: ReadLimits
    layout: Layout = PLAIN  # in which submissions are written
    truths: Mapping[Fold, OpenTruth] = field(default_factory=dict)  # none: checks alone
    measures: tuple[Measure, ...] = ()  # with the parameters that the whole truth determines
    views: frozenset[type] = frozenset()  # types that the measures and the leaderboard need
    digests: Mapping[str, str] = field(default_factory=dict)
    columns: ListColumns = NO_COLUMNS  # groups and weights of all lists, if measures need them
    solution: str = ""  # the truth as CSV, if measures read frames; else empty
    # fold -> text of a condition on items -> the truth of only these items
    filtered_truths: Mapping[Fold, Mapping[str, FilteredTruth]] = field(default_factory=dict)

    def read(self, source: Path | pl.DataFrame, findings: Findings) -> FileTable:
        """Return the table of a submission: of a file, or of a data frame."""
        if isinstance(source, pl.DataFrame):
            return read_frame(source, self.shapes, findings, self.limits, self.layout)
        return read_file(source, self.rules.format, self.shapes, findings, self.limits, self.layout)

    @cached_property
    def public_ids(self) -> PublicIds:
        """The public ids, prepared for look-ups."""
        return PublicIds(self.public)

    def __getstate__(self) -> dict[str, object]:
        """Return only the fields for a pickle, without cached properties."""
        return {f.name: getattr(self, f.name) for f in fields(type(self))}


def score_submission(
    plan: Plan, source: Path | pl.DataFrame, read: FileTable | None = None
) -> Outcome:
    """Return the problems of a submission, and its scorecard if it has no error.

    Args:
        plan: What scoring needs of the challenge.
        source: The file, or the data frame.
        read: The file's table, if it was read before, without a problem.
    """
    try:
        if isinstance(source, pl.DataFrame):
            return _score_frame(plan, source)
        outcome = _score_file(plan, source, read)
        if not outcome.findings.fatal:
            return outcome
        format = find_format(source, plan.rules.format, plan.layout, plan.limits.protected)
        if format.name != "csv":
            return outcome
        table = expected_table(plan.public, plan.rules, plan.shapes, plan.layout, source)
        findings = replace_by_cause(outcome.findings, source, table, plan.public, plan.limits)
        return outcome._replace(findings=findings)
    except MemoryError:
        findings = Findings("" if isinstance(source, pl.DataFrame) else str(source))
        findings.add(Problem("S104", "there is not enough memory to read this file"))
        return Outcome(findings, None, None)


def _score_frame(plan: Plan, frame: pl.DataFrame) -> Outcome:
    findings = Findings()
    table, sha256 = plan.read(frame, findings)
    if table is None:
        return Outcome(findings, sha256, None)
    description = "" if plan.truths else describe_rows(table, plan.public)
    views = check_and_join(plan, table, findings)
    overlap = find_low_overlap(plan.truths[None], views[None], table) if views else None
    outcome = score_views(plan, views, findings, sha256)
    return outcome._replace(description=description, overlap=overlap)


def _score_file(plan: Plan, path: Path, read: FileTable | None) -> Outcome:
    findings = Findings(str(path))
    table, sha256 = read or plan.read(path, findings)
    outcome = Outcome(findings, sha256, None)
    if table is not None:
        if Frames in plan.views:
            text = read_as_csv(path, plan.rules.format, plan.layout, plan.limits)
            if text is None and plan.public.kind == "frames":
                message = "Kaggle's metrics read CSV, with a header"
                help = "write the file with to_csv(index=False)"
                findings.add(Problem("S107", message, help=help))
                return outcome
            if text:
                table = replace(table, facts={**table.facts, CSV: text})
        description = "" if plan.truths else describe_rows(table, plan.public)
        find_cells = table.find_cells
        views = check_and_join(plan, table, findings)
        overlap = find_low_overlap(plan.truths[None], views[None], table) if views else None
        del table  # free the rows: for labels they need as much memory as the measures
        outcome = score_views(plan, views, findings, sha256)
        outcome = outcome._replace(description=description, overlap=overlap)
        findings.locate(
            lambda cells: find_columns(path, find_cells, cells, plan.limits, plan.layout)
        )
    locate_by_part(findings, plan.layout.parts)
    return outcome


def score_table(plan: Plan, table: Table, findings: Findings, sha256: str | None = None) -> Outcome:
    """Return the outcome of a submission, after adding the problems that checks find.

    Args:
        plan: What scoring needs of the challenge.
        table: All rows of the submission, in any order.
        findings: Those of the reader.
        sha256: The digest of its file, if there is one.
    """
    return score_views(plan, check_and_join(plan, table, findings), findings, sha256)


def check_and_join(plan: Plan, table: Table, findings: Findings) -> dict[Fold, Views]:
    """Return the views of a submission by fold, after adding its problems.

    The result is empty if it cannot be scored.
    """
    checked = check_table(plan, table, findings)
    return join_checked(plan, table, checked) if checked.can_be_scored and plan.truths else {}


def score_views(
    plan: Plan, views: Mapping[Fold, Views], findings: Findings, sha256: str | None = None
) -> Outcome:
    """Return the outcome of a submission by its views; without views it has no scorecard."""
    if not views:
        return Outcome(findings, sha256, None)
    digests = {**plan.digests, **({"submission": sha256} if sha256 else {})}
    cards = dict[Fold, Scorecard]()
    try:
        for fold, joined in views.items():
            lists = plan.truths[fold].lists
            columns = plan.columns
            if fold is not None:
                columns = columns.at(find_indices(pl.Series(lists), plan.truths[None].lists))
            card = score(joined, lists, plan.measures, columns, of_fold=fold is not None)
            cards[fold] = card._replace(digests=digests)
    except SubmissionRejected as error:
        findings.extend(error.problems)
        return Outcome(findings, sha256, None)
    except MetricFailed as error:
        findings.add(error.problem)
        return Outcome(findings, sha256, None)
    folds = {fold: card for fold, card in cards.items() if fold is not None}
    return Outcome(findings, sha256, cards[None], folds)


class Checked(NamedTuple):
    """The result of the checks of a submission, beside its findings."""

    can_be_scored: bool
    counted: Sequence[CountedProblem] = ()
    joinable_count: int = 0  # as `SubmissionRows.joinable_count`


def check_table(plan: Plan, table: Table, findings: Findings, is_bucket: bool = False) -> Checked:
    """Add the problems of a submission to the findings, and return whether it can be scored.

    Args:
        plan: What scoring needs of the challenge.
        table: The rows of the submission.
        findings: What the reader found; problems are added.
        is_bucket: Whether the rows belong to some lists alone; see `SubmissionRows`.
    """
    is_incomplete = is_partial(findings)
    rows = SubmissionRows(table, plan.public, plan.rules, plan.public_ids, is_incomplete, is_bucket)
    counted = examine(rows, findings)
    try:
        refuse_many_errors(findings.errors)
    except UnreadableError as error:
        findings.add(error.problem)
        return Checked(False)
    findings.extend(_find_refused_cells(plan, table))
    # Measures need each item once, and all numbers, even if no check reports an error.
    repeats = "item" in table and rows.repeated_items.height
    if findings.fatal or rows.has_unread_number or repeats:
        return Checked(False, counted)
    return Checked(True, counted, rows.joinable_count if plan.truths else 0)


def _find_refused_cells(plan: Plan, table: Table) -> Iterator[Problem]:
    """Yield a problem at the first row of each answer that the check of a metric refuses."""
    metrics = {part.metric.check: part.metric for m in plan.measures for part in m.all_parts}
    for check, metric in metrics.items():
        if check is None:
            continue
        for role in ("item", "label"):
            if role not in table:
                continue
            rows = table.frame.select("line", "list", cell=role)
            rows = rows.unique("cell", keep="first", maintain_order=True)
            for line, name, cell in rows.iter_rows():
                with plugin_errors(f"the check of metric {metric.name} failed on {quoted(cell)}"):
                    message = check(cell)
                if message:
                    yield Problem("S531", f"{quoted(cell)}: {message}", line=line, list=name)


def join_checked(plan: Plan, table: Table, checked: Checked) -> dict[Fold, Views]:
    """Return the views of a submission that has passed the checks.

    Raises:
        InternalError: The join has not found as many lists or rows as the checks. Otherwise those
            that it misses would count for nothing, without a message.
    """
    joined = join_truths(plan, table)
    views = joined[None]
    found = np.count_nonzero(views.answered) if views.found is None else views.found
    if found != checked.joinable_count:
        lists = f"{plan.public.word('list')}s"
        raise InternalError(
            f"the checks know {checked.joinable_count:,} {lists} or rows of this file, and the "
            f"join with the truth has found {found:,}; this is a mistake of scorer: please report "
            "it, with the file"
        )
    return joined


def join_truths(plan: Plan, table: Table) -> dict[Fold, Views]:
    """Return the views of a submission, which has no error, by the truth that it is joined with.

    The views have all lists of the truth; a list that the submission leaves out has no rows.
    """
    joined = dict[Fold, Views]()
    for fold, truth in plan.truths.items():
        views = truth.join(table, plan.rules.ties, plan.views)
        by_condition = {
            text: filtered.join(table, plan.rules.ties, plan.views)
            for text, filtered in plan.filtered_truths.get(fold, {}).items()
        }
        if Frames in plan.views:
            frames = Frames(truth.lists, views.answered, plan.solution, text_of(table))
            views = views._replace(views={**views.views, Frames: frames})
        joined[fold] = views._replace(by_condition=by_condition)
    return joined
