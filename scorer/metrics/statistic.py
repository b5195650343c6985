"""Statistics of all lists together: what a pooled metric's rows become, and draws of its lists.

A metric that gives `Statistics` names one of these as its `statistic=`. Each
has `figure(statistics, **params)`, the value of any set of lists; how intervals,
tests and tiers are made depends on which one it is.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from scorer.core.arrays import Floats
from scorer.views.pooled import Statistics, shares

Value = Callable[..., float]


class TooManyTerms(Exception):
    """The lists have more terms than draws of them can be made of; the message is a clause."""


@dataclass(frozen=True, eq=False)
class Sums:
    """A function of column sums: `of_sums(sums, **params)`, (draws, width) -> (draws,).

    It is NaN where undefined. `terms(statistics, **params)`, (lists, width), gives what is
    summed if not the rows themselves; `exact(statistics, **params)` the value, where sums
    give it less exactly, or to the first order only. `rests(terms, **params)`, of terms
    (lists, width), is how many lists the value hangs on: those of the rarest class, say.
    """

    of_sums: Callable[..., Floats]
    terms: Callable[..., Floats] | None = None
    exact: Value | None = None
    rests: Callable[..., float] | None = None

    def figure(self, statistics: Statistics, **params: Any) -> float:
        """The value of these lists."""
        if self.exact is not None:
            return float(self.exact(statistics, **params))
        return float(self.of_sums(statistics.rows.sum(axis=0)[None], **params)[0])

    def summed(self, statistics: Statistics, **params: Any) -> Floats:
        """The terms of each list, (lists, width)."""
        if self.terms is None:
            return statistics.sums()
        return self.terms(statistics, **params)


def Share(then: Callable[[Any], Any] = lambda share: share) -> Sums:
    """The sum of the first column over that of the second, `then` its root, say."""
    return Sums(
        lambda sums, **_: then(shares(sums)), exact=lambda statistics, **_: then(statistics.share())
    )


@dataclass(frozen=True, eq=False)
class Weighted:
    """A function of lists with weights: `weighted(statistics, weights, **params)`, once a draw.

    `weights`, (lists,), says how often each list counts. `smooth` is false where one list
    of many does not move the value, as in a median; tests then let each list count several
    times more, instead of leaving it out. `refuses(statistics)` says, as a clause, why nothing
    is drawn; '' where something is.
    """

    weighted: Value
    smooth: bool = True
    refuses: Callable[[Statistics], str] | None = None

    def figure(self, statistics: Statistics, **params: Any) -> float:
        """The value of these lists, each counted once."""
        lists = max(statistics.lists, int(statistics.in_list.max(initial=-1)) + 1)
        return float(self.weighted(statistics, np.ones(lists), **params))


@dataclass(frozen=True, eq=False)
class Unbootstrappable:
    """A value of which no bootstrap is valid, or known; `why`, as a clause."""

    value: Value
    why: str = ""  # nobody said

    def figure(self, statistics: Statistics, **params: Any) -> float:
        """The value of these lists."""
        return float(self.value(statistics, **params))


def fewest(step: int, *columns: int) -> Callable[..., float]:
    """The `rests` of terms of which every `step` stand for a class: their least frequent one.

    `columns` are the terms that say whether a list counts for it.
    """

    def rests(terms: Floats, **_: Any) -> float:
        chosen = [at for at in range(terms.shape[1]) if at % step in columns]
        times = np.count_nonzero(terms[:, chosen], axis=0)
        return float(times[times > 0].min(initial=len(terms)))

    return rests


Statistic = Sums | Weighted | Unbootstrappable
