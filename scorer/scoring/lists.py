"""Whole lists of a submission to a part of its outcome; parts to the whole.

`score_lists` is pure and knows no file. It may be given all lists of a submission at once or any
split of them, here or in another process: `merged` puts the parts together to the same bits and
the same findings. Files, explanations and probes go through it.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from copy import copy
from dataclasses import dataclass, field, fields, replace
from functools import cached_property
from itertools import chain
from pathlib import Path
from typing import NamedTuple

import numpy as np

from scorer.bytes.limits import ReadLimits
from scorer.challenge.public import Public
from scorer.challenge.submission import Submission
from scorer.checks.base import CheckedLists, Submitted, add_problems, checked
from scorer.checks.ids import PublicIds
from scorer.core.arrays import Ints, distinct
from scorer.core.errors import MetricFailed, SubmissionRejected
from scorer.core.problems import Findings, Problem
from scorer.core.registry import plugin_call
from scorer.core.text import quoted
from scorer.formats.base import Format
from scorer.formats.form import PLAIN, FileForm
from scorer.formats.read import format_of
from scorer.kinds.base import OpenTruth
from scorer.kinds.picked import Picked
from scorer.metrics.measure import Measure
from scorer.results import scorecard
from scorer.results.columns import NO_COLUMNS, ListColumns
from scorer.results.scorecard import Outcome, Scorecard
from scorer.scoring.evaluate import score
from scorer.tables.columns import CodedColumn, RecodedColumn
from scorer.tables.names import same_names
from scorer.tables.table import TEXT, Schema, Table
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
    form: FileForm = PLAIN  # in which submissions are written
    columns: ListColumns = NO_COLUMNS  # of all lists of the truth, where measures need them
    solution: str = ""  # the truth as CSV, where measures read frames
    # fold -> condition of a measure -> the items that it chooses
    picked: Mapping[str | None, Mapping[str, Picked]] = field(default_factory=dict)

    def format(self, path: Path) -> Format:
        """How a submission is read."""
        return format_of(path, self.rules.format, form=self.form, own=self.limits.own)

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


class NumberedCard(NamedTuple):
    """The scorecard of some lists of a truth."""

    numbers: Ints  # of the lists in the truth
    card: Scorecard


class ListsResult(NamedTuple):
    """The outcome of some lists of a submission."""

    checked: CheckedLists
    # fold, None: all -> of the lists that its truth has, in any order
    cards: Mapping[str | None, tuple[NumberedCard, ...]] = {}
    scored: bool = False  # no list has an error, and the truth is open
    refused: tuple[Problem, ...] = ()  # what a metric that may refuse a submission says of it


class MetFold(NamedTuple):
    """Some lists, met with those of a fold's truth."""

    lists: Sequence[str]
    numbers: Ints  # of these in the whole truth
    views: Views


class ScoredLists(NamedTuple):
    """Some lists that are checked and met: of their rows there is only what the measures see."""

    plan: Plan
    checked: CheckedLists
    folds: Mapping[str | None, MetFold] | None = None  # fold, None: all
    refused: tuple[Problem, ...] = ()  # what the metrics' own checks say

    def scored(self) -> ListsResult:
        """The part."""
        if self.folds is None:
            return ListsResult(self.checked, refused=self.refused)
        cards = dict[str | None, tuple[NumberedCard, ...]]()
        try:
            for fold, (lists, numbers, views) in self.folds.items():
                cards[fold] = (NumberedCard(numbers, _scored(self.plan, views, lists, fold)),)
        except SubmissionRejected as error:
            return ListsResult(self.checked, refused=error.problems)
        except MetricFailed as error:
            return ListsResult(self.checked, refused=(error.problem,))
        return ListsResult(self.checked, cards, True)


def score_lists(plan: Plan, table: Table) -> ListsResult:
    """The part of the outcome that whole lists of a submission make.

    The rows of `table`, in any order, are all rows of some lists.
    """
    lists = met(plan, table)
    del table  # the rows of labels take as much as their measures do
    return lists.scored()


def score_whole(plan: Plan, table: Table) -> tuple[ListsResult, Views | None]:
    """As `score_lists` for all lists of a submission, with the views of the measures.

    Gives the part, and the views of all lists of the truth, those that are left out as empty ones;
    None where the submission is not scored.
    """
    lists = met(plan, table, whole=True)
    of_all = (lists.folds or {}).get(None)
    return lists.scored(), None if of_all is None else of_all.views


def met(
    plan: Plan,
    table: Table,
    *,
    rows: bool = True,
    whole: bool = False,
    last: Mapping[str, int] | None = None,
) -> ScoredLists:
    """Whole lists of a submission, checked and met with the truth.

    Args:
        rows: whether checks of single rows run.
        whole: whether lists of the truth that the table lacks are met as empty ones.
        last: for each code, the line beyond which errors are only counted.
    """
    table = with_slots(plan, table)
    if plan.checks:
        submitted = Submitted(table, plan.public, plan.rules, plan.known, last or {})
        checks = checked(submitted, ("list", "file", "row") if rows else ("list", "file"))
        number = submitted.number
        repeats = not submitted.firsts and _repeats_item(submitted)
        fit = not (submitted.unread or checks.fatal or repeats)
    else:
        checks, fit = CheckedLists(), True
        number = plan.known.lists.places(table.ids["list"])
    refused = tuple(_refused_cells(plan, table)) if plan.checks else ()
    if plan.truth is None or not fit or refused:
        return ScoredLists(plan, checks, refused=refused)
    if plan.rules.repeats == "first":
        table = firsts(table)
    whole |= Frames in plan.views  # which are of all lists at once
    return ScoredLists(plan, checks, _met_folds(plan, plan.truth, table, number, whole))


def _refused_cells(plan: Plan, table: Table) -> Iterator[Problem]:
    """What the own checks of metrics say of each different answer, at its first row."""
    checking = {part.metric.check: part.metric for m in plan.measures for part in m.all_parts}
    for check, metric in checking.items():
        if check is None:
            continue
        for role in ("item", "label"):
            if (column := table.ids.get(role)) is None:
                continue
            codes, rows = np.unique(column.codes, return_index=True)
            for code, row in zip(codes.tolist(), rows.tolist(), strict=True):
                cell = column.names[code]
                with plugin_call(f"the check of metric {metric.name} failed on {quoted(cell)}"):
                    said = check(cell)
                if said:
                    name, line = table.ids["list"].text(row), int(table.line[row])
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
    if "item" not in table.ids or "score" in table.numbers or table.once:
        return table
    lists, items = table.ids["list"], table.ids["item"].codes.astype(np.int64)
    codes = lists.codes.astype(np.int64)
    rank = table.numbers.get("rank")
    if rank is None:
        by = np.argsort(codes, kind="stable")
        rank = np.empty(codes.size)
        rank[by] = np.arange(codes.size) - np.searchsorted(codes[by], codes[by]) + 1
    order = np.lexsort((rank, codes))  # the best of an item, not the first of the file
    pairs = (codes * (int(items.max(initial=0)) + 1) + items)[order]
    rows = np.sort(order[np.unique(pairs, return_index=True)[1]])
    kept = replace(table, numbers={**table.numbers, "rank": rank}).where(rows)
    ids = {**kept.ids, "list": CodedColumn(lists.codes[rows], lists.held)}
    return replace(kept, ids=ids, facts={**table.facts, GAPS: True})


def merged(parts: Sequence[ListsResult]) -> ListsResult:
    """One part with the lists of all parts."""
    first, *others = parts
    if not others:
        return first
    checks = first.checked.plus([part.checked for part in others])
    if not all(part.scored for part in parts):
        return ListsResult(
            checks,
            refused=tuple(dict.fromkeys(problem for part in parts for problem in part.refused)),
        )
    folds = dict.fromkeys(fold for part in parts for fold in part.cards)
    cards = {fold: tuple(chain(*(part.cards.get(fold, ()) for part in parts))) for fold in folds}
    return ListsResult(checks, cards, True)


def outcome(plan: Plan, part: ListsResult, findings: Findings, sha256: str | None) -> Outcome:
    """The outcome of a submission whose lists are all in `part`.

    Lists of the truth that it leaves out are scored as empty ones. The findings of the checks are
    added to `findings`, those of the reader.
    """
    if plan.checks:
        add_problems(part.checked, plan.public, plan.rules, plan.known, findings)
    findings.extend(part.refused)
    if findings.fatal or plan.truth is None or not part.scored:
        return Outcome(findings, sha256, None)
    try:
        card = _complete_card(plan, None, part.cards.get(None, ()))
        folds = {name: _complete_card(plan, name, part.cards.get(name, ())) for name in plan.folds}
    except SubmissionRejected as error:
        findings.extend(error.problems)
        return Outcome(findings, sha256, None)
    except MetricFailed as error:
        findings.add(error.problem)
        return Outcome(findings, sha256, None)
    digests = {**plan.digests, **({"submission": sha256} if sha256 else {})}
    return Outcome(
        findings,
        sha256,
        card._replace(digests=digests),
        {name: fold_card._replace(digests=digests) for name, fold_card in folds.items()},
    )


def _met_folds(
    plan: Plan, truth: OpenTruth, table: Table, number: Ints, every: bool
) -> dict[str | None, MetFold]:
    """The table seen through the truth, and through that of each fold that has lists of it.

    `number` is that of each distinct list of the table among the challenge's public ones. Unless
    `every` list is asked for, the truth is that of the table's lists alone.
    """
    by_fold: dict[str | None, MetFold] = {}
    present = np.zeros(number.size, dtype=bool)
    present[ranked(table).lists] = True
    for name, whole in ((None, truth), *plan.folds.items()):
        place = np.where(present, plan.places(name)[number], -1)
        if every:
            lists, code = np.arange(len(whole.lists)), place
        elif (np.diff(place, prepend=-1) > 0).all():  # in the order of the truth, as in most files
            lists, code = place, np.arange(place.size)
        else:
            lists = distinct(place[place >= 0])
            code = np.where(place >= 0, np.searchsorted(lists, place), -1)
        part = whole.only(lists)
        if part.lists:
            views = _views(plan, part, _renumbered(table, code, part.lists), name, lists)
            by_fold[name] = MetFold(part.lists, lists, views)
    return by_fold


def _views(plan: Plan, truth: OpenTruth, table: Table, fold: str | None, lists: Ints) -> Views:
    """The views of a submission whose lists are those of a truth; with frames, if asked.

    `lists` are the numbers of the lists in the whole truth, or in that of `fold`.
    """
    views = truth.meet(table, plan.rules.ties, plan.views)
    picked = plan.picked.get(fold, {}).items()
    chosen = {
        text: each.only(lists).meet(table, plan.rules.ties, plan.views).views
        for text, each in picked
    }
    views = views._replace(chosen=chosen) if chosen else views
    if Frames not in plan.views:
        return views
    frames = Frames(truth.lists, views.answered, plan.solution, text_of(table))
    return views._replace(views={**views.views, Frames: frames})


def _renumbered(table: Table, code: Ints, names: Sequence[str]) -> Table:
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


def _scored(plan: Plan, views: Views, lists: Sequence[str], fold: str | None) -> Scorecard:
    columns = plan.columns_of(lists)
    return score(views, lists, plan.measures, columns=columns, of_fold=fold is not None)


def _repeats_item(submitted: Submitted) -> bool:
    """Whether a list names an item twice, which is an error whatever the item."""
    return "item" in submitted.table.ids and submitted.ranked.items.repeated.size > 0


def _complete_card(plan: Plan, fold: str | None, cards: Sequence[NumberedCard]) -> Scorecard:
    """The scorecard of all lists of the truth, or a fold's, given those of lists there are."""
    truth = plan.truth if fold is None else plan.folds[fold]
    assert truth is not None
    absent = np.ones(len(truth.lists), dtype=bool)
    for numbers, _ in cards:
        absent[numbers] = False
    if absent.any() or not cards:
        lists = np.flatnonzero(absent)
        part = truth.only(lists)
        views = _views(plan, part, _empty_table(plan.shapes[0].of_items), fold, lists)
        cards = (*cards, NumberedCard(lists, _scored(plan, views, part.lists, fold)))
    if len(cards) == 1:  # of all lists, in their order
        return cards[0].card
    place = np.concatenate([numbers for numbers, _ in cards])
    return scorecard.merged([card for _, card in cards], truth.lists, place)


def _empty_table(shape: Schema) -> Table:
    """A table of that shape without rows."""
    no_rows = np.empty(0, dtype=np.int64)
    ids = {role: CodedColumn(no_rows, ()) for role in shape.required if role in TEXT}
    numbers = {role: np.empty(0) for role in shape.required if role not in TEXT}
    return Table(ids, numbers, no_rows, shape)
