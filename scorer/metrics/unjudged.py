"""The grades of unjudged items with which a measure of a list is lowest, and highest.

Each function is an `Extremes` (scorer.views.unjudged): it gives two arrays of shape (items,).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from scorer.core.arrays import Floats, Ints, Mask
from scorer.metrics.params import discounts, gained
from scorer.views.hits import ratio
from scorer.views.unjudged import UnjudgedList

Grades = tuple[Floats, Floats]
ROUNDS = 100  # far more than any ratio needs, which settles in about five


def rising(items: UnjudgedList, grades: Floats, params: Mapping[str, Any]) -> Grades | None:
    """Of a measure that no better grade of a returned item makes lower: all 0, and all highest."""
    if not isinstance(params.get("gain", ""), str):  # a table may fall
        return None
    return np.zeros(items.rank.size), np.full(items.rank.size, grades[-1])


def of_recall(items: UnjudgedList, grades: Floats, params: Mapping[str, Any]) -> Grades:
    """Of recall, which a relevant item below the cut-off makes lower, and one above it higher."""
    counted = items.rank <= params["k"]
    return np.where(counted, 0.0, grades[-1]), np.where(counted, grades[-1], 0.0)


def of_precisions(items: UnjudgedList, grades: Floats, params: Mapping[str, Any]) -> Grades | None:
    """Of average precision: a number of the last items is relevant, or of the first ones.

    Of as many relevant items the sum of precisions is the greater, the higher each stands. So
    there is one candidate for each number of them.
    """
    rank, highest = items.rank, grades[-1]
    k = items.returned if params["k"] is None else params["k"]
    if highest < params["rel"]:
        return rising(items, grades, params)
    hits = items.hit_rank[(items.hit_grade >= params["rel"]) & (items.hit_rank <= k)]
    above, counted = np.searchsorted(hits, rank), rank <= k
    worth = counted / rank
    # each hit below has one more relevant item above it
    own = (above + 1) * worth + np.append(np.cumsum((1 / hits)[::-1])[::-1], 0.0)[above]
    first = own + np.arange(rank.size) * worth
    last = own + counted * (worth.sum() - np.cumsum(worth))
    found = float(((1 + np.arange(hits.size)) / hits).sum())

    def values(added: Floats, further: Mask) -> Floats:
        whole = np.count_nonzero(items.ideal >= params["rel"]) + np.arange(rank.size + 1.0)
        divisor = {
            "relevant": whole,
            "capped": whole if params["k"] is None else np.minimum(whole, k),
            "returned": np.minimum(whole, items.returned),
            "hits": hits.size + _running(further),
        }[params["denominator"]]
        return ratio(found + _running(added), divisor)

    return (
        _highest_last(rank.size, _least(values(last[::-1], counted[::-1])), highest),
        _highest_first(rank.size, _least(-values(first, counted)), highest),
    )


def of_gains(items: UnjudgedList, grades: Floats, params: Mapping[str, Any]) -> Grades | None:
    """Of a sum of discounted gains over that of the best list, which the items belong to as well.

    The ratio of a linear to a convex function of the gains. It is lowest where each item gains
    nothing or the most, the last items the most. It is highest where the gains fall down the list;
    for a ratio t the best number of items at each level of gain is that with the greatest
    difference of the sum and t times the best list's, each level by itself (Dinkelbach, Management
    Science 13(7), 1967).
    """
    gain, by = params["gain"], discounts(params["discount"])
    worths, at = np.unique(gained(grades, gain), return_index=True)
    if worths[0] != 0 or gained(np.zeros(1), gain)[0] != 0:
        return None
    level, steps = grades[at][1:], np.diff(worths)
    k = np.inf if params["k"] is None else params["k"]
    depth = {"uncut": np.inf, "returned": min(k, items.returned)}.get(params["ideal"], k)
    known = gained(items.hit_grade if params["ideal"] == "reordered" else items.ideal, gain)
    better = np.array([np.count_nonzero(known >= worth) for worth in worths[1:]], dtype=np.int64)
    place = np.arange(1.0, known.size + items.rank.size + 1)
    best = _running((place <= depth) / by(place))
    share = (items.rank <= k) / by(items.rank.astype(np.float64))
    top, bottom = _running(share), _running(share[::-1])
    hits = (items.hit_rank <= k) / by(items.hit_rank.astype(np.float64))
    sure = float((gained(items.hit_grade, gain) * hits).sum())
    levels = np.arange(steps.size)
    bests = best[better[:, None] + np.arange(items.rank.size + 1)]  # (levels, numbers of items)
    whole = steps @ bests

    def lowest(t: float) -> Ints:
        return np.full(steps.size, _least(worths[-1] * bottom - t * whole))

    def highest(t: float) -> Ints:
        many = np.array([_least(t * each - top) for each in bests], dtype=np.int64)
        return np.minimum.accumulate(many)  # but for rounding they fall already

    def settled(choose: Callable[[float], Ints], sums: Floats, sign: float) -> Ints:
        def value(many: Ints) -> float:
            return float(ratio(sure + steps @ sums[many], steps @ bests[levels, many]))

        many = np.zeros(steps.size, dtype=np.int64)
        for _ in range(ROUNDS):
            now = value(many)
            further = choose(0.0 if np.isnan(now) else now)
            then = value(further)
            if np.isnan(then) or sign * then <= sign * now:
                break
            many = further
        return many

    few, many = settled(lowest, bottom, -1), settled(highest, top, 1)
    at_level = np.sum(many[:, None] > np.arange(items.rank.size), axis=0)
    return (
        _highest_last(items.rank.size, int(few.max(initial=0)), level[-1] if level.size else 0.0),
        np.append(0.0, level)[at_level],
    )


def _running(numbers: Any) -> Floats:
    """The sums of the first 0, 1, 2, .. numbers."""
    return np.append(0.0, np.cumsum(numbers))


def _least(values: Floats) -> int:
    """Where the first of the least values is; 0 where there is none."""
    return int(np.argmin(np.where(np.isnan(values), np.inf, values)))


def _highest_first(size: int, many: int, grade: float) -> Floats:
    return np.where(np.arange(size) < many, grade, 0.0)


def _highest_last(size: int, many: int, grade: float) -> Floats:
    return _highest_first(size, many, grade)[::-1]
