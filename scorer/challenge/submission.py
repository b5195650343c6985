"""The form and limits of a submission in challenge.yaml."""

# no `from __future__ import annotations`: pydantic would have to compile each of them again
from collections.abc import Sequence
from typing import Annotated, Literal, Self

from pydantic import AfterValidator, Field, WithJsonSchema, model_validator

from scorer.challenge.columns import (
    COLUMNS,
    Extra,
    ValueColumns,
    by_class,
    column_schema,
    one_label,
)
from scorer.challenge.fields import (
    Before,
    FormatName,
    Name,
    Number,
    Or,
    Word,
    as_range,
    wrong,
)
from scorer.challenge.forms import ClassesOf, Each, Formed, Texts
from scorer.challenge.given import GivenValue, Length
from scorer.challenge.limits import DEFAULT_LIMITS, Limits
from scorer.core.ids import TextPattern
from scorer.core.text import quoted


def _pattern(value: str | None) -> str | None:
    """A regular expression as it was written, after it was looked at."""
    try:
        return value and TextPattern(value).text
    except ValueError as error:
        raise wrong(f"{quoted(value)} is no regular expression: {error}") from None


MULTILABEL = (
    "what separates several labels in a cell of the file, such as ','; written in one of truth "
    "and submission, it holds for both; default: a cell is one label"
)


EACH = (
    "what each box in a cell is made of, in this order: class, score, and x1 y1 x2 y2 (corners), "
    "x y w h (left, top, width, height) or x y (a point)"
)


def _by_role(name: str, columns: Sequence[str]) -> dict[str, str]:
    return {f"value[{name}{'/whole' * place}]": column for place, column in enumerate(columns)}


class Submission(Formed):
    """What a submission must be."""

    format: FormatName | None = Field(None, description="default: by the file's suffix")
    columns: Annotated[
        dict[str, Name], Before(one_label), WithJsonSchema(column_schema("submission"))
    ] = Field({}, description="what the file calls its columns")
    length: Annotated[Length | None, Or({"type": "integer", "minimum": 1})] = Field(
        None, description="items of each list: exactly 10, or {min: 1, max: 10}; default: any"
    )
    range: Annotated[tuple[Number, Number] | None, Before(as_range)] = Field(
        None, description="lowest and highest prediction, score, probability, pixel or coordinate"
    )
    classes: ClassesOf = Field(
        (),
        description="the labels, or classes of boxes, tags and spans, that there are, in their "
        "order, or {file: classes.csv}, of up to 10 million; default: those of the truth",
    )
    probability: Annotated[dict[str, Name], Before(by_class)] = Field(
        {}, description="of each class the column of its probability; written among the columns"
    )
    value: ValueColumns = Field((), description=COLUMNS["value"] + "; written among the columns")
    values: dict[Name, GivenValue] = Field(
        {},
        description="values that other tools computed for each list, by name: "
        "{dice: {range: [0, 1]}, seconds: {better: lower}}; each is a measure",
    )
    numbers: Texts = Field(
        (),
        description="groups of lists, such as a part, whose label is a number to predict: measures "
        "of numbers are about these, those of classes about the others",
    )
    extra: Extra = Field({}, description=COLUMNS["extra"])
    multilabel: Name | None = Field(None, description=MULTILABEL)
    item_pattern: Annotated[Name | None, AfterValidator(_pattern)] = Field(
        None,
        description="how items' ids look, the whole of them, where no public file names them: a "
        "regular expression such as '[0-9]{5}' or 'tt[0-9]+', or '.+' for any; others are refused",
    )
    text_pattern: Annotated[Name | None, AfterValidator(_pattern)] = Field(
        None,
        description="how an answer of the role text looks, the whole of it: a regular expression "
        "without looking around or back, such as '[0-9]+( [0-9]+)*'; others are refused",
    )
    each: Each | None = Field(None, description=EACH)
    missing_list: Annotated[Literal["error", "zero", "skip"], Word] | None = Field(
        None, description="a list that a submission lacks: refused, scored as empty, or left out"
    )
    unknown_list: Annotated[Literal["error", "ignore"], Word] = Field(
        "error", description="a list that the challenge does not have"
    )
    ties: Annotated[
        Literal["item-desc", "item-asc", "file", "expected", "mean-rank", "error"], Word
    ] = Field(
        "item-desc",
        description="order of equal scores: by item, downwards as in trec_eval or upwards; "
        "as in the file; the mean over all orders; each at the mean of their ranks, as knowledge "
        "graphs have it; or refused",
    )
    limits: Limits = Field(DEFAULT_LIMITS, description="limits on the size of a submission")

    @property
    def lengths(self) -> Length | None:
        """How many items a list may have; of texts one, unless it is said."""
        if not self.texts or self.length is not None:
            return self.length
        from scorer.challenge.given import Length as Made

        return Made(max=1)

    @model_validator(mode="after")
    def _pattern_of_answers(self) -> Self:
        if self.texts and self.item_pattern:
            message = "item_pattern is of ids; how texts look is said by text_pattern"
            raise wrong(message, "C106", "item_pattern")
        if self.text_pattern and not self.texts:
            message = "text_pattern is of the role text; how ids look is said by item_pattern"
            raise wrong(message, "C106", "text_pattern")
        return self

    @model_validator(mode="after")
    def _valued(self) -> Self:
        if self.value and self.values and "measure" not in self.columns:
            message = "value is one column; where values names several, these have their own"
            raise wrong(message, "C106", "columns", "value")
        return self

    @property
    def given(self) -> dict[str, GivenValue]:
        """The values that are submitted, by name; the first column names a single one."""
        if self.values or not self.value:
            return self.values
        from scorer.challenge.given import GivenValue as Made

        return {self.value[0]: Made(column=self.value, range=self.range)}

    @property
    def value_columns(self) -> dict[str, dict[str, str]]:
        """The columns of each value by their roles: one, or those of its part and its whole.

        Where each value is a row of its own, all have the same.
        """
        if "measure" in self.columns:
            return dict.fromkeys(self.given, _by_role("", self.value or ("value",)))
        return {
            name: _by_role(str(n), value.column or (name,))
            for n, (name, value) in enumerate(self.given.items())
        }

    @model_validator(mode="after")
    def _one_label(self) -> Self:
        if self.numbers and (self.probability or self.multilabel):
            message = "beside numbers a row has one label, no probabilities and not several"
            raise wrong(message, "C106", "columns")
        return self


DEFAULT_SUBMISSION = Submission.model_construct()  # where nothing is written of it
