"""Reads, checks and scores a submission.

`score_table` takes a table and touches no file: explanations and attacks on a truth use it, too.
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
from scorer.core.errors import MetricFailed, SubmissionRejected
from scorer.core.plugins import plugin_errors
from scorer.core.problems import Findings, Problem
from scorer.core.text import quoted
from scorer.kinds.base import FilteredTruth, OpenTruth, Views
from scorer.metrics.notation import Measure
from scorer.reading.formats import Format, find_format
from scorer.reading.layout import PLAIN, Layout
from scorer.reading.limits import ReadLimits, UnreadableError, refuse_many_errors
from scorer.reading.parts import locate_by_part
from scorer.reading.read import FileTable, find_columns, read_as_csv, read_file
from scorer.reading.schema import Schema
from scorer.reading.table import Table, encode
from scorer.results.columns import NO_COLUMNS, ListColumns
from scorer.results.scorecard import Outcome, Scorecard
from scorer.scoring.evaluate import score
from scorer.views.join import GAPS, Pairs
from scorer.views.values import CSV, Frames, text_of


@dataclass(frozen=True, eq=False)
class Plan:
    """All that scoring needs of a challenge, as data that can be pickled."""

    public: Public
    rules: Submission
    shapes: tuple[Schema, ...]  # what a submission may look like
    limits: ReadLimits
    measures: tuple[Measure, ...] = ()  # with the parameters that the whole truth determines
    views: frozenset[type] = frozenset()  # types that the measures and the leaderboard need
    truth: OpenTruth | None = None  # None: submissions are only checked
    folds: Mapping[str, OpenTruth] = field(default_factory=dict)  # fold -> its own truth
    digests: Mapping[str, str] = field(default_factory=dict)
    plugins: tuple[Path, ...] = ()  # files of the challenge's own metrics
    checks: bool = True  # whether a submission is checked
    layout: Layout = PLAIN  # in which submissions are written
    columns: ListColumns = NO_COLUMNS  # groups and weights of all lists, if measures need them
    solution: str = ""  # the truth as CSV, if measures read frames; else empty
    # fold, None for the whole truth -> condition of a measure -> the truth of its items alone
    picked: Mapping[str | None, Mapping[str, FilteredTruth]] = field(default_factory=dict)

    def format(self, path: Path) -> Format:
        """Return the format of a submission."""
        return find_format(path, self.rules.format, self.layout, self.limits.protected)

    def read(self, path: Path, findings: Findings) -> FileTable:
        """Return the table of a submission."""
        return read_file(path, self.rules.format, self.shapes, findings, self.limits, self.layout)

    @cached_property
    def public_ids(self) -> PublicIds:
        """The public ids, prepared for look-ups."""
        return PublicIds(self.public)

    @property
    def without_truth(self) -> Plan:
        """The plan that only checks submissions."""
        plan = replace(self, truth=None, folds={})
        vars(plan)["public_ids"] = self.public_ids  # keep the cached property: it is slow to make
        return plan

    def list_columns(self, lists: Sequence[str]) -> ListColumns:
        """Return the groups and weights of some lists, if measures need them."""
        if not self.columns.groups and not self.columns.weights:
            return self.columns
        return self.columns.at(np.array([self._number_of[name] for name in lists], dtype=np.int64))

    @cached_property
    def _number_of(self) -> dict[str, int]:
        assert self.truth is not None
        return {name: n for n, name in enumerate(self.truth.lists)}

    def __getstate__(self) -> dict[str, object]:
        """Return the fields alone, without what is cached."""
        return {f.name: getattr(self, f.name) for f in fields(type(self))}


def score_submission(plan: Plan, path: Path) -> Outcome:
    """Return the problems of a submission, and its scorecard if it has no error."""
    try:
        return name_cause(plan, path, _score_file(plan, path))
    except MemoryError:
        findings = Findings(str(path))
        findings.add(Problem("S104", "there is not enough memory to read this file"))
        return Outcome(findings, None, None)


def name_cause(plan: Plan, path: Path, outcome: Outcome) -> Outcome:
    """Return the outcome of a file, with one cause for all errors that follow from it."""
    if not outcome.findings.fatal or plan.format(path).name != "csv":
        return outcome
    table = expected_table(plan.public, plan.rules, plan.shapes, plan.layout, path)
    findings = replace_by_cause(outcome.findings, path, table, plan.public, plan.limits)
    return outcome._replace(findings=findings)


def _score_file(plan: Plan, path: Path) -> Outcome:
    findings = Findings(str(path))
    table, sha256 = plan.read(path, findings)
    outcome = Outcome(findings, sha256, None)
    if table is not None:
        find_cells = table.find_cells
        if Frames in plan.views:
            text = read_as_csv(path, plan.rules.format, plan.layout, plan.limits)
            if text is None and plan.public.kind == "frames":
                message = "Kaggle's metrics read CSV, with a header"
                help = "write the file with to_csv(index=False)"
                findings.add(Problem("S107", message, help=help))
                return outcome
            if text:
                table = replace(table, facts={**table.facts, CSV: text})
            # A plan without checks would be scored even if the file cannot be read.
            plan = plan.without_truth if findings.fatal else plan
        outcome = score_table(plan, table, findings, sha256)
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
    return score_with_views(plan, table, findings, sha256)[0]


def score_with_views(
    plan: Plan, table: Table, findings: Findings, sha256: str | None = None
) -> tuple[Outcome, Views | None]:
    """Return the outcome of a submission, as `score_table`, and the views of its measures.

    The views have all lists of the truth; a list that the submission leaves out has no rows. They
    are None if the submission is not scored.
    """
    can_be_scored = not plan.checks or check_table(plan, table, findings).can_be_scored
    if not can_be_scored or plan.truth is None:
        return Outcome(findings, sha256, None), None
    table = prepare_rows(plan, table)
    views = _join_folds(plan, plan.truth, _without_private_lists(plan, plan.truth, table))
    del table  # free the rows: in a table of labels they need as much memory as the measures
    try:
        cards = {fold: _score_fold(plan, fold, views[fold]) for fold in views}
    except SubmissionRejected as error:
        findings.extend(error.problems)
        return Outcome(findings, sha256, None), None
    except MetricFailed as error:
        findings.add(error.problem)
        return Outcome(findings, sha256, None), None
    digests = {**plan.digests, **({"submission": sha256} if sha256 else {})}
    cards = {fold: card._replace(digests=digests) for fold, card in cards.items()}
    folds = {fold: card for fold, card in cards.items() if fold is not None}
    return Outcome(findings, sha256, cards[None], folds), views[None]


class Checked(NamedTuple):
    """The result of the checks of a submission, beside its findings."""

    can_be_scored: bool
    counted: Sequence[CountedProblem] = ()


def check_table(plan: Plan, table: Table, findings: Findings) -> Checked:
    """Add the problems of a submission to the findings, and return whether it can be scored."""
    table = _with_rank_gaps(plan, table)
    rows = SubmissionRows(table, plan.public, plan.rules, plan.public_ids, is_partial(findings))
    counted = examine(rows, findings)
    try:
        refuse_many_errors(findings.errors)
    except UnreadableError as error:
        findings.add(error.problem)
        return Checked(False)
    findings.extend(_refused_cells(plan, table))
    # Measures need each item once, and all numbers, even if no check reports an error.
    repeats = "item" in table and not rows.keeps_first_repeat and rows.repeated_items.height
    return Checked(not (findings.fatal or rows.has_unread_number or repeats), counted)


def _refused_cells(plan: Plan, table: Table) -> Iterator[Problem]:
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


def prepare_rows(plan: Plan, table: Table) -> Table:
    """Return the rows to join with the truth: repeated items are dropped if the rules say so."""
    table = _with_rank_gaps(plan, table)
    return _drop_repeats(table) if plan.rules.repeats == "first" else table


def _with_rank_gaps(plan: Plan, table: Table) -> Table:
    """Return the table marked as one whose missing ranks are empty places, if the rules say so."""
    if plan.rules.rank_gaps != "keep" or GAPS in table.facts:
        return table
    return replace(table, facts={**table.facts, GAPS: True})


def _drop_repeats(table: Table) -> Table:
    """Return the table with the best-ranked row of each item; the other ranks are empty places.

    A table with scores is returned as it is. Without ranks, the order of the rows ranks.
    """
    if "item" not in table or "score" in table:
        return table
    frame = table.frame
    if not Pairs(encode(frame["list"])[1], frame["item"]).repeats:
        return table
    if "rank" not in table:
        place = pl.int_range(1, pl.len() + 1).over("list")
        frame = frame.with_columns(rank=place.cast(pl.Float64))
    best = frame.with_row_index("row").sort("rank", maintain_order=True)
    kept = best.unique(["list", "item"], keep="first").sort("row").drop("row")
    return replace(table, frame=kept, facts={**table.facts, GAPS: True})


def _without_private_lists(plan: Plan, truth: OpenTruth, table: Table) -> Table:
    """Return the table without the rows of lists that are in the truth but not public."""
    public = plan.public.lists
    if len(public) >= len(truth.lists) or all(name in public for name in truth.lists):
        return table
    names = pl.Series(list(public), dtype=pl.String)
    return table.with_frame(table.frame.filter(pl.col("list").is_in(names.implode())))


def _join_folds(plan: Plan, truth: OpenTruth, table: Table) -> dict[str | None, Views]:
    """Return the views of a table by fold; None for those with the whole truth."""
    folds = ((None, truth), *plan.folds.items())
    return {fold: _views(plan, fold_truth, table, fold) for fold, fold_truth in folds}


def _views(plan: Plan, truth: OpenTruth, table: Table, fold: str | None) -> Views:
    """Return a submission joined with a truth, once more for each condition of a measure."""
    views = truth.join(table, plan.rules.ties, plan.views)
    picked = plan.picked.get(fold, {}).items()
    by_condition = {text: each.join(table, plan.rules.ties, plan.views) for text, each in picked}
    views = views._replace(by_condition=by_condition)
    if Frames not in plan.views:
        return views
    frames = Frames(truth.lists, views.answered, plan.solution, text_of(table))
    return views._replace(views={**views.views, Frames: frames})


def _score_fold(plan: Plan, fold: str | None, views: Views) -> Scorecard:
    truth = plan.truth if fold is None else plan.folds[fold]
    assert truth is not None
    columns = plan.list_columns(truth.lists)
    return score(views, truth.lists, plan.measures, columns=columns, of_fold=fold is not None)
