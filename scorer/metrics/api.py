"""The contract of metrics: what a metric declares, and what it returns.

A metric is a function decorated with `metric`. The type of its first argument says which view it
reads, its keyword-only arguments are its parameters, its docstring is its page. It returns a
`Ratio`, a `Figure`, or an array with one value per list; one that reads `Ranked`, a number.
"""

from __future__ import annotations

import inspect
import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import Any, Literal, NamedTuple, ParamSpec, Protocol, TypeVar, cast, get_args
from typing import get_type_hints as read_annotations

import numpy as np
from numpy.typing import ArrayLike
from pydantic import BaseModel, ConfigDict, create_model

from scorer.challenge.public import ClassCells
from scorer.core.arrays import Floats, Ints, Mask
from scorer.core.errors import PluginError
from scorer.core.plugins import PLUGIN, load_module, mark
from scorer.metrics.parameters import (
    Average,
    BehindAt,
    FromChallenge,
    JudgedOnly,
    NamesClasses,
    Needs,
)
from scorer.views.ranked import Ranked, Ties

Arguments = ParamSpec("Arguments")
Result_co = TypeVar("Result_co", bound="Ratio | Figure | Floats | float", covariant=True)
Bounds = tuple[float | None, float | None]  # the lowest and highest value; None: there is no limit
Better = Literal["higher", "lower"]
Aggregate = Literal["mean", "sum", "pooled"]


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


@dataclass(frozen=True, eq=False)
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


@dataclass(frozen=True, eq=False)
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
    >>> hits = Judged.of((["a", "x", "b"], {"a": 1, "b": 2})).hits
    >>> ratio = sum_of_rows(hits, {"grade": hits.grade}, 2, "R")
    >>> ratio.values(), ratio.formula  # (1 + 2) / 2
    (array([1.5]), 'sum / R')

    Args:
        rows: What has a method `total`, such as `Hits`.
        columns: What an explanation shows, shape (rows,) each, by heading; the last one is summed.
        divisor: Shape (lists,), or one number.
        divisor_name: The word for the divisor in the formula; empty if it is 1.
        name: The word for the sum.
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


@dataclass(frozen=True, eq=False)
class Metric:
    """A function with what `metric` declares about it; the fields are documented there."""

    name: str
    function: Callable[..., Result]
    title: str
    source: str
    latex: str = ""
    tools: str = ""
    aliases: tuple[str, ...] = ()
    range: Bounds = (0, 1)
    better: Better = "higher"
    aggregate: Aggregate = "mean"
    undefined: str = ""
    ties: tuple[Ties, ...] = ()
    truth_order: Literal["weak", "strict"] | None = None
    columns: tuple[str, ...] = ()
    soft_truth: bool = False
    check: Callable[[str], str | None] | None = None
    explain: Callable[..., Any] | None = None
    kind: str | None = None  # the only kind of challenge it is for; None: all that have its view
    # makes the metric in another process; None: it is found by its function
    remake: Callable[[], Metric] | None = None

    def __reduce__(self) -> tuple[Any, ...]:
        """Pickle by the function's name, since not all fields can be pickled."""
        if self.remake is not None:
            return self.remake, ()
        if self.function.__module__.startswith(PLUGIN):
            path = Path(self.function.__code__.co_filename)
            # With the content of its file, which another machine may not have.
            return metric_of_file, (path, path.read_bytes(), self.function.__qualname__, self.kind)
        return _metric_of, (self.function, self.kind)

    @cached_property
    def view(self) -> type:
        """The type of the function's first argument, such as `Judged`."""
        first = next(iter(inspect.signature(self.function).parameters), "")
        view = self._annotations.get(first)
        if not isinstance(view, type) or not hasattr(view, "kinds"):
            raise PluginError(
                f"metric {self.name}: its first argument needs the type of what it looks at "
                "(Judged, Ranked, ...)"
            )
        return view

    @property
    def kinds(self) -> frozenset[str]:
        """The kinds of challenge that it fits."""
        kinds: frozenset[str] = self.view.kinds  # type: ignore[attr-defined]
        return kinds if self.kind is None else frozenset({self.kind})

    @property
    def precedence(self) -> int:
        """Where several metrics have one name: ranked lists come first, tables last."""
        return 0 if "grades" in self.kinds else 1 + (self.kinds == {"labels"})

    @cached_property
    def by_kind(self) -> tuple[Metric, ...]:
        """One metric for each kind of challenge, where it is for rows of tables and for ratings.

        Ratings are pooled, unless `average=lists` is written.
        """
        if self.kinds != {"labels", "ratings"}:  # `kind` may have chosen one of them
            return (self,)
        of_ratings = replace(self, kind="ratings", aggregate="pooled")
        return replace(self, kind="labels"), of_ratings

    @cached_property
    def own_parameters(self) -> dict[str, tuple[Any, Any]]:
        """The type and the default of each keyword-only argument, `...` where it must be given."""
        parameters: dict[str, tuple[Any, Any]] = {}
        _, *arguments = inspect.signature(self.function).parameters.values()
        for argument in arguments:
            if argument.kind is not argument.KEYWORD_ONLY:
                raise PluginError(f"metric {self.name}: {argument.name} must be keyword-only")
            default = ... if argument.default is argument.empty else argument.default
            parameters[argument.name] = self._annotations.get(argument.name, Any), default
        return parameters

    @cached_property
    def options(self) -> dict[str, tuple[Any, Any]]:
        """The parameters that scorer adds: what they do is done around the function."""
        options: dict[str, tuple[Any, Any]] = {}
        ranked = self.view is Ranked or hasattr(self.view, "only_judged")
        if ranked and self.remake is None:  # not of a formula of other measures
            options["judged_only"] = JudgedOnly, False
        if self.can_pool:
            options["average"] = Average, "pooled" if self.aggregate == "pooled" else "lists"
        return {name: each for name, each in options.items() if name not in self.own_parameters}

    @cached_property
    def parameters(self) -> type[BaseModel]:
        """A pydantic model of all parameters, in the order of the signature, then the options."""
        fields: dict[str, Any] = {**self.own_parameters, **self.options}
        config = ConfigDict(extra="forbid", frozen=True, allow_inf_nan=False)
        return create_model(self.name, __config__=config, **fields)

    @cached_property
    def can_pool(self) -> bool:
        """Whether lists can have a value each, or one together: of ratios, unless of table rows.

        A metric that is declared as pooled, and of one kind alone, has one value of all lists.
        """
        returns = self._annotations.get("return")
        declared = getattr(self.function, "metric", self)
        one_value = declared.aggregate == "pooled" and declared.kind is not None
        rows = self.kinds <= {"labels"}
        own_average = self._annotations.get("average") == Average
        pools = returns is Ratio or (returns is Figure and (self.kind == "ratings" or own_average))
        return pools and not (rows or one_value) and self.aggregate != "sum"

    @property
    def always_pooled(self) -> bool:
        """Whether all lists together have a value, and none of them has one of its own."""
        returns = self._annotations.get("return")
        return not self.can_pool and (self.aggregate == "pooled" or returns is Figure)

    def evaluate(self, view: Any, **params: Any) -> Result:
        """What the function returns, with `judged_only` done before it."""
        if params.get("judged_only") and "judged_only" in self.options:
            view = view.only_judged()
        return self.call(view, params)

    def call(self, view: Any, params: Mapping[str, Any]) -> Result:
        """What the function returns with its own parameters, without the options."""
        own = {name: value for name, value in params.items() if name not in self.options}
        return self.function(view, **own)

    def needs(self, params: Mapping[str, Any]) -> tuple[str, ...]:
        """What the challenge must declare beside its truth, such as "items.features"."""
        return tuple(
            need
            for name, each in self._metadata(Needs)
            for need in each.names(params.get(name), params)
        )

    def class_cells(self, params: Mapping[str, Any]) -> tuple[ClassCells, ClassCells] | None:
        """Where the truth and a submission name classes that must be known; None if nowhere."""
        marked = ((name, each.cells) for name, each in self._metadata(NamesClasses))
        return next((cells(params.get(name), params) for name, cells in marked), None)

    @cached_property
    def cutoff(self) -> str:
        """The parameter that a notation writes after the @, as in `P@5`; empty if none can be."""
        if self.remake is not None:
            return ""  # a parameter of a Kaggle file that is called k is no cut-off
        return next((name for name, _ in self._metadata(BehindAt)), "k")

    def defaults(self, constants: Any) -> dict[str, Any]:
        """The parameters that the challenge decides where nothing is written."""
        return {name: each.value(constants) for name, each in self._metadata(FromChallenge)}

    @property
    def zero_is_bad(self) -> bool:
        """Whether 0 is a bad value; not of errors, nor of logarithms of likelihoods."""
        likelihood = "prediction" in self.columns and self.range[0] is None
        return self.better == "higher" and not likelihood

    @property
    def own(self) -> bool:
        """Whether it is one of scorer's, not a plug-in's."""
        return self.function.__module__.startswith("scorer.")

    @cached_property
    def page(self) -> str:
        """Its documentation."""
        return inspect.getdoc(self.function) or ""

    @cached_property
    def _annotations(self) -> dict[str, Any]:
        return read_annotations(self.function, include_extras=True)

    def _metadata(self, type_: type[Any]) -> list[tuple[str, Any]]:
        """The names of parameters whose types hold such an annotation, with it."""
        return [
            (name, each)
            for name, (annotation, _) in self.own_parameters.items()
            for each in _annotated(annotation)
            if isinstance(each, type_)
        ]


def _annotated(annotation: Any) -> tuple[Any, ...]:
    """The metadata of an annotated type, or of the parts of a union."""
    own = getattr(annotation, "__metadata__", ())
    parts = (part for part in get_args(annotation) if hasattr(part, "__metadata__"))
    return (*own, *(each for part in parts for each in part.__metadata__))


def _metric_of(function: Callable[..., Any], kind: str | None) -> Metric:
    """The metric of a function, for that kind of challenge."""
    metric: Metric = function.metric  # type: ignore[attr-defined]
    if metric.kind == kind:
        return metric
    return next(variant for variant in metric.by_kind if variant.kind == kind)


def metric_of_file(path: Path, content: bytes, name: str, kind: str | None) -> Metric:
    """The metric that a function of a challenge's own file is, by the file's path and content."""
    return _metric_of(getattr(load_module(path, content), name), kind)


class MetricFunction(Protocol[Arguments, Result_co]):
    """A function that `metric` decorates: callable as before, with its `Metric` attached."""

    metric: Metric

    def __call__(self, *args: Arguments.args, **kwargs: Arguments.kwargs) -> Result_co:
        """Evaluate the metric on a view."""


def metric(
    name: str,
    *,
    title: str,
    source: str,
    latex: str = "",
    tools: str = "",
    aliases: tuple[str, ...] = (),
    range: Bounds = (0, 1),
    better: Better = "higher",
    aggregate: Aggregate = "mean",
    undefined: str = "",
    ties: tuple[Ties, ...] = (),
    truth_order: Literal["weak", "strict"] | None = None,
    columns: tuple[str, ...] = (),
    soft_truth: bool = False,
    check: Callable[[str], str | None] | None = None,
    explain: Callable[..., Any] | None = None,
    kind: str | None = None,
) -> Callable[[Callable[Arguments, Result_co]], MetricFunction[Arguments, Result_co]]:
    r"""Return a decorator that makes a function a metric.

    Args:
        name: What challenges call it, such as "nDCG"; case does not matter.
        title: Its full name.
        source: Where the definition comes from.
        latex: The formula of its default form, in the letters of docs/notation.md. Further letters
            are defined behind it: `a / b, \qquad a = ...`.
        tools: Its names in other tools, with what differs in parentheses:
            "trec_eval: map, map_cut_10; lenskit: AP (divides by min(R, n))".
        aliases: Further names that challenges may use.
        range: The lowest and highest possible values; None where there is no limit.
        better: Whether higher or lower values are better.
        aggregate: How the lists' values become one number: "mean", "sum", or "pooled", the value of
            all lists together unless `average=lists` is written.
        undefined: When a list has no value, as a clause.
        ties: What `submission.ties` can be beside rules that put equal scores in an order:
            "expected", the mean over all their orders; "mean-rank", if it reads ranks by the
            methods `weight_at_rank`, `in_top`, `first` and `discounted` of `Hits` alone.
        truth_order: For a metric that compares orders, so that a list's truth needs two items:
            "weak" if grades may be equal, "strict" if equal grades are a fault of the truth.
        columns: Columns that a submission may leave out for others, but not here: "probability".
        soft_truth: Whether a true row can have shares of several classes.
        check: Returns the fault of an answer as a clause, None if there is no fault. It is given
            each different text of the column of items, or labels, and `score check` shows the
            clause.
        explain: Yields the steps to a list's value (scorer.metrics.explain), in place of the
            columns of the `Ratio` or `Figure`, whose equation follows if the steps have none.
        kind: The only kind of challenge that the function is for, where another function with the
            same name is for others; None: all kinds that have the view.
    """

    def decorate(function: Callable[Arguments, Result_co]) -> MetricFunction[Arguments, Result_co]:
        metric_function = cast(MetricFunction[Arguments, Result_co], function)
        metric_function.metric = Metric(
            name=name,
            function=function,
            title=title,
            source=source,
            latex=latex,
            tools=tools,
            aliases=aliases,
            range=range,
            better=better,
            aggregate=aggregate,
            undefined=undefined,
            ties=ties,
            truth_order=truth_order,
            columns=columns,
            soft_truth=soft_truth,
            check=check,
            explain=explain,
            kind=kind,
        )
        return mark(metric_function, metric_function.metric)

    return decorate
