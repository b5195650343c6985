"""Aggregations: an order of the submissions from their preferences, list by list.

An aggregation is given preferences of shape (submissions, submissions, lists), none of them NaN,
and returns an `Order`.
"""

from __future__ import annotations

from typing import Annotated

import numpy as np
from pydantic import Field

from scorer.core.arrays import Floats
from scorer.preferences.base import NOISE, Order, aggregation, majority, ordered, totals, wins


@aggregation(
    "Mean",
    title="Mean preference",
    source="pref_eval's README (github.com/diazf/pref_eval), Evaluating More Than One System; "
    "Diaz and Ferraro, SIGIR 2022, doi:10.1145/3477495.3532033",
    range=(-1, 1),
)
def mean(preferences: Floats) -> Order:
    """How much a submission is preferred, in the mean over lists and over the others.

    Unlike the other aggregations it asks how large preferences are, not only
    which way they point. Between two submissions it is the mean that pref_eval
    prints as its summary (`all`), from the one side and from the other.

    Three submissions and one list:

    >>> import numpy as np
    >>> one_list = np.array([[0, 0.5, 1], [-0.5, 0, 0.2], [-1, -0.2, 0]])[:, :, None]
    >>> mean(one_list)                                     # 1.5 / 2, -0.3 / 2, -1.2 / 2
    Order(groups=((0,), (1,), (2,)), scores=array([ 0.75, -0.15, -0.6 ]))
    """
    return ordered(totals(preferences).mean(axis=1) / max(1, len(preferences) - 1))


@aggregation(
    "Borda",
    title="Borda count",
    source="Dwork, Kumar, Naor and Sivakumar, WWW 2001, doi:10.1145/371920.372165",
    range=(0, None),
)
def borda(preferences: Floats) -> Order:
    """How many submissions one ranks above, in the mean over lists; a tie counts half.

    A list ranks the submissions by the sum of their preferences in it, and
    equal sums tie. The paper counts so; pref_eval counts one more for each
    list, does not share the points of a tie but gives the more to the name that
    is later in the alphabet, and orders equal counts so too.

    Two lists rank a above b above c, one ranks c above a and b, which tie:

    >>> import numpy as np
    >>> lists = np.array([[2, 2, 0], [1, 1, 0], [0, 0, 1]])     # a, b, c: higher is better
    >>> order = borda(np.sign(lists[:, None] - lists[None]))
    >>> order.scores.round(4)          # (2 + 2 + 1/2) / 3, (1 + 1 + 1/2) / 3, (0 + 0 + 2) / 3
    array([1.5   , 0.8333, 0.6667])
    >>> order.groups
    ((0,), (1,), (2,))
    """
    won, (count, _, lists) = wins(preferences), preferences.shape
    return ordered(((count - 1) + (won - won.T).sum(axis=1) / lists) / 2)


@aggregation(
    "WinRate",
    title="Mean win rate",
    source="Liang and others, Holistic Evaluation of Language Models, TMLR 2023, "
    "doi:10.48550/arXiv.2211.09110",
)
def winrate(preferences: Floats) -> Order:
    """The share of the other submissions that one ranks above, in the mean over lists.

    A tie counts half: it is Borda's count over the number of the others, from 0 to 1.

    Two lists rank a above b above c, one ranks c above a and b, which tie:

    >>> import numpy as np
    >>> lists = np.array([[2, 2, 0], [1, 1, 0], [0, 0, 1]])     # a, b, c: higher is better
    >>> winrate(np.sign(lists[:, None] - lists[None])).scores.round(4)       # Borda's over 2
    array([0.75  , 0.4167, 0.3333])
    """
    won, (count, _, lists) = wins(preferences), preferences.shape
    return ordered((1 + (won - won.T).sum(axis=1) / lists / max(1, count - 1)) / 2)


@aggregation(
    "MeanRank",
    title="Mean rank",
    source="Friedman, JASA 32(200), 1937, doi:10.1080/01621459.1937.10503522",
    range=(None, -1),
)
def meanrank(preferences: Floats) -> Order:
    """The rank that one has in the mean over lists: the least is best.

    Equal ones share the mean of their ranks, 1, 2.5, 2.5, 4, so that its order is Borda's. Where
    the highest score is to be first, its negative stands for it.

    Two lists rank a above b above c, one ranks c above a and b, which tie:

    >>> import numpy as np
    >>> lists = np.array([[2, 2, 0], [1, 1, 0], [0, 0, 1]])     # a, b, c: higher is better
    >>> order = meanrank(np.sign(lists[:, None] - lists[None]))
    >>> -order.scores.round(4)     # (1 + 1 + 2.5) / 3, (2 + 2 + 2.5) / 3, (3 + 3 + 1) / 3
    array([1.5   , 2.1667, 2.3333])
    """
    won, (count, _, lists) = wins(preferences), preferences.shape
    return ordered(((won - won.T).sum(axis=1) / lists - (count + 1)) / 2)


@aggregation(
    "RankSum",
    title="Sum of ranks",
    source="Friedman, JASA 32(200), 1937, doi:10.1080/01621459.1937.10503522",
    range=(None, -1),
)
def ranksum(preferences: Floats) -> Order:
    """The ranks that one has, added up: the least sum is best. Its score is the negative sum.

    Equal ones share the best of their ranks: 1, 2, 2, 4. Without ties it is the order of Borda.

    Two lists rank a above b above c, one ranks c above a and b, which tie:

    >>> import numpy as np
    >>> lists = np.array([[2, 2, 0], [1, 1, 0], [0, 0, 1]])     # a, b, c: higher is better
    >>> order = ranksum(np.sign(lists[:, None] - lists[None]))
    >>> -order.scores                   # 1 + 1 + 2, 2 + 2 + 2, 3 + 3 + 1
    array([4., 6., 7.])
    """
    return ordered(-ranks(preferences).sum(axis=1).astype(np.float64))


def ranks(preferences: Floats) -> Floats:
    """The rank of each submission in each list, from 1; equal ones share the best."""
    sums = totals(preferences)
    above = sums[:, None, :] < sums[None, :, :] - NOISE * len(sums)
    rank: Floats = 1.0 + above.sum(axis=1, dtype=np.float64)
    return rank


@aggregation(
    "Copeland",
    title="Copeland's method",
    source="Saari and Merlin, The Copeland method, Economic Theory 8, 1996, doi:10.1007/BF01212012",
    range=(0, None),
)
def copeland(preferences: Floats) -> Order:
    """How many submissions one beats, each by a majority of the lists; a draw counts half.

    It beats another when more lists rank it above than below. A list ranks the
    submissions by the sum of their preferences in it, and equal sums tie. One
    that beats every other is first. Others count a win as 1, a defeat as -1 and
    a draw as 0, which gives the same order. pref_eval does not have it.

    Two lists rank a above b above c, one ranks c above a and b, which tie:

    >>> import numpy as np
    >>> lists = np.array([[2, 2, 0], [1, 1, 0], [0, 0, 1]])     # a, b, c: higher is better
    >>> copeland(np.sign(lists[:, None] - lists[None]))         # a beats b and c, b beats c
    Order(groups=((0,), (1,), (2,)), scores=array([2., 1., 0.]))
    """
    beats = majority(preferences).astype(float)
    return ordered(((len(beats) - 1) + (beats - beats.T).sum(axis=1)) / 2)


Jump = Annotated[
    float,
    Field(gt=0, le=1, description="The chance of a step to just any submission, above 0 up to 1."),
]


@aggregation(
    "MC4",
    title="Markov chain MC4",
    source="Dwork, Kumar, Naor and Sivakumar, WWW 2001, doi:10.1145/371920.372165",
)
def mc4(preferences: Floats, *, jump: Jump = 0.05) -> Order:
    """How often one stands at a submission who always moves on to what most lists prefer.

    From a submission one draws another, all alike, and moves there if more
    lists rank it above than below; else one stays. With the chance `jump` one
    moves there without asking, so that every submission can be reached and the
    share of time at each has one value; it is solved for, and shares within 1e-9
    tie. A list ranks the submissions by the sum of their preferences in it, and
    equal sums tie.

    pref_eval does not jump and stops after ten steps, wherever the shares are by
    then; it orders equal ones, in lists as well, by name, the later in the
    alphabet first. There identical submissions do not tie.

    Of two submissions most lists prefer the first. One leaves it by a jump only,
    .05 / 2, and the second by a jump or the move, .05 / 2 + .95 / 2 = .5:

    >>> preferred = np.array([[0, 1], [-1, 0]])[:, :, None]
    >>> mc4(preferred)                           # .5 / .525 and .025 / .525
    Order(groups=((0,), (1,)), scores=array([0.95238095, 0.04761905]))
    """
    beaten = majority(preferences).T  # by the column's submission
    count = len(beaten)
    moves = beaten / count
    np.fill_diagonal(moves, 1 - moves.sum(axis=1))
    # shares = (1 - jump) moves' shares + jump / count, which add up to 1 by themselves
    chain = np.eye(count) - (1 - jump) * moves.T
    return ordered(np.linalg.solve(chain, np.full(count, jump / count)), within=1e-9)
