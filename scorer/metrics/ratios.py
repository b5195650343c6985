"""What a metric returns: a ratio of each list, or a figure of all lists together."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from scorer.core.arrays import Floats, Ints, Mask


def divide(numerator: ArrayLike, denominator: ArrayLike) -> Floats:
    """The quotient of two arrays; NaN, which means undefined, where the denominator is not above 0.

    >>> divide([1, 2], [2, 0])
    array([0.5, nan])
    """
    above, below = np.broadcast_arrays(np.asarray(numerator, float), np.asarray(denominator, float))
    quotient = np.full(above.shape, np.nan)
    np.divide(above, below, out=quotient, where=below > 0)
    return quotient


def square_root(quotient: Floats) -> Floats:
    """The `transform` of a ratio that is the root of a mean of squares."""
    return np.asarray(np.sqrt(quotient))


class Table(NamedTuple):
    """The rows of a view that an explanation shows, with what each contributes to the value."""

    rows: Any  # such as `Hits`; it has an array `in_list`
    columns: Mapping[str, ArrayLike]  # shape (rows,), by heading; the last one is summed


@dataclass(slots=True, eq=False)
class Ratio:
    """A value for each list: `numerator / denominator`, undefined where the denominator is 0.

    >>> ratio = Ratio(np.array([1.0, 3.0]), np.array([2.0, 4.0]))
    >>> ratio.values()
    array([0.5 , 0.75])
    >>> ratio.pooled()  # (1 + 3) / (2 + 4)
    0.6666666666666666

    Attributes:
        numerator: Shape (lists,).
        denominator: Shape (lists,), or one number for all lists.
        formula: The value in words, such as "found / k".
        terms: The numbers behind the words of `formula`, each of shape (lists,) or one number.
        table: What an explanation shows above the formula.
        best: What it shows of the best possible list, if anything.
        transform: Makes the value from the quotient, such as `square_root`; defined at the top of a
            module, so that it can be stored and sent.
        defined: The lists that have a value of their own, shape (lists,); None: all whose
            denominator is not 0. In a pooled value all lists count.
        empty: The value of lists whose denominator is 0, shape (lists,) or one number.
    """

    numerator: ArrayLike
    denominator: ArrayLike = 1.0
    formula: str = "numerator / denominator"
    terms: Mapping[str, Any] = field(default_factory=dict)
    table: Table | None = None
    best: Table | None = None
    transform: Callable[[Floats], Floats] | None = None
    defined: Mask | None = None
    empty: ArrayLike = math.nan

    def values(self) -> Floats:
        """The value of each list, shape (lists,); NaN where it is undefined."""
        values = self._transformed(divide(self.numerator, self.denominator))
        values = np.where(np.asarray(self.denominator) == 0, self.empty, values)
        return values if self.defined is None else np.where(self.defined, values, np.nan)

    def pooled(self, weight: ArrayLike = 1.0) -> float:
        """The sum of the numerators over the sum of the denominators, with a weight per list."""
        above, below, weights = np.broadcast_arrays(self.numerator, self.denominator, weight)
        return float(self._transformed(divide((weights * above).sum(), (weights * below).sum())))

    def subset(self, lists: Mask | slice = slice(None)) -> Ratio:
        """The ratio of some lists alone, without what an explanation shows; by default of all."""
        above, below = np.broadcast_arrays(self.numerator, self.denominator)
        above, below = (np.array(side[lists], dtype=np.float64) for side in (above, below))
        return Ratio(above, below, transform=self.transform)

    def share_above(self, thresholds: tuple[float, ...]) -> Ratio:
        """The share of the thresholds that each list's value is above."""
        values = self.values()
        defined = ~np.isnan(values)
        share = (values[:, None] > np.array(thresholds)).mean(axis=1)
        formula = "share of the thresholds below the value"
        return Ratio(share, defined.astype(float), formula, {formula: share}, self.table)

    def _transformed(self, quotient: Floats) -> Floats:
        return quotient if self.transform is None else self.transform(quotient)


@dataclass(slots=True, eq=False)
class Figure:
    """One value for all lists together, such as a correlation or a median, computed from rows.

    >>> def weighted_mean(columns, weight):
    ...     return np.average(columns["error"], weights=weight)
    >>> figure = Figure(weighted_mean, {"error": np.array([1.0, 4.0])}, in_list=np.array([0, 1]))
    >>> figure.pooled(), figure.pooled(np.array([2.0, 1.0]))
    (2.5, 2.0)

    Attributes:
        function: Computes the value from `columns` and the rows' weights, shape (rows,), all
            above 0 unless `zero_weights`; NaN where it is undefined. It is defined at the top of a
            module, or a `partial` of such a function, so that it can be stored and sent.
        columns: Arrays of shape (rows,) or (rows, n) by name.
        in_list: The number of each row's list, shape (rows,).
        no_bootstrap: Why resampled lists give no valid interval, as a clause; empty if they do.
        smooth: Whether leaving a list out shows what it adds; not so of a median.
        zero_weights: Whether `function` can be given weights of 0, which is faster than to leave
            these rows out.
        class_columns: The columns that hold classes as numbers, below 0 for none, where few rows
            of one class make a value uncertain; with shape (rows, n) they are n columns.
        formula: The value in words, if there are short ones.
        empty: The value of no rows, for which `function` is not called.
    """

    function: Callable[[Mapping[str, Any], Floats], float]
    columns: Mapping[str, Any]
    in_list: Ints
    no_bootstrap: str = ""
    smooth: bool = True
    zero_weights: bool = False
    class_columns: tuple[str, ...] = ()
    formula: str = ""
    empty: float = math.nan

    def pooled(self, weight: ArrayLike | None = None) -> float:
        """The value of all lists; list i counts `weight[i]` times, or once without `weight`."""
        figure, row_weight = self, np.ones(self.in_list.size)
        if weight is not None:
            row_weight = np.asarray(weight, dtype=np.float64)[self.in_list]
            counted = np.flatnonzero(row_weight > 0)
            if counted.size < row_weight.size and not (self.zero_weights and counted.size):
                figure, row_weight = self.subset_rows(counted), row_weight[counted]
        if not row_weight.size:
            return self.empty
        return float(figure.function(figure.columns, row_weight))

    def values(self, lists: int) -> Floats:
        """The value of each list by itself, shape (lists,)."""
        order = np.argsort(self.in_list, kind="stable")
        edges = np.searchsorted(self.in_list[order], np.arange(1, lists))
        return np.array([self.subset_rows(rows).pooled() for rows in np.split(order, edges)])

    def subset(self, lists: Mask) -> Figure:
        """The figure of some lists alone, numbered from 0."""
        if lists.all():
            return self
        rows = self.subset_rows(lists[self.in_list])
        return replace(rows, in_list=(np.cumsum(lists) - 1)[rows.in_list])

    def subset_rows(self, rows: Ints | Mask) -> Figure:
        """The figure of some rows alone, given by their numbers or as a mask."""
        if rows.dtype == bool and rows.all():
            return self
        places = np.flatnonzero(rows) if rows.dtype == bool else rows
        columns = {name: column.take(places, axis=0) for name, column in self.columns.items()}
        return replace(self, columns=columns, in_list=self.in_list[places])

    @property
    def rarest_class(self) -> float | None:
        """How many rows the rarest class has; None where there are no classes."""
        columns = [
            column
            for name in self.class_columns
            for column in np.atleast_2d(np.transpose(self.columns[name]))
        ]
        counts = [np.unique(column[column >= 0], return_counts=True)[1] for column in columns]
        return min((float(count.min()) for count in counts if count.size), default=None)


Result = Ratio | Figure | Floats | float


def sum_of_rows(
    rows: Any,
    columns: Mapping[str, ArrayLike],
    divisor: ArrayLike = 1.0,
    divisor_name: str = "",
    *,
    name: str = "sum",
) -> Ratio:
    """The sum of a value over the rows of each list, divided by `divisor`.

    >>> from scorer.views.ranked import Judged
    >>> hits = judged_view((["a", "x", "b"], {"a": 1, "b": 2})).hits
    >>> ratio = sum_of_rows(hits, {"grade": hits.grade}, 2, "R")
    >>> ratio.values(), ratio.formula  # (1 + 2) / 2
    (array([1.5]), 'sum / R')

    Args:
        rows: What has a method `total`, such as `Hits`.
        columns: What an explanation shows, shape (rows,) each, by heading; the last one is summed.
        divisor: Shape (lists,), or one number.
        divisor_name: The word for the divisor in the formula; empty if it is 1.
    """
    *_, summands = columns.values()
    total = rows.total(summands)
    formula = f"{name} / {divisor_name}" if divisor_name else name
    terms = {name: total, divisor_name: divisor} if divisor_name else {name: total}
    return Ratio(total, divisor, formula, terms, Table(rows, columns))


def mean_of_rows(
    view: Any,
    values: ArrayLike,
    heading: str,
    *,
    weights: Floats | None = None,
    transform: Callable[[Floats], Floats] | None = None,
    columns: Mapping[str, ArrayLike] | None = None,
) -> Ratio:
    """The mean of a value over the rows of each list, by their weights.

    Args:
        view: What has rows, such as `Targets`: it has `weights`, `in_list` and `total`.
        values: The value of each row, shape (rows,).
        heading: What a row's value is, such as "squared error".
        weights: Of the rows, shape (rows,); None: the view's.
        transform: Makes the value from the mean, as in `Ratio`.
        columns: What an explanation shows before the values, shape (rows,) each, by heading.
    """
    row_weights = view.weights if weights is None else weights
    shown = {**(columns or {}), heading: row_weights * np.asarray(values, dtype=np.float64)}
    mean = sum_of_rows(view, shown, view.total(row_weights), "rows", name=f"sum of {heading}")
    formula = f"sqrt({mean.formula})" if transform is square_root else mean.formula
    return replace(mean, formula=formula, transform=transform)
