"""How challenge.yaml makes points of values, for a course."""

# no `from __future__ import annotations`: pydantic would have to compile each of them again
from typing import Annotated, Self

from pydantic import Discriminator, Field, Tag, model_validator

from scorer.challenge.fields import Name, Number, Share, YamlSection, bare, wrong
from scorer.challenge.phases import EndTime


class Late(YamlSection):
    """What a file loses that comes late."""

    due: EndTime = Field(description="until when all points can be had, that second included")
    lose: Share = Field(description="the share of the points that each day begun after it costs")


class Grading(YamlSection):
    """Points between two values, in a straight line."""

    measure: Name | None = Field(None, description="id of a measure; default: the primary one")
    start: Annotated[
        Annotated[Name, Tag("name")] | Annotated[Number, Tag("value")],
        Discriminator(lambda value: "value" if isinstance(bare(value), int | float) else "name"),
    ] = Field(
        "baseline",
        alias="from",
        description="the value of no points: a number, the name of a baseline, or `baseline`, the "
        "best of them",
    )
    to: Number = Field(description="the value of all points; better ones give no more")
    points: Annotated[Number, Field(gt=0, le=1_000_000)] = Field(
        10, description="how many all points are"
    )
    late: Late | None = Field(None, description="what late files lose: {due: TIME, lose: 0.1}")

    @model_validator(mode="after")
    def _apart(self) -> Self:
        if self.start == self.to:
            raise wrong("from and to are the same value; points lie between two", "C106", "to")
        return self
