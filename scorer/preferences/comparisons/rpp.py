"""Recall-paired preference."""

from collections.abc import Callable, Mapping
from typing import Annotated, Literal

import numpy as np
from numpy.typing import ArrayLike
from pydantic import Field

from scorer.core.arrays import Floats
from scorer.preferences.base import AboveZero, comparison
from scorer.views.hits import ratio
from scorer.views.positions import PositionTable, sign_of_difference

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


@comparison(
    "RPP",
    title="Recall-paired preference",
    source="Diaz and Ferraro, SIGIR 2022, doi:10.1145/3477495.3532033",
    aliases={
        "invRPP": {"weights": "inverse"},
        "DCG-RPP": {"weights": "log"},
        "dcgRPP": {"weights": "log"},
    },
)
def rpp(lineup: PositionTable, *, rel: Threshold = None, weights: Weights = "uniform") -> Floats:
    """How much larger the share of readers is whom the first submission serves sooner.

    There is a reader for each number j of relevant items that one can want. The
    j-th comes sooner in one submission or in the other, or at one place in both;
    who wants j counts 1, or less the larger j is (`weights`).

    Grades count: it is the mean over the grades above 0 that the list's truth
    uses of the preference over items of at least that grade, weighted by how
    many those are. `rel` makes one question of it: which items count.

    pref_eval (its `-b` is `rel`) asks for the positions at each grade too, but
    is given those of all relevant items each time, from a cache: its value
    does not depend on the grades, and is the one of `rel` at the lowest.

    The first has a at 1 and b at 9, the second a, b, c at 2, 3 and 4; the
    first serves who wants one item, the second who wants two or three:

    >>> from scorer.views.hits import Judged
    >>> from scorer.preferences.base import Positions
    >>> truth = {"a": 1, "b": 1, "c": 1}
    >>> two = [Positions.of(Judged.of((items, truth))) for items in ("a.......b", ".abc")]
    >>> rpp(PositionTable.of(two))[0, 1].round(4)                       # (1 - 1 - 1) / 3
    array([-0.3333])
    >>> rpp(PositionTable.of(two), weights="inverse")[0, 1].round(4)    # (1 - 1/2 - 1/3) / (11/6)
    array([0.0909])

    a is worth 2, b is worth 1. Items worth at least 2: 1 of 1 for the first;
    worth at least 1: both have two at 1 and 2.

    >>> truth = {"a": 2, "b": 1}
    >>> two = [Positions.of(Judged.of((items, truth))) for items in ("ab", "ba")]
    >>> table = PositionTable.of(two)
    >>> rpp(table)[0, 1].round(4), rpp(table, rel=1)[0, 1]       # (1*1 + 2*0) / 3
    (array([0.3333]), array([0.]))
    """
    grades = lineup.grades() if rel is None else [rel]
    total = np.zeros((*lineup.position.shape[:1] * 2, len(lineup.ideal)))
    items = np.zeros(len(lineup.ideal))
    for grade in grades:
        total += lineup.items(grade) * _at_grade(lineup, grade, weights)
        items += lineup.items(grade)
    # 1/2 - 1/3 - 1/6 is nothing, but not when it is rounded
    return ratio(np.where(np.abs(total) < 1e-12 * items, 0.0, total), items)


def _at_grade(lineup: PositionTable, rel: ArrayLike, weights: Weights) -> Floats:
    """The preference over items of at least that grade; 0 where there are none."""
    items = np.maximum(lineup.items(rel), 1)
    readers = WEIGHTS[weights](np.arange(1.0, items.max(initial=1) + 1))

    def won(a: Floats, b: Floats) -> Floats:
        # added up one by one: to the bit the same, however wide the other lists are
        sums: Floats = (sign_of_difference(a, b) * readers).cumsum(axis=-1)[..., -1]
        return sums

    shares: Floats = lineup.pairwise(rel, won) / readers.cumsum()[items - 1]
    return shares
