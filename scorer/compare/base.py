"""Submissions held against each other, list by list, and the order that this gives them.

A comparison makes of any two submissions a preference for each list: above 0
where the first is preferred, below 0 where the second is. An aggregation makes
an order of the preferences. Preferences stand in one array of shape
(submissions, submissions, lists), antisymmetric in its first two axes, NaN
where a list has no preferences.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from typing import Annotated, Any, ClassVar, TypeVar

import numpy as np
from numpy.typing import ArrayLike, NDArray
from pydantic import Field

from scorer.core.arrays import Floats, Ints
from scorer.core.errors import PluginError, ScorerError
from scorer.core.registry import Registry, discover, mark
from scorer.core.text import shown
from scorer.metrics.base import Function, Measure, Metric, measure
from scorer.views.hits import Judged

Signs = NDArray[np.int8]

AboveZero = Annotated[
    float,
    Field(gt=0, allow_inf_nan=False, description="The lowest grade that counts, above 0."),
]

BLOCK = 2**18  # places compared at a time (2 MB): more leave the cache

# n preferences of at most 1 add up to within n^2 * 2^-53 of their sum, which is less than this
# times n for n < 900. Depths below a million are still told apart: 1/x - 1/y > 1e-12.
NOISE = 1e-13


@dataclass(frozen=True, slots=True)
class Positions:
    """Where one submission has the relevant items of every list, and which there are.

    Relevant is what has a grade above 0. An item that was not returned has no
    position, which is worse than any; a missing list has none. A position is one
    rank: there is no closed form for `ties: expected`.
    """

    in_list: Ints  # the list of each returned relevant item, from 0; ordered by list, then position
    position: Ints  # its rank there, from 1
    grade: Floats
    truth_list: Ints  # the list of each relevant item of the truth, returned or not
    truth_grade: Floats  # its grade, best first in each list
    lists: int  # how many lists there are

    @classmethod
    def of(cls, judged: Judged) -> Positions:
        """Those of a judged submission.

        >>> found = Positions.of(Judged.of((["x", "b"], {"a": 2, "b": 1, "x": 0})))
        >>> found.position, found.grade, found.truth_grade
        (array([2]), array([1.]), array([2., 1.]))
        """
        hits, ideal = (h.where(h.grade > 0) for h in (judged.hits, judged.ideal))
        return cls(hits.in_list, hits.rank, hits.grade, ideal.in_list, ideal.grade, judged.lists)


@dataclass(frozen=True, slots=True)
class Lineup:
    """Several submissions' positions in some lists, side by side: what a comparison sees."""

    kinds: ClassVar[frozenset[str]] = frozenset({"grades"})

    position: Floats  # (submissions, lists, width), ascending; inf behind the last
    grade: Floats  # of the item at each position; 0 behind the last
    ideal: Floats  # (lists, width): the grades of the truth, best first; 0 behind the last

    @classmethod
    def of(cls, positions: Sequence[Positions], lists: slice | None = None) -> Lineup:
        """Those of the lists numbered from `lists.start` to `lists.stop`; of all without."""
        truth = positions[0]
        start, stop = (lists.start, lists.stop) if lists else (0, truth.lists)
        rows, places, ideals = _cells(truth.truth_list, truth.truth_grade, start, stop)
        width = int(places.max(initial=0)) + 1
        ideal = np.zeros((stop - start, width))
        ideal[rows, places] = ideals
        position = np.full((len(positions), *ideal.shape), np.inf)
        grade = np.zeros(position.shape)
        for n, one in enumerate(positions):
            rows, places, found = _cells(one.in_list, one.position, start, stop)
            position[n, rows, places] = found
            grade[n, rows, places] = _cells(one.in_list, one.grade, start, stop)[2]
        return cls(position, grade, ideal)

    def items(self, rel: ArrayLike) -> Ints:
        """How many items with at least that grade each list's truth has."""
        found: Ints = (self.ideal >= np.asarray(rel)[..., None]).sum(axis=-1)
        return found

    def relevant(self, rel: ArrayLike) -> Floats:
        """The positions of the items with at least that grade (one for all lists, or one a list).

        Ascending, and inf for items not returned; as wide as the list with the most such items.
        """
        found = self.position
        if not (keep := self.grade >= np.asarray(rel)[..., None])[self.grade > 0].all():
            found = np.where(keep, found, np.inf)
            found.sort(axis=-1)
        return found[..., : max(1, int(self.items(rel).max(initial=0)))]

    def grades(self) -> Floats:
        """The grades that each list's truth uses, best first, one row a place; inf behind the last.

        >>> both = Judged.of(("", {"a": 3, "b": 1, "c": 1}), ("", {"a": 2}))
        >>> Lineup.of([Positions.of(both)]).grades()
        array([[ 3.,  2.],
               [ 1., inf]])
        """
        above = np.pad(self.ideal[:, :-1], ((0, 0), (1, 0)), constant_values=np.inf)
        new = (self.ideal > 0) & (self.ideal < above)
        level = new.cumsum(axis=1) - 1
        in_list, place = np.nonzero(new)
        grades = np.full((int(level.max(initial=-1)) + 1, len(self.ideal)), np.inf)
        grades[level[in_list, place], in_list] = self.ideal[in_list, place]
        return grades

    def pairwise(
        self, rel: ArrayLike, preference: Callable[[Floats, Floats], NDArray[Any]]
    ) -> Floats:
        """What `preference` makes of the relevant positions of every two submissions.

        It is given one submission's, of shape (lists, width), and those of some others, of
        shape (others, lists, width), and gives one value an other and list. Each pair is asked
        for once: the other way round its value has the opposite sign.
        """
        found = self.relevant(rel)
        count, lists, _ = found.shape
        values = np.zeros((count, count, lists))
        for n in range(count - 1):
            values[n, n + 1 :] = preference(found[n], found[n + 1 :])
            values[n + 1 :, n] = 0.0 - values[n, n + 1 :]  # and never -0.0
        return values


def sooner(mine: Floats, theirs: Floats) -> Signs:
    """1 where my position comes first, -1 where theirs does, 0 where both are the same."""
    signs: Signs = (mine < theirs).view(np.int8) - (mine > theirs).view(np.int8)
    return signs


def apart(mine: Floats, theirs: Floats, *, last: bool = False) -> tuple[Floats, Floats]:
    """My position and theirs where they first differ, or last; equal ones if nowhere.

    >>> apart(np.array([[1.0, 4.0, 9.0]]), np.array([[[1.0, 3.0, np.inf]]]))
    (array([[4.]]), array([[3.]]))
    """
    differ = mine != theirs
    at = differ.shape[-1] - 1 - differ[..., ::-1].argmax(-1) if last else differ.argmax(-1)

    def there(positions: Floats) -> Floats:
        all_ = np.broadcast_to(positions, differ.shape)
        found: Floats = np.take_along_axis(all_, at[..., None], axis=-1)[..., 0]
        return found

    return there(mine), there(theirs)


@dataclass(frozen=True)
class Definition:
    """A comparison or an aggregation, as it is without being run.

    Parameters, page and notation are a metric's: `bind` makes a measure of it.
    """

    metric: Metric
    variants: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)  # alias -> parameters

    @property
    def name(self) -> str:
        """Its own name."""
        return self.metric.name

    @property
    def aliases(self) -> tuple[str, ...]:
        """Other names it answers to."""
        return tuple(self.variants)


class Comparison(Definition):
    """Makes a preference for each list of any two submissions in a `Lineup`."""


class Aggregation(Definition):
    """Makes an `Order` of the submissions from their preferences."""


Defined = TypeVar("Defined", bound=Definition)


def comparison(
    name: str,
    *,
    title: str,
    source: str,
    aliases: Mapping[str, Mapping[str, Any]] | None = None,
) -> Callable[[Function], Function]:
    """Make a function a comparison; the function itself is left as it is.

    It is given a `Lineup` and gives an array (submissions, submissions, lists)
    for its lists, antisymmetric, NaN for a list in which nothing is relevant.
    Its further arguments are keyword-only and become its parameters.

    Args:
        name: how challenges write it; looked up without case.
        title: its name in full.
        source: where this definition is from.
        aliases: other names that it answers to, each with the parameters that it stands for.
    """

    def enter(function: Function) -> Function:
        metric = Metric(name, title, source, function, range=(-1, 1))
        return mark(function, Comparison(metric, aliases or {}))

    return enter


def aggregation(
    name: str,
    *,
    title: str,
    source: str,
    range: tuple[float | None, float | None] = (0, 1),
    aliases: Mapping[str, Mapping[str, Any]] | None = None,
) -> Callable[[Function], Function]:
    """Make a function an aggregation; the function itself is left as it is.

    It is given the preferences, in lists that all have one, and gives an
    `Order`. The rest is as in `comparison`; `range` is that of its scores.
    """

    def enter(function: Function) -> Function:
        metric = Metric(name, title, source, function, range=range)
        return mark(function, Aggregation(metric, aliases or {}))

    return enter


@cache
def comparisons() -> Registry[Comparison]:
    """Every comparison there is."""
    return discover("preference", "scorer.compare.preferences", Comparison, "scorer.comparisons")


@cache
def aggregations() -> Registry[Aggregation]:
    """Every aggregation there is."""
    return discover(
        "aggregation", "scorer.compare.aggregations", Aggregation, "scorer.aggregations"
    )


def bind(registry: Registry[Defined], notation: str, id: str | None = None) -> Measure:
    """The comparison or aggregation with its parameters settled, as a notation says.

    >>> bind(comparisons(), "DCG-RPP(rel=2)").name
    'RPP(rel=2, weights=log)'
    >>> bind(aggregations(), "mc4").params
    {'jump': 0.05}

    Raises:
        UnknownName: there is none of that name.
        NotationError: its parameters are unknown or impossible.
    """
    name, rest = re.fullmatch(r"\s*([\w-]*)(.*)", notation, re.DOTALL).groups()  # type: ignore[union-attr]
    found = registry.get(name)
    variants = {alias.casefold(): params for alias, params in found.variants.items()}
    return measure(found.metric, found.name + rest, variants.get(name.casefold()), id)


def every(registry: Registry[Defined]) -> tuple[Measure, ...]:
    """All of them at their defaults, and all their named variants.

    >>> [measure.name for measure in every(comparisons())][2:5]
    ['RPP', 'RPP(weights=inverse)', 'RPP(weights=log)']
    """
    named = (name for thing in registry for name in (thing.name, *thing.variants))
    found = [bind(registry, name) for name in named]
    return tuple({measure.name: measure for measure in found}.values())


def preferences(measure: Measure, positions: Sequence[Positions]) -> Floats:
    """A bound comparison's preference between every two submissions in every list.

    All positions are of the same truth. The shape is (submissions, submissions,
    lists), above 0 where the first is preferred to the second.

    Raises:
        PluginError: the comparison raised, or gave something else.
    """
    truth = positions[0]
    assert all(
        np.array_equal(one.truth_list, truth.truth_list)
        and np.array_equal(one.truth_grade, truth.truth_grade)
        for one in positions
    )
    values = np.full((len(positions), len(positions), truth.lists), np.nan)
    items = np.bincount(truth.truth_list, minlength=truth.lists)
    for lists in _blocks(items, BLOCK // len(positions)):
        found = _run(measure, Lineup.of(positions, lists))
        if np.shape(found) != values[:, :, lists].shape:
            said = f"{np.shape(found)}; {values[:, :, lists].shape} was asked"
            raise PluginError(f"preference {measure.metric.name} gave an array of shape {said}")
        values[:, :, lists] = found
    return values


@dataclass(frozen=True, slots=True)
class Order:
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
    best = np.argsort(-scores, kind="stable")
    breaks = np.flatnonzero(-np.diff(scores[best]) > within) + 1
    groups = tuple(tuple(sorted(group.tolist())) for group in np.split(best, breaks))
    return Order(groups, scores)


def order(measure: Measure, preferences: Floats) -> Order:
    """What a bound aggregation makes of the preferences.

    A list in which any preference is undefined does not count. Where none
    counts, all submissions tie.

    Raises:
        PluginError: the aggregation raised, or gave something else.
    """
    counted = _counted(preferences)
    if not counted.shape[2]:
        return Order((tuple(range(len(counted))),), np.full(len(counted), np.nan))
    found = _run(measure, counted)
    if not isinstance(found, Order):
        given = type(found).__name__
        raise PluginError(f"aggregation {measure.metric.name} gave {given}; an Order was asked")
    return found


def totals(preferences: Floats) -> Floats:
    """What the lists rank the submissions by: the sum of a submission's preferences in each."""
    found: Floats = preferences.sum(axis=1)
    return found


def wins(preferences: Floats) -> Ints:
    """In how many lists each submission ranks above each other; those of equal totals tie.

    >>> one_list = np.array([[0, 1, 1], [-1, 0, 0], [-1, 0, 0]])[:, :, None]
    >>> wins(one_list)
    array([[0, 1, 1],
           [0, 0, 0],
           [0, 0, 0]])
    """
    found = totals(preferences)
    by = found.argsort(axis=0)
    steps = np.diff(np.take_along_axis(found, by, axis=0), axis=0) > NOISE * len(found)
    levels = np.zeros(found.shape, dtype=np.int64)
    np.put_along_axis(levels, by[1:], steps.cumsum(axis=0), axis=0)
    return np.array([(mine > levels).sum(axis=1) for mine in levels], dtype=np.int64)


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
    """Only the lists in which every preference is defined."""
    return preferences[:, :, ~np.isnan(preferences).any(axis=(0, 1))]


def _cells(
    in_list: Ints, values: NDArray[Any], start: int, stop: int
) -> tuple[Ints, Ints, NDArray[Any]]:
    """The row, column and value of each that lies in those lists, the lists being rows."""
    mine = slice(*np.searchsorted(in_list, [start, stop]).tolist())
    rows = in_list[mine] - start
    return rows, np.arange(rows.size) - np.searchsorted(rows, rows), values[mine]


def _blocks(items: Ints, size: int) -> Iterator[slice]:
    """Runs of lists that, each as wide as the widest of its run, hold at most `size` items."""
    start, width = 0, 1
    for n, count in enumerate(items.tolist()):
        width = max(width, count)
        if n > start and (n + 1 - start) * width > size:
            yield slice(start, n)
            start, width = n, max(1, count)
    if items.size:
        yield slice(start, items.size)


def _run(measure: Measure, view: object) -> Any:
    try:
        return measure.metric.function(view, **measure.params)
    except ScorerError:
        raise
    except Exception as error:
        said = f"{type(error).__name__}: {shown(error)}"
        raise PluginError(f"{measure.metric.name} failed: {said}") from error
