"""When a challenge takes entries, and which part of the lists it then shows: phases and splits."""

import re
from datetime import datetime, timedelta
from typing import Annotated, Any, Literal, Self

from pydantic import AfterValidator, BeforeValidator, Field, GetJsonSchemaHandler, model_validator
from pydantic_core import CoreSchema

from scorer.challenge.types import (
    Count,
    File,
    Name,
    Section,
    Whole,
    field_error,
    quote_value,
    resolve,
)
from scorer.core.text import format_distinct

EVERYTHING = "all"  # the split that holds every list
RESERVED_SPLITS = ("own", "none", EVERYTHING)  # values of `show` that are no names of splits
REST = "rest"

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
    """Return a time that people wrote in the form of challenges; None if it cannot be read.

    Without a zone it is in UTC. Without a clock time it is the beginning of the day; with `end`,
    its end.

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
    date_and_clock = " ".join(words).strip().replace(" 24:00", " 23:59:59")
    for date in DATES:
        for clock in CLOCKS:
            try:
                time = datetime.strptime(date_and_clock, date + clock)
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


def check_phases(phases: tuple[Phase, ...], splits: Splits | None) -> None:
    """Refuse phases that contradict each other or name a split that is not there."""
    ids: set[str] = set()
    names = {*RESERVED_SPLITS, *(splits.shares if splits else ())}
    are_names_known = splits is None or splits.file is None
    before: Phase | None = None  # the last phase so far that takes entries
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
        if are_names_known and phase.show not in names:
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
