"""Times, quotas and visible values: functions of rules, records and time."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from datetime import UTC, datetime, time, timedelta
from typing import NamedTuple
from zoneinfo import ZoneInfo

from scorer.board.models import Entry, Status
from scorer.challenge.leaderboard import EVERYTHING, Phase, Question
from scorer.challenge.model import Challenge
from scorer.core.text import join_first, quoted
from scorer.scoring.answers import find_answer_fault

NEVER = datetime(9999, 1, 1, tzinfo=UTC)  # the opening of a phase after one that never closes
MOMENT = timedelta(microseconds=1)
PATIENCE = timedelta(minutes=5)  # for which new values wait for files under way
ALWAYS = Phase(id=EVERYTHING)  # of a challenge without phases


class Span(NamedTuple):
    """A phase with its times; None: from ever, or for ever."""

    phase: Phase
    opens: datetime | None
    closes: datetime | None

    @property
    def ends(self) -> datetime | None:
        """The last moment in which an entry is received: the whole second, and the grace."""
        return None if self.closes is None else end_of_second(self.closes + self.phase.grace_time)

    @property
    def takes_entries(self) -> bool:
        """Whether entries are taken in it at all."""
        return self.phase.after is None

    def holds(self, now: datetime) -> bool:
        """Whether `now` lies in it."""
        return self.begun(now) and (self.ends is None or now <= self.ends)

    def begun(self, now: datetime) -> bool:
        """Whether it has begun."""
        return self.opens is None or now >= self.opens


class Refusal(NamedTuple):
    """Why an entry is not taken: a code S80x, and the words."""

    code: str
    message: str


class RemainingQuota(NamedTuple):
    """The remaining quota; None if there is no such limit."""

    today: int | None
    total: int | None
    rejected_today: int | None
    next: datetime | None  # when the next entry is possible; None: at once, or never


def spans(challenge: Challenge) -> tuple[Span, ...]:
    """The phases in order, each with its times."""
    by_id: dict[str, Span] = {}
    for phase in challenge.phases or (ALWAYS,):
        if phase.after is None:
            by_id[phase.id] = Span(phase, phase.opens, phase.closes)
        else:
            lasts = [
                by_id[phase.after].ends,
                phase.select_until and end_of_second(phase.select_until),
            ]
            last = max((time for time in lasts if time is not None), default=None)
            by_id[phase.id] = Span(phase, NEVER if last is None else last + MOMENT, None)
    return tuple(by_id.values())


def end_of_second(time: datetime) -> datetime:
    """The last moment of a second."""
    return time.replace(microsecond=999_999)


def received(challenge: Challenge, begun: datetime, ended: datetime) -> datetime:
    """When a file was received whose sending began and ended then.

    When it began, unless values that were not shown then may have been seen before it ended.
    """
    slow = ended - begun > PATIENCE
    return ended if slow and _known_by(challenge, begun) != _known_by(challenge, ended) else begun


def visible_as_of(challenge: Challenge, sending: Iterable[datetime], now: datetime) -> datetime:
    """The moment whose values are shown: before new ones are, files under way may arrive.

    Args:
        sending: when the sending of each file under way began.
    """
    waits = (
        begun
        for begun in sending
        if now - begun <= PATIENCE and _known_by(challenge, begun) != _known_by(challenge, now)
    )
    return min(waits, default=now)


def _known_by(challenge: Challenge, now: datetime) -> set[str]:
    return {span.phase.show for span in spans(challenge) if span.begun(now)}


def decided_until(challenge: Challenge, phase: str | None) -> datetime | None:
    """Until when a team selects and withdraws an entry; None: as long as the board lives.

    This ends before a split of which nothing was shown while such entries were
    sent is shown: when the phase before closes, or at `select_until` of the phase that shows it.
    """
    in_time = sorted(spans(challenge), key=_begins)
    place = next((n for n, span in enumerate(in_time) if span.phase.id == phase), 0)
    shown = {"none", *(span.phase.show for span in in_time[: place + 1])}
    for before, span in zip(in_time[place:], in_time[place + 1 :], strict=False):
        if span.phase.show not in shown and span.opens is not None:
            if span.phase.select_until is not None:
                return end_of_second(span.phase.select_until)
            last = span.opens - MOMENT
            return last if span.phase.after or before.ends is None else min(before.ends, last)
    return None


def refused_act(challenge: Challenge, entry: Entry, now: datetime) -> Refusal | None:
    """S807 where it is too late to select or withdraw an entry."""
    until = None if entry.baseline else decided_until(challenge, entry.phase)
    if until is None or now <= until:
        return None
    ended = at(until, ZoneInfo(challenge.timezone))
    message = f"it is too late: teams could decide on entry {entry.number} until {ended}"
    return Refusal("S807", message)


def _begins(span: Span) -> datetime:
    return span.opens or datetime.min.replace(tzinfo=UTC)


def phase_at(challenge: Challenge, now: datetime) -> Span | None:
    """The phase that `now` lies in, the latest of several; None before, between and after."""
    return next((span for span in reversed(spans(challenge)) if span.holds(now)), None)


class ChallengeState(NamedTuple):
    """Whether a challenge takes entries, and when that changes; None: it is not known to."""

    words: str  # upcoming, open or closed
    until: datetime | None


def state_at(challenge: Challenge, now: datetime) -> ChallengeState:
    """The state of a challenge at `now`: of several phases that take entries the last to close."""
    taking = [span for span in spans(challenge) if span.takes_entries]
    if closing := [span.closes for span in taking if span.holds(now)]:
        until = None if None in closing else max(time for time in closing if time is not None)
        return ChallengeState("open", until)
    later = [span.opens for span in taking if span.opens is not None and span.opens > now]
    return ChallengeState("upcoming" if later else "closed", min(later, default=None))


def shown_at(challenge: Challenge, now: datetime, phase: str | None = None) -> str:
    """The split that the board shows at `now`, or in a phase that there is; or `own` or `none`.

    Between two phases the earlier one's board stays; before the first there is nothing.
    """
    if phase is not None:
        return next(span.phase.show for span in spans(challenge) if span.phase.id == phase)
    begun = [span for span in spans(challenge) if span.begun(now)]
    current = phase_at(challenge, now)
    if current is not None:
        return current.phase.show
    return begun[-1].phase.show if begun else "none"


def splits_shown(challenge: Challenge, now: datetime) -> frozenset[str]:
    """Return the splits whose boards anybody may see at `now`.

    What a phase showed stays visible while the next one goes on.
    """
    shown = {span.phase.show for span in spans(challenge) if span.begun(now)}
    return frozenset(shown - {"own", "none"})


def closed(challenge: Challenge, now: datetime) -> Refusal | None:
    """S801 where no phase takes entries at `now`, with when one does."""
    if any(span.takes_entries and span.holds(now) for span in spans(challenge)):
        return None
    zone = ZoneInfo(challenge.timezone)
    to_come = [
        span.opens
        for span in spans(challenge)
        if span.takes_entries and span.opens is not None and span.opens > now
    ]
    if to_come:
        return Refusal(
            "S801", f"no entries are taken now; the next phase opens {at(min(to_come), zone)}"
        )
    ended = [span.closes for span in spans(challenge) if span.takes_entries and span.closes]
    since = f" since {at(max(ended), zone)}" if ended else ""
    return Refusal("S801", f"the challenge is closed{since}")


def at(moment: datetime, zone: ZoneInfo) -> str:
    """A time in the challenge's zone, with its offset."""
    return moment.astimezone(zone).isoformat(timespec="seconds")


def quota_left(
    challenge: Challenge,
    span: Span,
    entries: Iterable[Entry],
    statuses: Mapping[int, Status],
    now: datetime,
) -> RemainingQuota:
    """The number of entries that a team may still send in a phase.

    Only what was scored, or waits to be, counts; rejected files have a limit of
    their own, failures none. Days are those of the challenge's zone.
    """
    zone, quota = ZoneInfo(challenge.timezone), span.phase.quota
    today = now.astimezone(zone).date()
    phase_entries = [entry for entry in entries if entry.phase == span.phase.id]
    counted = [
        e for e in phase_entries if statuses.get(e.number, "pending") in ("pending", "scored")
    ]
    rejected = [e for e in phase_entries if statuses.get(e.number) == "rejected"]

    def days(of: Sequence[Entry]) -> int:
        return sum(entry.received.astimezone(zone).date() == today for entry in of)

    def left(most: int | None, used: int) -> int | None:
        return None if most is None else max(most - used, 0)

    remaining = RemainingQuota(
        left(quota.per_day, days(counted)),
        left(quota.total, len(counted)),
        left(quota.rejected_per_day, days(rejected)),
        None,
    )
    if remaining.total == 0 or (remaining.today != 0 and remaining.rejected_today != 0):
        return remaining
    midnight = datetime.combine(today + timedelta(days=1), time(), tzinfo=zone)
    open_then = span.ends is None or midnight <= span.ends
    return remaining._replace(next=midnight if open_then else None)


def refused_by_quota(challenge: Challenge, left: RemainingQuota) -> Refusal | None:
    """S802 where a quota is used up, with when the next entry is possible."""
    which = {
        "the quota of this phase": left.total,
        "today's quota": left.today,
        "today's quota of rejected files": left.rejected_today,
    }
    used = next((words for words, number in which.items() if number == 0), None)
    if used is None:
        return None
    then = "no further entry is possible in this phase"
    if left.next is not None:
        then = f"the next entry is possible {at(left.next, ZoneInfo(challenge.timezone))}"
    return Refusal("S802", f"{used} is used up; {then}")


def refused_answers(
    questions: Mapping[str, Question], answers: Mapping[str, str]
) -> Refusal | None:
    """S805 where a required answer is missing, or an answer does not fit its question."""
    if unknown := [key for key in answers if key not in questions]:
        hint = f"; the questions are {join_first(list(questions))}" if questions else ""
        return Refusal("S805", f"{join_first(unknown)} is not asked{hint}")
    for key, question in questions.items():
        text = answers.get(key, "").strip()
        if not text:
            if question.required:
                return Refusal(
                    "S805", f"the answer to {quoted(key)} is missing: --answer {key}=..."
                )
            continue
        if wrong := find_answer_fault(question, text):
            return Refusal("S805", f"the answer to {quoted(key)} {wrong}")
    return None
