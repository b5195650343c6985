"""A part over a whole for each list, with what an explanation shows of it.

A metric that returns a `Quotient` needs no `explain=`: the value and its
explanation come from the same arrays (`scorer.metrics.explain.worked`).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from scorer.core.arrays import Floats
from scorer.views.hits import Hits, ratio
from scorer.views.pooled import Statistics, ratios

Table = tuple[Any, Mapping[str, ArrayLike]]  # items of the view, and their columns by headings

NOTHING_RELEVANT = "Nothing is relevant in the truth, R = 0"


@dataclass(frozen=True, eq=False)
class Quotient:
    """`part` over `whole`, shape (lists,) or one number; undefined where `whole` is 0.

    `says` is the formula in symbols; `table` gives the items that count and what is shown
    of them, and is called for explanations alone.
    """

    part: ArrayLike
    whole: ArrayLike | None  # None: `part` is the value
    says: str
    table: Callable[[], Table] | None = None
    numbers: str = "{} / {}"  # `says` with a {} for each of `terms`
    terms: Sequence[ArrayLike] | None = None  # (lists,) or one number each; None: part and whole
    summands: Floats | None = None  # of each item in the table: `part` is their sum
    relevant: float | None = None  # the truth's items with at least this grade are shown
    ideal: Callable[[], Table] | None = None  # the best list, shown after the list
    last: ArrayLike | None = None  # the last rank that is shown; None: the parameter k
    notes: Callable[[], Sequence[str]] = tuple  # sentences before the table
    undefined: str = ""  # a clause that stands for the formula where the value is NaN
    then: Callable[[Floats], Floats] | None = None  # makes the values, such as a root

    @property
    def values(self) -> Floats:
        """The value of each list, NaN where it is undefined."""
        value = np.asarray(self.part) if self.whole is None else ratio(self.part, self.whole)
        return value if self.then is None else self.then(value)

    @property
    def statistics(self) -> Statistics:
        """The parts and wholes of lists, for one quotient of their sums."""
        assert self.whole is not None
        pooled = ratios(self.part, self.whole, "pooled")
        assert isinstance(pooled, Statistics)
        return pooled

    def settled(self, average: str | None) -> Floats | Statistics:
        """The values of lists, or the statistics if `average` is pooled."""
        return self.statistics if average == "pooled" else self.values


@dataclass(frozen=True, eq=False)
class Rowwise:
    """What a table's rows give: their values or statistics, and what an explanation shows of a row.

    `says` is the formula with a {} for the metric's name; `columns`, shape (rows,) each, are by
    their headings, and are made for explanations alone.
    """

    given: Floats | Statistics
    columns: Callable[[], Mapping[str, Any]] = dict
    says: str = "{}, of all rows"


def total(
    hits: Hits, summands: Floats, says: str, columns: Callable[[], dict[str, Any]]
) -> Quotient:
    """The sum of `summands`, shape (hits,), over each list's hits.

    Its table has the columns and, last, the running total.
    """
    return Quotient(
        hits.total(summands),
        None,
        says,
        lambda: (hits, columns() | {"running total": np.cumsum(summands)}),
        numbers="{}",
        summands=summands,
    )


def found(hits: Hits, rel: float) -> Callable[[], Table]:
    """The table of the hits with at least the grade `rel`."""

    def table() -> Table:
        relevant = hits.relevant(rel)
        return relevant, {"found": relevant.within()}

    return table


def or_one(part: Floats, whole: Floats, relevant: Floats, empty: str) -> tuple[Floats, Floats]:
    """Part and whole of sets, with the value of lists where nothing is relevant.

    By `empty`, `one` is 1 of 1 where nothing is returned either, and 0 of something elsewhere;
    `skip` is 0 of 0.
    """
    if empty == "skip":
        return part, whole * (relevant > 0)
    neither = (whole == 0).astype(np.float64)
    return part + neither, whole + neither
