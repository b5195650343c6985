"""Truths of preferences between items, for submissions of preferences or ranked lists."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

from scorer.challenge.public import Public
from scorer.core.problems import Findings
from scorer.kinds.base import (
    ItemTruth,
    Kind,
    PublicSources,
    SideTables,
    Views,
    find_lists_without_rows,
)
from scorer.reading.schema import Schema
from scorer.reading.table import Table
from scorer.views.items import ItemsByList
from scorer.views.join import answered_lists, candidate_items, sorted_names
from scorer.views.preferences import (
    PairLayout,
    Preferred,
    TruePreferences,
    read_likelihood,
    read_preferences,
)
from scorer.views.ranked import Ties

PAIR_SCHEMA = Schema(("list", "better", "worse"))


@dataclass(kw_only=True, eq=False)
class Preferences(ItemTruth):
    """A truth of preferences; its items are those that can be compared."""

    table: Table  # `list`, `better` and `worse`
    likelihood: Table | None  # the table of the likelihood of preferences, if there is one

    @cached_property
    def orders(self) -> TruePreferences:
        """The preferences of the truth, with those that follow from them."""
        likelihood = None
        if self.likelihood is not None:
            likelihood = read_likelihood(self.likelihood.frame, self.truth)
        layout = PairLayout.of(self.truth.in_list, self.truth.lists)
        return TruePreferences.of(layout, read_preferences(self.table, self.truth), likelihood)

    def find_views(self, submission: Table, ties: Ties, views: frozenset[type]) -> Views:
        """Return the submission's preferences beside the truth's.

        `ties` is ignored: of two items with equal scores neither is preferred.
        """
        stated = read_preferences(submission, self.truth)
        answered = answered_lists(submission.frame, self.truth.list_names)
        return Views(answered, {Preferred: Preferred(self.orders, stated)}, found=stated.size)


def _complete_items(public: Public, sources: PublicSources) -> Public:
    """Return the items of each list that can be compared: by the public file, else by the truth."""
    if public.candidates is not None or (table := sources.truth()) is None:
        return public
    return public._replace(candidates=ItemsByList.of_columns(table.frame, "better", "worse"))


def open_preferences(table: Table, side: SideTables, findings: Findings) -> Preferences:
    """Return the preferences of a table, between the items that the public part names."""
    findings.extend(find_lists_without_rows(table.frame, side.public, "preference"))
    lists = sorted_names(table.frame["list"], side.public.list_names)
    truth = candidate_items(side.public.candidates or {}, lists)
    likelihood = side.tables.get("likelihood")
    return Preferences(lists=truth.lists, truth=truth, table=table, likelihood=likelihood)


PREFERENCES = Kind(
    "preferences",
    truth=(PAIR_SCHEMA,),
    public_truth=(PAIR_SCHEMA,),  # the items are public, not which of two is better
    submission=(PAIR_SCHEMA, Schema(("list", "item"), ("rank", "score", "tag"))),
    open=open_preferences,
    complete_public=_complete_items,
)
