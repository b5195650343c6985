"""Metrics and measures: a function in the registry, and one with its parameters settled.

The decorator reads everything from the function: its keyword-only signature
is the model of its parameters, the type of its first argument says what it
looks at, its docstring is its page.

Stability: plugin.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cache, cached_property
from inspect import Parameter, getdoc, signature
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, TypeVar, get_type_hints

from scorer.core.errors import PluginError
from scorer.core.registry import MARK, PLUGIN, Registry, discover, mark, plugin
from scorer.core.text import nearest, quoted
from scorer.metrics.combination import PLAIN, Combination
from scorer.metrics.notation import NotationError, parse, written
from scorer.metrics.quotient import Quotient, Rowwise
from scorer.metrics.statistic import Statistic, of_keywords

if TYPE_CHECKING:
    from pydantic import BaseModel


Function = TypeVar("Function", bound=Callable[..., Any])


Better = Literal["higher", "lower"]


Aggregate = Literal["mean", "sum", "pooled"]


Heading = Callable[[str, Mapping[str, Any], str], str]  # name, parameters, word for a list


Needs = tuple[str, ...] | Callable[[Mapping[str, Any]], tuple[str, ...]]


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
    def own(self) -> bool:
        """Whether it is one of scorer's, not a plugin's."""
        return self.function.__module__.startswith("scorer.")

    @cached_property
    def page(self) -> str:
        """Its documentation."""
        return getdoc(self.function) or ""


@dataclass(frozen=True)
class Measure:
    """A metric with its parameters settled: `nDCG@10`."""

    metric: Metric
    params: dict[str, Any]  # all of them, defaults too
    name: str  # the canonical one; what the challenge settles does not change it
    id: str
    primary: bool = False
    weighted: bool = False  # lists have weights, so that a mean is a figure of all of them
    classes: tuple[str, ...] = ()  # the labels there are, of a table of classes
    combination: Combination = PLAIN  # how its lists make one number
    parts: tuple[Measure, ...] = ()  # of a composite: the measures of its formula, by their ids

    @property
    def aggregate(self) -> str:
        """How lists make one number; a metric with an `average` can pool them."""
        if self.parts and self.params["per"] == "mean":
            return "formula"
        if not self.combination.plain:
            return self.combination.word
        pooled = self.weighted or self.params.get("average") == "pooled"
        return "pooled" if pooled else self.metric.aggregate

    @property
    def needs(self) -> tuple[str, ...]:
        """What the challenge must have beside its truth, as `metric` says."""
        needs = self.metric.needs
        return needs(self.params) if callable(needs) else needs

    @property
    def of_lists(self) -> bool:
        """Whether each list has a value of its own."""
        pooled = self.weighted or self.params.get("average") == "pooled"
        return not (pooled or self.metric.aggregate == "pooled" or self.aggregate == "formula")

    @property
    def all_parts(self) -> tuple[Measure, ...]:
        """This measure and, recursively, the measures it is composed of."""
        return (self, *(inner for part in self.parts for inner in part.all_parts))

    @property
    def decimals(self) -> bool:
        """Whether its values are anything but counts."""
        return self.metric.aggregate != "sum"

    @property
    def range(self) -> tuple[float | None, float | None]:
        """The lowest and the highest value that it can have."""
        low, high = self.metric.range
        aggregates = (self.combination.lists, *self.combination.aggregates)
        if any(aggregate.name == "sum" for aggregate in aggregates):
            return (low if low == 0 else None, high if high == 0 else None)
        return low, high

    def heading(self, word: str = "list") -> str:
        """The heading of its column in a report: the id, or the name and how it is averaged."""
        if self.metric.heading is None or self.id not in (self.name, self.metric.name):
            return self.id
        return self.metric.heading(self.id, self.params, word)

    def settled(self, constants: object) -> Measure:
        """The measure with what the challenge and its truth decide, such as `max_grade`."""
        params = {
            key: settle(constants)
            for key, settle in self.metric.settle.items()
            if self.params[key] is None
        }
        return replace(
            self,
            params={**self.params, **params},
            weighted=bool(getattr(constants, "weighted", False)),
            classes=tuple(getattr(constants, "classes", ())),
            parts=tuple(part.settled(constants) for part in self.parts),
        )

    def signature(self, **circumstances: object) -> str:
        """All that changes its value; only values of one signature can be compared.

        >>> from scorer.metrics.p import p
        >>> measure(p.__scorer__, "P@5").signature(lists=2000)
        'P|k:5|rel:1|denominator:k|judged_only:false|lists:2000'
        """
        fields = self.metric.parameters.model_fields
        parts = [self.metric.name]
        for key, value in self.params.items():
            extra = fields[key].json_schema_extra
            schema_extra = extra if isinstance(extra, dict) else {}
            if schema_extra.get("quiet") and value == fields[key].default:
                continue  # added after signatures were published
            symbol = schema_extra.get("symbol", key)
            text = written(value).replace("\\", "\\\\").replace("|", "\\|")
            parts.append(f"{symbol}:{text}")
        for key, value in self.combination.facts().items():
            if key != "unit":  # which changes no number
                parts.append(f"{key}:{written(value)}")
        for part in self.parts:
            parts.append(f"{part.id}:({part.signature()})")
        return "|".join([*parts, *(f"{key}:{value}" for key, value in circumstances.items())])


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
    **old: Any,
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
        old: `figure`, `of_sums`, `sums`, `weighted`, `no_interval` and `smooth`, which
            `statistic` replaces.
    """
    statistic = of_keywords(name, old) if statistic is None else statistic

    def enter(function: Function) -> Function:
        thing = Metric(
            name, title, source, function, range, better, aggregate, aliases, at, expected,
            mean_rank,
            settle or {}, statistic, explain, peers or {}, needs, columns, strict_order,
            heading=heading, judged=judged, check=check,
        )  # fmt: skip
        return mark(function, thing)

    return enter


def measure(
    metric: Metric,
    notation: str,
    params: Mapping[str, Any] | None = None,
    id: str | None = None,
    primary: bool = False,
) -> Measure:
    """The measure that a notation and further parameters make of `metric`.

    Args:
        notation: as a challenge writes it, with parameters and cut-off, if any.
        params: further parameters, by their names.
        id: what reports and rules call the measure; by default its canonical name.

    Raises:
        NotationError: parameters are unknown, missing or impossible.
    """
    from pydantic import ValidationError

    _, inside, at = parse(notation)
    given: dict[str, Any] = {}
    for key, value in [*inside.items(), *(params or {}).items()]:
        for ours, setting in _ours(metric, key, value).items():
            if ours in given:
                raise NotationError(f"{metric.name}: {quoted(ours)} is given twice", key)
            given[ours] = setting
    names = list(metric.parameters.model_fields)
    if at is not None:
        if metric.at not in names:
            raise NotationError(f"{metric.name} takes no cut-off; write {metric.name}")
        if metric.at in given:
            raise NotationError(f"{metric.name}: the cut-off is given twice", metric.at)
        single = isinstance(at, tuple) and metric.at == "k"
        if single:
            raise NotationError(f"{metric.name} takes one cut-off, such as {metric.name}@{at[0]}")
        given[metric.at] = (at,) if metric.at == "cutoffs" and not isinstance(at, tuple) else at
    for key in given:
        if key not in names:
            hint = f"; did you mean {quoted(closest)}?" if (closest := nearest(key, names)) else ""
            has = f"it has {', '.join(names)}" if names else "it has none"
            raise NotationError(f"{metric.name} has no parameter {quoted(key)}{hint} ({has})", key)
    try:
        settled = metric.parameters(**given)
    except ValidationError as error:
        fault = error.errors()[0]
        key = str(fault["loc"][0])
        if fault["type"] == "missing":
            example = f"{metric.name}@10" if key == "k" else f"{metric.name}({key}=...)"
            raise NotationError(
                f"{metric.name} needs its {_called(metric, key)}, such as {example}", key
            ) from None
        message = _possible(metric, key)
        raise NotationError(
            f"{metric.name}: {_called(metric, key)} cannot be {written(given.get(key))}; {message}",
            key,
        ) from None
    settings = {key: getattr(settled, key) for key in names}
    name = _canonical(metric, settings)
    return Measure(metric, settings, name, id or name, primary)


def find(measures: Sequence[Measure], word: str) -> Measure | None:
    """The measure that a word names: by its id, its name, or any other notation of it.

    >>> from scorer.metrics.ndcg import ndcg
    >>> find([measure(ndcg.__scorer__, "nDCG@10")], "ndcg_cut_10").id
    'nDCG@10'
    """
    by_name = {name.casefold(): m for m in reversed(measures) for name in (m.name, m.id)}
    if (match := by_name.get(word.casefold())) is not None:
        return match
    try:
        name = parse(word)[0].casefold()
        for candidate in measures:
            metric = candidate.metric
            if name in (alias.casefold() for alias in (metric.name, *metric.aliases)):
                return by_name.get(measure(metric, word).name.casefold())
    except NotationError:
        pass
    return None


def _canonical(metric: Metric, params: Mapping[str, Any]) -> str:
    """The metric's name with what is not at its default; the cut-off stands behind the @."""
    fields = metric.parameters.model_fields
    at = params.get(metric.at)
    entries = {
        key: value
        for key, value in params.items()
        if key != metric.at and (fields[key].is_required() or value != fields[key].default)
    }
    inside = ", ".join(f"{key}={written(value)}" for key, value in entries.items())
    return (
        metric.name
        + (f"({inside})" if inside else "")
        + (f"@{written(at)}" if at is not None else "")
    )


def _ours(metric: Metric, key: str, value: Any) -> dict[str, Any]:
    """The metric's own parameters for one of another tool."""
    if key in metric.peers:
        equivalents = metric.peers[key]
        if "*" in equivalents:  # renamed only
            return {equivalents["*"]: value}
        if str(value) in equivalents:
            return dict(equivalents[str(value)])
        raise NotationError(
            f"{metric.name}: {key}={written(value)} is unknown; it can be {', '.join(equivalents)}",
            key,
        )
    return {key: value}


def _called(metric: Metric, key: str) -> str:
    return "cut-off" if key == metric.at == "k" else key


def _possible(metric: Metric, key: str) -> str:
    """The values that a parameter can have, from its model."""
    schema = metric.parameters.model_json_schema()["properties"].get(key, {})
    choices = [
        str(written(choice))
        for part in (schema, *schema.get("anyOf", ()))
        for choice in part.get("enum", [part["const"]] if "const" in part else [])
    ]
    message = f"it can be {', '.join(choices)}" if choices else ""
    described = str(schema.get("description", "")).strip()
    return "; ".join(part for part in (message, described) if part) or "see its page"


@cache
def metrics() -> Registry[Metric]:
    """Every metric that is installed; a challenge's own plugins are an overlay of it."""
    return discover("metric", "scorer.metrics", Metric)


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
