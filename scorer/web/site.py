"""One challenge as the web shows it: what whoever may see, and boards made once for each change."""

from __future__ import annotations

import json
import threading
from collections import OrderedDict
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, NamedTuple

from scorer.api.board import Added, Board, with_rows
from scorer.challenge.phases import EVERYTHING
from scorer.core.errors import UnknownName
from scorer.reports.base import Options, form_of
from scorer.reports.leaderboard.html import board as board_part
from scorer.reports.syntax.html import Part, fragment
from scorer.reports.syntax.json import dumped, known, problem
from scorer.store.live import LiveReport
from scorer.store.phases import Span, phase_at, spans
from scorer.web.access import Viewer

KEPT = 64  # boards that are kept ready


class Shown(NamedTuple):
    """A board made ready to be sent."""

    live: LiveReport
    json: bytes
    html: str  # the board's part of a page


class Site:
    """A challenge, its board, and what is kept ready of it."""

    def __init__(
        self,
        path: Path,
        store: str | None = None,
        files: str | None = None,
        *,
        allow_plugins: bool = False,
        clock: Callable[[], datetime] = lambda: datetime.now(UTC),
    ) -> None:
        self.path, self.store, self.files = path, store, files
        self.allow_plugins, self.clock = allow_plugins, clock
        self.board = Board.open(path, store, files, allow_plugins=allow_plugins)
        self.id = self.board.challenge.id
        self._ready: OrderedDict[tuple[Any, ...], Shown] = OrderedDict()
        self._lock = threading.Lock()

    @property
    def title(self) -> str:
        """The challenge's title."""
        return self.board.challenge.title

    def reload(self) -> None:
        """Read the challenge anew, after a re-scoring put other files in force."""
        board = Board.open(self.path, self.store, self.files, allow_plugins=self.allow_plugins)
        self.board, before = board, self.board
        before.close()

    def span(self, phase: str | None = None) -> Span | None:
        """The phase of that id, or the present one. Raises `UnknownName`."""
        if phase is None:
            return phase_at(self.board.challenge, self.clock())
        known_spans = {span.phase.id: span for span in spans(self.board.challenge)}
        if phase not in known_spans:
            raise UnknownName("phase", phase, list(known_spans))
        return known_spans[phase]

    def visible(self, viewer: Viewer) -> tuple[str, ...]:
        """The splits whose boards somebody may see: organizers all, others what is shown now.

        What a phase showed stays visible while the next one goes on.
        """
        splits = ("all", *self.board.splits())
        if viewer.organizer:
            return splits
        now = self.clock()
        begun = [s for s in spans(self.board.challenge) if s.opens is None or now >= s.opens]
        shown = {span.phase.show for span in begun}
        return tuple(split for split in splits if split in shown)

    def default_split(self, viewer: Viewer) -> str | None:
        """The split that a board opens with; None where nothing may be seen."""
        visible, shown = self.visible(viewer), self.board.shown(self.clock())
        if shown in visible:
            return shown
        return visible[0] if visible and (viewer.organizer or shown != "none") else None

    def value_splits(self, viewer: Viewer) -> tuple[str, ...]:
        """The splits whose values of its own entries a team may see."""
        visible = self.visible(viewer)
        if visible or viewer.organizer:
            return visible
        own = self.board.shown(self.clock()) == "own"
        return (EVERYTHING,) if own and not self.board.splits() else ()

    def shown(self, split: str, as_of: datetime | None = None, phase: str | None = None) -> Shown:
        """A board, made anew only when something changed."""
        span = self.span(phase)
        key = (self.board.stamp(), split, as_of, span.phase.id if span else None)
        with self._lock:
            if key in self._ready:
                self._ready.move_to_end(key)
                return self._ready[key]
            version = self.board.version(as_of)
            live = self.board.snapshot(version).board(
                as_of or self.clock(), split=split, phase=phase
            )
            options = Options()
            fields = json.loads(form_of("leaderboard", "json").write(live.report, options))
            made = Shown(
                live,
                dumped(with_rows(fields, live)).encode(),
                fragment(
                    Part(
                        "board", "Board", "leaderboard/board.html", board_part(live.report, options)
                    )
                ),
            )
            self._ready[key] = made
            while len(self._ready) > KEPT:
                self._ready.popitem(last=False)
        return made

    def entry_fields(self, added: Added, viewer: Viewer) -> dict[str, Any]:
        """An entry as the API says it, with the values that this viewer may see."""
        splits = self.value_splits(viewer)
        values = {
            split: {key: known(mean) for key, mean in means.items()}
            for split, means in added.values.items()
            if split in splits
        }
        return {
            "entry": added.entry,
            "team": added.team,
            "received": added.received.isoformat(),
            "status": added.status,
            "sha256": added.sha256,
            "code": added.code,
            "message": added.message,
            "problems": [problem(each) for each in added.findings],
            "receipt": added.receipt,
            "values": values or None,
        }
