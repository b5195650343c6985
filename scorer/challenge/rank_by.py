"""How challenge.yaml says that ranks are made otherwise: by several measures, or of a track."""

# no `from __future__ import annotations`: pydantic would have to compile each of them again
from typing import Annotated, Any, Literal, Self

from pydantic import AfterValidator, Field, WithJsonSchema, model_validator

from scorer.challenge.fields import (
    SCALAR,
    Before,
    Name,
    Word,
    YamlSection,
    none_twice,
    wrong,
)


class RankBy(YamlSection):
    """Ranks from preferences between submissions, or from their ranks by several measures."""

    preference: Name | None = Field(
        None, description="how two submissions are compared on a list: RPP"
    )
    measures: Annotated[tuple[Name, ...], AfterValidator(none_twice)] = Field(
        (), description="in its place: measures of the challenge, each of which ranks all"
    )
    each: Annotated[Literal["list", "group"], Word] | None = Field(
        None,
        description="measures rank in each list, or in each group of lists, which are the sample; "
        "default: by their values of the whole",
    )
    aggregate: Name = Field(
        description="how comparisons, or ranks, become one order: MC4, Borda, RankSum; with each: "
        "WinRate, MeanRank, Borda"
    )
    tie_break: tuple[Annotated[Literal["first_places", "earliest"], Word], ...] = Field(
        (),
        description="of measures: more first places, then second ones, ..; the earlier entry, on "
        "a living board",
    )

    @model_validator(mode="after")
    def _one_of_both(self) -> Self:
        if (self.preference is None) == (not self.measures):
            raise wrong("write either a preference or measures")
        if self.tie_break and not self.measures:
            message = "tie_break here is of measures; leaderboard.tie_break is of preferences"
            raise wrong(message, "C106", "tie_break")
        if self.each is not None and not self.measures:
            message = "each is of measures; a preference compares in each list anyway"
            raise wrong(message, "C106", "each")
        if self.each is not None and "first_places" in self.tie_break:
            message = "first_places are those by several values of the whole, without each"
            raise wrong(message, "C106", "tie_break")
        return self


def _one_or_more(value: Any) -> Any:
    """Names, of which a single one may stand alone."""
    names = value if isinstance(value, list | tuple) else (value,)
    if not names:
        raise wrong("nothing is given")
    return names


Names = Annotated[
    tuple[Name, ...],
    Before(_one_or_more),
    AfterValidator(none_twice),
    WithJsonSchema({"anyOf": [SCALAR, {"type": "array", "items": SCALAR, "minItems": 1}]}),
]


class Track(YamlSection):
    """A part of the board with ranks of its own: of groups of lists, or of some submissions."""

    id: Name = Field(description="what the track is called")
    group: Names = Field(
        (), description="the group of lists, or the groups, by which it ranks; default: all lists"
    )
    answer: dict[Name, Names] = Field(
        {},
        description="who is in it, by answers: {data: closed}, or {data: [closed, own]}; default: "
        "all submissions. The answers have to be shown on the board",
    )

    @model_validator(mode="after")
    def _of_a_part(self) -> Self:
        if not self.group and not self.answer:
            raise wrong("a track is of a group or an answer; write {id: closed, group: NAME}")
        return self
