"""What a kind of challenge is: which columns its files have, and how they meet."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cache
from random import Random
from typing import Any, NamedTuple, Protocol

import numpy as np

from scorer.challenge.model import Challenge
from scorer.challenge.public import Public
from scorer.challenge.submission import DEFAULT_SUBMISSION, Submission
from scorer.core.arrays import Mask
from scorer.core.plugins import Registry, mark
from scorer.core.problems import Findings
from scorer.metrics.api import Metric
from scorer.reading.schema import Schema
from scorer.reading.table import Table as FrameTable
from scorer.tables.table import Table
from scorer.views.extras import NamedColumns, columns_of, placed
from scorer.views.hits import Ties
from scorer.views.meeting import Views
from scorer.views.names import Names


class Constants(NamedTuple):
    """The values that the challenge and its whole truth settle, equal for every list."""

    max_grade: float | None = None
    catalogue: int | None = None  # how many items there are, where the challenge declares them
    users: int | None = None  # how many past users there are, where the challenge has a history
    classes: tuple[str, ...] = ()  # the labels there are, in their order
    several: bool = False  # whether a list can have several labels
    weighted: bool = False  # whether lists have weights


class OpenTruth(Protocol):
    """A truth made ready, once for all submissions."""

    @property
    def lists(self) -> Sequence[str]:
        """The lists that are scored, in the order of their names."""
        ...

    @property
    def constants(self) -> Constants:
        """The constants that settle the measures."""
        ...

    def meet(self, submission: Table, ties: Ties, views: frozenset[type]) -> Views:
        """The views of a submission whose lists are all lists of this truth.

        The rows of `submission` are of complete lists; `views` are the types of view that the
        measures use.
        """
        ...

    def named(self, submission: Table, ties: Ties, view: type, at: int) -> Names:
        """The names of the items of list number `at`, in the order of that view.

        The rows of `submission` are of complete lists, list number `at` among them.
        """
        ...


class SideTables(NamedTuple):
    """The challenge's files beside the truth."""

    public: Public
    tables: Mapping[str, Table] = {}  # items, history, likelihood
    features: tuple[str, ...] = ()  # the feature columns of items
    strict: tuple[str, ...] = ()  # the metrics that need a truth without equal grades in a list
    views: Mapping[type, str] = {}  # what is looked at, with a metric
    rules: Submission = DEFAULT_SUBMISSION
    separators: tuple[str | None, str | None] = (None, None)  # of labels: truth's, submission's
    extra: Mapping[str, Mapping[str, str]] = {}  # section -> name -> kind
    whole: tuple[str, ...] = ()  # the metrics that need one class a row, not shares of several
    shared: tuple[str, ...] = ()  # the class of each column of the truth's, where it has these

    orders: bool = False  # whether all measures compare orders, which a truth without grades is
    each: tuple[tuple[str, ...], ...] = ((), ())  # parts of boxes: of the truth, of a submission
    # the rows of the truth that the condition of any measure is true of; None: all of them
    counted: Mask | None = None
    # list -> the values that any submission has of it; none where that is not known
    found: Mapping[str, frozenset[str]] = {}

    def further(self, section: str, table: Table | None) -> NamedColumns:
        """The further columns of a section, one element a row of its table."""
        kinds = self.extra.get(section, {})
        short = {"lists": "list", "items": "item"}.get(section, section)
        return columns_of(table, kinds, short) if table is not None else NamedColumns({}, short)

    def of_lists(self, lists: Sequence[str]) -> NamedColumns:
        """The further columns of these lists, and their groups as `group`."""
        table = self.tables.get("lists")
        columns = self.further("lists", table)
        if table is not None:
            ids = table.ids["list"]
            first = dict.fromkeys(lists, -1)
            for row, code in reversed(list(enumerate(ids.codes.tolist()))):
                first[ids.names[code]] = row
            columns = placed(columns, np.array([first[n] for n in lists], dtype=np.int64))
        if groups := self.public.groups:
            group = np.empty(len(lists), dtype=object)
            group[:] = [groups.get(name, "") for name in lists]
            columns = NamedColumns({"group": group, **columns}, "list", columns.levels)
        return columns


# of a submission; else a function of the challenge's rules and the roles that its measures need
Shapes = tuple[Schema, ...] | Callable[[Submission, frozenset[str]], tuple[Schema, ...]]
Open = Callable[[FrameTable, SideTables, Findings], OpenTruth]


class Asking(NamedTuple):
    """The sources of a challenge's public part, beside its public files."""

    challenge: Challenge
    shapes: tuple[Schema, ...]  # what a submission may look like
    truth: Callable[[], FrameTable | None]  # its public columns; None: it cannot be read
    counted: Callable[[], Mask | None] = lambda: None  # see `SideTables.counted`


Complete = Callable[[Public, Asking], Public]
Sample = Callable[[Submission, Public, Random], Iterable[dict[str, Any]]]  # by role
Own = Callable[[Submission], Mapping[str, Metric]]  # by name, in the order of the measures


def unchanged(public: Public, asking: Asking) -> Public:
    """The public part of a kind that adds nothing to the public files and lists."""
    return public


class Kind(NamedTuple):
    """A kind of challenge: the shapes of its files, and how its truth is opened."""

    name: str
    truth: tuple[Schema, ...]  # the shapes that the truth may have; none where there is no truth
    known: tuple[Schema, ...]  # the part of each that is public
    submission: Shapes
    open: Open
    public: Complete = unchanged  # what its own public part adds
    metrics: Own | None = None  # the metrics that the columns of its submissions are
    sample: Sample | None = None  # the rows of a kit's sample submission
    aliases: tuple[str, ...] = ()


def kind(
    name: str,
    *,
    truth: tuple[Schema, ...],
    known: tuple[Schema, ...],
    submission: Shapes,
    public: Complete = unchanged,
    metrics: Own | None = None,
    sample: Sample | None = None,
) -> Callable[[Any], Any]:
    """Make a function that opens a truth the kind of challenge of that name.

    Args:
        truth: the shapes that the truth may have; of a kind without any the function is given a
            table of the lists alone: those of `lists:`, else of the submissions that are scored
            together.
        submission: the shapes that a submission may have.
        public: from what the public files say, with the lists, to the whole public part.
        metrics: from the rules of submissions to metrics by name, beside those of the registry;
            they are the measures where a challenge names none.
        sample: from the rules and the public part to the rows of a submission that knows nothing,
            role -> cell, for the kit.
    """
    return lambda function: mark(
        function, Kind(name, truth, known, submission, function, public, metrics, sample)
    )


@cache
def kinds() -> Registry[Kind]:
    """Every kind there is."""
    return Registry("kind of challenge", "scorer.kinds", Kind)
