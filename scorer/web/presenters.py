"""What pages say of a challenge: its state and dates, a team's place and quota, rules in words."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime
from typing import NamedTuple
from zoneinfo import ZoneInfo

from scorer.board.phases import RemainingQuota, Span, challenge_state, decision_deadline, spans
from scorer.board.standings import Ranking
from scorer.challenge.model import Challenge
from scorer.challenge.phases import EVERYTHING
from scorer.core.text import format_number, printable, unit
from scorer.reports.charts.svg import fit_text
from scorer.reports.leaderboard.cells import has_ranges, level
from scorer.results.json import ABSENT
from scorer.results.report import Standing

NAME_WIDTH = 170.0  # pixels of another team's name, which is cut to them
# The entry rule in words.
COUNTS = {
    "best": "Of each team the best entry counts.",
    "last": "Of each team the latest entry counts.",
    "selected": "Of each team the entry that it selected last counts, or else its best.",
    "all": "All entries count, each in a row of its own.",
}

# What a phase shows, in words; any other value is the name of a split.
SHOWN = {
    EVERYTHING: "The board is of all lists.",
    "own": "There is no board: each team sees its own values.",
    "none": "Nothing is shown.",
}


class Fact(NamedTuple):
    """A number or word that a page shows in large letters below its name."""

    name: str
    value: str
    more: str = ""  # a remark
    due: datetime | None = None  # a time in the future, which stands after the remark
    link: str = ""
    alarm: str = ""  # the problem that an organizer has to see to; empty: there is none


class Milestone(NamedTuple):
    """A time of the challenge, and what happens then."""

    time: datetime
    words: str


def standing_facts(ranking: Ranking, team: int, digits: int) -> Iterator[Fact]:
    """A team's rank, its value, and how far the next team is away."""
    own = next((s for s in ranking.report.leaderboard if ranking.rows[s.name].id == team), None)
    if own is None or own.rank is None:
        return
    ranked = [s for s in ranking.report.leaderboard if s.rank is not None]
    more = f"of {len(ranked):,}"
    if own.ranks is not None and own.ranks[0] < own.ranks[1]:
        more += f"; {own.ranks[0]} to {own.ranks[1]} are possible"
    yield Fact("your rank", f"{own.rank}", more, link=f"#team-{team}")
    primary = ranking.report.primary
    value = format_number(own.values[primary.id], digits)
    gap = _gap(ranking, own, ranked, digits)
    yield Fact(f"your {printable(primary.id)}{primary.mark}", value, gap)


def _gap(ranking: Ranking, own: Standing, ranked: list[Standing], digits: int) -> str:
    """How far the team before this one is ahead; of the first, how far the next one is behind."""
    if own.points is not ABSENT:  # the order has other reasons than the one value
        return ""
    others = [each for each in ranked if ranking.rows[each.name].id != ranking.rows[own.name].id]
    ahead = [each for each in others if each.rank < own.rank]  # type: ignore[operator]
    level = [each for each in others if each.rank == own.rank]
    nearest = ahead[-1:] or level[:1] or others[:1]
    if not nearest:
        return ""
    (other,), key = nearest, ranking.report.primary.id
    apart, name = (
        format_number(abs(own.values[key] - other.values[key]), digits),
        fit_text(other.name, NAME_WIDTH),
    )
    if float(apart) == 0:
        return f"as far as is shown, level with {name}"
    return f"{apart} {'behind' if ahead else 'ahead of'} {name}"


def selected_fact(challenge: Challenge, selected: int, now: datetime) -> Iterator[Fact]:
    """How many entries a team has selected, and until when it may."""
    all_spans = spans(challenge)
    most = next((span.phase.select for span in all_spans if span.phase.select), None)
    if most is None:
        return
    phases = [span.phase.id for span in all_spans if span.takes_entries]
    times = [decision_deadline(challenge, phase) for phase in phases]
    until = max((time for time in times if time is not None), default=None)
    if until is None or now <= until:
        ahead = upcoming(challenge, now)
        same = {until, *(span.closes for span in all_spans if span.ends == until)}
        if ahead is not None and ahead.time in same:  # which is told beside it
            until = None
        more = "for the final board, until" if until else "for the final board"
        yield Fact("selected", f"{selected} of {most}", more, until)


def quota_fact(left: RemainingQuota | None) -> Iterator[Fact]:
    """What a team may still send."""
    if left is None:
        return
    limits = [
        f"{left.today} today" if left.today is not None else "",
        f"{left.total} in this phase" if left.total is not None else "",
    ]
    first, *rest = [limit for limit in limits if limit] or ["no limit"]
    if 0 in (left.today, left.total, left.rejected_today):
        first = "none" if left.next is None else "none now"
        rest = ["the next is possible at"] if left.next is not None else []
    yield Fact("entries left", first, "; ".join(rest), left.next)


def milestones(challenge: Challenge) -> list[Milestone]:
    """When phases open and close, and until when teams select; in the order of time."""
    found, all_spans = list[Milestone](), spans(challenge)
    single = sum(span.takes_entries for span in all_spans) < 2
    for span in all_spans:
        name = "entries" if single else printable(span.phase.id, 60)
        if span.takes_entries and span.opens:
            found.append(Milestone(span.opens, f"{name} open{'s' * (not single)}"))
        if span.takes_entries and span.closes:
            found.append(Milestone(span.closes, f"{name} close{'s' * (not single)}"))
        until = decision_deadline(challenge, span.phase.id) if span.takes_entries else None
        if until and until != span.ends and any(each.phase.select for each in all_spans):
            found.append(Milestone(until, "selection ends"))
    return sorted(dict.fromkeys(found), key=lambda each: each.time)


def upcoming(challenge: Challenge, now: datetime) -> Milestone | None:
    """The next date."""
    return next((each for each in milestones(challenge) if each.time > now), None)


class Status(NamedTuple):
    """Whether entries are taken, and the date that follows or was."""

    state: str  # open, upcoming or closed
    phase: str  # its name where there are several
    words: str = ""
    time: datetime | None = None
    ahead: bool = True  # whether that time is waited for


def status_of(challenge: Challenge, span: Span | None, now: datetime) -> Status:
    """Return whether entries are taken in a phase, and until when or since when."""
    state, ahead = challenge_state(challenge, now).name, upcoming(challenge, now)
    taking = [each for each in spans(challenge) if each.takes_entries]
    phase = printable(span.phase.id, 60) if span is not None and len(taking) > 1 else ""
    if span is not None and span.takes_entries:
        return Status("open", phase, "closes", span.closes)
    if ahead is not None:
        return Status(state, phase, ahead.words, ahead.time)
    closings = [each.closes for each in taking if each.closes is not None]
    return Status(state, phase, "since", max(closings, default=None), ahead=False)


def how_to_read(ranking: Ranking) -> Iterator[str]:
    """Yield what a rank, a bar and a tie of a board say, and what decides at the end."""
    report = ranking.report
    confidence = level(report).removesuffix(" interval")
    if confidence:
        below = ", and below a rank the ranks that are possible" if has_ranges(report) else ""
        yield f"A bar is where the true value lies with {confidence} confidence{below}."
        yield (
            "Two teams are tied where the difference of their values may be chance: other "
            f"{unit(report.called)} could reverse it."
        )
    scope = report.scope
    if scope is not None and scope.final is not None:
        count = scope.others[scope.final]
        yield (
            f"This board is of {scope.lists:,} {unit(report.called, scope.lists)}; at the end "
            f"{count:,} others ({printable(scope.final, 60)}) decide."
        )


def rules_in_words(challenge: Challenge) -> list[str]:
    """Return sentences on dates, quotas, the values that are shown, and the entry that counts."""
    zone, board = ZoneInfo(challenge.timezone), challenge.leaderboard
    words = [_phase_in_words(challenge, span, zone) for span in spans(challenge)]
    words.append(COUNTS[board.entry])
    if board.ladder != "off":
        by = "significantly better"
        if board.ladder != "auto":
            by = f"better by more than {board.ladder:g}"
        words.append(f"A shown value moves only when an entry is {by}.")
    return words


def _phase_in_words(challenge: Challenge, span: Span, zone: ZoneInfo) -> str:
    phase = span.phase
    name = "" if phase.id == EVERYTHING else f"{printable(phase.id, 60)}: "
    begins, ends = (
        None if time is None else f"{time.astimezone(zone):%Y-%m-%d %H:%M %Z}"
        for time in (span.opens, span.closes)
    )
    show = SHOWN.get(phase.show, f"The board is of the {printable(phase.show, 60)} lists.")
    if not span.takes_entries:
        count = ""
        if phase.select == 1:
            count = " Your selected entry counts; otherwise your best one on the board before."
        elif phase.select:
            count = (
                f" Your {phase.select} selected entries count; otherwise your best ones on the "
                "board before."
            )
        after = f"begins when {printable(phase.after or '', 60)} has closed"
        return f"{name}{after}, and takes no entries.{count} {show}"
    when = " ".join([f"from {begins}" if begins else "", f"until {ends}" if ends else ""]).strip()
    if phase.grace:
        when += f", and {phase.grace} seconds of grace"
    quota = phase.quota
    most = [
        f"{quota.per_day:,} a day" if quota.per_day else "",
        f"{quota.total:,} in all" if quota.total else "",
    ]
    limit = " and ".join(each for each in most if each)
    sends = f" A team may send {limit or 'as many as it likes'}."
    if quota.rejected_per_day:
        sends += f" Of files that the checks reject it may send {quota.rejected_per_day:,} a day."
    return f"{name}entries are taken {when or 'at all times'}.{sends} {show}"
