"""The JSON of the API, as pydantic models: what its routes take and give."""

from __future__ import annotations

from typing import Any, Literal

from pydantic import BaseModel, Field

from scorer.board.models import Act


class ProblemOut(BaseModel):
    """A problem of a file."""

    code: str
    severity: str
    line: int | None
    column: int | None
    list: str | None
    item: str | None
    message: str
    help: str | None


class QuestionOut(BaseModel):
    """A question that each entry answers."""

    type: str
    required: bool
    board: bool
    choices: list[str] = Field([], description="the texts of which an answer is one")
    range: tuple[float | None, float | None] = Field(
        (None, None), description="the lowest and the highest number; null: there is none"
    )
    better: str | None = Field(None, description="which numbers are better: higher or lower")


class PhaseOut(BaseModel):
    """A phase with its times."""

    id: str
    opens: str | None
    closes: str | None
    grace: int = Field(description="seconds after `closes` in which entries are still accepted")
    show: str


class ChallengeOut(BaseModel):
    """The public part of a challenge."""

    id: str
    title: str
    description: str = Field(description="what it is about, in CommonMark")
    pages: dict[str, str] = Field(description="further texts, such as rules and data")
    timezone: str
    state: str = Field(description="upcoming, open or closed: whether entries are taken")
    until: str | None = Field(description="when that changes")
    phase: str | None = Field(description="the present phase; null between phases")
    phases: list[PhaseOut]
    show: str = Field(description="what participants are shown now")
    splits: list[str] = Field(description="the boards that this viewer may see")
    questions: dict[str, QuestionOut]
    quota: dict[str, Any] | None = Field(description="what the team may still send")


class CheckOut(BaseModel):
    """What a check finds."""

    problems: list[ProblemOut]


class SentEntryOut(BaseModel):
    """An entry that was recorded."""

    entry: int
    status: str
    sha256: str
    received: str
    receipt: str | None


class EntryOut(BaseModel):
    """An entry."""

    entry: int
    team: str
    received: str
    status: Literal["pending", "scored", "rejected", "failed"]
    sha256: str
    code: str | None
    message: str | None
    problems: list[ProblemOut]
    receipt: str | None
    values: dict[str, dict[str, float | None]] | None


class DecidedOut(BaseModel):
    """A decision on an entry or on its team."""

    time: str
    act: str
    reason: str


class EntryDetails(EntryOut):
    """An entry, whether it counts, and the decisions on it."""

    counts: bool | None = Field(description="whether it counts on the board; null: not told now")
    why: str = Field(description="why it counts or does not")
    decisions: list[DecidedOut]


class WhyOut(BaseModel):
    """Why a team has its rank."""

    team: str
    rank: int | None
    ranked: int
    split: str | None
    lines: list[str]


class EntryPageOut(BaseModel):
    """A page of entries."""

    entries: list[EntryOut]
    page: int
    pages: int
    total: int = Field(description="entries on all pages")


class DecisionOut(BaseModel):
    """A decision that was recorded."""

    decision: int
    time: str


class DecisionIn(BaseModel):
    """A decision: on an entry or on a team."""

    kind: Act
    entry: int | None = None
    team: str | None = None
    reason: str
    name: str | None = None
    late: bool = False  # after the time in which teams decide; organizers only
