"""How challenge.yaml says that submissions are ranked."""

# no `from __future__ import annotations`: pydantic would have to compile each of them again
from typing import Annotated, Literal

from pydantic import AfterValidator, Discriminator, Field, Tag

from scorer.challenge.fields import (
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
from scorer.challenge.rank_by import RankBy, Track
from scorer.core.text import quoted
from scorer.reading.limits import ReadLimits as ReadLimits

MOST_DRAWS = 1_000_000  # each is kept for every submission


class Tiers(YamlSection):
    """How standings that cannot be told apart are found."""

    alpha: Share = Field(0.05, description="level of the test")


def _each_once(tracks: tuple["Track", ...]) -> tuple["Track", ...]:
    for n, track in enumerate(tracks):
        if track.id in [other.id for other in tracks[:n]]:
            raise wrong(f"{quoted(track.id)} is written twice", "C106", n, "id")
    return tracks


LEVEL = 0.95  # of intervals where nothing else is written


class Leaderboard(YamlSection):
    """How scorecards become standings."""

    tie_break: tuple[Name, ...] = Field(
        (), description="measures or preferences that break ties, in this order"
    )
    rank_by: Annotated[
        Annotated[Literal["primary"], Word, Tag("word")] | Annotated[RankBy, Tag("rule")],
        Discriminator(lambda value: "rule" if isinstance(value, dict | YamlSection) else "word"),
    ] = Field(
        "primary",
        description="the primary measure, or a preference or several measures with an aggregate",
    )
    intervals: Annotated[Share | None, Before(switch(LEVEL)), Or({"type": "boolean"})] = Field(
        LEVEL, description="level of the intervals over lists; false: none"
    )
    tiers: Annotated[Tiers | None, Before(switch({})), Or({"type": "boolean"})] = Field(
        Tiers.model_construct(),
        description="which submissions do not differ significantly; false: no tiers",
    )
    seed: Whole = Field(1, description="seed of all random draws")
    draws: Annotated[Count, Field(le=MOST_DRAWS)] = Field(
        10_000, description="how many permutations are drawn; of votes how many resamples"
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


DEFAULT_BOARD = Leaderboard.model_construct()  # where nothing is written of it
