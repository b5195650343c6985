"""How submissions are ranked, and what makes a board live: splits, phases, quotas, questions."""

import re
from collections.abc import Mapping
from datetime import datetime, timedelta
from typing import Annotated, Any, Literal, Self

from pydantic import (
    AfterValidator,
    BeforeValidator,
    Field,
    GetJsonSchemaHandler,
    field_validator,
    model_validator,
)
from pydantic_core import CoreSchema

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
    quote_value,
    resolve,
)
from scorer.core.text import format_distinct, join_first, quoted

EVERYTHING = "all"  # the split that holds every list
RESERVED_SPLITS = ("own", "none", EVERYTHING)  # values of `show` that are no names of splits
REST = "rest"
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
    return on if flag is True else None if flag is False else value


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


ZONES = {  # the offsets of names that mean one zone only, as deadlines are written
    "utc": "+00:00",
    "gmt": "+00:00",
    "z": "+00:00",
    "aoe": "-12:00",
    "cet": "+01:00",
    "cest": "+02:00",
    "edt": "-04:00",
    "pst": "-08:00",
    "pdt": "-07:00",
}
DATES = ("%Y-%m-%d", "%Y/%m/%d", "%d.%m.%Y", "%d %B %Y", "%d %b %Y", "%B %d %Y", "%b %d %Y")
CLOCKS = ("", " %H:%M:%S", " %H:%M", " %I:%M %p", " %I %p")


def read_time(value: Any, end: bool = False) -> Any:
    """Return a time with its offset, such as 2011-04-18T10:00:00+02:00.

    Args:
        value: What the challenge says.
        end: Whether it ends something, so that a day alone means the end of that day.
    """
    if isinstance(value, datetime):
        return value
    try:
        time = datetime.fromisoformat(value)
    except (ValueError, TypeError):
        time = None
    if time is not None and time.tzinfo is not None:
        return time
    written = quote_value(value)
    suggestion = suggest_time(value, end) if isinstance(value, str) else None
    if suggestion is None:
        raise field_error(f"{written} is no time; write it as 2011-04-18T10:00:00+02:00")
    fault = "is not how a time is written" if time is None else "has no offset from UTC"
    raise field_error(f"{written} {fault}; write it as {suggestion}")


def _read_end(value: Any) -> Any:
    return read_time(value, end=True)


def suggest_time(text: str, end: bool) -> str | None:
    """A time as people write it in the form that challenges take; None if it cannot be read.

    Without a zone it is taken for UTC, without a clock time for the beginning of the day, or its
    end.

    >>> suggest_time("31 May 2026, 23:59 AoE", end=True)
    '2026-05-31T23:59:00-12:00'
    >>> suggest_time("2026-05-31", end=True), suggest_time("2026-05-31", end=False)
    ('2026-05-31T23:59:59+00:00', '2026-05-31T00:00:00+00:00')
    """
    words = re.sub(r"(\d)T(\d)", r"\1 \2", text).replace(",", " ").split()
    offset = ""
    if words and words[-1].casefold() in ZONES:
        offset = ZONES[words.pop().casefold()]
    elif words and (match := re.fullmatch(r"(.*?)([+-]\d\d:?\d\d|[zZ])", words[-1])):
        offset = ZONES.get(match[2].casefold(), match[2])
        words[-1] = match[1]
        if len(offset) == 5:
            offset = f"{offset[:3]}:{offset[3:]}"
    written = " ".join(words).strip()
    for date in DATES:
        for clock in CLOCKS:
            try:
                time = datetime.strptime(written.replace(" 24:00", " 23:59:59"), date + clock)
            except ValueError:
                continue
            if not clock and end:
                time = time.replace(hour=23, minute=59, second=59)
            return f"{time.isoformat()}{offset or '+00:00'}"
    return None


def _read_share(value: Any) -> Any:
    share = resolve(value)
    if share != REST and (not isinstance(share, float) or not 0 < share < 1):
        raise field_error(f"{quote_value(value)} is neither between 0 and 1 nor 'rest'")
    return share


def _read_duration(value: Any) -> Any:
    """Return whole seconds: 60, 60s, 10m or 1h."""
    match = re.fullmatch(r"(\d{1,6}) ?([smh]?)", str(value))
    if match is None:
        message = f"{quote_value(value)} is no length of time; write it as 60s, 10m or 1h"
        raise field_error(message)
    return int(match[1]) * {"": 1, "s": 1, "m": 60, "h": 3600}[match[2]]


def _check_split_name(name: str) -> str:
    if name in RESERVED_SPLITS:
        raise field_error(f"a split cannot be called {name!r}, which has a meaning of its own")
    return name


Time = Annotated[datetime, BeforeValidator(read_time, str)]
EndTime = Annotated[datetime, BeforeValidator(_read_end, str)]
Duration = Annotated[int, BeforeValidator(_read_duration, str)]
SplitName = Annotated[Name, AfterValidator(_check_split_name)]
SplitShare = Annotated[float | Literal["rest"], BeforeValidator(_read_share)]


class Splits(Section):
    """Named parts of the lists, each with a board of its own.

    Written as `{public: 0.3, private: rest, seed: 2011}`: the keys that are no
    settings are the splits.
    """

    shares: dict[SplitName, SplitShare] = Field({}, description="name: share of the lists, or rest")
    seed: Whole | None = Field(
        None, description="what the draw depends on; keep it as secret as the truth"
    )
    by: Literal["list", "group"] = Field(
        "list", description="what is drawn: single lists, or whole groups of lists"
    )
    file: File | None = Field(None, description="a file of list,split instead of a draw")

    @classmethod
    def __get_pydantic_json_schema__(
        cls, core: CoreSchema, handler: GetJsonSchemaHandler
    ) -> dict[str, Any]:
        """Return the schema of the file's form, where each split is a key beside the settings."""
        schema = handler(core)
        written = handler.resolve_ref_schema(schema)
        written["properties"].pop("shares")
        share = {"anyOf": [{"type": "number"}, {"const": REST}]}
        written["additionalProperties"] = share | {"description": "a split's share of the lists"}
        return schema

    @model_validator(mode="before")
    @classmethod
    def _read_shares(cls, value: Any) -> Any:
        if not isinstance(value, dict) or "shares" in value:
            return value
        settings = {key: entry for key, entry in value.items() if key in ("seed", "by", "file")}
        shares = {key: entry for key, entry in value.items() if key not in settings}
        return settings | {"shares": shares}

    @model_validator(mode="after")
    def _check_shares(self) -> Self:
        if self.file is not None:
            if self.shares or self.seed is not None:
                raise field_error(
                    "splits are either drawn, by shares and a seed, or read from a file"
                )
            return self
        if len(self.shares) < 2:
            raise field_error(
                "at least two splits are needed: {public: 0.3, private: rest, seed: 2011}"
            )
        if self.seed is None:
            raise field_error("a drawn split needs a seed; a large one that nobody can guess")
        shares = [share for share in self.shares.values() if share != REST]
        rests = len(self.shares) - len(shares)
        total = sum(float(share) for share in shares)
        if rests > 1:
            raise field_error("only one split can be the rest")
        if rests == 0 and abs(total - 1) > 1e-9:
            shown, _ = format_distinct(total, 1)
            raise field_error(f"the shares sum to {shown}, not to 1; one may be 'rest'")
        if rests == 1 and total >= 1:
            raise field_error(f"the shares sum to {total:g}, which leaves no rest")
        return self


class Quota(Section):
    """How many entries a team may send."""

    per_day: Count | None = Field(
        None, description="scored entries per day in the challenge's time zone"
    )
    total: Count | None = Field(None, description="scored entries in the whole phase")
    rejected_per_day: Count | None = Field(
        None, description="entries per day that are rejected by the checks"
    )


class Phase(Section):
    """A span of time with its rules."""

    id: Name = Field(description="short name")
    opens: Time | None = Field(None, description="from when entries are accepted")
    closes: EndTime | None = Field(
        None, description="until when entries are accepted, that second included"
    )
    grace: Duration = Field(
        0, description="how long after `closes` entries are still accepted: 60s, 10m, 1h"
    )
    after: Name | None = Field(None, description="begins when that phase ends; accepts no entries")
    show: Name = Field(EVERYTHING, description="a split's name, own, none or all")
    quota: Quota = Field(Quota(), description="how many entries a team may send")
    select: Count | None = Field(
        None, description="how many selected entries of each team count; others are left out"
    )

    select_until: EndTime | None = Field(
        None, description="until when teams select and withdraw; the phase begins no earlier"
    )

    @model_validator(mode="after")
    def _check_times(self) -> Self:
        if self.select_until is not None and self.after is None:
            message = (
                f"phase {self.id!r} takes entries; select_until stands in the phase after it, "
                "in which the selected entries count"
            )
            raise field_error(message, "C106", "select_until")
        if self.after is not None and (self.opens or self.closes):
            message = f"phase {self.id!r} begins after {self.after!r}; it has no times of its own"
            raise field_error(message, "C106", "opens" if self.opens else "closes")
        if self.opens and self.closes and self.closes <= self.opens:
            raise field_error(f"phase {self.id!r} closes before it opens", "C106", "closes")
        if self.grace and self.closes is None:
            message = f"phase {self.id!r} has a grace, and no `closes` after which it would be"
            raise field_error(message, "C106", "grace")
        return self

    @property
    def grace_time(self) -> timedelta:
        """The time after `closes` in which entries are still accepted."""
        return timedelta(seconds=self.grace)


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


def check_phases(phases: tuple[Phase, ...], splits: Splits | None) -> None:
    """Refuse phases that contradict each other or name a split that is not there."""
    ids: set[str] = set()
    names = {*RESERVED_SPLITS, *(splits.shares if splits else ())}
    drawn = splits is None or splits.file is None
    before: Phase | None = None  # the last that takes entries
    closing: dict[str, datetime | None] = {}
    for n, phase in enumerate(phases):
        at = ("phases", n)
        if phase.id in ids:
            raise field_error(f"two phases are called {phase.id!r}", "C106", *at, "id")
        if phase.after is not None and phase.after not in ids:
            message = f"phase {phase.id!r} is after {phase.after!r}, which is no phase before it"
            raise field_error(message, "C106", *at, "after")
        if phase.after is not None and closing[phase.after] is None:
            message = (
                f"phase {phase.after!r} needs `closes`, since {phase.id!r} comes after it: "
                "closes: 2026-07-08T23:59:59+02:00"
            )
            raise field_error(message, "C106", *at, "after")
        if drawn and phase.show not in names:
            message = f"phase {phase.id!r} shows {phase.show!r}, which is no split"
            raise field_error(message, "C106", *at, "show")
        if phase.after is None:
            _check_order(before, phase, n)
            before = phase
        closing[phase.id] = phase.closes
        ids.add(phase.id)


def _check_order(before: Phase | None, phase: Phase, n: int) -> None:
    """Refuse the n-th phase, which takes entries and begins too early, or at no time."""
    if before is None:
        return
    at = ("phases", n, "opens")
    if phase.opens is None:
        message = (
            f"phase {phase.id!r} needs `opens`, since {before.id!r} comes before it "
            "(or `after`, if it takes no entries): opens: 2026-07-09T00:00:00+02:00"
        )
        raise field_error(message, "C106", *at)
    if before.closes and phase.opens < before.closes + before.grace_time:
        ends = "closes, with its grace" if before.grace else "closes"
        message = f"phase {phase.id!r} opens before the phase before it {ends}"
        raise field_error(message, "C106", *at)
    if before.opens and phase.opens <= before.opens:
        message = f"phase {phase.id!r} opens before the phase before it"
        raise field_error(message, "C106", *at)


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
