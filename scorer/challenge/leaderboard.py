"""How challenge.yaml says that submissions are ranked."""

# no `from __future__ import annotations`: pydantic would have to compile each of them again
from typing import Annotated, Any, Literal, Self

from pydantic import AfterValidator, Discriminator, Field, Tag, WithJsonSchema, model_validator

from scorer.bytes.limits import ReadLimits as ReadLimits
from scorer.challenge.fields import (
    SCALAR,
    Before,
    Count,
    Files,
    Name,
    Number,
    Or,
    Share,
    Whole,
    Word,
    YamlSection,
    bare,
    none_twice,
    switch,
    wrong,
)
from scorer.core.text import quoted

MOST_DRAWS = 1_000_000  # each is kept for every submission


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


class Tiers(YamlSection):
    """How standings that cannot be told apart are found."""

    rule: Annotated[Literal["all", "first"], Word] = Field(
        "all",
        description="where a tier ends: where everything above is significantly better than "
        "everything below, or before the first that is worse than the tier's first",
    )
    test: Annotated[Literal["permutation", "wilcoxon", "t"], Word] = Field(
        "permutation",
        description="the paired test; wilcoxon's is of ranks: it finds medians of differences, "
        "which can point the other way than means",
    )
    alpha: Share = Field(0.05, description="level of the test")
    adjust: Annotated[Literal["max", "holm"], Word] = Field(
        "max", description="how p-values are adjusted for multiple comparisons"
    )


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


def _each_once(tracks: tuple[Track, ...]) -> tuple[Track, ...]:
    for n, track in enumerate(tracks):
        if track.id in [other.id for other in tracks[:n]]:
            raise wrong(f"{quoted(track.id)} is written twice", "C106", n, "id")
    return tracks


LEVEL = 0.95  # of intervals where nothing else is written


class Leaderboard(YamlSection):
    """How scorecards become standings."""

    ties: Annotated[Literal["shared"], Word] = Field(
        "shared", description="equal values share a rank: 1, 2, 2, 4"
    )
    tie_break: tuple[Name, ...] = Field(
        (), description="measures or preferences that break ties, in this order"
    )
    rank_by: Annotated[
        Annotated[Literal["primary"], Word, Tag("word")] | Annotated[RankBy, Tag("rule")],
        Discriminator(lambda value: "rule" if isinstance(value, dict | RankBy) else "word"),
    ] = Field(
        "primary",
        description="the primary measure, or a preference or several measures with an aggregate",
    )
    intervals: Annotated[
        Annotated[
            Annotated[Literal["joint"], Word, Tag("word")] | Annotated[Share, Tag("level")],
            Discriminator(
                lambda value: "level" if isinstance(bare(value), int | float) else "word"
            ),
        ]
        | None,
        Before(switch(LEVEL)),
        Or({"type": "boolean"}),
    ] = Field(
        LEVEL,
        description="level of the intervals over lists; joint: those of all the ranked hold "
        "together in 95 % of boards; false: none",
    )
    tiers: Annotated[Tiers | None, Before(switch({})), Or({"type": "boolean"})] = Field(
        Tiers(), description="which submissions do not differ significantly; false: no tiers"
    )
    seed: Whole = Field(1, description="seed of all random draws")
    draws: Annotated[Count, Field(le=MOST_DRAWS)] = Field(
        10_000, description="how many resamples or permutations are drawn"
    )
    pass_at: Annotated[tuple[Count, ...], AfterValidator(none_twice)] = Field(
        (),
        description="of several runs of each submission, whose primary measure is 0 or 1 on "
        "lists: the chance that any of so many runs is right: [1, 5]",
    )
    baselines: Files = Field((), description="submissions that are shown outside the ranks")
    entry: Annotated[Literal["best", "last", "selected", "all"], Word] = Field(
        "best", description="which of a team's entries counts; the best one on the shown split"
    )
    ladder: Annotated[
        Annotated[Literal["off", "auto"], Word, Tag("word")] | Annotated[Number, Tag("step")],
        Discriminator(lambda value: "step" if isinstance(bare(value), int | float) else "word"),
    ] = Field("off", description="a shown value moves only when it improves by that much")
    digits: Annotated[Count, Field(le=17)] = Field(
        4, description="significant digits of the values that participants are shown"
    )
    pareto: Annotated[tuple[Name, ...], AfterValidator(none_twice)] | None = Field(
        None,
        description="what stands beside the primary measure in a Pareto front: measures, and "
        "questions with better; default: all such questions; []: no front",
    )
    tracks: Annotated[tuple[Track, ...], AfterValidator(_each_once)] = Field(
        (), description="parts of the board with ranks of their own: {id: closed, group: NAME}"
    )

    @property
    def joint(self) -> bool:
        """Whether the intervals of all the ranked are to hold together."""
        return self.intervals == "joint"

    @property
    def level(self) -> float | None:
        """How often an interval, or all joint ones, are to hold; None: there are none."""
        return LEVEL if isinstance(self.intervals, str) else self.intervals
