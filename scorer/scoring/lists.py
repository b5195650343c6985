"""A submission's table to its outcome: checked, joined with the truth, and measured.

`score_table` is pure and knows no file. Files, explanations and probes go through it.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from copy import copy
from dataclasses import dataclass, field, fields, replace
from functools import cached_property
from pathlib import Path

import numpy as np
import polars as pl

from scorer.challenge.public import Public
from scorer.challenge.submission import Submission
from scorer.checks.base import SubmissionRows, examine, is_partial
from scorer.checks.ids import PublicIds
from scorer.core.arrays import Ints
from scorer.core.errors import MetricFailed, SubmissionRejected
from scorer.core.plugins import plugin_call
from scorer.core.problems import Findings, Problem
from scorer.core.text import quoted
from scorer.kinds.base import OpenTruth
from scorer.kinds.picked import Picked
from scorer.metrics.notation import Measure
from scorer.reading.formats import Format, find_format
from scorer.reading.layout import PLAIN, Layout
from scorer.reading.limits import ReadLimits, UnreadableError, refuse_many_errors
from scorer.reading.read import FileTable, read_file
from scorer.reading.schema import Schema
from scorer.reading.table import Table
from scorer.results.columns import NO_COLUMNS, ListColumns
from scorer.results.scorecard import Outcome, Scorecard
from scorer.scoring.evaluate import score
from scorer.tables.columns import RecodedColumn, series_of
from scorer.tables.frame import as_columns
from scorer.tables.names import same_names
from scorer.tables.table import Table as Columns
from scorer.views.frames import Frames, text_of
from scorer.views.meeting import Views
from scorer.views.ranked import GAPS, ranked


@dataclass(frozen=True, eq=False)
class Plan:
    """All that scoring needs of a challenge, as data that pickles."""

    public: Public
    rules: Submission
    shapes: tuple[Schema, ...]  # what a submission may look like
    limits: ReadLimits
    measures: tuple[Measure, ...] = ()  # settled by the challenge and its whole truth
    views: frozenset[type] = frozenset()  # what the measures and the leaderboard look at
    truth: OpenTruth | None = None  # None: only checks
    folds: Mapping[str, OpenTruth] = field(default_factory=dict)  # fold -> its own truth
    digests: Mapping[str, str] = field(default_factory=dict)
    plugins: tuple[Path, ...] = ()  # where the challenge's own metrics are
    checks: bool = True  # whether a submission is checked
    layout: Layout = PLAIN  # in which submissions are written
    columns: ListColumns = NO_COLUMNS  # of all lists of the truth, where measures need them
    solution: str = ""  # the truth as CSV, where measures read frames
    # fold -> condition of a measure -> the items that it chooses
    picked: Mapping[str | None, Mapping[str, Picked]] = field(default_factory=dict)

    def format(self, path: Path) -> Format:
        """How a submission is read."""
        return find_format(path, self.rules.format, self.layout, self.limits.own)

    def read(self, path: Path, findings: Findings) -> FileTable:
        """A submission's table."""
        return read_file(path, self.rules.format, self.shapes, findings, self.limits, self.layout)

    @cached_property
    def known(self) -> PublicIds:
        """The public ids, made ready to be looked up."""
        return PublicIds(self.public)

    @property
    def unscored(self) -> Plan:
        """The same without the truth: it only checks."""
        plan = replace(self, truth=None, folds={})
        vars(plan)["known"] = self.known  # which takes long to make ready
        return plan

    def places(self, fold: str | None) -> Ints:
        """Each public list's index in the truth, or a fold's; -1 where absent, and at the end."""
        return self._places[fold]

    def columns_of(self, lists: Sequence[str]) -> ListColumns:
        """The groups and weights of some of the truth's lists, where measures need them."""
        if not self.columns.groups and not self.columns.weights:
            return self.columns
        return self.columns.at(np.array([self._index[name] for name in lists], dtype=np.int64))

    @cached_property
    def _index(self) -> dict[str, int]:
        assert self.truth is not None
        return {name: n for n, name in enumerate(self.truth.lists)}

    @cached_property
    def _places(self) -> dict[str | None, Ints]:
        by_fold: dict[str | None, Ints] = {}
        assert self.truth is not None
        names = self.public.list_names
        for fold, truth in ((None, self.truth), *self.folds.items()):
            if same_names(names, truth.lists):
                places = np.arange(len(names))
            else:
                index = {name: n for n, name in enumerate(truth.lists)}
                places = np.array([index.get(name, -1) for name in names], dtype=np.int64)
            by_fold[fold] = np.append(places, -1)  # of a list that is not public
        return by_fold

    def __getstate__(self) -> dict[str, object]:
        """Without what can be worked out again."""
        return {f.name: getattr(self, f.name) for f in fields(type(self))}


def score_table(plan: Plan, table: Table, findings: Findings, sha256: str | None = None) -> Outcome:
    """Return the outcome of a submission, after adding what the checks say to its findings.

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
    """Return the outcome of a submission, and what the measures saw of all lists of the truth.

    Lists that it leaves out are seen as empty ones. There are no views of a submission that is not
    scored. The arguments are those of `score_table`.
    """
    table = with_slots(plan, table)
    number = _check(plan, table, findings)
    if plan.truth is None or number is None:
        return Outcome(findings, sha256, None), None
    if plan.rules.repeats == "first":
        table = firsts(table)
    views = _join_folds(plan, plan.truth, as_columns(table), number)
    del table  # the rows of labels take as much as their measures do
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


def _check(plan: Plan, table: Table, findings: Findings) -> Ints | None:
    """Return the number of each distinct list among the challenge's; None if nothing is scored.

    What is wrong is added to the findings.
    """
    if not plan.checks:
        return _list_numbers(plan, table)
    rows = SubmissionRows(table, plan.public, plan.rules, plan.known, is_partial(findings))
    examine(rows, findings)
    try:
        refuse_many_errors(findings.errors)
    except UnreadableError as error:
        findings.add(error.problem)
        return None
    findings.extend(_refused_cells(plan, table))
    # Measures rely on each item once, and on numbers.
    repeats = "item" in table and not rows.keeps_first_repeat and rows.repeated_items.height
    if findings.fatal or rows.has_unread_number or repeats:
        return None
    return _list_numbers(plan, table)


def _list_numbers(plan: Plan, table: Table) -> Ints:
    """Return the position of each distinct list among the challenge's; -1 where it has none."""
    names = series_of(as_columns(table).ids["list"].held)
    return plan.known.lists.positions(names).fill_null(-1).to_numpy()


def _refused_cells(plan: Plan, table: Table) -> Iterator[Problem]:
    """What the own checks of metrics say of each different answer, at its first row."""
    checking = {part.metric.check: part.metric for m in plan.measures for part in m.all_parts}
    for check, metric in checking.items():
        if check is None:
            continue
        for role in ("item", "label"):
            if role not in table:
                continue
            rows = table.frame.select("line", "list", cell=role)
            rows = rows.unique("cell", keep="first", maintain_order=True)
            for line, name, cell in rows.iter_rows():
                with plugin_call(f"the check of metric {metric.name} failed on {quoted(cell)}"):
                    said = check(cell)
                if said:
                    yield Problem("S531", f"{quoted(cell)}: {said}", line=line, list=name)


def with_slots(plan: Plan, table: Table) -> Table:
    """The table, which says whether ranks that are left out are empty slots."""
    if plan.rules.rank_gaps != "keep" or GAPS in table.facts:
        return table
    return replace(table, facts={**table.facts, GAPS: True})


def firsts(table: Table) -> Table:
    """The table with the first of each item of a list; slots without an item are where others were.

    One with scores stays as it is.
    """
    if "item" not in table or "score" in table:
        return table
    frame = table.frame
    if not frame.select(pl.struct("list", "item").is_duplicated().any()).item():
        return table
    if "rank" not in table:
        place = pl.int_range(1, pl.len() + 1).over("list")
        frame = frame.with_columns(rank=place.cast(pl.Float64))
    # The best of an item is kept, not the first of the file.
    best = frame.with_row_index("row").sort("rank", maintain_order=True)
    kept = best.unique(["list", "item"], keep="first").sort("row").drop("row")
    return replace(table, frame=kept, facts={**table.facts, GAPS: True})


def _join_folds(
    plan: Plan, truth: OpenTruth, table: Columns, number: Ints
) -> dict[str | None, Views]:
    """Return the table beside the whole truth, by None, and beside that of each fold.

    `number` is that of each distinct list of the table among the challenge's public ones.
    """
    has_rows = np.zeros(number.size, dtype=bool)
    has_rows[ranked(table).lists] = True
    views = {}
    for fold, of_fold in ((None, truth), *plan.folds.items()):
        place = np.where(has_rows, plan.places(fold)[number], -1)
        views[fold] = _views(plan, of_fold, _renumbered(table, place, of_fold.lists), fold)
    return views


def _views(plan: Plan, truth: OpenTruth, table: Columns, fold: str | None) -> Views:
    """The views of a submission whose lists are those of a truth; with frames, if asked."""
    views = truth.meet(table, plan.rules.ties, plan.views)
    picked = plan.picked.get(fold, {}).items()
    chosen = {text: each.meet(table, plan.rules.ties, plan.views).views for text, each in picked}
    views = views._replace(chosen=chosen) if chosen else views
    if Frames not in plan.views:
        return views
    frames = Frames(truth.lists, views.answered, plan.solution, text_of(table))
    return views._replace(views={**views.views, Frames: frames})


def _renumbered(table: Columns, code: Ints, names: Sequence[str]) -> Columns:
    """A table with its lists as the truth numbers them, without the rows of others.

    `code` is the new code of each distinct list, -1 of lists that are left out; `names` are the
    names of the new codes.
    """
    lists = table.ids["list"]
    column = RecodedColumn(lists, code, names)
    renumbered = replace(table, ids={**table.ids, "list": column})
    if (code[ranked(table).lists] < 0).any():
        rows = np.flatnonzero(column.codes >= 0)
        follow = rows.size and rows[-1] - rows[0] == rows.size - 1
        return renumbered.where(slice(int(rows[0]), int(rows[-1]) + 1) if follow else rows)
    ranking = copy(ranked(table))
    vars(ranking)["lists"] = code[ranking.lists]
    vars(renumbered)["ranked"] = ranking
    return renumbered


def _score_fold(plan: Plan, fold: str | None, views: Views) -> Scorecard:
    truth = plan.truth if fold is None else plan.folds[fold]
    assert truth is not None
    columns = plan.columns_of(truth.lists)
    return score(views, truth.lists, plan.measures, columns=columns, of_fold=fold is not None)
