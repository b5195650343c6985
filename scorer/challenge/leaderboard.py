"""How submissions are ranked: the board, its tracks, questions to teams, points of a course."""

from collections.abc import Mapping
from typing import Annotated, Any, Literal, Self

from pydantic import AfterValidator, BeforeValidator, Field, field_validator, model_validator

from scorer.challenge.phases import EndTime
from scorer.challenge.types import (
    Count,
    DistinctNames,
    EntryRule,
    File,
    Flag,
    Name,
    Names,
    Number,
    OpenRange,
    Section,
    Share,
    Whole,
    check_distinct,
    field_error,
    resolve,
)
from scorer.core.text import join_first, quoted

PLACEHOLDER = "NUMBER"  # in place of a number, in lines that `score init` writes


class RankBy(Section):
    """Ranks from preferences between submissions, or from their ranks by several measures."""

    preference: Name | None = Field(
        None, description="how two submissions are compared on a list: RPP"
    )
    measures: DistinctNames = Field(
        (), description="in its place: measures of the challenge, each of which ranks all"
    )
    each: Literal["list", "group"] | None = Field(
        None,
        description="measures rank in each list, or in each group of lists, which are the sample; "
        "default: by their values of the whole",
    )
    aggregate: Name = Field(
        description="how comparisons, or ranks, become one order: MC4, Borda, RankSum; with each: "
        "WinRate, MeanRank, Borda"
    )
    tie_break: tuple[Literal["first_places", "earliest"], ...] = Field(
        (),
        description="of measures: more first places, then second ones, ..; the earlier entry, on "
        "a living board",
    )

    @model_validator(mode="after")
    def _check_rule(self) -> Self:
        if (self.preference is None) == (not self.measures):
            raise field_error("write either a preference or measures")
        if self.tie_break and not self.measures:
            message = "tie_break here is of measures; leaderboard.tie_break is of preferences"
            raise field_error(message, "C106", "tie_break")
        if self.each is not None and not self.measures:
            message = "each is of measures; a preference compares in each list anyway"
            raise field_error(message, "C106", "each")
        if self.each is not None and "first_places" in self.tie_break:
            message = "first_places are those by several values of the whole, without each"
            raise field_error(message, "C106", "tie_break")
        return self


def _check_any(names: tuple[str, ...]) -> tuple[str, ...]:
    if not names:
        raise field_error("nothing is given")
    return names


OneOrMore = Annotated[Names, AfterValidator(check_distinct), AfterValidator(_check_any)]


class Track(Section):
    """A part of the board with ranks of its own: of groups of lists, or of some submissions."""

    id: Name = Field(description="what the track is called")
    group: OneOrMore = Field(
        (), description="the group of lists, or the groups, by which it ranks; default: all lists"
    )
    answer: dict[Name, OneOrMore] = Field(
        {},
        description="who is in it, by answers: {data: closed}, or {data: [closed, own]}; default: "
        "all submissions. The answers have to be shown on the board",
    )

    @model_validator(mode="after")
    def _check_part(self) -> Self:
        if not self.group and not self.answer:
            raise field_error("a track is of a group or an answer; write {id: closed, group: NAME}")
        return self


MOST_DRAWS = 1_000_000  # each is kept for every submission


class Tiers(Section):
    """How standings that cannot be told apart are found."""

    alpha: Share = Field(0.05, description="level of the test")


def _check_tracks_differ(tracks: tuple["Track", ...]) -> tuple["Track", ...]:
    for n, track in enumerate(tracks):
        if track.id in [other.id for other in tracks[:n]]:
            raise field_error(f"{quoted(track.id)} is written twice", "C106", n, "id")
    return tracks


LEVEL = 0.95  # of intervals where nothing else is written


def _switch(value: Any, on: Any) -> Any:
    """Return None for a section that `false` turns off, and its defaults, `on`, for `true`."""
    flag = resolve(value)
    if flag is True:
        return on
    return None if flag is False else value


class Leaderboard(Section):
    """How scorecards become standings."""

    tie_break: tuple[Name, ...] = Field(
        (), description="measures or preferences that break ties, in this order"
    )
    rank_by: Literal["primary"] | RankBy = Field(
        "primary",
        union_mode="left_to_right",
        description="the primary measure, or a preference or several measures with an aggregate",
    )
    intervals: Annotated[
        Share | None, BeforeValidator(lambda value: _switch(value, LEVEL), float | bool | None)
    ] = Field(LEVEL, description="level of the intervals over lists; false: none")
    tiers: Annotated[
        Tiers | None, BeforeValidator(lambda value: _switch(value, {}), Tiers | bool | None)
    ] = Field(
        Tiers(),
        description="which submissions do not differ significantly; false: no tiers",
    )
    seed: Whole = Field(1, description="seed of all random draws")
    draws: Annotated[Count, Field(le=MOST_DRAWS)] = Field(
        10_000, description="how many permutations are drawn; of votes how many resamples"
    )
    pass_at: Annotated[tuple[Count, ...], AfterValidator(check_distinct)] = Field(
        (),
        description="of several runs of each submission, whose primary measure is 0 or 1 on "
        "lists: the chance that any of so many runs is right: [1, 5]",
    )
    baselines: tuple[File, ...] = Field(
        (), description="submissions that are shown outside the ranks"
    )
    entry: EntryRule = Field(
        "best", description="which of a team's entries counts; the best one on the shown split"
    )
    ladder: Literal["off", "auto"] | Number = Field(
        "off",
        union_mode="left_to_right",
        description="a shown value moves only when it improves by that much",
    )
    digits: Annotated[Count, Field(le=17)] = Field(
        4, description="significant digits of the values that participants are shown"
    )
    pareto: DistinctNames | None = Field(
        None,
        description="what stands beside the primary measure in a Pareto front: measures, and "
        "questions with better; default: all such questions; []: no front",
    )
    tracks: Annotated[tuple[Track, ...], AfterValidator(_check_tracks_differ)] = Field(
        (), description="parts of the board with ranks of their own: {id: closed, group: NAME}"
    )


DEFAULT_BOARD = Leaderboard()  # where nothing is written of it


LONGEST_ANSWER = 1000  # characters


class Question(Section):
    """A question to a team, answered with each entry."""

    type: Literal["text", "number"] = Field("text", description="what an answer is")
    required: Flag = Field(False, description="whether an entry without an answer is refused")
    board: Flag = Field(False, description="whether the board shows the answer")
    choices: DistinctNames = Field((), description="the texts of which an answer is one")
    range: OpenRange = Field(
        (0.0, None), description="the lowest and the highest number; null: there is none"
    )
    better: Literal["higher", "lower"] | None = Field(
        None,
        description="which numbers are better; they then stand beside the primary measure in a "
        "Pareto front",
    )

    @model_validator(mode="after")
    def _check_type(self) -> Self:
        for key in ("range", "better"):
            if key in self.model_fields_set and self.type != "number":
                raise field_error(f"{key} is of numbers; write type: number", "C106", key)
        if self.choices and self.type != "text":
            raise field_error("choices are texts; leave out the type", "C106", "choices")
        if self.better and not self.board:
            message = "a front on the board shows the answers; write board: true"
            raise field_error(message, "C106", "better")
        return self


def check_tracks(tracks: tuple[Track, ...], questions: Mapping[str, Question]) -> None:
    """Refuse tracks by answers to no question, or to one that is not shown or has other answers."""
    for n, track in enumerate(tracks):
        for key, values in track.answer.items():
            where = f"track {quoted(track.id)}"
            if (question := questions.get(key)) is None:
                known = f"; the questions are {join_first(list(questions))}" if questions else ""
                message = f"{where}: no question is called {quoted(key)}{known}"
            elif not question.board:
                message = f"{where} shows who answers what; write board: true at {quoted(key)}"
            elif question.type == "number":
                message = f"{where} is of texts; {quoted(key)} asks for a number"
            elif question.choices and (lost := set(values).difference(question.choices)):
                message = f"{where}: {quoted(min(lost))} is no answer to {quoted(key)}"
            else:
                continue
            raise field_error(message, "C106", "leaderboard", "tracks", n, "answer", key)


class Late(Section):
    """What a file loses that comes late."""

    due: EndTime = Field(description="until when all points can be had, that second included")
    lose: Share = Field(description="the share of the points that each day begun after it costs")


class Grading(Section):
    """Points between two values, in a straight line."""

    measure: Name | None = Field(None, description="id of a measure; default: the primary one")
    start: Number | Name = Field(
        "baseline",
        alias="from",
        union_mode="left_to_right",
        description="the value of no points: a number, the name of a baseline, or `baseline`, the "
        "best of them",
    )
    to: Number = Field(description="the value of all points; better ones give no more")
    points: Annotated[Number, Field(gt=0, le=1_000_000)] = Field(
        10, description="how many all points are"
    )
    late: Late | None = Field(None, description="what late files lose: {due: TIME, lose: 0.1}")

    @field_validator("start")
    @classmethod
    def _check_start(cls, start: float | str) -> float | str:
        # Any other name may be a baseline's: boards have some that challenge.yaml does not list.
        if start == PLACEHOLDER:
            raise field_error(f"{quoted(start)} is neither a number nor the name of a baseline")
        return start

    @model_validator(mode="after")
    def _check_ends(self) -> Self:
        if self.start == self.to:
            raise field_error(
                "from and to are the same value; points lie between two", "C106", "to"
            )
        return self
