"""Times, quotas and visible values: functions of rules, records and time."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from datetime import UTC, datetime, time, timedelta
from itertools import pairwise
from typing import Literal, NamedTuple
from zoneinfo import ZoneInfo

from scorer.board.models import Entry, Status
from scorer.challenge.leaderboard import Question
from scorer.challenge.model import Challenge
from scorer.challenge.phases import EVERYTHING, Phase
from scorer.core.text import join_first, quoted
from scorer.scoring.answers import find_answer_fault

FAR_FUTURE = datetime(9999, 1, 1, tzinfo=UTC)  # when a phase after an endless one opens
MOMENT = timedelta(microseconds=1)  # the resolution of `datetime`
UPLOAD_TIME = timedelta(minutes=5)  # new values wait for uploads, this long at most
ONLY_PHASE = Phase(id=EVERYTHING)  # the one phase of a challenge that defines none


class Span(NamedTuple):
    """A phase with its times."""

    phase: Phase
    opens: datetime | None  # None: it has always been open
    closes: datetime | None  # None: it stays open

    @property
    def ends(self) -> datetime | None:
        """The last moment at which entries are accepted: the second of `closes`, and the grace."""
        return None if self.closes is None else end_of_second(self.closes + self.phase.grace_time)

    @property
    def takes_entries(self) -> bool:
        """Whether teams may send entries; a phase that has `after` only shows another board."""
        return self.phase.after is None

    def holds(self, now: datetime) -> bool:
        """Whether the phase goes on at `now`, its grace included."""
        return self.has_begun(now) and (self.ends is None or now <= self.ends)

    def has_begun(self, now: datetime) -> bool:
        """Whether the phase has begun at `now`."""
        return self.opens is None or now >= self.opens


class Refusal(NamedTuple):
    """Why an entry or a decision is refused: a code S80x, and a message."""

    code: str
    message: str


class RemainingQuota(NamedTuple):
    """How many entries a team may still send; None where there is no limit."""

    today: int | None
    total: int | None
    rejected_today: int | None
    next: datetime | None  # when a used quota is renewed; None: it is not used up, or never is


def spans(challenge: Challenge) -> tuple[Span, ...]:
    """Return the phases in their order, each with its times."""
    by_id: dict[str, Span] = {}
    for phase in challenge.phases or (ONLY_PHASE,):
        if phase.after is None:
            by_id[phase.id] = Span(phase, phase.opens, phase.closes)
        else:
            ends = [by_id[phase.after].ends]
            if phase.select_until is not None:
                ends.append(end_of_second(phase.select_until))
            end = max((end for end in ends if end is not None), default=None)
            by_id[phase.id] = Span(phase, FAR_FUTURE if end is None else end + MOMENT, None)
    return tuple(by_id.values())


def end_of_second(time: datetime) -> datetime:
    """Return the last moment of the second in which a time lies."""
    return time.replace(microsecond=999_999)


def received_at(challenge: Challenge, begun: datetime, ended: datetime) -> datetime:
    """Return the time at which a file counts as received.

    This is the time when its upload began. A slow upload during which a board was first shown
    counts from its end, because the team may have seen that board before it sent all.
    """
    is_slow = ended - begun > UPLOAD_TIME
    has_new_board = _boards_shown(challenge, begun) != _boards_shown(challenge, ended)
    return ended if is_slow and has_new_board else begun


def visible_moment(challenge: Challenge, uploads: Iterable[datetime], now: datetime) -> datetime:
    """Return the time for which boards are shown: `now`, or earlier while uploads go on.

    A new board waits for files whose upload began before it (`uploads`), for `UPLOAD_TIME` at most.
    """
    shown = _boards_shown(challenge, now)
    recent = [begun for begun in uploads if now - begun <= UPLOAD_TIME]
    return min((t for t in recent if _boards_shown(challenge, t) != shown), default=now)


def _boards_shown(challenge: Challenge, now: datetime) -> set[str]:
    return {span.phase.show for span in spans(challenge) if span.has_begun(now)}


def decision_deadline(challenge: Challenge, phase: str | None) -> datetime | None:
    """Return until when a team may select and withdraw an entry; None: there is no deadline.

    Teams decide before they see a board that was hidden when the entry was sent. The deadline is
    `select_until` of the phase that shows this board, or else the end of the phase before.
    """
    in_time = sorted(spans(challenge), key=_begins)
    # an entry of a phase that is no longer defined is treated as of the first
    own = next((index for index, span in enumerate(in_time) if span.phase.id == phase), 0)
    shown = {"none", *(span.phase.show for span in in_time[: own + 1])}
    for before, span in pairwise(in_time[own:]):
        if span.phase.show not in shown and span.opens is not None:
            if span.phase.select_until is not None:
                return end_of_second(span.phase.select_until)
            last = span.opens - MOMENT
            if span.phase.after or before.ends is None:
                return last
            return min(before.ends, last)
    return None


def refusal_of_decision(challenge: Challenge, entry: Entry, now: datetime) -> Refusal | None:
    """Return S807 if it is too late to select or withdraw an entry; None if it is not."""
    until = None if entry.baseline else decision_deadline(challenge, entry.phase)
    if until is None or now <= until:
        return None
    ended = in_zone(until, ZoneInfo(challenge.timezone))
    message = f"it is too late: teams could decide on entry {entry.number} until {ended}"
    return Refusal("S807", message)


def _begins(span: Span) -> datetime:
    return span.opens or datetime.min.replace(tzinfo=UTC)


def phase_at(challenge: Challenge, now: datetime) -> Span | None:
    """Return the phase that goes on at `now`, the last of several; None between phases."""
    return next((span for span in reversed(spans(challenge)) if span.holds(now)), None)


class ChallengeState(NamedTuple):
    """Whether a challenge takes entries, and when that changes."""

    name: Literal["upcoming", "open", "closed"]
    until: datetime | None  # None: no change is planned


def challenge_state(challenge: Challenge, now: datetime) -> ChallengeState:
    """Return the state of a challenge at `now`; it is open until its last open phase closes."""
    taking = [span for span in spans(challenge) if span.takes_entries]
    closings = [span.closes for span in taking if span.holds(now)]
    if closings:  # a phase that stays open is the last to close
        return ChallengeState("open", max(closings, key=lambda time: time or FAR_FUTURE))
    openings = [span.opens for span in taking if span.opens is not None and span.opens > now]
    return ChallengeState("upcoming" if openings else "closed", min(openings, default=None))


def shown_at(challenge: Challenge, now: datetime, phase: str | None = None) -> str:
    """Return the split that the board shows at `now`, or in the phase with an id.

    It may be `own` or `none`. Between two phases the board of the earlier one stays; before the
    first phase nothing is shown.
    """
    if phase is not None:
        return next(span.phase.show for span in spans(challenge) if span.phase.id == phase)
    begun = [span for span in spans(challenge) if span.has_begun(now)]
    span = phase_at(challenge, now) or (begun[-1] if begun else None)
    return "none" if span is None else span.phase.show


def splits_shown(challenge: Challenge, now: datetime) -> frozenset[str]:
    """Return the splits whose boards anybody may see at `now`.

    What a phase showed stays visible while the next one goes on.
    """
    return frozenset(_boards_shown(challenge, now) - {"own", "none"})


def refusal_when_closed(challenge: Challenge, now: datetime) -> Refusal | None:
    """Return S801 if no phase takes entries at `now`; it says when the next one opens."""
    if any(span.takes_entries and span.holds(now) for span in spans(challenge)):
        return None
    zone = ZoneInfo(challenge.timezone)
    taking = [span for span in spans(challenge) if span.takes_entries]
    openings = [span.opens for span in taking if span.opens is not None and span.opens > now]
    if openings:
        opening = in_zone(min(openings), zone)
        return Refusal("S801", f"no entries are taken now; the next phase opens {opening}")
    closings = [span.closes for span in taking if span.closes]
    since = f" since {in_zone(max(closings), zone)}" if closings else ""
    return Refusal("S801", f"the challenge is closed{since}")


def in_zone(time: datetime, zone: ZoneInfo) -> str:
    """Return a time in a time zone as text, with its offset."""
    return time.astimezone(zone).isoformat(timespec="seconds")


def quota_left(
    challenge: Challenge,
    span: Span,
    entries: Iterable[Entry],
    statuses: Mapping[int, Status],
    now: datetime,
) -> RemainingQuota:
    """Return how many entries a team may still send in a phase.

    Scored and waiting entries count. Rejected files have their own limit, and failed evaluations
    have none. A day begins at midnight in the challenge's time zone. `statuses` has the status of
    each entry number, except of entries that wait.
    """
    zone = ZoneInfo(challenge.timezone)
    quota = span.phase.quota
    today = now.astimezone(zone).date()
    phase_entries = [entry for entry in entries if entry.phase == span.phase.id]

    def select(*wanted: Status) -> list[Entry]:
        return [e for e in phase_entries if statuses.get(e.number, "pending") in wanted]

    def count_today(entries: Sequence[Entry]) -> int:
        return sum(entry.received.astimezone(zone).date() == today for entry in entries)

    def subtract(limit: int | None, used: int) -> int | None:
        return None if limit is None else max(limit - used, 0)

    counted = select("scored", "pending")
    remaining = RemainingQuota(
        today=subtract(quota.per_day, count_today(counted)),
        total=subtract(quota.total, len(counted)),
        rejected_today=subtract(quota.rejected_per_day, count_today(select("rejected"))),
        next=None,
    )
    if remaining.total == 0 or 0 not in (remaining.today, remaining.rejected_today):
        return remaining
    midnight = datetime.combine(today + timedelta(days=1), time(), tzinfo=zone)
    is_open_then = span.ends is None or midnight <= span.ends
    return remaining._replace(next=midnight if is_open_then else None)


def refusal_by_quota(challenge: Challenge, left: RemainingQuota) -> Refusal | None:
    """Return S802 if a quota is used up; it says when the next entry is possible."""
    quotas = {
        "the quota of this phase": left.total,
        "today's quota": left.today,
        "today's quota of rejected files": left.rejected_today,
    }
    used = next((name for name, number in quotas.items() if number == 0), None)
    if used is None:
        return None
    advice = "no further entry is possible in this phase"
    if left.next is not None:
        advice = f"the next entry is possible {in_zone(left.next, ZoneInfo(challenge.timezone))}"
    return Refusal("S802", f"{used} is used up; {advice}")


def refusal_of_answers(
    questions: Mapping[str, Question], answers: Mapping[str, str]
) -> Refusal | None:
    """Return S805 if a required answer is missing, or an answer does not fit its question."""
    if unknown := [key for key in answers if key not in questions]:
        hint = f"; the questions are {join_first(list(questions))}" if questions else ""
        return Refusal("S805", f"{join_first(unknown)} is not asked{hint}")
    for key, question in questions.items():
        text = answers.get(key, "").strip()
        fault = None
        if text:
            fault = find_answer_fault(question, text)
        elif question.required:
            fault = f"is missing: --answer {key}=..."
        if fault:
            return Refusal("S805", f"the answer to {quoted(key)} {fault}")
    return None
