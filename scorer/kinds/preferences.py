"""Truths of preferences between items, for submissions of preferences or ranked lists."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property

from scorer.challenge.public import Public
from scorer.core.arrays import Ints
from scorer.core.problems import Findings, Problem
from scorer.core.text import join_first
from scorer.kinds.base import Constants, FoundViews, Kind, OpenTruth, PublicSources, SideTables
from scorer.reading.schema import Schema
from scorer.reading.table import Table
from scorer.views.items import ItemsByList
from scorer.views.join import GradedItems, answered_lists, candidate_items, item_names
from scorer.views.preferences import (
    PairLayout,
    Preferred,
    TruePreferences,
    read_likelihood,
    read_preferences,
)
from scorer.views.ranked import Names, Ties

PAIR_SCHEMA = Schema(("list", "better", "worse"))


@dataclass(frozen=True, eq=False)
class Preferences(OpenTruth):
    """A truth of preferences.

    Attributes:
        lists: The lists that are scored.
        truth: The items that can be compared, by list.
        table: The preferences: `list`, `better` and `worse`.
        likelihood: The table of the likelihood of preferences, if there is one.
        constants: The defaults.
    """

    lists: tuple[str, ...]
    truth: GradedItems
    table: Table
    likelihood: Table | None
    constants: Constants

    @cached_property
    def orders(self) -> TruePreferences:
        """The preferences of the truth, and what follows from them."""
        truth, likely = self.truth, self.likelihood
        return TruePreferences.of(
            PairLayout.of(truth.in_list, truth.lists),
            read_preferences(self.table, truth),
            None if likely is None else read_likelihood(likely.frame, truth),
        )

    def find_views(self, submission: Table, ties: Ties, views: frozenset[type]) -> FoundViews:
        """Return what the submission prefers, beside what the truth does.

        `ties` is ignored: equal scores prefer neither.
        """
        preferred = Preferred(self.orders, read_preferences(submission, self.truth))
        answered = answered_lists(submission.frame, self.truth.list_names)
        return FoundViews(answered, {Preferred: preferred})

    def subset(self, lists: Ints) -> Preferences:
        """Return the truth of some lists alone."""
        truth = self.truth.subset(lists)
        return replace(self, lists=truth.lists, truth=truth)

    def item_names(self, submission: Table, ties: Ties, view: type, at: int) -> Names:
        """Return the items that can be compared, by their names."""
        return item_names(submission, self.truth, ties, at)


def _complete_items(public: Public, sources: PublicSources) -> Public:
    """Return the items of each list that can be compared: by the public file, else by the truth."""
    if public.candidates is not None or (table := sources.truth()) is None:
        return public
    return public._replace(candidates=ItemsByList.of_columns(table.frame, "better", "worse"))


def open_preferences(table: Table, side: SideTables, findings: Findings) -> Preferences:
    """Return the preferences of a table, between the items that the public part names."""
    candidates = side.public.candidates or {}
    truth_lists = set(table.frame["list"].unique())
    if not truth_lists:
        findings.add(Problem("S103", "the truth has no rows"))
    elif bare := [name for name in side.public.lists if name not in truth_lists]:
        message = f"{len(bare):,} lists have no preference in the truth: {join_first(bare)}"
        findings.add(Problem("S301", message, "warning", list=bare[0]))
    truth = candidate_items(candidates, sorted({*truth_lists, *side.public.lists}))
    return Preferences(truth.lists, truth, table, side.tables.get("likelihood"), Constants())


PREFERENCES = Kind(
    "preferences",
    truth=(PAIR_SCHEMA,),
    public_truth=(PAIR_SCHEMA,),  # the items are public, not which of two is better
    submission=(PAIR_SCHEMA, Schema(("list", "item"), ("rank", "score", "tag"))),
    open=open_preferences,
    complete_public=_complete_items,
)
