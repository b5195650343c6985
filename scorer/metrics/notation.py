"""Measures, and the notation that challenges write them in: `nDCG(gain=exp2)@10`."""

from __future__ import annotations

import ast
import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from types import MappingProxyType
from typing import Any, NamedTuple, cast

from pydantic import ValidationError

from scorer.core.arrays import Floats
from scorer.core.errors import ScorerError
from scorer.core.text import printable, quoted, suggest
from scorer.metrics.aggregate import PLAIN, Combination
from scorer.metrics.api import Bounds, Metric
from scorer.metrics.ratios import Figure, Ratio, Result

MAX_LENGTH = 300  # characters of a notation: Python's parser may need much memory for a long one
# A number that runs into a keyword, and an unknown escape. No measure is written with either, and
# Python's parser would print a warning of them, which can only be turned off for a whole process.
UNPARSABLE = re.compile(
    r"(?<![\w.])[\d.][\w.]*?(?:and|else|for|if|in|is|not|or)"
    r"|\\(?![\\'\"abfnrtvxuUN0-3])|\\[4-7]"
)

# trec_eval's names of measures with a number, P_5 or with its option -m P.5 -> names here
TREC_EVAL = {
    "p": "P",
    "recall": "R",
    "success": "Success",
    "map_cut": "AP",
    "ndcg_cut": "nDCG",
    "iprec_at_recall": "IPrec",
    "set_f": "SetF",
}
NOTATION = re.compile(r"([^\W\d]\w*)\s*(\(.*\))?\s*(?:@(.*))?")  # name, (parameters), cut-off
NUMBERED = re.compile(
    rf"\A({'|'.join(TREC_EVAL)})[_.]([0-9]+(?:\.[0-9]+)?)(\(.*\))?\Z", re.IGNORECASE
)
# Parameters of ir_measures -> their names here.
RENAMED = {"gains": "gain", "max_rel": "max_grade", "min_rel": "min_grade", "cutoff": "k"}
# The parameter `dcg` of ir_measures: metric -> its value -> parameters here.
DCG_FORMS: Mapping[str, Mapping[str, Mapping[str, Any]]] = {
    "nDCG": {"log2": {"gain": "linear"}, "exp-log2": {"gain": "exp2"}},
    "SDCG": {"log2": {}},
}

ELEVEN_POINTS = [f"IPrec@{n / 10:g}" for n in range(11)]
PR_AREAS = (
    "one of two areas under precision and recall: AveragePrecision, by steps (scikit-learn's "
    "average_precision_score), or PRTrapezoids (auc of precision_recall_curve)"
)
# Names of measures that there are not, in small letters -> the rest of a message: what to write.
UNSUPPORTED = {
    "gm_map": "of trec_eval is a geometric mean; in challenge.yaml: "
    "metrics: [{metric: AP, aggregate: geometric(0.00001)}]",
    "gm_bpref": "of trec_eval is a geometric mean; in challenge.yaml: "
    "metrics: [{metric: Bpref, aggregate: geometric(0.00001)}]",
    "11pt_avg": "of trec_eval is the mean of eleven measures; in challenge.yaml: "
    f'metrics: [{{id: points, score: "({" + ".join(ELEVEN_POINTS)}) / 11"}}, '
    f"{', '.join(ELEVEN_POINTS)}]",
    "all_trec": "of trec_eval is many measures, of which each is written: -m AP -m Rprec -m Bpref "
    "-m RR -m P@10 -m R@1000 -m nDCG",
    "official": "of trec_eval is many measures, of which each is written: -m AP -m Rprec -m Bpref "
    "-m RR -m P@10",
    **dict.fromkeys(("prauc", "pr_auc", "auprc", "auc_pr", "aucpr"), f"is {PR_AREAS}"),
}


class NotationError(ScorerError):
    """A measure as written cannot be understood, or its parameters do not fit.

    Args:
        message: What is wrong.
        parameter: The name of the parameter that is wrong, if it is a parameter.
    """

    def __init__(self, message: str, parameter: str | None = None) -> None:
        self.parameter = parameter
        super().__init__(message)


@dataclass(frozen=True)
class Measure:
    """A metric with its parameters: `nDCG@10`."""

    metric: Metric
    params: dict[str, Any]  # of all parameters, defaults included
    name: str  # canonical, of the parameters as written: see `_canonical_name`
    id: str
    primary: bool = False
    weighted: bool = False  # lists have weights, so that a mean is a figure of all of them
    classes: tuple[str, ...] = ()  # the labels there are, of a table of classes
    combination: Combination = PLAIN  # how its lists make one number
    parts: tuple[Measure, ...] = ()  # the measures of its formula, if it is one
    inferred: tuple[str, ...] = ()  # the parameters that follow from the challenge and its truth
    board_signature: str = ""  # `signature` with the rules, lists and version of a board

    @property
    def pooled(self) -> bool:
        """Whether there is one value of all lists together, and none of a single list."""
        if self.weighted or self.metric.pooling == "always":
            return True
        return self.metric.pooling != "never" and self.params["average"] == "pooled"

    @property
    def of_lists(self) -> bool:
        """Whether each list has a value of its own."""
        return not (self.pooled or self.aggregate == "formula")

    @property
    def aggregate(self) -> str:
        """The word for how the values of lists make one number, such as "mean"."""
        if self.parts:
            return "formula"
        if not self.combination.plain:
            return self.combination.outermost
        return "pooled" if self.pooled else self.metric.aggregate

    @property
    def all_parts(self) -> tuple[Measure, ...]:
        """This measure and, recursively, the measures it is composed of."""
        return (self, *(inner for part in self.parts for inner in part.all_parts))

    @property
    def decimals(self) -> bool:
        """Whether its values are written with decimals: all but counts."""
        return self.metric.aggregate != "sum"

    @property
    def range(self) -> Bounds:
        """The lowest and the highest value that it can have."""
        low, high = self.metric.range
        aggregates = (self.combination.lists, self.combination.groups)
        if any(aggregate.name == "sum" for aggregate in aggregates):
            return (low if low == 0 else None, high if high == 0 else None)
        if any(aggregate.name in ("stability", "dispersion") for aggregate in aggregates):
            return None, high
        return low, high

    @property
    def mark(self) -> str:
        """An arrow behind its name, where lower is better."""
        return " ↓" if self.metric.better == "lower" else ""

    @property
    def chance(self) -> float | None:
        """The value of random guesses, which reversed answers mirror; None if it is unknown."""
        if self.parts or self.metric.better != "higher" or self.range != self.metric.range:
            return None
        if self.metric.name == "AUROC":
            return 0.5
        if self.metric.name in ("Accuracy", "BalancedAccuracy") and len(self.classes) == 2:
            return 0.5
        return 0.0 if self.metric.range == (-1, 1) else None

    def evaluate(self, view: Any) -> Result:
        """The result of its metric for a view."""
        return self.metric.evaluate(view, **self.params)

    def values(self, view: Any) -> Floats | Ratio | Figure:
        """The value of each list; of a pooled measure, the ratio or figure of all lists.

        Anything else that a plug-in's metric returns is passed on unchecked.
        """
        result = self.evaluate(view)
        if isinstance(result, Ratio):
            return result if self.pooled else result.values()
        if isinstance(result, Figure):
            return result if self.pooled else result.values(view.lists)
        if self.weighted:  # a plug-in's values of a table whose rows have weights
            return Ratio(result * view.weights, view.weights)
        return cast(Floats, result)

    def resolve(self, constants: Any) -> Measure:
        """The measure with the parameters that follow from the challenge, such as `max_grade`."""
        decided = {
            name: value
            for name, value in self.metric.defaults(constants).items()
            if self.params[name] is None
        }
        return replace(
            self,
            params={**self.params, **decided},
            weighted=bool(getattr(constants, "weighted", False)),
            classes=getattr(constants, "classes", ()),
            parts=tuple(part.resolve(constants) for part in self.parts),
            inferred=(*self.inferred, *decided),
        )

    def signature(self, **circumstances: object) -> str:
        """All that changes its value; only values of one signature can be compared.

        >>> from scorer.metrics.ranking import p
        >>> parse_measure(p.metric, "P@5").signature(lists=2000)
        'P|k:5|rel:1|denominator:k|judged_only:false|average:lists|lists:2000'
        """
        parts = [self.metric.name]
        for key, value in self.params.items():
            text = format_value(value).replace("\\", "\\\\").replace("|", "\\|")
            parts.append(f"{key}:{text}")
        for key, value in self.combination.facts().items():
            if key != "unit":  # which changes intervals, and no value
                parts.append(f"{key}:{format_value(value)}")
        for part in self.parts:
            parts.append(f"{part.id}:({part.signature()})")
        return "|".join([*parts, *(f"{key}:{value}" for key, value in circumstances.items())])


def parse_measure(
    metric: Metric,
    notation: str,
    params: Mapping[str, Any] | None = None,
    id: str | None = None,
    primary: bool = False,
) -> Measure:
    """The measure of a metric with the parameters of a notation.

    Args:
        metric: The metric that the notation names.
        notation: As a challenge writes it, with parameters and cut-off, if any.
        params: Further parameters.
        id: What reports and rules call the measure; by default its canonical name.
        primary: Whether it orders the leaderboard.

    Raises:
        NotationError: Parameters are unknown, missing or impossible.
    """
    # A challenge's own metric may have a name that is no notation.
    parsed = ParsedNotation(notation) if notation == metric.name else parse(notation)
    word = parsed.name
    settings: dict[str, Any] = {}
    for key, value in [*parsed.params.items(), *(params or {}).items()]:
        for name, setting in _translate_parameter(metric, key, value).items():
            if name in settings:
                raise NotationError(f"{metric.name}: {quoted(name)} is given twice", key)
            settings[name] = setting
    names = list(metric.parameters.model_fields)
    if parsed.cutoff is not None:
        _add_cutoff(metric, parsed.cutoff, settings)
    for key in settings:
        if key not in names:
            hint = suggest(key, names)
            has = f"it has {', '.join(names)}" if names else "it has none"
            raise NotationError(f"{metric.name} has no parameter {quoted(key)}{hint} ({has})", key)
    try:
        model = metric.parameters(**settings)
    except ValidationError as error:
        fault = error.errors()[0]
        key = str(fault["loc"][0])
        label = "cut-off" if key == metric.cutoff == "k" else key
        if fault["type"] == "missing":
            example = f"{word}@10" if key == "k" else f"{word}({key}=...)"
            message = f"{word} needs its {label}, such as {example}"
        else:
            value, allowed = format_value(settings.get(key)), _allowed_values(metric, key)
            message = f"{metric.name}: {label} cannot be {value}; {allowed}"
        raise NotationError(message, key) from None
    all_params = {key: getattr(model, key) for key in names}
    name = _canonical_name(metric, all_params)
    return Measure(metric, all_params, name, id or name, primary)


def _add_cutoff(metric: Metric, cutoff: Any, settings: dict[str, Any]) -> None:
    """Add the cut-off of a notation, what stands after its @, to the parameters."""
    if metric.cutoff not in metric.parameters.model_fields:
        raise NotationError(f"{metric.name} takes no cut-off; write {metric.name}")
    if metric.cutoff in settings:
        raise NotationError(f"{metric.name}: the cut-off is given twice", metric.cutoff)
    if isinstance(cutoff, tuple) and metric.cutoff == "k":
        raise NotationError(f"{metric.name} takes one cut-off, such as {metric.name}@{cutoff[0]}")
    is_single = metric.cutoff == "cutoffs" and not isinstance(cutoff, tuple)
    settings[metric.cutoff] = (cutoff,) if is_single else cutoff


def find_measure(measures: Sequence[Measure], word: str) -> Measure | None:
    """The measure that a word names: by its id, its name, or any other notation of it.

    The name of a metric without parameters names its measure if only one of them is of that metric.

    >>> from scorer.metrics.ranking import ap
    >>> measures = [parse_measure(ap.metric, "AP@10")]
    >>> find_measure(measures, "map_cut_10").id, find_measure(measures, "map").id
    ('AP@10', 'AP@10')
    """
    by_name = {name.casefold(): m for m in reversed(measures) for name in (m.name, m.id)}
    if (match := by_name.get(word.casefold())) is not None:
        return match
    try:
        name = parse(word).name
        for candidate in measures:
            if _has_name(candidate.metric, name):
                parsed = parse_measure(candidate.metric, word)
                if (found := by_name.get(parsed.name.casefold())) is not None:
                    return found
    except NotationError:
        pass
    of_metric = [measure for measure in measures if _has_name(measure.metric, word)]
    return of_metric[0] if len(of_metric) == 1 else None


class ParsedNotation(NamedTuple):
    """The parts of `NAME(param=value, ...)@cutoff`."""

    name: str
    params: Mapping[str, Any] = MappingProxyType({})
    cutoff: Any = None  # a number, or a tuple of numbers


def parse(notation: str) -> ParsedNotation:
    """The parts of `NAME(param=value, ...)@cutoff`, or of trec_eval's name of such a measure.

    Raises:
        NotationError: It is not written so.

    >>> parse("AP(rel=2)@100")
    ParsedNotation(name='AP', params={'rel': 2}, cutoff=100)
    >>> parse("MARp@5,10").cutoff
    (5, 10)
    >>> parse("ndcg_cut_10")
    ParsedNotation(name='nDCG', params={}, cutoff=10)
    """
    hint = "write it as nDCG@10, AP(rel=2)@100 or RBP(p=0.8)"
    syntax_error = NotationError(f"{quoted(notation)} is no measure; {hint}")
    if len(notation) > MAX_LENGTH or not notation.isprintable() or UNPARSABLE.search(notation):
        raise syntax_error
    if answer := UNSUPPORTED.get(notation.partition("(")[0].strip().casefold()):
        raise NotationError(f"{quoted(notation)} {answer}")
    match = NOTATION.fullmatch(NUMBERED.sub(_from_trec_eval, notation.strip()))
    if match is None:
        raise syntax_error
    name, parameters, after_at = match.groups()
    call = _parse_expression(name + (parameters or "()"), syntax_error)
    if not isinstance(call, ast.Call) or not isinstance(call.func, ast.Name):
        raise syntax_error
    if call.args or any(keyword.arg is None for keyword in call.keywords):
        raise NotationError(f"{quoted(notation)}: parameters are written name=value")
    params = {str(each.arg): _parse_value(each.value, syntax_error) for each in call.keywords}
    cutoff = None
    if after_at is not None:
        cutoff = _parse_value(_parse_expression(after_at, syntax_error), syntax_error)
    if cutoff == ():
        raise syntax_error
    return ParsedNotation(call.func.id, params, cutoff)


def format_value(value: Any) -> str:
    """A parameter's value as a notation writes it."""
    if isinstance(value, bool) or value is None:
        return str(value).lower()
    if isinstance(value, float) and value.is_integer() and abs(value) < 1e15:
        return str(int(value))
    if isinstance(value, Mapping):
        entries = sorted(value.items(), key=_numbers_first)
        return "{" + ", ".join(f"{format_value(k)}: {format_value(v)}" for k, v in entries) + "}"
    if isinstance(value, tuple | list):
        return ",".join(map(format_value, value))
    return printable(value, 10_000)


def _from_trec_eval(match: re.Match[str]) -> str:
    """Our notation for trec_eval's name of a measure, its number and perhaps parameters."""
    name, number, params = TREC_EVAL[match[1].casefold()], match[2], match[3] or ""
    if name == "SetF":  # trec_eval's number is beta squared
        return f"SetF(beta={math.sqrt(float(number))!r}{params.replace('(', ', ', 1) or ')'}"
    return f"{name}{params}@{number}"


def _parse_expression(text: str, syntax_error: NotationError) -> ast.expr:
    """The tree of a Python expression; raises `syntax_error` for another text."""
    try:
        return ast.parse(text.strip(), mode="eval").body
    except (SyntaxError, ValueError, MemoryError, RecursionError):
        raise syntax_error from None


def _parse_value(node: ast.expr, syntax_error: NotationError) -> Any:
    """The value of a literal; a name is itself as text, but true, false and none are values."""
    if isinstance(node, ast.Name):
        return {"true": True, "false": False, "none": None}.get(node.id.lower(), node.id)
    try:
        return ast.literal_eval(node)
    except (ValueError, TypeError, SyntaxError, MemoryError, RecursionError):
        raise syntax_error from None


def _numbers_first(entry: tuple[Any, Any]) -> tuple[float, str]:
    """A key to sort the entries of a mapping by: numbers ascending, then texts."""
    key = entry[0]
    return (key, "") if isinstance(key, int | float) else (math.inf, str(key))


def _has_name(metric: Metric, word: str) -> bool:
    return word.casefold() in (name.casefold() for name in (metric.name, *metric.aliases))


def _canonical_name(metric: Metric, params: Mapping[str, Any]) -> str:
    """The metric's name with the parameters that differ from their defaults, and @ the cut-off."""
    fields = metric.parameters.model_fields
    cutoff = params.get(metric.cutoff)
    entries = {
        key: value
        for key, value in params.items()
        if key != metric.cutoff and (fields[key].is_required() or value != fields[key].default)
    }
    inside = ", ".join(f"{key}={format_value(value)}" for key, value in entries.items())
    arguments = f"({inside})" if inside else ""
    after_name = "" if cutoff is None else f"@{format_value(cutoff)}"
    return f"{metric.name}{arguments}{after_name}"


def _translate_parameter(metric: Metric, key: str, value: Any) -> dict[str, Any]:
    """The parameters here for one that may have its name in ir_measures."""
    names = metric.parameters.model_fields
    if key in names:
        return {key: value}
    if key == "dcg" and (forms := DCG_FORMS.get(metric.name)) is not None:
        if str(value) in forms:
            return dict(forms[str(value)])
        known = ", ".join(forms)
        message = f"{metric.name}: dcg={format_value(value)} is unknown; it can be {known}"
        raise NotationError(message, key)
    return {RENAMED[key] if RENAMED.get(key) in names else key: value}


def _allowed_values(metric: Metric, key: str) -> str:
    """The values that a parameter can have, from its model."""
    parameter = describe_parameters(metric)[key]
    description = parameter.description
    if description[1:2].islower() or description.startswith("A "):  # it begins no sentence here
        description = description[0].lower() + description[1:]
    choices = f"it can be {', '.join(parameter.choices)}" if parameter.choices else ""
    return "; ".join(part for part in (choices, description) if part) or "see its page"


class Parameter(NamedTuple):
    """What may be written as a parameter, and what it means."""

    required: bool
    default: Any  # None if it is required
    choices: tuple[str, ...]  # the words that it may be; empty if it may be anything else
    description: str


def describe_parameters(metric: Metric) -> dict[str, Parameter]:
    """A metric's parameters by their names, from the JSON schema of their model."""
    schemas = metric.parameters.model_json_schema()["properties"]
    parameters = {}
    for name, field in metric.parameters.model_fields.items():
        types = (schemas[name], *schemas[name].get("anyOf", ()))
        choices = (
            format_value(choice)
            for each in types
            for choice in each.get("enum", [each["const"]] if "const" in each else [])
        )
        description = next((each["description"] for each in types if "description" in each), "")
        default = None if field.is_required() else field.default
        parameters[name] = Parameter(field.is_required(), default, tuple(choices), description)
    return parameters
