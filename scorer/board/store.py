"""The upkeep of a board's store: backups, moves, and files that are kept for nothing."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from scorer.board.backup import Copied, move, save, save_rows
from scorer.challenge.model import Challenge
from scorer.core.errors import UsageError
from scorer.store.files import Files, Kept

if TYPE_CHECKING:
    from scorer.store.database import Database

YOUNG = timedelta(days=1)  # for which a file is kept that no entry names: it may be on its way
BATCH = 100  # files that are removed while nobody records


class Usage(NamedTuple):
    """Bytes: of the database, of the files of entries, and free for more."""

    database: int
    files: int
    free: int


class Store:
    """The database and the files of a board."""

    def __init__(
        self, challenge: Challenge, database: Database, files: Files, shared: bool
    ) -> None:
        self._challenge, self._database = challenge, database
        self._files, self._shared = files, shared

    def usage(self) -> Usage:
        """How much room it takes, and how much there is."""
        return Usage(self._database.size(), self._database.file_size(), self._files.free())

    def copy(self, target: Path) -> None:
        """Write a consistent copy of the database to a new SQLite file."""
        save_rows(self._database, target)

    def backup(self, folder: Path) -> Copied:
        """Write challenge, rows, files and secrets to a new folder, while the board goes on.

        A copy of that folder is the board again.

        Raises:
            UsageError: the folder exists, or something cannot be read or written.
        """
        return save(self._challenge, self._database, self._files, folder)

    def move(self, url: str) -> Copied:
        """Copy the board to the database at `url`, which is the one to be named from now on.

        Files and secrets stay where they are; the database beside the challenge is renamed.

        Raises:
            UsageError: another process has the store open, or the target has the board already.
        """
        return move(self._challenge, self._database, url)

    def gc(
        self, *, dry_run: bool = False, unshared: bool = False, now: datetime | None = None
    ) -> list[Kept]:
        """Remove the files that no entry and no version names.

        A file is left for a day after it came: its entry may be on the way.

        Args:
            dry_run: remove nothing.
            unshared: no other board keeps files in the same place, if that was chosen.
            now: the time instead of the present.

        Returns:
            The files that were removed, or would be.

        Raises:
            UsageError: the place of the files was chosen, and may be shared.
        """
        if self._shared and not (unshared or dry_run):
            raise UsageError(
                "the place of the files was chosen by --files, and another board may keep its "
                "files there, too; where none does, say --unshared"
            )
        named, until = self._database.named(), (now or datetime.now(UTC)) - YOUNG
        try:
            found = [
                kept for kept in self._files.all() if kept.sha256 not in named and kept.time < until
            ]
            return found if dry_run else list(self._removed(found))
        except OSError as error:
            raise UsageError(f"a file cannot be removed: {error.strerror or error}") from None

    def _removed(self, found: list[Kept]) -> Iterator[Kept]:
        for start in range(0, len(found), BATCH):
            with self._database.alone() as named:  # asked again: one may be wanted since
                for kept in found[start : start + BATCH]:
                    if kept.sha256 not in named:
                        self._files.remove(kept)
                        yield kept
