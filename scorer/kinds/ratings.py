"""Predictions against ratings."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from scorer.challenge.public import Public
from scorer.core.arrays import Ints, starts
from scorer.core.problems import Findings, Problem
from scorer.core.text import join_first
from scorer.kinds.base import Asking, Constants, SideTables, kind
from scorer.reading.schema import Schema
from scorer.reading.table import Table as FrameTable
from scorer.tables.columns import CodedColumn
from scorer.tables.frame import as_columns
from scorer.tables.table import Table
from scorer.views.beyond import rated
from scorer.views.extras import Extras, NamedColumns, placed
from scorer.views.hits import Ties
from scorer.views.join import GradedItems, numbered_lists
from scorer.views.labelled import Targets
from scorer.views.meeting import Views
from scorer.views.members import MemberPairs, Members, items_by_list
from scorer.views.names import Names


class Ratings(NamedTuple):
    """A truth of ratings made ready."""

    truth: GradedItems  # the ratings in the place of grades
    constants: Constants
    aids: SideTables
    extras: Extras  # of lists one element a list, of the others one a row of the truth

    @property
    def lists(self) -> Sequence[str]:
        """The lists that are scored."""
        return self.truth.lists

    def meet(self, submission: Table, ties: Ties, views: frozenset[type]) -> Views:
        """The predictions beside the ratings; what was not asked for is left out."""
        sent_columns = self.aids.further("submission", submission)
        view = rated(submission, self.truth, self.extras, sent_columns)
        return Views(view.answered, {Targets: view})

    def named(self, submission: Table, ties: Ties, view: type, at: int) -> Names:
        """The items whose ratings were predicted."""
        row = self.truth.rows(submission.ids["list"], submission.ids["item"])
        met = np.isin(np.arange(self.truth.in_list.size), row) & (self.truth.in_list == at)
        names = list(self.truth.items)
        return Names(tuple(names[item] for item in self.truth.item[met].tolist()))


def _to_predict(public: Public, asking: Asking) -> Public:
    """Which items of which lists are to be predicted: by the public file, else by the truth."""
    items = public.candidates
    if items is None and (table := asking.truth()) is not None:
        items = items_by_list(as_columns(table), "item")
    return public._replace(asked=MemberPairs(Members.of(items or {}).only(list(public.lists))))


@kind(
    "ratings",
    truth=(Schema(("list", "item", "rating")),),
    known=(Schema(("list", "item")),),
    submission=(Schema(("list", "item", "prediction"), ("low", "high")),),
    public=_to_predict,
)
def ratings(file: FrameTable, aids: SideTables, findings: Findings) -> Ratings:
    """Ratings, by list and then by item, whatever the order of the file."""
    table = as_columns(file)
    lists, items = table.ids["list"], table.ids["item"]
    truth_lists = set(lists.names)
    if not truth_lists:
        findings.add(Problem("S103", "the truth has no rows"))
    elif bare := [name for name in aids.public.lists if name not in truth_lists]:
        message = f"{len(bare):,} lists have no rating in the truth: {join_first(bare)}"
        findings.add(Problem("S301", message, "warning", list=bare[0]))
    names, in_list = numbered_lists(lists, aids.public.list_names)
    named, place = items.in_order
    item = place[items.codes].astype(np.int32)
    by = np.lexsort((item, in_list))
    by = by[starts(in_list[by], item[by])]  # once each
    rating = table.numbers["rating"]
    extras = Extras(
        aids.further("truth", table).at(by),
        list=aids.of_lists(names),
        item=_described(aids, items, by),
    )
    truth = GradedItems(names, CodedColumn(item[by], named), in_list[by], rating[by])
    return Ratings(truth, Constants(), aids, extras)


def _described(aids: SideTables, items: CodedColumn, rows: Ints) -> NamedColumns:
    """The further columns of the items in some rows of the truth."""
    table = aids.tables.get("items")
    columns = aids.further("items", table)
    if table is None or not columns:
        return columns
    ids = table.ids["item"]
    first: dict[str, int] = {}
    for row, code in enumerate(ids.codes.tolist()):
        first.setdefault(ids.names[code], row)
    at = np.array([first.get(name, -1) for name in items.names], dtype=np.int64)
    return placed(columns, at[items.codes[rows]])
