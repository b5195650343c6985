"""Metrics: functions in the registry, with what is declared of them.

The decorator reads everything from the function: its keyword-only signature
is the model of its parameters, the type of its first argument says what it
looks at, its docstring is its page.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cache, cached_property
from inspect import Parameter, getdoc, signature
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, TypeVar, get_type_hints

from scorer.core.errors import PluginError
from scorer.core.registry import MARK, PLUGIN, Registry, discover, mark, plugin
from scorer.metrics.quotient import Quotient, Rowwise
from scorer.metrics.statistic import Statistic

if TYPE_CHECKING:
    from pydantic import BaseModel

    from scorer.challenge.public import ClassCells
    from scorer.metrics.formulas import Formula

Function = TypeVar("Function", bound=Callable[..., Any])
Better = Literal["higher", "lower"]
Aggregate = Literal["mean", "sum", "pooled"]
Heading = Callable[[str, Mapping[str, Any], str], str]  # name, parameters, word for a list
Needs = tuple[str, ...] | Callable[[Mapping[str, Any]], tuple[str, ...]]
# the columns of the truth and of a submission that name classes, given the parameters
Classes = Callable[[Mapping[str, Any]], "tuple[ClassCells, ClassCells]"]


@dataclass(frozen=True, eq=False)
class Metric:
    """A metric: its function, and what is declared of it."""

    name: str
    title: str
    source: str
    function: Callable[..., Any]
    range: tuple[float | None, float | None] = (0, 1)  # None: no bound on that side
    better: Better = "higher"
    aggregate: Aggregate = "mean"
    aliases: tuple[str, ...] = ()
    at: str = "k"  # the parameter that stands behind the @
    expected: bool = False  # it has a closed form for `ties: expected`
    mean_rank: bool = False  # it knows `ties: mean-rank`
    settle: Mapping[str, Callable[[Any], Any]] = field(default_factory=dict)
    statistic: Statistic | None = None  # what the rows of a pooled value become
    explain: Callable[..., Any] | None = None
    peers: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    needs: Needs = ()
    columns: tuple[str, ...] = ()
    strict_order: bool = False  # it needs a truth without equal grades in a list
    judged: int = field(default=1, kw_only=True)  # items that a list's truth needs for a value
    heading: Heading | None = None  # what a column of it is headed with
    again: Callable[[], Metric] | None = None  # makes it in another process; None: by its function
    check: Callable[[str], str | None] | None = None  # of an answer: what is wrong with it
    classes: Classes | None = field(default=None, kw_only=True)
    shares: bool = field(default=False, kw_only=True)  # a true row can have shares of classes
    formula: Formula = field(default="", kw_only=True)  # LaTeX: scorer.metrics.formulas
    undefined: str = field(default="", kw_only=True)  # a clause: when it has no value
    elsewhere: Mapping[str, str] = field(default_factory=dict, kw_only=True)

    def __reduce__(self) -> tuple[Any, ...]:
        """Pickle by the function's name, since not all fields can be pickled."""
        if self.again is not None:
            return self.again, ()
        function = self.function
        if function.__module__.startswith(PLUGIN):
            return _plugged, (function.__code__.co_filename, function.__qualname__)
        return _of_function, (function,)

    @cached_property
    def _hints(self) -> dict[str, Any]:
        return get_type_hints(self.function, include_extras=True)

    @cached_property
    def view(self) -> type:
        """The type of the first argument: what the metric looks at."""
        first, *_ = signature(self.function).parameters.values()
        view = self._hints.get(first.name)
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
        return kinds

    @cached_property
    def parameters(self) -> type[BaseModel]:
        """The pydantic model of its keyword-only parameters, in the order of the signature."""
        from pydantic import ConfigDict, create_model

        _, *rest = signature(self.function).parameters.values()
        if wrong := [p.name for p in rest if p.kind is not Parameter.KEYWORD_ONLY]:
            raise PluginError(f"metric {self.name}: {', '.join(wrong)} must be keyword-only")
        fields: dict[str, Any] = {
            p.name: (self._hints.get(p.name, Any), ... if p.default is p.empty else p.default)
            for p in rest
        }
        config = ConfigDict(extra="forbid", frozen=True, allow_inf_nan=False)
        return create_model(self.name, __config__=config, **fields)

    def values(self, view: Any, **params: Any) -> Any:
        """What the function gives of a view; the values of a `Quotient`, or its statistics."""
        given = self.function(view, **params)
        if isinstance(given, Rowwise):
            return given.given
        return given.settled(params.get("average")) if isinstance(given, Quotient) else given

    @property
    def zero_is_low(self) -> bool:
        """Whether 0 is a low value; not of errors, nor of logarithms of likelihoods."""
        likelihood = self.columns == ("prediction",) and self.range[0] is None
        return self.better == "higher" and not likelihood

    @property
    def own(self) -> bool:
        """Whether it is one of scorer's, not a plugin's."""
        return self.function.__module__.startswith("scorer.")

    @cached_property
    def page(self) -> str:
        """Its documentation."""
        return getdoc(self.function) or ""

    @cached_property
    def prose(self) -> str:
        """Its documentation without what is written in Python."""
        paragraphs = list[str]()
        for paragraph in self.page.split("\n\n"):
            words, example, _ = paragraph.partition(">>> ")
            if words.strip():
                paragraphs.append(words.rstrip())
            if example and paragraphs and paragraphs[-1].endswith(":"):
                paragraphs.pop()  # which leads to the example
        return "\n\n".join(paragraphs)


def metric(
    name: str,
    *,
    title: str,
    source: str,
    range: tuple[float | None, float | None] = (0, 1),
    better: Better = "higher",
    aggregate: Aggregate = "mean",
    aliases: tuple[str, ...] = (),
    at: str = "k",
    expected: bool = False,
    mean_rank: bool = False,
    settle: Mapping[str, Callable[[Any], Any]] | None = None,
    statistic: Statistic | None = None,
    explain: Callable[..., Any] | None = None,
    peers: Mapping[str, Mapping[str, Any]] | None = None,
    needs: Needs = (),
    columns: tuple[str, ...] = (),
    strict_order: bool = False,
    judged: int = 1,
    heading: Heading | None = None,
    check: Callable[[str], str | None] | None = None,
    classes: Classes | None = None,
    shares: bool = False,
    formula: Formula = "",
    undefined: str = "",
    elsewhere: Mapping[str, str] | None = None,
) -> Callable[[Function], Function]:
    """Make a function a metric; the function itself stays unchanged.

    Its first argument's type decides what it gets: `Judged` (all lists at
    once, gives an array of one value a list) or `Ranked` (one list, gives a
    float), and others in `scorer.views.hits`. Its further arguments are
    keyword-only and become its parameters; their annotations are checked.

    Args:
        name: how challenges write it; looked up without case.
        title: its name in full.
        source: where this definition is from.
        range: the lowest and highest possible value, None where there is none.
        better: which direction is better.
        aggregate: how lists make one number: mean, sum, or pooled by `statistic`.
        aliases: other names that it answers to.
        at: the parameter that stands behind the @ of a notation.
        expected: whether it gives exact means over tied orders when `Hits.spread`.
        mean_rank: whether it reads ranks by `Hits.at`, `within`, `first` and `discounted` alone, so
            that tied items can stand at the mean of their ranks.
        settle: parameters that, left None, the challenge's constants decide.
        statistic: of a metric that gives `Statistics`, what their rows become, and so how
            intervals, tests and tiers are made: `Share()` of their first column in their second,
            `Sums(of_sums)`, `Weighted(function)`, or `Unbootstrappable(function, why)`; all
            in `scorer.metrics.statistic`.
        explain: works one list's value out: from a `Listing` (scorer.metrics.explain.tables), the
            value and the parameters by name to a `Working` (scorer.metrics.explain.steps).
        peers: other tools' parameters in our terms: `{"dcg": {"exp-log2": {"gain": "exp2"}}}`.
        needs: what the challenge must have beside its truth: "items", "items.features", "history",
            or "history or items.users"; where that depends on the parameters, a function of them.
        columns: columns that a submission may leave out elsewhere, but not here.
        strict_order: whether equal grades in a list's truth are a fault of the truth.
        judged: how many items the truth of a list needs, so that there can be a value.
        heading: what a report heads a column of it with, where the name alone could be taken for
            another measure: from the name, the parameters and the challenge's word for a list.
        check: what is wrong with an answer, None if nothing: it is given each different text of the
            column of items, or labels, and `score check` tells what it says, too.
        classes: the columns of truth and submission whose cells name classes, given the parameters.
        formula: LaTeX in the letters of docs/notation.md, `$name` standing for a parameter's value;
            or a function of the parameters that gives such a text.
        undefined: when a list, or all rows, have no value, as a clause.
        elsewhere: its names in other tools, and behind a `;` how their values differ:
            `{"trec_eval": "map", "lenskit": "AP; divides by min(R, n)"}`.
    """

    def enter(function: Function) -> Function:
        thing = Metric(
            name, title, source, function, range, better, aggregate, aliases, at, expected,
            mean_rank,
            settle or {}, statistic, explain, peers or {}, needs, columns, strict_order,
            heading=heading, judged=judged, check=check, classes=classes, shares=shares,
            formula=formula, undefined=undefined, elsewhere=elsewhere or {},
        )  # fmt: skip
        return mark(function, thing)

    return enter


@cache
def metrics() -> Registry[Metric]:
    """Every metric that is installed; a challenge's own plugins are an overlay of it."""
    return discover("metric", "scorer.metrics", Metric, "scorer.metrics")


def _of_function(function: Callable[..., Any]) -> Metric:
    """The metric that a function is marked as, or that its comparison or aggregation has."""
    thing = getattr(function, MARK)
    return thing if isinstance(thing, Metric) else thing.metric


def _plugged(path: str, function: str) -> Metric:
    """The metric that a function of a challenge's own file is."""
    return next(
        candidate for candidate in _own_metrics(path) if candidate.function.__qualname__ == function
    )


@cache
def _own_metrics(path: str) -> list[Metric]:
    """The metrics of a challenge's own file, which runs once."""
    return [metric for metric, _ in plugin(Path(path), Metric)]
