"""Comparisons: which of two submissions serves the reader of a list better, and by how much.

A comparison is given a `PositionTable` and returns an array of shape (submissions, submissions,
lists), antisymmetric in its first two axes, NaN for a list in which nothing is relevant.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Annotated, Any, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray
from pydantic import Field

from scorer.core.arrays import Floats
from scorer.metrics.ratios import divide
from scorer.preferences.base import AboveZero, Methods
from scorer.views.preferences import PositionTable

comparisons = Methods("preference", PositionTable)


def sign_of_difference(first: Floats, second: Floats) -> NDArray[np.int8]:
    """1 where the first position is lower, -1 where the second is, 0 where they are equal."""
    signs: NDArray[np.int8] = (first < second).view(np.int8) - (first > second).view(np.int8)
    return signs


def first_difference(differences: NDArray[Any]) -> NDArray[Any]:
    """The first element along the last axis that is not 0; 0 if all are."""
    at = (differences != 0).argmax(axis=-1)
    return np.take_along_axis(differences, at[..., None], axis=-1)[..., 0]


@comparisons.define(
    "LexiPrecision",
    title="Lexicographic precision",
    source="Diaz, EVIA 2023, doi:10.20736/0002001353",
)
def lexiprecision(table: PositionTable, *, rel: AboveZero = 1) -> Floats:
    """Which submission serves the reader better who wants one relevant item.

    1 is for the first, -1 for the second, 0 when all positions are the same. The one whose first
    relevant item comes first wins; if that is the same, the second decides, and so on. It orders
    two submissions as RR does, and goes on where RR ties.

    Items with a grade of at least `rel` are relevant; pref_eval counts every grade above 0, unless
    its `-b` says otherwise.

    The first has a at 1 and b at 9; the second a, b, c at 2, 3 and 4:

    >>> table = position_table({"a": 1, "b": 1, "c": 1}, "a.......b", ".abc")
    >>> lexiprecision(table)[0, 1]   # 1 comes before 2
    array([1.])
    """

    def first_sign(a: Floats, b: Floats) -> NDArray[np.int8]:
        return first_difference(sign_of_difference(a, b))

    return np.where(table.items(rel) > 0, table.pairwise(rel, first_sign), np.nan)


@comparisons.define(
    "rrLexiPrecision",
    title="Lexicographic precision by reciprocal ranks",
    source="Diaz, EVIA 2023, doi:10.20736/0002001353",
)
def rrlexiprecision(table: PositionTable, *, rel: AboveZero = 1) -> Floats:
    """How much better the first submission serves the reader who wants one relevant item.

    It is LexiPrecision with a size: at the first relevant item whose positions x and y differ the
    value is 1/x - 1/y, where an item not returned counts 0. The difference of two RRs is the same
    number wherever it is not 0.

    Items with a grade of at least `rel` are relevant; pref_eval counts every grade above 0, unless
    its `-b` says otherwise.

    The first has a at 1 and b at 9; the second a, b, c at 2, 3 and 4:

    >>> table = position_table({"a": 1, "b": 1, "c": 1}, "a.......b", ".abc")
    >>> rrlexiprecision(table)[0, 1]   # 1/1 - 1/2
    array([0.5])
    """

    def reciprocal_difference(a: Floats, b: Floats) -> Floats:
        return first_difference(1 / a - 1 / b)

    return np.where(table.items(rel) > 0, table.pairwise(rel, reciprocal_difference), np.nan)


@comparisons.define(
    "LexiRecall",
    title="Lexicographic recall",
    source="Diaz and Mitra, Recall, Robustness, and Lexicographic Evaluation, 2023, "
    "doi:10.48550/arXiv.2302.11370",
)
def lexirecall(table: PositionTable, *, rel: AboveZero = 1) -> Floats:
    """Which submission serves the reader better who wants every relevant item.

    1 is for the first, -1 for the second, 0 when all positions are the same. The one that returned
    more relevant items wins; between equals the one whose last comes first; if that is the same,
    the one before it decides, and so on.

    Items with a grade of at least `rel` are relevant; pref_eval counts every grade above 0, unless
    its `-b` says otherwise.

    The first has a at 1 and b at 9, and lacks c, which the second has at 4:

    >>> table = position_table({"a": 1, "b": 1, "c": 1}, "a.......b", ".abc")
    >>> lexirecall(table)[0, 1]      # 2 of 3 returned, against 3
    array([-1.])
    """

    def last_sign(a: Floats, b: Floats) -> NDArray[np.int8]:
        return first_difference(sign_of_difference(a, b)[..., ::-1])

    return np.where(table.items(rel) > 0, table.pairwise(rel, last_sign), np.nan)


Weights = Annotated[
    Literal["uniform", "inverse", "log"],
    Field(description="How much who wants j items counts: 1, 1/j, or 1/log2(j + 1)."),
]
Threshold = Annotated[
    AboveZero | None,
    Field(description="The lowest grade that counts, above 0; without it every grade counts."),
]
WEIGHTS: Mapping[str, Callable[[Floats], Floats]] = {
    "uniform": np.ones_like,
    "inverse": lambda j: 1 / j,
    "log": lambda j: 1 / np.log2(j + 1),
}


@comparisons.define(
    "RPP",
    title="Recall-paired preference",
    source="Diaz and Ferraro, SIGIR 2022, doi:10.1145/3477495.3532033",
    aliases={
        "invRPP": {"weights": "inverse"},
        "DCG-RPP": {"weights": "log"},
        "dcgRPP": {"weights": "log"},
    },
)
def rpp(table: PositionTable, *, rel: Threshold = None, weights: Weights = "uniform") -> Floats:
    """How much larger the share of readers is whom the first submission serves sooner.

    There is a reader for each number j of relevant items that one can want. The j-th comes sooner
    in one submission or in the other, or at one place in both; who wants j counts 1, or less the
    larger j is (`weights`).

    Grades count: it is the mean over the grades above 0 that the list's truth uses of the
    preference over items of at least that grade, weighted by how many those are. `rel` makes one
    question of it: which items count.

    pref_eval (its `-b` is `rel`) asks for the positions at each grade too, but is given the
    positions of all relevant items each time, from a cache: its value does not depend on the
    grades, and is the one of `rel` at the lowest.

    The first has a at 1 and b at 9, the second a, b, c at 2, 3 and 4; the first serves who wants
    one item, the second who wants two or three:

    >>> table = position_table({"a": 1, "b": 1, "c": 1}, "a.......b", ".abc")
    >>> rpp(table)[0, 1].round(4)                       # (1 - 1 - 1) / 3
    array([-0.3333])
    >>> rpp(table, weights="inverse")[0, 1].round(4)    # (1 - 1/2 - 1/3) / (11/6)
    array([0.0909])

    a is worth 2, b is worth 1. Items worth at least 2: 1 of 1 for the first; worth at least 1: both
    have two at 1 and 2.

    >>> table = position_table({"a": 2, "b": 1}, "ab", "ba")
    >>> rpp(table)[0, 1].round(4), rpp(table, rel=1)[0, 1]       # (1*1 + 2*0) / 3
    (array([0.3333]), array([0.]))
    """
    grades = table.grades() if rel is None else [rel]
    total = np.zeros((*table.position.shape[:1] * 2, len(table.ideal)))
    items = np.zeros(len(table.ideal))
    for grade in grades:
        total += table.items(grade) * _at_grade(table, grade, weights)
        items += table.items(grade)
    # 1/2 - 1/3 - 1/6 is nothing, but not when it is rounded
    return divide(np.where(np.abs(total) < 1e-12 * items, 0.0, total), items)


def _at_grade(table: PositionTable, rel: ArrayLike, weights: Weights) -> Floats:
    """The preference over items of at least that grade; 0 in a list without such items."""
    items = np.maximum(table.items(rel), 1)
    readers = WEIGHTS[weights](np.arange(1.0, items.max(initial=1) + 1))

    def won(a: Floats, b: Floats) -> Floats:
        # added up one by one: to the bit the same, however wide the other lists are
        sums: Floats = (sign_of_difference(a, b) * readers).cumsum(axis=-1)[..., -1]
        return sums

    shares: Floats = table.pairwise(rel, won) / readers.cumsum()[items - 1]
    return shares
