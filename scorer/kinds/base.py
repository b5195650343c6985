"""What a kind of challenge is: which columns its files have, and how they are joined."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from random import Random
from typing import Any, ClassVar, NamedTuple, Self

import numpy as np
import polars as pl

from scorer.challenge.model import Challenge
from scorer.challenge.public import Public
from scorer.challenge.submission import DEFAULT_SUBMISSION, Submission
from scorer.core.arrays import Ints, Mask, first_positions
from scorer.core.problems import Findings, Problem
from scorer.core.text import join_first
from scorer.metrics.api import Metric
from scorer.reading.schema import EXTRA, NUMBER, Schema
from scorer.reading.table import Table, find_indices, make_table
from scorer.views.columns import NO_EXTRAS, Extras, NamedColumns, read_columns
from scorer.views.join import GradedItems, anti_join, item_names, number_lists
from scorer.views.ranked import Names, Ties


class Constants(NamedTuple):
    """The values that follow from the challenge and its whole truth, the same for every list."""

    max_grade: float | None = None
    catalogue: int | None = None  # how many items there are, where the challenge declares them
    users: int | None = None  # how many past users there are, where the challenge has a history
    classes: tuple[str, ...] = ()  # the labels there are, in their order
    multilabel: bool = False  # whether a row of labels can have several
    weighted: bool = False  # whether lists have weights


NO_CONSTANTS = Constants()
PROBABILITY = "probability"  # begins the roles of columns of probabilities, one for each class

# Type of a view, numbers of lists or None for all -> the view of the truth itself as a submission;
# None if the truth has no such view.
JoinTruth = Callable[[type, Ints | None], Any]


class Views(NamedTuple):
    """A submission joined with the truth, in each way that the measures look at it."""

    answered: Mask  # whether the submission has each list of the truth
    views: Mapping[type, Any]  # the type of a metric's first argument -> its view
    join_truth: JoinTruth = lambda view, lists: None
    # The views of the items for which a condition is true, by its text.
    by_condition: Mapping[str, Views] = {}
    # How many rows of the submission were found in the truth; None for kinds whose public part does
    # not name the items of each list.
    found: int | None = None

    def where(self, condition: str | None) -> Views:
        """Return the views of the items that meet a condition; of all for a condition on lists."""
        return self if condition is None else self.by_condition.get(condition, self)


@dataclass(kw_only=True, eq=False)
class OpenTruth(ABC):
    """A truth that submissions are joined with, made once for all of them."""

    lists: tuple[str, ...]  # those that are scored, in the order of their names
    constants: Constants = NO_CONSTANTS
    # The further columns: those of `list` have an element a list, others one a row of the truth.
    extras: Extras = NO_EXTRAS
    # The types of views that the truth has as a submission. It has no others: a view of scores, for
    # example, needs what is not in a truth.
    own_views: ClassVar[frozenset[type]] = frozenset()

    @abstractmethod
    def find_views(self, submission: Table, ties: Ties, views: frozenset[type]) -> Views:
        """Return which lists a submission answers, and its views by their types.

        Args:
            submission: The submission; rows of lists that are not of this truth are left out.
            ties: The rule for equal scores.
            views: The types that the measures use; further ones may be returned.
        """

    def subset(self, lists: Ints) -> Self:
        """Return the truth of some lists alone; these are numbers of lists, ascending."""
        extras = self.extras.at(truth=lists, list=lists)
        return replace(self, lists=self.names_of(lists), extras=extras)

    def join(self, submission: Table, ties: Ties, views: frozenset[type]) -> Views:
        """Return the views of a submission, by `find_views`, and the views of the truth itself."""
        join_truth = partial(self.join_truth, submission.frame.columns, ties)
        return self.find_views(submission, ties, views)._replace(join_truth=join_truth)

    def names_of(self, lists: Ints) -> tuple[str, ...]:
        """Return the names of the lists with these numbers."""
        return tuple(self.lists[n] for n in lists.tolist())

    def answers(self, roles: Collection[str]) -> dict[str, Any]:
        """Return the truth as the columns of a submission that has these roles: role -> cells.

        Further columns can be left out, since `join_truth` adds them.
        """
        raise NotImplementedError

    def join_truth(
        self, roles: Collection[str], ties: Ties, view: type, lists: Ints | None = None
    ) -> Any:
        """Return the view of the truth itself as a submission; None if it is not in `own_views`.

        Args:
            roles: The roles of the columns that submissions have.
            ties: The rule for equal scores.
            view: The type of the view.
            lists: The numbers of the lists that the view is of, ascending; None for all.
        """
        if view not in self.own_views:
            return None
        part = self if lists is None else self.subset(lists)
        columns = part.answers(roles)
        own = part.extras.truth
        rows = len(columns["list"])
        for role in roles:
            # Of `extra[name]` the truth's column of that name; without one, '' or 1 stand in.
            name = role.partition("[")[2][:-1]
            if role.startswith(EXTRA):
                is_text = name in own and own[name].dtype == object
                columns.setdefault(role, own[name] if is_text else [""] * rows)
            elif role.startswith(NUMBER):
                is_number = name in own and own[name].dtype != object and own[name].ndim == 1
                columns.setdefault(role, own[name] if is_number else np.ones(rows))
        return part.find_views(make_table(columns), ties, frozenset({view})).views[view]

    def explain_views(
        self, submission: Table, ties: Ties, views: frozenset[type], at: int
    ) -> Mapping[type, Any]:
        """Return the views of list number `at` alone, for its explanation.

        The views of a table have all of its rows, and mark this one.
        """
        return self.subset(np.array([at])).find_views(submission, ties, views).views

    def item_names(self, submission: Table, ties: Ties, view: type, at: int) -> Names:
        """Return the names of the items of list number `at`, in the order of that view.

        The rows of a table, and images, have no items.
        """
        return Names()


@dataclass(kw_only=True, eq=False)
class ItemTruth(OpenTruth):
    """A truth of the items of lists."""

    truth: GradedItems

    def subset(self, lists: Ints) -> Self:
        """Return the truth of some lists alone."""
        truth = self.truth.subset(lists)
        rows = np.isin(self.truth.in_list, lists) if any(self.extras) else None
        extras = self.extras.at(truth=rows, list=lists, item=rows)
        return replace(self, lists=truth.lists, truth=truth, extras=extras)

    def item_names(self, submission: Table, ties: Ties, view: type, at: int) -> Names:
        """Return the truth's items, in its order, and the returned ones."""
        return item_names(submission, self.truth, ties, at)


class SideTables(NamedTuple):
    """The challenge's files beside the truth, and what its measures ask of the truth."""

    public: Public
    tables: Mapping[str, Table] = {}  # items, history, likelihood, lists and exclude
    features: tuple[str, ...] = ()  # the roles of the feature columns of items
    strict: tuple[str, ...] = ()  # the metrics that need a truth without equal grades in a list
    views: Mapping[type, str] = {}  # type that measures look at -> the name of such a metric
    rules: Submission = DEFAULT_SUBMISSION
    # The separators of labels in a cell of the truth, and of a submission.
    separators: tuple[str | None, str | None] = (None, None)
    extra: Mapping[str, Mapping[str, str]] = {}  # section -> name of a further column -> its kind
    # The metrics that need one class a row, not shares of several.
    single_class_metrics: tuple[str, ...] = ()
    class_columns: tuple[str, ...] = ()  # the classes of the truth's columns, if each has its own
    # Whether all measures take the order of the truth's rows for grades, if it has none.
    truth_is_order: bool = False
    box_parts: tuple[tuple[str, ...], ...] = ((), ())  # of the truth, and of a submission
    measured_rows: Mask | None = None  # the rows of the truth that a measure looks at; None: all
    # list -> the names of the values that any submission has of it; empty if that is not known
    given_values: Mapping[str, frozenset[str]] = {}

    def further_columns(self, section: str, table: Table | None) -> NamedColumns:
        """Return the further columns of a section, with an element for each row of its table."""
        kinds = self.extra.get(section, {})
        role = {"lists": "list", "items": "item"}.get(section, section)
        return read_columns(table, kinds, role) if table is not None else NamedColumns({}, role)

    def of_lists(self, lists: Sequence[str]) -> NamedColumns:
        """Return the further columns of these lists, and their groups as `group`."""
        table = self.tables.get("lists")
        columns = self.further_columns("lists", table)
        if table is not None:
            rows = first_positions(find_indices(table.frame["list"], lists), len(lists))
            columns = columns.at_or_missing(rows)
        if groups := self.public.groups:
            group = np.array([groups.get(name, "") for name in lists], dtype=object)
            columns = NamedColumns({"group": group, **columns}, "list", columns.levels)
        return columns


def list_rows(frame: pl.DataFrame, lists: Sequence[str]) -> Ints:
    """Return the first row of each list; -1 of a list without rows."""
    return first_positions(number_lists(frame["list"], lists), len(lists))


def find_lists_without_rows(frame: pl.DataFrame, public: Public, row: str) -> Iterator[Problem]:
    """Yield a warning if lists have no row in the truth; `row` is the word for one."""
    known = set(frame["list"].unique())
    if known and (missing := [name for name in public.lists if name not in known]):
        message = f"{len(missing):,} lists have no {row} in the truth: {join_first(missing)}"
        yield Problem("S301", message, "warning", list=missing[0])


@dataclass(eq=False)
class FilteredTruth:
    """The truth of the items for which a condition is true; it has all lists."""

    truth: OpenTruth  # of these items
    excluded: GradedItems  # the judged items for which the condition is false
    # The items for which it is true; None if that depends on the list.
    items: frozenset[str] | None = None

    def filter(self, submission: Table) -> Table:
        """Return the rows of `items`; if these are None, the rows without excluded items."""
        if self.items is None:
            return anti_join(submission, self.excluded)
        chosen = pl.col("item").is_in(pl.Series(sorted(self.items), dtype=pl.String).implode())
        return submission.with_frame(submission.frame.filter(chosen))

    def join(self, submission: Table, ties: Ties, views: frozenset[type]) -> Views:
        """Return the views of a submission's chosen items."""
        return self.truth.join(self.filter(submission), ties, views)


class PublicSources(NamedTuple):
    """The sources of a challenge's public part, beside its public files."""

    challenge: Challenge
    shapes: tuple[Schema, ...]  # what a submission may look like
    truth: Callable[[], Table | None]  # its public columns; None if it cannot be read
    measured_rows: Callable[[], Mask | None] = lambda: None  # as of `SideTables`


def unchanged(public: Public, sources: PublicSources) -> Public:
    """Return the public part of a kind that adds nothing to the public files and lists."""
    return public


class Kind(NamedTuple):
    """A kind of challenge: the shapes of its files, and the functions that read them."""

    name: str  # in challenge.yaml
    truth: tuple[Schema, ...]  # the shapes that it may have; none where there is no truth
    public_truth: tuple[Schema, ...]  # the public columns of each of these shapes
    # The shapes that a submission may have, or a function that returns them from the rules and the
    # roles that the measures need.
    submission: tuple[Schema, ...] | Callable[[Submission, frozenset[str]], tuple[Schema, ...]]
    # Returns the truth of a table, which has the lists alone if there is no truth: those of
    # `lists:`, or else of the submissions that are scored together.
    open: Callable[[Table, SideTables, Findings], OpenTruth]
    # Returns the whole public part from what the public files say.
    complete_public: Callable[[Public, PublicSources], Public] = unchanged
    # Returns the metrics whose values submissions give as columns, by name. They are the measures
    # of a challenge that names none.
    metrics: Callable[[Submission], Mapping[str, Metric]] | None = None
    # Yields the rows, role -> cell, of a submission that knows nothing, for the kit.
    sample: Callable[[Submission, Public, Random], Iterable[dict[str, Any]]] | None = None
