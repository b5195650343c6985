"""A deadline or quota changed while a board lives: who is affected, and the file that says it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from datetime import datetime
from typing import NamedTuple
from zoneinfo import ZoneInfo

from scorer.board.board import Board
from scorer.board.phases import Span, at, quota_left, spans
from scorer.challenge.amend import BY_HAND, amended
from scorer.challenge.load import load
from scorer.challenge.model import Challenge
from scorer.core.errors import UsageError
from scorer.core.text import join_first, printable
from scorer.store.records import Entry

LIMITS = {
    "per_day": "Entries a day",
    "total": "Entries in all",
    "rejected_per_day": "Rejected files a day",
}


class Wish(NamedTuple):
    """How a phase is to be; None: no deadline, or no limit."""

    phase: str
    closes: datetime | None
    quota: Mapping[str, int | None]  # a limit -> its number


class Affected(NamedTuple):
    """A team that may send another number of entries than before; None: any number."""

    team: str
    used: int  # in the whole phase
    before: tuple[int | None, int | None]  # left today, and in the phase
    after: tuple[int | None, int | None]


class Amendment(NamedTuple):
    """A change before it is in force."""

    version: int  # the one in force, which it changes
    text: str  # of challenge.yaml
    effects: tuple[str, ...]  # sentences
    teams: tuple[Affected, ...]


def amendment(board: Board, wish: Wish, now: datetime) -> Amendment:
    """What a wish would change, for whom; nothing is changed by it.

    Raises:
        ChallengeError: the challenge would be wrong.
        UsageError: its files changed since the version in force, it is written in a form that has
            to be changed by hand, or nothing is to be changed.
    """
    if board.changed:
        names = join_first(board.changed)
        raise UsageError(f"{names} changed since the version in force; re-score first")
    path, before = board.challenge.path, board.challenge
    with path.open(encoding="utf-8", newline="") as file:
        text = file.read()
    changes = dict(_changes(_span(before, wish.phase), wish))
    if not changes:
        raise UsageError("nothing is changed by this")
    changed = amended(text, wish.phase, changes)
    after = load(changed, path.parent)
    if _rest_of(before, wish.phase) != _rest_of(after, wish.phase) or dict(
        _changes(_span(after, wish.phase), wish)
    ):
        raise UsageError(f"this file is written so that other keys would change, too{BY_HAND}")
    effects = (*_dates(board, before, after, wish, now), *_limits(before, after, wish.phase))
    teams = tuple(_affected(board, before, after, wish.phase, now))
    return Amendment(board.version().number, changed, effects, teams)


def _span(challenge: Challenge, phase: str) -> Span:
    for span in spans(challenge):
        if span.phase.id == phase and span.takes_entries:
            return span
    raise UsageError("this challenge has no such phase that takes entries")


def _changes(span: Span, wish: Wish) -> Iterator[tuple[str, str]]:
    """Path below the phase -> its new value, of all that differs."""
    if wish.closes != span.phase.closes:
        yield "closes", "null" if wish.closes is None else wish.closes.isoformat()
    for name in LIMITS:
        number = wish.quota.get(name)
        if number != getattr(span.phase.quota, name):
            yield f"quota.{name}", "null" if number is None else str(number)


def _rest_of(challenge: Challenge, phase: str) -> object:
    """All that a challenge says but for the deadline and the quota of a phase."""
    fields = challenge.model_dump()
    for each in fields["phases"]:
        if each["id"] == phase:
            each["closes"] = each["quota"] = None
    return fields


def _dates(
    board: Board, before: Challenge, after: Challenge, wish: Wish, now: datetime
) -> Iterator[str]:
    old, new = _span(before, wish.phase), _span(after, wish.phase)
    if old.closes == new.closes:
        return
    zone, name = ZoneInfo(after.timezone), printable(wish.phase)
    ends = [at(span.closes, zone) if span.closes else "no date" for span in (old, new)]
    yield f"Phase {name} closes at {ends[1]}; it was {ends[0]}."
    if new.holds(now) and not old.holds(now):
        yield f"It is open again: all {len(board.teams()):,} teams may send entries."
    if old.holds(now) and not new.holds(now):
        yield f"It is closed at once: none of the {len(board.teams()):,} teams may send any more."
    shown, then = (
        {span.phase.show for span in spans(each) if span.begun(now)} - {"none"}
        for each in (before, after)
    )
    if then - shown:
        yield f"The values of {join_first(sorted(then - shown))} are shown from now on."
    if shown - then:
        yield (
            f"The values of {join_first(sorted(shown - then))} were shown already and are hidden "
            "again: whoever saw them can use them."
        )
    late = [
        entry.number
        for entry in board.entries()
        if entry.phase == wish.phase and new.ends is not None and entry.received > new.ends
    ]
    if late:
        yield f"Entries that came after the new deadline stay and count: {join_first(late)}."


def _limits(before: Challenge, after: Challenge, phase: str) -> Iterator[str]:
    old, new = _span(before, phase).phase.quota, _span(after, phase).phase.quota
    for name, what in LIMITS.items():
        one, other = getattr(old, name), getattr(new, name)
        if one != other:
            words = ["any number" if number is None else f"{number:,}" for number in (one, other)]
            yield f"{what} in phase {printable(phase)}: {words[1]}; before: {words[0]}."


def _affected(
    board: Board, before: Challenge, after: Challenge, phase: str, now: datetime
) -> Iterator[Affected]:
    """The teams for which another number of entries is left in the phase."""
    statuses, by_team = board.statuses(), dict[int | None, list[Entry]]()
    for entry in board.entries():
        by_team.setdefault(entry.team, []).append(entry)
    for name, team in board.teams().items():
        sent = by_team.get(team.id, [])
        left = []
        for challenge in (before, after):
            span = _span(challenge, phase)
            today, total, *_ = quota_left(challenge, span, sent, statuses, now)
            left.append((today, total) if span.holds(now) else (0, 0))
        if left[0] != left[1]:
            used = sum(
                entry.phase == phase and statuses.get(entry.number) in ("pending", "scored")
                for entry in sent
            )
            yield Affected(name, used, left[0], left[1])
