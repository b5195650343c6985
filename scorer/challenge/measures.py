"""The measures of challenge.yaml, as written: not looked up in the registry yet."""

# no `from __future__ import annotations`: pydantic would have to compile each of them again
from typing import Annotated, Any, Literal

from pydantic import AfterValidator, Field, WithJsonSchema

from scorer.challenge.fields import (
    SCALAR,
    Before,
    File,
    Name,
    Text,
    Word,
    YamlSection,
    as_flag,
    as_text,
    bare,
    wrong,
)
from scorer.core.expressions import ExpressionError, parse_condition, parse_formula
from scorer.core.text import quoted
from scorer.reading.limits import ReadLimits as ReadLimits

ONE_OR_MANY: dict[str, Any] = {"anyOf": [SCALAR, {"type": "array", "items": SCALAR}]}
MEASURE = {
    "type": "object",
    "anyOf": [{"required": ["metric"]}, {"required": ["kaggle"]}, {"required": ["score"]}],
    "properties": {
        "metric": {"type": "string", "description": "name or notation: nDCG, nDCG@10, AP(rel=2)"},
        "id": {**SCALAR, "description": "what the measure is called in results; default: its name"},
        "primary": {"type": "boolean", "description": "ranks by this measure; default: the first"},
        "kaggle": {"type": "string", "description": "a Python file with Kaggle's score function"},
        "resample": {
            "enum": ["rows", "none"],
            "description": "of a Kaggle file: whether its metric is run again without some of the "
            "rows, for intervals and tests; default: rows, where they are not many",
        },
        "better": {
            "enum": ["higher", "lower"],
            "description": "of a Kaggle file's values, or of a score where that does not follow",
        },
        "score": {
            "type": "string",
            "description": "a formula of other measures' ids, in place of a metric: "
            "0.3*carts + 0.7*orders; numbers, + - * / ** ( ), min, max, sqrt, log, exp, round, and "
            "mean, sum, median, geometric, quantile(0.9, a, b) and power(-5, a, b) of several",
        },
        "average": {
            **ONE_OR_MANY,
            "description": "lists, pooled, or group; a column of the lists' file names groups: "
            "phase, or [pooled, phase]",
        },
        "aggregate": {
            **ONE_OR_MANY,
            "description": "how groups, or lists without groups, make one number: mean, sum, "
            "median, geometric, power(-5), quantile(0.9), stability(88, 0.5), dispersion(1); or "
            "both, of lists and of groups",
        },
        "weights": {
            **ONE_OR_MANY,
            "description": "how much each counts: a column of the lists' file, or size, of groups; "
            "or both, of lists and of groups",
        },
        "group": {**SCALAR, "description": "only lists of this group count"},
        "where": {
            "type": "string",
            "description": "only lists, or rows of a table, count of which this is true: male = 1 "
            "and label = 0, of columns of the truth or of the lists' file; = != < <= > >=, "
            "in (a, b), and, or, not",
        },
        "unit": {
            "enum": ["list", "group"],
            "description": "what intervals and tests draw: lists, or groups of lists; default: "
            "list",
        },
    },
    "additionalProperties": {"description": "a parameter of the metric, such as k or cutoffs"},
}


def _one_or_many(value: Any) -> Any:
    """Texts; of an entry that says nothing, ''."""
    if not isinstance(value, list | tuple):
        value = [value]
    return tuple("" if bare(text) is None else as_text(text, n) for n, text in enumerate(value))


def _aggregates(names: tuple[str, ...]) -> tuple[str, ...]:
    from scorer.stats.aggregate import aggregate  # computes with numpy, which reading does not need

    for n, name in enumerate(names):
        try:
            aggregate(name)
        except ValueError as error:
            raise wrong(f"{quoted(name)} is no aggregate; {error}", "C106", n) from None
    return names


def _condition(text: str) -> str:
    try:
        parse_condition(text)
    except ExpressionError as error:
        raise wrong(str(error), "C125") from None
    return text


def _formula(text: str) -> str:
    try:
        parse_formula(text)
    except ExpressionError as error:
        raise wrong(str(error), "C125") from None
    return text


OneOrMany = Annotated[tuple[str, ...], Before(_one_or_many)]


class MeasureSpec(YamlSection):
    """A measure as challenge.yaml has it; not looked up in the registry yet."""

    notation: Name
    params: dict[str, Any] = Field({})
    id: Name | None = None
    primary: Annotated[bool, Before(as_flag)] = False
    kaggle: File | None = None  # a file with Kaggle's function `score`, whose metric it is
    better: Annotated[Literal["higher", "lower"], Word] | None = None  # of such a file, or a score
    resample: Annotated[Literal["rows", "none"], Word] | None = None  # of such a file
    score: Annotated[Text, AfterValidator(_formula)] | None = None  # of other measures
    average: OneOrMany = ()  # lists, pooled, or a column of the lists whose groups are averaged
    aggregate: Annotated[OneOrMany, AfterValidator(_aggregates)] = ()
    weights: OneOrMany = ()  # columns of the lists, or size; '' for none
    group: Name | None = None  # the lists that count
    where: Annotated[Text, AfterValidator(_condition)] | None = None  # true of those that count
    unit: Annotated[Literal["list", "group"], Word] = "list"  # what is resampled
    key: str = ""

    @property
    def part_ids(self) -> tuple[str, ...]:
        """The ids of the measures that its formula names."""
        return () if self.score is None else parse_formula(self.score).names


Measures = tuple[
    Annotated[MeasureSpec, WithJsonSchema({"anyOf": [{"type": "string"}, MEASURE]})], ...
]


def one_primary(specs: tuple[MeasureSpec, ...]) -> tuple[MeasureSpec, ...]:
    """The first is primary where none says that it is."""
    if not specs:
        raise wrong("at least one measure is needed")
    if any(spec.primary for spec in specs):
        return specs
    return tuple(spec.model_copy(update={"primary": n == 0}) for n, spec in enumerate(specs))
