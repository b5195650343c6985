"""The measures of challenge.yaml as they are written; no metric is looked up here."""

from collections.abc import Callable
from functools import partial
from typing import Annotated, Any, Literal

from pydantic import AfterValidator, BeforeValidator, Field

from scorer.challenge.types import File, Flag, Name, Section, field_error
from scorer.core.expressions import ExpressionError, parse_condition, parse_formula
from scorer.core.text import quoted


def _read_names(value: Any) -> Any:
    """Return one or several names; an entry without a value is the name ''."""
    names = value if isinstance(value, list | tuple) else (value,)
    return tuple("" if name is None else name for name in names)


def _check_aggregates(names: tuple[str, ...]) -> tuple[str, ...]:
    from scorer.stats.aggregate import aggregate  # computes with numpy, which reading does not need

    for n, name in enumerate(names):
        try:
            aggregate(name)
        except ValueError as error:
            message = f"{quoted(name)} is no aggregate; {error}"
            raise field_error(message, "C106", n) from None
    return names


def _check_expression(parse: Callable[[str], object], text: str) -> str:
    """Return a formula or condition as it is written, if it can be parsed."""
    try:
        parse(text)
    except ExpressionError as error:
        raise field_error(str(error), "C125") from None
    return text


Formula = Annotated[str, AfterValidator(partial(_check_expression, parse_formula))]
Condition = Annotated[str, AfterValidator(partial(_check_expression, parse_condition))]


OneOrMany = Annotated[tuple[str, ...], BeforeValidator(_read_names, str | tuple[str | None, ...])]


class MeasureSpec(Section):
    """A measure as challenge.yaml has it; not looked up in the registry yet."""

    notation: Name = Field(description="name or notation: nDCG, nDCG@10, AP(rel=2)")
    id: Name | None = Field(
        None, description="what the measure is called in results; default: its name"
    )
    primary: Flag = Field(False, description="ranks by this measure; default: the first")
    kaggle: File | None = Field(
        None, description="a Python file with Kaggle's score function, whose metric it is"
    )
    resample: Literal["rows", "none"] | None = Field(
        None,
        description="of a Kaggle file: whether its metric is run again without some of the "
        "rows, for intervals and tests; default: rows, where they are not many",
    )
    better: Literal["higher", "lower"] | None = Field(
        None, description="of a Kaggle file's values, or of a score where that does not follow"
    )
    score: Formula | None = Field(
        None,
        description="a formula of other measures' ids, in place of a metric: "
        "0.3*carts + 0.7*orders; numbers, + - * / ** ( ), min, max, sqrt, log, exp, round, and "
        "mean, sum, median, geometric, quantile(0.9, a, b) and power(-5, a, b) of several",
    )
    average: OneOrMany = Field(
        (),
        description="lists, pooled, or group; a column of the lists' file names groups: "
        "phase, or [pooled, phase]",
    )
    aggregate: Annotated[OneOrMany, AfterValidator(_check_aggregates)] = Field(
        (),
        description="how groups, or lists without groups, make one number: mean, sum, "
        "median, geometric, power(-5), quantile(0.9), stability(88, 0.5), dispersion(1); or "
        "both, of lists and of groups",
    )
    weights: OneOrMany = Field(
        (),
        description="how much each counts: a column of the lists' file, or size, of groups; "
        "or both, of lists and of groups",
    )
    group: Name | None = Field(None, description="only lists of this group count")
    where: Condition | None = Field(
        None,
        description="only lists, or rows of a table, count of which this is true: male = 1 "
        "and label = 0, of columns of the truth or of the lists' file; = != < <= > >=, "
        "in (a, b), and, or, not",
    )
    unit: Literal["list", "group"] = Field(
        "list", description="what intervals and tests draw: lists, or groups of lists"
    )
    # Of the metric; in the file they stand among the other keys.
    params: dict[str, Any] = Field({})
    key: str = ""  # where it stands: metrics[1]

    @property
    def part_ids(self) -> tuple[str, ...]:
        """The ids of the measures that its formula names."""
        return () if self.score is None else parse_formula(self.score).names


def choose_primary(specs: tuple[MeasureSpec, ...]) -> tuple[MeasureSpec, ...]:
    """Return the measures; if none is primary, the first becomes so."""
    if not specs:
        raise field_error("at least one measure is needed")
    if any(spec.primary for spec in specs):
        return specs
    return tuple(spec.model_copy(update={"primary": n == 0}) for n, spec in enumerate(specs))
