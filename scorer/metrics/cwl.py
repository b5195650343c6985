"""What metrics of the C/W/L framework share: expected gain per item looked at.

A reader who has looked at rank i goes on to rank i + 1 with chance C(i). The
share of all looks that rank i gets, W(i), is the product of the chances above
it over their sum; a value is the sum of W(i) times the gain at rank i (Moffat
et al., ACM TOIS 35(3), 2017, doi:10.1145/3052768).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Annotated, Any, NamedTuple

import numpy as np
from pydantic import Field, Strict

from scorer.core.arrays import Floats, Ints, ends
from scorer.metrics.quotient import Quotient
from scorer.views.hits import Hits, Judged

DEPTH = 1000
MOST = 1_000_000  # ranks that have a weight each

Highest = Annotated[
    float,
    Field(
        description="The grade that gains 1, and so do higher ones; by default the highest of the "
        "truth."
    ),
]
Lowest = Annotated[float, Field(ge=0, description="The grade that gains 0, and so do lower ones.")]
Goal = Annotated[
    float, Field(ge=0.5, le=MOST, description="How much gain the reader is after; .5 or more.")
]
Depth = Annotated[
    int,
    Strict(),
    Field(ge=1, le=MOST, description="How many ranks a reader can look at, returned or not."),
]

PEERS: Mapping[str, Mapping[str, Any]] = {
    "max_rel": {"*": "max_grade"},
    "min_rel": {"*": "min_grade"},
    "cutoff": {"*": "k"},
}
SETTLE: Mapping[str, Callable[[Any], Any]] = {"max_grade": lambda constants: constants.max_grade}


class Walk(NamedTuple):
    """How far each list's reader comes, and what is gained: one element a hit, or one a list."""

    hits: Hits  # those within reach
    gain: Floats  # of each hit
    weight: Floats  # of each hit: W times the sum of all weights
    gained: Floats  # of each list: the sum of weight times gain
    looked: Floats  # of each list: the sum of all ranks' weights

    def quotient(self, last: int) -> Quotient:
        """The expected gain per item looked at; `last` is the last rank within reach."""
        columns = {"gain": self.gain, "weight": self.weight}
        return Quotient(
            self.gained,
            self.looked,
            "sum of gain × weight / sum of the weights of all ranks",
            lambda: (self.hits, columns | {"running total": np.cumsum(self.weight * self.gain)}),
            last=last,
        )


def scaled(judged: Judged, max_grade: float | None, min_grade: float) -> Floats:
    """The gain of each hit, 0 to 1; 0 where no grade is above the lowest.

    The result has shape (hits,).

    `max_grade` gains 1, by default the highest of this truth; `min_grade` gains 0.
    """
    highest = float(judged.ideal.grade.max(initial=0.0)) if max_grade is None else max_grade
    grade = judged.hits.grade
    if highest <= min_grade:
        return np.zeros_like(grade)
    gains: Floats = (np.clip(grade, min_grade, highest) - min_grade) / (highest - min_grade)
    return gains


def walk(hits: Hits, gain: Floats, weights: Floats, satisfied: bool = False) -> Walk:
    """The looks that a reader takes where ranks have fixed weights.

    Args:
        gain: shape (hits,), 0 to 1.
        weights: of each rank, from rank 1 to the last within reach.
        satisfied: whether a gain is also the chance that the reading ends there.
    """
    reachable = np.flatnonzero(hits.rank <= weights.size)
    hits, gain = hits.where(hits.rank <= weights.size), gain[reachable]
    sums = np.concatenate([[0.0], np.cumsum(weights)])
    still = hits.product(1 - gain) if satisfied else np.ones_like(gain)
    weight = weights[hits.rank - 1] * still
    if not satisfied:
        looked = np.full(hits.lists, sums[-1])
    else:
        left = still * (1 - gain)
        looked = _segments(
            hits, lambda above, rank: sums[rank] - sums[above], still, left, sums[-1]
        )
    return Walk(hits, gain, weight, hits.total(weight * gain), looked)


def per_look(
    judged: Judged,
    max_grade: float | None,
    min_grade: float,
    weights: Floats,
    satisfied: bool = False,
) -> Quotient:
    """The gain per item looked at, where ranks have fixed weights; see `scaled` and `walk`."""
    gain = scaled(judged, max_grade, min_grade)
    return walk(judged.hits, gain, weights, satisfied).quotient(weights.size)


def inverse_squares(goal: float, depth: int) -> Floats:
    """The weight of each rank for a reader who is after `goal` and goes on as in `INSQ`."""
    weights: Floats = (2 * goal / (np.arange(1, depth + 1, dtype=np.float64) + 2 * goal - 1)) ** 2
    return weights


def adaptive(hits: Hits, gain: Floats, goal: float, depth: int) -> Walk:
    """The looks of a reader who is after `goal`, and less patient the more of it is gained.

    With G found so far, C(i) = ((i + 2T - G - 1) / (i + 2T - G))^2. From one hit to the next G is
    the same and the chances are telescopes, so that no rank between is looked at. `gain` is of
    shape (hits,), 0 to 1; `goal` is T, the gain after which the reader stops; `depth` is the last
    rank within reach.
    """
    from scipy.special import zeta

    reachable = np.flatnonzero(hits.rank <= depth)
    hits, gain = hits.where(hits.rank <= depth), gain[reachable]
    first = hits.nth() == 1
    rank = hits.rank.astype(np.float64)
    gain_above = hits.sums(gain)  # above each hit
    before = 2 * goal - gain_above
    after = before - gain
    above = np.where(first, 1.0, np.roll(rank, 1)) if rank.size else rank
    # from `above`, whose weight is known, to the hit
    step = ((above + before - 1) / (rank + before - 1)) ** 2
    weight = hits.product(np.roll(step, -1)) * step[_firsts(hits)] if rank.size else rank

    def looks(start: Floats, end: Floats, shift: Floats) -> Floats:
        """The sum of 1 / (r + shift - 1)^2 over the ranks r from start + 1 to end."""
        difference: Floats = zeta(2, start + shift) - zeta(2, end + shift)
        return difference

    scale = weight * (rank + after - 1) ** 2
    last = ends(hits.in_list)
    until = np.where(last, float(depth), np.roll(rank, -1)) if rank.size else rank
    looked = hits.total(scale * looks(rank, until, after))
    opening = np.where(first, (2 * goal) ** 2 * looks(np.zeros_like(rank), rank, before), 0.0)
    looked += hits.total(opening)
    none = (2 * goal) ** 2 * float(
        looks(np.zeros(1), np.full(1, float(depth)), np.full(1, 2 * goal))[0]
    )
    looked[hits.total() == 0] = none
    return Walk(hits, gain, weight, hits.total(weight * gain), looked)


def _firsts(hits: Hits) -> Ints:
    """For each hit, the index of the first hit of its list."""
    return hits.starts()[hits.in_list]


def _segments(
    hits: Hits, between: Callable[[Ints, Ints], Floats], still: Floats, left: Floats, whole: float
) -> Floats:
    """The sum of all weights of each list, from one hit to the next."""
    nth = hits.nth()
    above = np.where(nth > 1, np.roll(hits.rank, 1), 0) if nth.size else hits.rank
    looked = hits.total(still * between(above, hits.rank))
    last = ends(hits.in_list)
    rest = np.where(last, left * (whole - between(np.zeros_like(hits.rank), hits.rank)), 0.0)
    looked += hits.total(rest)
    looked[hits.total() == 0] = whole
    return looked
