"""Preferences between items, or ranked lists, against preferences."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from scorer.challenge.public import Public
from scorer.core.problems import Findings, Problem
from scorer.core.text import join_first
from scorer.kinds.base import Asking, Constants, SideTables, kind
from scorer.reading.schema import Schema
from scorer.reading.table import Table as FrameTable
from scorer.tables.frame import as_columns
from scorer.tables.table import Table
from scorer.views.beyond import likelihood, prefer, stated
from scorer.views.hits import Ties
from scorer.views.join import GradedItems, members, named
from scorer.views.meeting import Views
from scorer.views.members import items_by_list
from scorer.views.names import Names
from scorer.views.pairwise import PairLayout, Preferred, TruePreferences

PAIR_SCHEMA = Schema(("list", "better", "worse"))


class Preferences(NamedTuple):
    """A truth of preferences made ready."""

    truth: GradedItems  # its items
    orders: TruePreferences
    constants: Constants

    @property
    def lists(self) -> Sequence[str]:
        """The lists that are scored."""
        return self.truth.lists

    def meet(self, submission: Table, ties: Ties, views: frozenset[type]) -> Views:
        """What the submission prefers, beside what the truth does.

        `views` is ignored, and `ties`: equal scores prefer neither.
        """
        preferred, answered = prefer(submission, self.truth, self.orders)
        return Views(answered, {Preferred: preferred})

    def named(self, submission: Table, ties: Ties, view: type, at: int) -> Names:
        """The items that can be compared, by their names."""
        return named(submission, self.truth, ties, at)


def _compared(public: Public, asking: Asking) -> Public:
    """The items of each list that can be compared: by the public file, else by the truth."""
    if public.candidates is not None or (table := asking.truth()) is None:
        return public
    return public._replace(candidates=items_by_list(as_columns(table), "better", "worse"))


@kind(
    "preferences",
    truth=(PAIR_SCHEMA,),
    known=(PAIR_SCHEMA,),  # the items of each list are public, not which of two is better
    submission=(PAIR_SCHEMA, Schema(("list", "item"), ("rank", "score", "tag"))),
    public=_compared,
)
def preferences(file: FrameTable, aids: SideTables, findings: Findings) -> Preferences:
    """Orders that may leave pairs open, over the items that the public part names."""
    table = as_columns(file)
    candidates = aids.public.candidates or {}
    lists = table.ids["list"]
    truth_lists = set(lists.names)
    if not truth_lists:
        findings.add(Problem("S103", "the truth has no rows"))
    elif bare := [name for name in aids.public.lists if name not in truth_lists]:
        message = f"{len(bare):,} lists have no preference in the truth: {join_first(bare)}"
        findings.add(Problem("S301", message, "warning", list=bare[0]))
    truth = members(candidates, sorted({*truth_lists, *aids.public.lists}))
    chances = aids.tables.get("likelihood")
    orders = TruePreferences.of(
        PairLayout.of(truth.in_list, truth.lists),
        stated(table, truth),
        None if chances is None else likelihood(chances, truth),
    )
    return Preferences(truth, orders, Constants())
