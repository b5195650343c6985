"""Values that other tools computed, and how long lists may be, in challenge.yaml."""

# no `from __future__ import annotations`: pydantic would have to compile each of them again
from typing import Annotated, Any, Literal, Self

from pydantic import Field, model_validator

from scorer.challenge.columns import ValueColumns
from scorer.challenge.fields import (
    Before,
    Count,
    Number,
    Whole,
    Word,
    YamlSection,
    as_number,
    as_range,
    as_whole,
    bare,
    wrong,
)
from scorer.challenge.yaml import YamlValue


def _open_range(value: Any) -> Any:
    """A range, of which an end may be missing."""
    ends = value if isinstance(value, list | tuple) else ()
    if len(ends) == 2 and None in map(bare, ends):
        return tuple(None if bare(e) is None else as_number(e, n) for n, e in enumerate(ends))
    return as_range(list(ends) or value)


Range = Annotated[tuple[Number | None, Number | None], Before(_open_range)]


class GivenValue(YamlSection):
    """A value that another tool computed for each list."""

    column: ValueColumns = Field(
        (), description="its column, or [part, whole]; default: as the value is called"
    )
    better: Annotated[Literal["higher", "lower"], Word] = Field(
        "higher", description="which direction is better"
    )
    range: Range | None = Field(
        None, description="the lowest and highest value there can be, ~ where there is no bound"
    )

    @model_validator(mode="before")
    @classmethod
    def _bare(cls, value: Any) -> Any:
        return {} if isinstance(value, YamlValue) and value.data is None else value


class Length(YamlSection):
    """How many items a list may have."""

    min: Whole | None = Field(None, description="the least number")
    max: Count | None = Field(None, description="the greatest number")

    @model_validator(mode="before")
    @classmethod
    def _exact(cls, value: Any) -> Any:
        if isinstance(value, YamlValue | int):
            return {"min": (exactly := as_whole(value)), "max": exactly}
        return value

    @model_validator(mode="after")
    def _ordered(self) -> Self:
        if self.min is not None and self.max is not None and self.min > self.max:
            raise wrong(f"min {self.min} is above max {self.max}", "C106", "min")
        return self
