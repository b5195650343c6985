"""Comparisons of submissions list by list, and orders of submissions made from them.

A comparison computes a preference of any two submissions for each list: above 0 where the first is
preferred, below 0 where the second is. An aggregation makes an order from the preferences.
Preferences are an array of shape (submissions, submissions, lists), antisymmetric in its first two
axes, NaN where a list has no preferences.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache, cached_property
from typing import Annotated, Any, NamedTuple, TypeVar, cast

import numpy as np
from numpy.typing import NDArray
from pydantic import Field

from scorer.core.arrays import Floats, Ints
from scorer.core.registry import Registry, discover, mark
from scorer.metrics.api import Bounds, Metric
from scorer.metrics.notation import Measure, parse_measure
from scorer.views.positions import Positions, PositionTable

AboveZero = Annotated[
    float, Field(gt=0, allow_inf_nan=False, description="The lowest grade that counts, above 0.")
]

BLOCK = 2**18  # places compared at a time (2 MB): more leave the cache

# n preferences of at most 1 add up to within n^2 * 2^-53 of their sum, which is less than this
# times n for n < 900. Depths below a million still differ: 1/x - 1/y > 1e-12.
NOISE = 1e-13


class PreferenceFunction(Metric):
    """A function whose parameters are written as a metric's; it has no view and no options."""

    @cached_property
    def options(self) -> dict[str, tuple[Any, Any]]:
        """None: all parameters are the function's own."""
        return {}

    @cached_property
    def by_kind(self) -> tuple[Metric, ...]:
        """The function itself, whatever the kind of challenge."""
        return (self,)


@dataclass(frozen=True)
class Definition:
    """A comparison or an aggregation; its parameters, page and notation are a metric's."""

    metric: Metric
    variants: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)  # alias -> parameters

    @property
    def name(self) -> str:
        """Its name."""
        return self.metric.name

    @property
    def aliases(self) -> tuple[str, ...]:
        """Other names that challenges may use."""
        return tuple(self.variants)


class Preference(Definition):
    """Computes a preference for each list of any two submissions in a `PositionTable`."""


class Aggregation(Definition):
    """Computes an `Order` of the submissions from their preferences."""


Defined = TypeVar("Defined", bound=Definition)
Function = TypeVar("Function", bound=Callable[..., Any])
Aliases = Mapping[str, Mapping[str, Any]]  # other names, each with the parameters it stands for


def comparison(
    name: str, *, title: str, source: str, aliases: Aliases | None = None
) -> Callable[[Function], Function]:
    """Return a decorator that makes a function a comparison.

    Args:
        name: What challenges call it; case does not matter.
        title: Its full name.
        source: Where the definition comes from.
        aliases: Other names, each with the parameters that it stands for.
    """
    return _define(Preference, name, title, source, (-1, 1), aliases)


def aggregation(
    name: str, *, title: str, source: str, range: Bounds = (0, 1), aliases: Aliases | None = None
) -> Callable[[Function], Function]:
    """Return a decorator that makes a function an aggregation.

    Args:
        name: What challenges call it; case does not matter.
        title: Its full name.
        source: Where the definition comes from.
        range: The lowest and the highest score; None where there is no limit.
        aliases: Other names, each with the parameters that it stands for.
    """
    return _define(Aggregation, name, title, source, range, aliases)


def _define(
    kind: type[Definition],
    name: str,
    title: str,
    source: str,
    range: Bounds,
    aliases: Aliases | None,
) -> Callable[[Function], Function]:
    def decorate(function: Function) -> Function:
        metric = PreferenceFunction(name, function, title, source, range=range)
        function.metric = metric  # type: ignore[attr-defined]
        return mark(function, kind(metric, aliases or {}))

    return decorate


@cache
def comparisons() -> Registry[Preference]:
    """All comparisons."""
    return discover("preference", "scorer.preferences", Preference)


@cache
def aggregations() -> Registry[Aggregation]:
    """All aggregations."""
    return discover("aggregation", "scorer.preferences", Aggregation)


def bind(registry: Registry[Defined], notation: str, id: str | None = None) -> Measure:
    """The comparison or aggregation with its parameters settled, as a notation says.

    >>> bind(comparisons(), "DCG-RPP(rel=2)").name
    'RPP(rel=2, weights=log)'
    >>> bind(aggregations(), "mc4").params
    {'jump': 0.05}

    Args:
        registry: `comparisons()` or `aggregations()`.
        notation: name or alias, with parameters in parentheses.
        id: what the measure is called in results; default: its canonical name.

    Raises:
        UnknownName: there is none of that name.
        NotationError: its parameters are unknown or impossible.
    """
    name, rest = re.fullmatch(r"\s*([\w-]*)(.*)", notation, re.DOTALL).groups()  # type: ignore[union-attr]
    definition = registry.get(name)
    variants = {alias.casefold(): params for alias, params in definition.variants.items()}
    return parse_measure(
        definition.metric, definition.name + rest, variants.get(name.casefold()), id
    )


def every(registry: Registry[Defined]) -> tuple[Measure, ...]:
    """All of them at their defaults, and all their named variants.

    >>> [measure.name for measure in every(comparisons())][2:5]
    ['RPP', 'RPP(weights=inverse)', 'RPP(weights=log)']
    """
    named = (name for thing in registry for name in (thing.name, *thing.variants))
    measures = [bind(registry, name) for name in named]
    return tuple({measure.name: measure for measure in measures}.values())


def preferences(measure: Measure, positions: Sequence[Positions]) -> Floats:
    """A bound comparison's preference between every two submissions in every list.

    All positions are of the same truth. The shape is (submissions, submissions,
    lists), above 0 where the first is preferred to the second.
    """
    truth = positions[0]
    assert all(
        np.array_equal(other.truth_list, truth.truth_list)
        and np.array_equal(other.truth_grade, truth.truth_grade)
        for other in positions
    )
    values = np.full((len(positions), len(positions), truth.lists), np.nan)
    items = np.bincount(truth.truth_list, minlength=truth.lists)
    for lists in _list_runs(items, BLOCK // len(positions)):
        values[:, :, lists] = measure.evaluate(PositionTable.of(positions, lists))
    return values


class Order(NamedTuple):
    """Submissions by their numbers, best first; those that cannot be told apart share a group."""

    groups: tuple[tuple[int, ...], ...]
    scores: Floats  # what orders them, one a submission, the higher the better; NaN: nothing did


def ordered(scores: Floats, within: float = 1e-12) -> Order:
    """The order of these scores; neighbours no further apart than `within` tie.

    It is there for rounding: scores of at most a few hundred, from sums that
    are exact or of values of at most 1, are nearer to the truth than the default.

    >>> ordered(np.array([0.5, 2.0, 0.5])).groups
    ((1,), (0, 2))
    """
    ranking = np.argsort(-scores, kind="stable")
    breaks = np.flatnonzero(-np.diff(scores[ranking]) > within) + 1
    groups = tuple(tuple(sorted(group.tolist())) for group in np.split(ranking, breaks))
    return Order(groups, scores)


def order(measure: Measure, preferences: Floats) -> Order:
    """The order that a bound aggregation makes of the preferences.

    A list in which any preference is undefined does not count. Where none
    counts, all submissions tie.
    """
    counted = _counted(preferences)
    if not counted.shape[2]:
        return Order((tuple(range(len(counted))),), np.full(len(counted), np.nan))
    return cast(Order, measure.evaluate(counted))


def totals(preferences: Floats) -> Floats:
    """The sums of each submission's preferences in each list, shape (submissions, lists)."""
    sums: Floats = preferences.sum(axis=1)
    return sums


def wins(preferences: Floats) -> Ints:
    """In how many lists each submission ranks above each other; those of equal totals tie.

    >>> one_list = np.array([[0, 1, 1], [-1, 0, 0], [-1, 0, 0]])[:, :, None]
    >>> wins(one_list)
    array([[0, 1, 1],
           [0, 0, 0],
           [0, 0, 0]])
    """
    sums = totals(preferences)
    by = sums.argsort(axis=0)
    steps = np.diff(np.take_along_axis(sums, by, axis=0), axis=0) > NOISE * len(sums)
    levels = np.zeros(sums.shape, dtype=np.int64)
    np.put_along_axis(levels, by[1:], steps.cumsum(axis=0), axis=0)
    return np.array([(level > levels).sum(axis=1) for level in levels], dtype=np.int64)


def majority(preferences: Floats) -> NDArray[np.bool_]:
    """Whether more lists rank a submission (row) above another (column) than below it."""
    won = wins(preferences)
    more: NDArray[np.bool_] = won > won.T
    return more


def cycles(preferences: Floats) -> tuple[tuple[int, ...], ...]:
    """The groups in which each submission is beaten, over others, by one that it beats.

    They are the strongly connected components of `majority` with more than
    one submission. An order of such a group is one method's choice: Condorcet's
    example is three lists that rank a b c, b c a and c a b.

    >>> lists = np.array([[2, 0, 1], [1, 2, 0], [0, 1, 2]])
    >>> cycles(np.sign(lists[:, None] - lists[None]))
    ((0, 1, 2),)
    """
    reached = majority(_counted(preferences))
    for _ in range(len(reached).bit_length()):  # each time over paths twice as long
        reached = reached | (reached @ reached)
    each_other = reached & reached.T
    groups = {tuple(np.flatnonzero(row).tolist()) for row in each_other if row.any()}
    return tuple(sorted(groups))


def _counted(preferences: Floats) -> Floats:
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
