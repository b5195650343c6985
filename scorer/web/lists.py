"""Lists of a challenge, a page at a time."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from scorer.board.entries import Added
from scorer.board.listing import EntryFilter, Page
from scorer.board.models import Entry
from scorer.web.access import Viewer
from scorer.web.dependencies import Asked
from scorer.web.site import Site

HISTORY = 1_000  # entries of the history


class EntryPage(NamedTuple):
    """A page of the entries that somebody may see, with the values that may be seen."""

    entries: Sequence[Entry]
    outcomes: Sequence[Added]
    asked: Asked
    total: int  # entries on all pages

    @property
    def pages(self) -> int:
        """The number of pages; there is always one."""
        return max(-(-self.total // self.asked.limit), 1)


def entry_page(site: Site, viewer: Viewer, asked: Asked, *, latest: bool = False) -> EntryPage:
    """A team's entries; for organizers, everybody's. Raises `UnknownName` for an unknown team.

    Args:
        latest: the latest to be received comes first.
    """
    ledger, team = site.board.ledger, viewer.team or asked.team
    wanted = EntryFilter(None if team is None else site.board.teams.get(team).id, asked.status)
    part = Page(asked.limit, asked.skip, "latest" if latest else "number")
    found = ledger.outcomes(wanted, part)
    outcomes = site.all_shown([added for _, added in found], viewer)
    total = ledger.listing().count(wanted)
    return EntryPage([entry for entry, _ in found], outcomes, asked, total)


def own_outcomes(site: Site, viewer: Viewer) -> list[Added]:
    """A team's latest scored entries as it sees them, whatever page of its list it is on."""
    if viewer.team is None:
        return []
    wanted = EntryFilter(site.board.teams.get(viewer.team).id, "scored")
    found = site.board.ledger.outcomes(wanted, Page(HISTORY, 0, "latest"))
    return site.all_shown([added for _, added in found], viewer)
