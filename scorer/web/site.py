"""A challenge as the web shows it: who may see which split and values, and the cache of boards."""

from __future__ import annotations

import gzip
import threading
from collections import OrderedDict
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from datetime import UTC, date, datetime, time, timedelta
from functools import cached_property
from pathlib import Path
from time import monotonic
from typing import Any, NamedTuple, TypeVar
from urllib.parse import quote
from zoneinfo import ZoneInfo

from fastapi import HTTPException

from scorer.board.board_state import BoardState
from scorer.board.entries import Added
from scorer.board.explain import (
    EXACT,
    Reason,
    Why,
    explain_entries,
    hold_back,
    why_ranked,
    why_unseen,
)
from scorer.board.isolation import BoardPlace
from scorer.board.models import Decision, Entry
from scorer.board.phases import (
    FAR_FUTURE,
    RemainingQuota,
    Span,
    challenge_state,
    phase_at,
    shown_at,
    spans,
    splits_shown,
    visible_moment,
)
from scorer.board.standings import Ranking, compute_board, public, with_intervals
from scorer.challenge.model import Challenge
from scorer.challenge.phases import EVERYTHING
from scorer.leaderboard.rounding import rounded, rounded_report
from scorer.reports.base import Options, report_format
from scorer.results.json import to_json, to_plain
from scorer.web.auth import Viewer
from scorer.web.board_table import EarlierRanks, Standings, standings
from scorer.web.pictures import OverTime, over_time

ORGANIZER_ACTS = ("disqualify", "restore")  # on a whole team; pages of its entries show them
MOST_CACHED = 512  # values, several of each team; the least recently used one goes
COMPARED_PERIOD = timedelta(days=7)  # a board shows how ranks changed within it
STAMP_SECONDS = 0.05  # how long the store is not asked again whether something changed
T = TypeVar("T")


class CompressedText:
    """The bytes of an answer, as they are and compressed."""

    def __init__(self, text: str) -> None:
        self.plain = text.encode()

    @cached_property
    def small(self) -> bytes:
        """The bytes compressed by gzip."""
        return gzip.compress(self.plain, 6)


@dataclass(frozen=True)
class BoardView:
    """A board with its table and its values over time, and as JSON and CSV on demand."""

    ranking: Ranking
    standings: Standings
    over_time: OverTime

    @cached_property
    def json(self) -> CompressedText:
        """As `score board --format json` writes it."""
        return CompressedText(to_json(self.ranking.with_entries()))

    @cached_property
    def csv(self) -> CompressedText:
        """As CSV, in which no cell is a formula."""
        return CompressedText(
            report_format("leaderboard", "csv").write(self.ranking.report, Options())
        )


class SplitTab(NamedTuple):
    """A split beside a board: how many lists it has, or when it opens to the viewer."""

    name: str
    lists: int = 0
    opens: datetime | None = None


class _Slot:
    """A place in the cache for a value, which one thread makes while others wait."""

    def __init__(self) -> None:
        self.lock, self.full, self.value = threading.Lock(), False, None


class Site:
    """A challenge, its board, and a cache of the boards and pages made from it."""

    def __init__(
        self,
        path: Path,
        store: str | None = None,
        files: str | None = None,
        *,
        allow_plugins: bool = False,
        clock: Callable[[], datetime] = lambda: datetime.now(UTC),
    ) -> None:
        self.place, self.clock = BoardPlace(str(path), store, files, allow_plugins), clock
        self.board = self.place.open()
        self.id = self.board.challenge.id
        self.zone = ZoneInfo(self.board.challenge.timezone)
        self._stamp: tuple[int, ...] = ()
        self._next_stamp = 0.0
        self._slots: OrderedDict[Any, _Slot] = OrderedDict()
        self._lock = threading.Lock()
        self._sending: dict[object, datetime] = {}

    @property
    def title(self) -> str:
        """The challenge's title."""
        return self.board.challenge.title

    def reload(self) -> None:
        """Read the challenge anew, after a re-scoring put other files in force."""
        self.board, before = self.place.open(), self.board
        before.close()

    def close(self) -> None:
        """Close the board that is in force."""
        self.board.close()

    def cache(self, key: Any, make: Callable[[], T]) -> T:
        """Return the result of `make`, which is cached until the store changes."""
        now = monotonic()
        stamp = self.board.database.stamp() if now >= self._next_stamp else None
        with self._lock:
            if stamp is not None:
                self._next_stamp = max(self._next_stamp, now + STAMP_SECONDS)
                if stamp != self._stamp:
                    self._slots.clear()
                    self._stamp = stamp
            slot = self._slots.setdefault(key, _Slot())
            self._slots.move_to_end(key)
            while len(self._slots) > MOST_CACHED:
                self._slots.popitem(last=False)
        with slot.lock:
            if not slot.full:
                slot.value, slot.full = make(), True  # type: ignore[assignment]
            value: T = slot.value  # type: ignore[assignment]
        return value

    def expect_change(self) -> None:
        """Ask the store at the next use of the cache: this server may have changed it."""
        self._next_stamp = 0.0

    @contextmanager
    def sending(self, begun: datetime) -> Iterator[None]:
        """Have new boards wait, inside the `with`, for a file whose upload began then."""
        key = object()
        self._sending[key] = begun
        try:
            yield
        finally:
            del self._sending[key]

    def now(self) -> datetime:
        """Return the moment whose values are shown: new ones wait for uploads under way."""
        sending, now = [*self._sending.values()], self.clock()
        return visible_moment(self.rules, sending, now) if sending else now

    def team_state(self, team: int | None) -> BoardState:
        """What the entries of one team, or baselines, depend on; read once for each state."""
        return self.cache(("team", team), lambda: self.board.evaluations.team_state(team))

    def _board_state(self) -> BoardState:
        """What all boards depend on."""
        return self.cache("snapshot", self.board.evaluations.read_state)

    @property
    def rules(self) -> Challenge:
        """The challenge as the version in force has it."""
        return self.cache("rules", lambda: self.board.versions.terms().challenge)

    @property
    def splits(self) -> tuple[str, ...]:
        """The splits that have a board."""

        def make() -> tuple[str, ...]:
            names = sorted(self.board.versions.splits(), key=lambda name: (name != "public", name))
            return (EVERYTHING, *names)

        return self.cache("splits", make)

    @property
    def teams(self) -> Mapping[str, int]:
        """The present name of each team -> its number."""
        return self.cache(
            "teams", lambda: {name: team.id for name, team in self.board.teams.by_name().items()}
        )

    @property
    def sent(self) -> Mapping[int, int]:
        """The number of each team that has sent entries -> how many."""

        def make() -> Mapping[int, int]:
            sent = self.board.ledger.listing().by_team()
            return {team: count for team, count in sent.items() if team is not None}

        return self.cache("sent", make)

    def left(self, team: str) -> RemainingQuota | None:
        """What a team may still send; the same until something changes or a day or phase ends."""
        now = self.clock()
        span, day = phase_at(self.rules, now), now.astimezone(self.zone).date()
        key = ("left", team, day, span.phase.id if span else None)
        return self.cache(key, lambda: self.board.ledger.quota(team, now)[1])

    def span(self) -> Span | None:
        """The present phase."""
        return phase_at(self.rules, self.now())

    def visible(self, viewer: Viewer) -> tuple[str, ...]:
        """The splits whose boards somebody may see: organizers all, others the shown ones.

        What a phase showed stays visible while the next one goes on.
        """
        if viewer.organizer:
            return self.splits
        shown = splits_shown(self.rules, self.now())
        return tuple(split for split in self.splits if split in shown)

    def visible_split(self, viewer: Viewer, split: str | None) -> str:
        """Return the split if the viewer may see its board now; else, or if it is unknown, 404."""
        if split is None or split not in self.visible(viewer):
            raise HTTPException(404, "there is no such board to be seen now")
        return split

    def default_split(self, viewer: Viewer) -> str | None:
        """The split that a board opens with; None if nothing may be seen."""
        visible, current = self.visible(viewer), shown_at(self.rules, self.now())
        if current in visible:
            return current
        return visible[0] if visible and (viewer.organizer or current != "none") else None

    def value_splits(self, viewer: Viewer) -> tuple[str, ...]:
        """The splits whose values of its own entries a team may see."""
        visible = self.visible(viewer)
        if visible or viewer.organizer:
            return visible
        shows_own = shown_at(self.rules, self.now()) == "own"
        return (EVERYTHING,) if shows_own and len(self.splits) == 1 else ()

    def board_view(self, split: str, viewer: Viewer) -> BoardView:
        """A board, made anew only when something changed; only organizers see all digits."""
        span = self.span()
        key = ("board", split, span.phase.id if span else None, self._today())

        def made() -> tuple[BoardState, Ranking]:
            snapshot = self._board_state()
            return snapshot, with_intervals(
                snapshot, compute_board(snapshot, self.now(), split=split)
            )

        def shown() -> BoardView:
            snapshot, ranking = self.cache(key, made)
            digits = self.digits(viewer)
            if not viewer.organizer:
                ranking = public(
                    ranking._replace(report=rounded_report(ranking.report.published(), digits))
                )
            plot = over_time(snapshot, ranking, self.now(), self.zone, digits)
            earlier = self._earlier_ranks(snapshot, ranking, viewer)
            return BoardView(ranking, standings(ranking, f"{quote(self.id)}/teams", earlier), plot)

        return self.cache((*key, viewer.organizer), shown)

    def _today(self) -> date:
        """The day in the challenge's zone."""
        return self.now().astimezone(self.zone).date()

    def _earlier_ranks(
        self, snapshot: BoardState, ranking: Ranking, viewer: Viewer
    ) -> EarlierRanks | None:
        """Return the ranks of the public board beside a final one, else the ranks of a week ago.

        None where the viewer did not see that board, or nobody had a rank on it.
        """
        now, split, final = self.now(), ranking.split, self.is_final(ranking.split)
        if self.rules.leaderboard.entry == "all":  # which gives a team many ranks
            return None
        final = final and snapshot.public != split
        if final:
            split = snapshot.public
            heading, title = f"{split} → {ranking.split}", f"from the rank on the {split} board"
        else:
            now = datetime.combine(self._today() - COMPARED_PERIOD, time(), self.zone)
            heading, title = f"{COMPARED_PERIOD.days} d", f"change of rank since {now:%Y-%m-%d}"
        if split not in (self.splits if viewer.organizer else splits_shown(self.rules, now)):
            return None
        before = compute_board(snapshot, now, split=split)
        ranks = {
            before.rows[row.name].id: row.rank
            for row in before.report.leaderboard
            if row.rank is not None
        }
        return EarlierRanks(ranks, heading, title, final) if ranks else None

    def is_final(self, split: str) -> bool:
        """Whether a board is the result: no entries are taken any more, and no phase is to come."""
        now = self.now()
        ended = challenge_state(self.rules, now).name == "closed"
        ends = ended and all(span.has_begun(now) for span in spans(self.rules))
        return ends and shown_at(self.rules, now) == split

    def split_tabs(self, viewer: Viewer) -> list[SplitTab]:
        """The splits that the viewer sees, and those that a later phase opens."""
        visible, now, sizes = self.visible(viewer), self.now(), self._board_state().splits
        split_tabs = [SplitTab(name, int(sizes[name].sum())) for name in visible]
        for span in spans(self.rules):
            name = span.phase.show
            if name in self.splits and name not in visible and not span.has_begun(now):
                opens = None if span.opens == FAR_FUTURE else span.opens
                split_tabs.append(SplitTab(name, opens=opens))
        return split_tabs

    def digits(self, viewer: Viewer) -> int:
        """The number of significant digits of a value that somebody may see."""
        return EXACT if viewer.organizer else self.rules.leaderboard.digits

    def visible_outcome(self, added: Added, viewer: Viewer) -> Added:
        """An entry with the values that this viewer may see; see `all_shown`."""
        return self.visible_outcomes([added], viewer)[0]

    def visible_outcomes(self, outcomes: Sequence[Added], viewer: Viewer) -> list[Added]:
        """Entries with the values that this viewer may see.

        A team gets the values that the phase shows, by the Ladder's rule, and rounded.
        """
        splits, digits = self.value_splits(viewer), self.digits(viewer)
        ladder = not viewer.organizer and self.rules.leaderboard.ladder != "off"
        return [self._visible_outcome(added, splits, digits, ladder) for added in outcomes]

    def _visible_outcome(
        self, added: Added, splits: Sequence[str], digits: int, ladder: bool
    ) -> Added:
        values = {split: means for split, means in (added.values or {}).items() if split in splits}
        message = added.message
        for split in [*values] if ladder else ():
            kept = self._held_back(added.team, split).get(added.entry or 0)
            if kept is not None:
                message = kept
                del values[split]
        shown = values if digits == EXACT else rounded(values, digits)
        return replace(added, values=shown or None, message=message)

    def _held_back(self, team: str, split: str) -> Mapping[int, str]:
        """The entries whose values the Ladder keeps from their team, and in words, why."""
        span = self.span()
        return self.cache(
            ("ladder", team, split, span.phase.id if span else None),
            lambda: hold_back(
                self.team_state(self.teams.get(team)), self.teams.get(team), self.now(), split
            ),
        )

    def why(self, viewer: Viewer, name: str, split: str | None = None) -> Why:
        """Why a team has its rank, as far as the viewer may know; `UnknownName` for no team."""
        team, now = self.board.teams.get(name), self.now()
        if split is not None:
            split = self.visible_split(viewer, split)
        wanted = split or self.default_split(viewer)
        if wanted is not None:
            return why_ranked(self._board_state(), team, now, wanted, self.digits(viewer))
        values = next(iter(self.value_splits(viewer)), None)
        return why_unseen(self.team_state(team.id), team, now, values)

    def reason(self, entry: Entry, viewer: Viewer) -> tuple[Reason, Sequence[Decision]]:
        """Whether an entry counts, as far as the viewer may know, and the decisions on it."""
        now, snapshot, team = self.now(), self.team_state(entry.team), entry.team
        split = self.default_split(viewer) or next(iter(self.value_splits(viewer)), None)
        decisions = [
            act
            for act in snapshot.decisions
            if act.entry == entry.number
            or (act.entry is None and act.team == team and act.act in ORGANIZER_ACTS)
        ]
        return explain_entries(snapshot, team, now, split)[entry.number], decisions

    def entry_fields(self, added: Added, viewer: Viewer) -> dict[str, Any]:
        """An entry as fields, with the values that this viewer may see."""
        return dict(to_plain(self.visible_outcome(added, viewer)))
