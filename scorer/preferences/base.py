"""Comparisons of submissions list by list, and orders of submissions made from them.

A comparison computes a preference of any two submissions for each list: above 0 where the first is
preferred, below 0 where the second is. An aggregation makes an order from the preferences.
Preferences are an array of shape (submissions, submissions, lists), antisymmetric in its first two
axes, NaN where a list has no preferences.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Annotated, Any, NamedTuple, TypeVar, cast

import numpy as np
from numpy.typing import NDArray
from pydantic import Field

from scorer.core.arrays import Floats, Ints
from scorer.core.errors import UnknownName
from scorer.metrics.api import Metric
from scorer.metrics.notation import Measure, parse_measure
from scorer.views.columns import View
from scorer.views.preferences import Positions, PositionTable

Function = TypeVar("Function", bound=Callable[..., Any])
AboveZero = Annotated[
    float, Field(gt=0, allow_inf_nan=False, description="The lowest grade that counts, above 0.")
]

BLOCK = 2**18  # places compared at a time (2 MB): more leave the cache

# n preferences of at most 1 add up to within n^2 * 2^-53 of their sum, which is less than this
# times n for n < 900. Depths below a million still differ: 1/x - 1/y > 1e-12.
NOISE = 1e-13


class AllPreferences(View):
    """The preferences between all submissions, which an aggregation reads as an array."""


class Methods:
    """The comparisons, or the aggregations, by their names."""

    def __init__(self, kind: str, view: type[View]) -> None:
        self.kind = kind  # as messages say it
        self.view = view
        # by name and alias: the method, and the parameters that the name stands for
        self._by_name: dict[str, tuple[Metric, Mapping[str, Any]]] = {}

    def define(
        self,
        name: str,
        *,
        title: str,
        source: str,
        aliases: Mapping[str, Mapping[str, Any]] | None = None,
    ) -> Callable[[Function], Function]:
        """Return a decorator that makes a function one of these methods.

        Args:
            name: What challenges call it; case does not matter.
            title: Its full name.
            source: Where the definition comes from.
            aliases: Other names, each with the parameters that it implies.
        """

        def decorate(function: Function) -> Function:
            method = Metric(
                name, title=title, source=source, view=self.view, in_catalogue=False
            ).of(function)
            function.metric = method  # type: ignore[attr-defined]
            for alias, params in {name: {}, **(aliases or {})}.items():
                self._by_name[alias] = method, params
            return function

        return decorate

    def get(self, name: str) -> Metric:
        """The method of a name or alias; else `UnknownName`."""
        return self._find(name)[0]

    def bind(self, notation: str, id: str | None = None) -> Measure:
        """The method with its parameters, as a notation gives them.

        Args:
            notation: Name or alias, with parameters in parentheses.
            id: What the measure is called in results; default: its canonical name.

        Raises:
            UnknownName: No method has that name.
            NotationError: Its parameters are unknown or impossible.
        """
        name, rest = re.fullmatch(r"\s*([\w-]*)(.*)", notation, re.DOTALL).groups()  # type: ignore[union-attr]
        method, params = self._find(name)
        return parse_measure(method, method.name + rest, params, id)

    def bind_all(self) -> tuple[Measure, ...]:
        """All of them at their defaults, and all their named variants, by name."""
        by_name = sorted(self._by_name.values(), key=lambda entry: entry[0].name.casefold())
        measures = [parse_measure(method, method.name, params) for method, params in by_name]
        return tuple({measure.name: measure for measure in measures}.values())

    def _find(self, name: str) -> tuple[Metric, Mapping[str, Any]]:
        for known, entry in self._by_name.items():
            if known.casefold() == name.casefold():
                return entry
        raise UnknownName(self.kind, name, list(self._by_name))


def compute_preferences(measure: Measure, positions: Sequence[Positions]) -> Floats:
    """A bound comparison's preference between every two submissions in every list.

    All positions are of the same truth. The shape is (submissions, submissions, lists), above 0
    where the first is preferred to the second.
    """
    lists = positions[0].lists
    values = np.full((len(positions), len(positions), lists), np.nan)
    items = np.bincount(positions[0].truth_list, minlength=lists)
    for run in _list_runs(items, BLOCK // len(positions)):
        values[:, :, run] = measure.evaluate(PositionTable.of(positions, run))
    return values


class Order(NamedTuple):
    """Submissions by their numbers, best first; equal ones share a group."""

    groups: tuple[tuple[int, ...], ...]
    scores: Floats  # what orders them, one a submission, the higher the better; NaN: nothing did


def order_by_scores(scores: Floats, within: float = 1e-12) -> Order:
    """The order of these scores; neighbours no further apart than `within` tie.

    `within` is for rounding errors. Scores are at most a few hundred, and sums of whole numbers or
    of values up to 1: their errors are below the default.

    >>> order_by_scores(np.array([0.5, 2.0, 0.5])).groups
    ((1,), (0, 2))
    """
    ranking = np.argsort(-scores, kind="stable")
    breaks = np.flatnonzero(-np.diff(scores[ranking]) > within) + 1
    groups = tuple(tuple(sorted(group.tolist())) for group in np.split(ranking, breaks))
    return Order(groups, scores)


def order_submissions(measure: Measure, preferences: Floats) -> Order:
    """The order that a bound aggregation makes of the preferences.

    A list in which any preference is undefined does not count. Where none counts, all submissions
    tie.
    """
    counted = _in_defined_lists(preferences)
    if not counted.shape[2]:
        return Order((tuple(range(len(counted))),), np.full(len(counted), np.nan))
    return cast(Order, measure.evaluate(counted))


def levels(preferences: Floats) -> Ints:
    """The place of each submission in each list, from 0 for the last, shape (submissions, lists).

    A list ranks the submissions by the sum of their preferences in it; equal sums share a level.
    """
    sums = preferences.sum(axis=1)
    by = sums.argsort(axis=0)
    steps = np.diff(np.take_along_axis(sums, by, axis=0), axis=0) > NOISE * len(sums)
    levels = np.zeros(sums.shape, dtype=np.int64)
    np.put_along_axis(levels, by[1:], steps.cumsum(axis=0), axis=0)
    return levels


def wins(preferences: Floats) -> Ints:
    """In how many lists each submission ranks above each other; equal totals tie.

    >>> one_list = np.array([[0, 1, 1], [-1, 0, 0], [-1, 0, 0]])[:, :, None]
    >>> wins(one_list)
    array([[0, 1, 1],
           [0, 0, 0],
           [0, 0, 0]])
    """
    in_lists = levels(preferences)
    return np.array([(level > in_lists).sum(axis=1) for level in in_lists], dtype=np.int64)


def majority(preferences: Floats) -> NDArray[np.bool_]:
    """Whether more lists rank a submission (row) above another (column) than below it."""
    won = wins(preferences)
    more: NDArray[np.bool_] = won > won.T
    return more


def cycles(preferences: Floats) -> tuple[tuple[int, ...], ...]:
    """The groups in which each submission is beaten, over others, by one that it beats.

    They are the strongly connected components of `majority` with more than one submission. An order
    of such a group is one method's choice: Condorcet's example is three lists that rank a b c, b c
    a and c a b.

    >>> lists = np.array([[2, 0, 1], [1, 2, 0], [0, 1, 2]])
    >>> cycles(np.sign(lists[:, None] - lists[None]))
    ((0, 1, 2),)
    """
    reached = majority(_in_defined_lists(preferences))
    for _ in range(len(reached).bit_length()):  # each time over paths twice as long
        reached = reached | (reached @ reached)
    each_other = reached & reached.T
    groups = {tuple(np.flatnonzero(row).tolist()) for row in each_other if row.any()}
    return tuple(sorted(groups))


def _in_defined_lists(preferences: Floats) -> Floats:
    """The preferences in the lists where all of them are defined."""
    return preferences[:, :, ~np.isnan(preferences).any(axis=(0, 1))]


def _list_runs(items: Ints, size: int) -> Iterator[slice]:
    """Runs of lists that, each as wide as the widest of its run, hold at most `size` items."""
    start, width = 0, 1
    for n, count in enumerate(items.tolist()):
        width = max(width, count)
        if n > start and (n + 1 - start) * width > size:
            yield slice(start, n)
            start, width = n, max(1, count)
    if items.size:
        yield slice(start, items.size)
