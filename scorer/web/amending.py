"""Changing a deadline or a quota of a served challenge: preview, and putting it in force."""

from __future__ import annotations

from datetime import datetime

from pydantic import BaseModel, Field

from scorer.board.amendment import LIMITS, Amendment, Wish, amendment
from scorer.bytes.write import write
from scorer.core.errors import ChallengeError, UsageError
from scorer.core.logs import tell
from scorer.web.access import Viewer
from scorer.web.context import Context
from scorer.web.site import Site


class ChangeIn(BaseModel):
    """How a phase is to be: all of it, as what is left out is no limit."""

    phase: str
    closes: datetime | None = Field(None, description="without an offset, in the challenge's zone")
    per_day: int | None = Field(None, ge=1)
    total: int | None = Field(None, ge=1)
    rejected_per_day: int | None = Field(None, ge=1)


def preview(site: Site, wanted: ChangeIn) -> Amendment:
    """Whom a change affects. Raises `UsageError`."""
    closes = wanted.closes
    if closes is not None and closes.tzinfo is None:
        closes = closes.replace(tzinfo=site.zone)
    quota = {name: getattr(wanted, name) for name in LIMITS}
    try:
        site.reload()  # of the files as they are now
        return amendment(site.board, Wish(wanted.phase, closes, quota), site.clock())
    except ChallengeError as error:
        raise UsageError(f"the challenge would be wrong: {error}") from None


def amend(
    context: Context, site: Site, viewer: Viewer, wanted: ChangeIn, version: int | None
) -> Amendment:
    """Put a change in force that was previewed under a version. Raises `UsageError`.

    Where it cannot be put in force, the file is as before.
    """
    found = preview(site, wanted)
    if version is not None and version != found.version:
        raise UsageError("another version came into force since the preview; look at it again")
    path = site.board.challenge.path
    before = path.read_bytes()
    write(path, found.text.encode())
    try:
        context.ask(site, "rescore", patient=True, dry_run=False)
    except BaseException:
        write(path, before)
        raise
    finally:
        site.reload()
    tell("amendment", challenge=site.id, by=viewer.called, phase=wanted.phase,
         effects=" ".join(found.effects))  # fmt: skip
    return found
