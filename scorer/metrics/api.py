"""The contract of metrics: what a metric declares, and what it returns.

A metric is a function decorated with `metric`. The type of its first argument says which view it
reads, its keyword-only arguments are its parameters, its docstring is its page. It returns a
`Ratio`, a `Figure`, or an array with one value per list; one that reads `Ranked`, a number.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from dataclasses import KW_ONLY, dataclass, fields, replace
from functools import cached_property, partial
from pathlib import Path
from typing import Any, Literal, ParamSpec, Protocol, TypeVar, cast, get_args

from pydantic import BaseModel, ConfigDict, create_model

from scorer.challenge.public import ClassCells
from scorer.core.arrays import Floats
from scorer.core.errors import PluginError
from scorer.core.plugins import PLUGIN, load_module, mark
from scorer.core.text import describe_exception
from scorer.metrics.parameters import (
    AfterAt,
    Average,
    FromChallenge,
    JudgedOnly,
    NamesClasses,
    Needs,
)
from scorer.metrics.ratios import Figure, Ratio, Result
from scorer.views.columns import View
from scorer.views.ranked import Ties

Arguments = ParamSpec("Arguments")
Result_co = TypeVar("Result_co", bound="Ratio | Figure | Floats | float", covariant=True)
Bounds = tuple[float | None, float | None]  # the lowest and highest value; None: there is no limit
Better = Literal["higher", "lower"]
Aggregate = Literal["mean", "sum"]
Pooling = Literal["by result", "never", "optional", "default", "always"]

# Whether lists have one value together, if a metric does not say it.
POOLING_OF_RESULTS: Mapping[Any, Pooling] = {Ratio: "optional", Figure: "always"}
# In a table, where each list is a row, nothing is left to choose.
POOLING_OF_ROWS: Mapping[Pooling, Pooling] = {"optional": "never", "default": "always"}


def no_domain(params: Mapping[str, Any]) -> Mapping[str, tuple[float, float]]:
    """The domain of a metric that is made for all numbers."""
    return {}


def not_decorated(view: Any) -> float:
    """The function of a metric that is not declared yet."""
    raise PluginError("a metric is evaluated that has no function")


@dataclass(frozen=True, eq=False)
class Metric:
    r"""What a metric declares, as a decorator of its function; then both together.

    Attributes:
        name: What challenges call it, such as "nDCG"; case does not matter.
        title: Its full name.
        source: Where the definition comes from.
        latex: The formula of its default form, in the letters of docs/metrics.md. Further letters
            are defined behind it: `a / b, \qquad a = ...`.
        tools: Its names in other tools, with what differs in parentheses:
            "trec_eval: map, map_cut_10; lenskit: AP (divides by min(R, n))".
        aliases: Further names that challenges may use.
        range: The lowest and highest possible values; None where there is no limit.
        better: Whether higher or lower values are better.
        zero_is_bad: Whether 0 is a bad value where higher is better, so that it can replace one
            that is missing.
        aggregate: How the lists' values become one number: their mean or their sum.
        pooling: Whether all lists together have a value: "never"; "optional", where a challenge
            writes `average=pooled`; "default", unless it writes `average=lists`; "always", and then
            no list has one of its own. "by result" is optional for a `Ratio`, always for a `Figure`
            and never for an array. The rows of a table leave no choice: there optional is never,
            and default is always.
        undefined: When a list has no value, as a clause.
        ties: What `submission.ties` can be beside rules that put equal scores in an order:
            "expected", the mean over all their orders; "mean-rank", if it reads ranks by the
            methods `weight_at_rank`, `in_top`, `first` and `discounted` of `Hits` alone.
        truth_order: For a metric that compares orders, so that a list's truth needs two items:
            "weak" if grades may be equal, "strict" if equal grades are a fault of the truth.
        columns: Columns that a submission may leave out for others, but not here: "probability".
        domain: From the parameters to the numbers that the metric is made for: the role of a column
            -> the lowest and the highest one. A submission with others is refused.
        soft_truth: Whether a true row can have shares of several classes.
        check: Returns the fault of an answer as a clause, None if there is no fault. It is given
            each different text of the column of items, or labels, and `score check` shows the
            clause.
        explain: Yields the steps to a list's value (scorer.metrics.steps), in place of the
            columns of the `Ratio` or `Figure`, whose equation follows if the steps have none.
        kind: The only kind of challenge that the function is for, where another function with the
            same name is for others; None: all kinds that have the view.
        view: What the function looks at; `View`: the type of its first argument.
        docs: Its documentation; "": the function's docstring.
        in_catalogue: Whether it is found by its name and has a page. One that a challenge or a
            board makes for itself has neither, and neither a cut-off nor `judged_only`.
        function: The function.
    """

    name: str
    _: KW_ONLY
    title: str
    source: str
    latex: str = ""
    tools: str = ""
    aliases: tuple[str, ...] = ()
    range: Bounds = (0, 1)
    better: Better = "higher"
    zero_is_bad: bool = True
    aggregate: Aggregate = "mean"
    pooling: Pooling = "by result"
    undefined: str = ""
    ties: tuple[Ties, ...] = ()
    truth_order: Literal["weak", "strict"] | None = None
    columns: tuple[str, ...] = ()
    domain: Callable[[Mapping[str, Any]], Mapping[str, tuple[float, float]]] = no_domain
    soft_truth: bool = False
    check: Callable[[str], str | None] | None = None
    explain: Callable[..., Any] | None = None
    kind: str | None = None
    view: type[View] = View
    docs: str = ""
    in_catalogue: bool = True
    function: Callable[..., Result] = not_decorated

    def __call__(
        self, function: Callable[Arguments, Result_co]
    ) -> MetricFunction[Arguments, Result_co]:
        """Return the function, whose attribute `metric` is this metric with the function."""
        metric_function = cast(MetricFunction[Arguments, Result_co], function)
        metric_function.metric = self.of(function)
        return mark(metric_function, metric_function.metric)

    def of(self, function: Callable[..., Any]) -> Metric:
        """Return this metric with its function, and with what the function's types say.

        Raises:
            PluginError: The function has no view, or an unknown declaration.
        """
        if self.aggregate not in get_args(Aggregate):
            raise PluginError(
                f"metric {self.name}: aggregate is 'mean' or 'sum', not {self.aggregate!r}; one "
                "value of all lists together is pooling='default', or 'always'"
            )
        if self.pooling not in get_args(Pooling):
            choices = ", ".join(map(repr, get_args(Pooling)))
            raise PluginError(f"metric {self.name}: pooling is one of {choices}")
        signature = _read_signature(self.name, function)
        first = next(iter(signature.parameters.values()), None)
        view = first.annotation if self.view is View and first is not None else self.view
        if not isinstance(view, type) or not issubclass(view, View) or view is View:
            raise PluginError(
                f"metric {self.name}: its first argument needs the type of what it looks at "
                "(Judged, Ranked, ...)"
            )
        pooling = self.pooling
        if pooling == "by result":
            pooling = POOLING_OF_RESULTS.get(signature.return_annotation, "never")
        if self.kind == "labels" or (self.kind is None and view.kinds == {"labels"}):
            pooling = POOLING_OF_ROWS.get(pooling, pooling)
        zero_is_bad = self.zero_is_bad and self.better == "higher"
        return replace(self, function=function, view=view, pooling=pooling, zero_is_bad=zero_is_bad)

    def __reduce__(self) -> tuple[Any, ...]:
        """Pickle by the function's name if that has this metric, since not all fields pickle."""
        declared = getattr(self.function, "metric", None)
        if declared is None or self not in (declared, *declared.by_kind):
            values = {each.name: getattr(self, each.name) for each in fields(self)}
            return partial(Metric, **values), ()
        if self.function.__module__.startswith(PLUGIN):
            path = Path(self.function.__code__.co_filename)
            # With the content of its file, which another machine may not have.
            return metric_of_file, (path, path.read_bytes(), self.function.__qualname__, self.kind)
        return _metric_of, (self.function, self.kind)

    @property
    def kinds(self) -> frozenset[str]:
        """The kinds of challenge that it fits."""
        return self.view.kinds if self.kind is None else frozenset({self.kind})

    @cached_property
    def by_kind(self) -> tuple[Metric, ...]:
        """One metric for each kind of challenge, where it is for rows of tables and for ratings.

        Ratings are pooled, unless `average=lists` is written.
        """
        if self.kinds != {"labels", "ratings"}:  # `kind` may have chosen one of them
            return (self,)
        of_rows = POOLING_OF_ROWS.get(self.pooling, self.pooling)
        return (
            replace(self, kind="labels", pooling=of_rows),
            replace(self, kind="ratings", pooling="default"),
        )

    @cached_property
    def own_parameters(self) -> dict[str, tuple[Any, Any]]:
        """The type and the default of each keyword-only argument, `...` where it must be given."""
        parameters: dict[str, tuple[Any, Any]] = {}
        _, *arguments = _read_signature(self.name, self.function).parameters.values()
        for argument in arguments:
            if argument.kind is not argument.KEYWORD_ONLY:
                raise PluginError(f"metric {self.name}: {argument.name} must be keyword-only")
            is_typed = argument.annotation is not argument.empty
            parameters[argument.name] = (
                argument.annotation if is_typed else Any,
                ... if argument.default is argument.empty else argument.default,
            )
        return parameters

    @cached_property
    def options(self) -> dict[str, tuple[Any, Any]]:
        """The parameters that scorer adds: what they do is done around the function."""
        options: dict[str, tuple[Any, Any]] = {}
        if self.view.has_judgements and self.in_catalogue:
            options["judged_only"] = JudgedOnly, False
        if self.pooling in ("optional", "default"):
            options["average"] = Average, "pooled" if self.pooling == "default" else "lists"
        return {name: each for name, each in options.items() if name not in self.own_parameters}

    @cached_property
    def parameters(self) -> type[BaseModel]:
        """A pydantic model of all parameters, in the order of the signature, then the options."""
        fields: dict[str, Any] = {**self.own_parameters, **self.options}
        config = ConfigDict(extra="forbid", frozen=True, allow_inf_nan=False)
        return create_model(self.name, __config__=config, **fields)

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
        if not self.in_catalogue:
            return ""
        return next((name for name, _ in self._metadata(AfterAt)), "k")

    def defaults(self, constants: Any) -> dict[str, Any]:
        """The parameters that the challenge decides where nothing is written."""
        return {name: each.value(constants) for name, each in self._metadata(FromChallenge)}

    @property
    def own(self) -> bool:
        """Whether it is one of scorer's, not a plug-in's."""
        return self.function.__module__.startswith("scorer.")

    @cached_property
    def page(self) -> str:
        """Its documentation."""
        return self.docs or inspect.getdoc(self.function) or ""

    def _metadata(self, type_: type[Any]) -> list[tuple[str, Any]]:
        """The names of parameters whose types hold such an annotation, with it."""
        return [
            (name, each)
            for name, (annotation, _) in self.own_parameters.items()
            for each in _annotated(annotation)
            if isinstance(each, type_)
        ]


metric = Metric  # the name of the decorator


class MetricFunction(Protocol[Arguments, Result_co]):
    """A function that `metric` decorates: callable as before, with its `Metric` attached."""

    metric: Metric

    def __call__(self, *args: Arguments.args, **kwargs: Arguments.kwargs) -> Result_co:
        """Evaluate the metric on a view."""


def _read_signature(name: str, function: Callable[..., Any]) -> inspect.Signature:
    """The signature of a metric's function, with the types themselves."""
    try:
        return inspect.signature(function, eval_str=True)
    except Exception as error:
        message = f"the types of its function cannot be read: {describe_exception(error)}"
        raise PluginError(f"metric {name}: {message}") from None


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
