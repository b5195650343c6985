"""Aggregations: an order of the submissions from their preferences, list by list.

An aggregation is given preferences of shape (submissions, submissions, lists), none of them NaN,
and returns an `Order`. All but Mean rank the submissions of each list by the sum of their
preferences in it; equal sums tie.
"""

from __future__ import annotations

from typing import Annotated

import numpy as np
from pydantic import Field

from scorer.core.arrays import Floats
from scorer.preferences.base import (
    AllPreferences,
    Methods,
    Order,
    levels,
    majority,
    order_by_scores,
    wins,
)

aggregations = Methods("aggregation", AllPreferences)


def _mean_margin(preferences: Floats) -> Floats:
    """Return how many others a submission ranks above less how many below, the mean over lists.

    Borda's count and the mean rank follow from it. Each of the n - 1 others is above, below or
    tied, so that the others below and half of the tied ones are (n - 1 + margin) / 2. The mean
    rank, 1 plus the others above and half of the tied ones, is (n + 1 - margin) / 2.
    """
    won = wins(preferences)
    margins: Floats = (won - won.T).sum(axis=1) / preferences.shape[2]
    return margins


@aggregations.define(
    "Mean",
    title="Mean preference",
    source="pref_eval's README (github.com/diazf/pref_eval), Evaluating More Than One System; "
    "Diaz and Ferraro, SIGIR 2022, doi:10.1145/3477495.3532033",
)
def mean(preferences: Floats) -> Order:
    """How much a submission is preferred, in the mean over lists and over the others.

    Unlike the other aggregations it takes the size of preferences into account, not only their
    sign. Of two submissions it is the mean that pref_eval prints as its summary (`all`), once with
    each sign.

    Three submissions and one list:

    >>> one_list = np.array([[0, 0.5, 1], [-0.5, 0, 0.2], [-1, -0.2, 0]])[:, :, None]
    >>> mean(one_list)                                     # 1.5 / 2, -0.3 / 2, -1.2 / 2
    Order(groups=((0,), (1,), (2,)), scores=array([ 0.75, -0.15, -0.6 ]))
    """
    return order_by_scores(preferences.sum(axis=1).mean(axis=1) / max(1, len(preferences) - 1))


@aggregations.define(
    "Borda",
    title="Borda count",
    source="Dwork, Kumar, Naor and Sivakumar, WWW 2001, doi:10.1145/371920.372165",
)
def borda(preferences: Floats) -> Order:
    """How many others a submission ranks above, in the mean over lists; a tie counts half.

    The paper counts so. pref_eval counts one more for each list; of tied submissions it gives the
    one whose name is later in the alphabet more points, and it orders equal counts so, too.

    Two lists rank a above b above c, one ranks c above a and b, which tie:

    >>> lists = np.array([[2, 2, 0], [1, 1, 0], [0, 0, 1]])     # a, b, c: higher is better
    >>> order = borda(np.sign(lists[:, None] - lists[None]))
    >>> order.scores.round(4)          # (2 + 2 + 1/2) / 3, (1 + 1 + 1/2) / 3, (0 + 0 + 2) / 3
    array([1.5   , 0.8333, 0.6667])
    >>> order.groups
    ((0,), (1,), (2,))
    """
    return order_by_scores(((len(preferences) - 1) + _mean_margin(preferences)) / 2)


@aggregations.define(
    "WinRate",
    title="Mean win rate",
    source="Liang and others, Holistic Evaluation of Language Models, TMLR 2023, "
    "doi:10.48550/arXiv.2211.09110",
)
def winrate(preferences: Floats) -> Order:
    """The share of the others that a submission ranks above, in the mean over lists.

    A tie counts half: it is Borda's count over the number of the others, from 0 to 1.

    Two lists rank a above b above c, one ranks c above a and b, which tie:

    >>> lists = np.array([[2, 2, 0], [1, 1, 0], [0, 0, 1]])     # a, b, c: higher is better
    >>> winrate(np.sign(lists[:, None] - lists[None])).scores.round(4)       # Borda's over 2
    array([0.75  , 0.4167, 0.3333])
    """
    return order_by_scores((1 + _mean_margin(preferences) / max(1, len(preferences) - 1)) / 2)


@aggregations.define(
    "MeanRank",
    title="Mean rank",
    source="Friedman, JASA 32(200), 1937, doi:10.1080/01621459.1937.10503522",
)
def meanrank(preferences: Floats) -> Order:
    """The rank of a submission in the mean over lists: the least is best.

    Tied submissions share the mean of their ranks, such as 1, 2.5, 2.5, 4, so that the order is
    Borda's. The score is the negative mean rank: the highest is best.

    Two lists rank a above b above c, one ranks c above a and b, which tie:

    >>> lists = np.array([[2, 2, 0], [1, 1, 0], [0, 0, 1]])     # a, b, c: higher is better
    >>> order = meanrank(np.sign(lists[:, None] - lists[None]))
    >>> -order.scores.round(4)     # (1 + 1 + 2.5) / 3, (2 + 2 + 2.5) / 3, (3 + 3 + 1) / 3
    array([1.5   , 2.1667, 2.3333])
    """
    return order_by_scores((_mean_margin(preferences) - (len(preferences) + 1)) / 2)


@aggregations.define(
    "RankSum",
    title="Sum of ranks",
    source="Friedman, JASA 32(200), 1937, doi:10.1080/01621459.1937.10503522",
)
def ranksum(preferences: Floats) -> Order:
    """The sum of a submission's ranks: the least is best. The score is the negative sum.

    Tied submissions share the best of their ranks: 1, 2, 2, 4. Without ties the order is Borda's.

    Two lists rank a above b above c, one ranks c above a and b, which tie:

    >>> lists = np.array([[2, 2, 0], [1, 1, 0], [0, 0, 1]])     # a, b, c: higher is better
    >>> order = ranksum(np.sign(lists[:, None] - lists[None]))
    >>> -order.scores                   # 1 + 1 + 2, 2 + 2 + 2, 3 + 3 + 1
    array([4., 6., 7.])
    """
    level = levels(preferences)  # of each submission in each list, higher is better
    ranks = 1.0 + (level[:, None] < level).sum(axis=1)
    return order_by_scores(-ranks.sum(axis=1))


@aggregations.define(
    "Copeland",
    title="Copeland's method",
    source="Saari and Merlin, The Copeland method, Economic Theory 8, 1996, doi:10.1007/BF01212012",
)
def copeland(preferences: Floats) -> Order:
    """How many others a submission beats, each by a majority of the lists; a draw counts half.

    A submission beats another if more lists rank it above than below. One that beats every other
    is first. Other authors count a win as 1, a defeat as -1 and a draw as 0, which gives the same
    order. pref_eval does not have it.

    Two lists rank a above b above c, one ranks c above a and b, which tie:

    >>> lists = np.array([[2, 2, 0], [1, 1, 0], [0, 0, 1]])     # a, b, c: higher is better
    >>> copeland(np.sign(lists[:, None] - lists[None]))         # a beats b and c, b beats c
    Order(groups=((0,), (1,), (2,)), scores=array([2., 1., 0.]))
    """
    beats = majority(preferences).astype(float)
    return order_by_scores(((len(beats) - 1) + (beats - beats.T).sum(axis=1)) / 2)


Jump = Annotated[
    float,
    Field(gt=0, le=1, description="The chance of a step to just any submission, above 0 up to 1."),
]


@aggregations.define(
    "MC4",
    title="Markov chain MC4",
    source="Dwork, Kumar, Naor and Sivakumar, WWW 2001, doi:10.1145/371920.372165",
)
def mc4(preferences: Floats, *, jump: Jump = 0.05) -> Order:
    """How often a random walk visits a submission, if it moves on to what most lists prefer.

    Each step draws a submission, all with the same chance, and goes there if more lists rank it
    above the present one than below; else the walk stays. With the chance `jump` it goes there in
    any case, so that every submission can be reached and the share of time at each has one value,
    which is solved for. Shares within 1e-9 tie.

    pref_eval does not jump, and stops after ten steps, before the shares are stable. It orders
    equal scores and equal shares by name, the later in the alphabet first, so that identical
    submissions do not tie.

    Of two submissions most lists prefer the first. The walk leaves it by a jump only, .05 / 2, and
    leaves the second by a jump or the move, .05 / 2 + .95 / 2 = .5:

    >>> preferred = np.array([[0, 1], [-1, 0]])[:, :, None]
    >>> mc4(preferred)                           # .5 / .525 and .025 / .525
    Order(groups=((0,), (1,)), scores=array([0.95238095, 0.04761905]))
    """
    beaten = majority(preferences).T  # whether the row's submission is beaten by the column's
    count = len(beaten)
    moves = beaten / count
    np.fill_diagonal(moves, 1 - moves.sum(axis=1))
    # solves: shares = (1 - jump) * moves.T @ shares + jump / count; the solution adds up to 1
    chain = np.eye(count) - (1 - jump) * moves.T
    return order_by_scores(np.linalg.solve(chain, np.full(count, jump / count)), within=1e-9)
