"""The upkeep of a board's store: backups, moves, and files that are kept for nothing."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from scorer.board.backup import Copied, move, save, save_rows
from scorer.challenge.model import Challenge
from scorer.core.errors import UsageError
from scorer.store.files import Files, Kept

if TYPE_CHECKING:
    from scorer.store.database import Database


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

    def gc(self, *, dry_run: bool = False, unshared: bool = False) -> list[Kept]:
        """Remove the files that no entry and no version names.

        Args:
            dry_run: remove nothing.
            unshared: no other board keeps files in the same place, if that was chosen.

        Returns:
            The files that were removed, or would be.

        Raises:
            UsageError: another process has the store open, or the place of the files was chosen,
                and may be shared.
        """
        if dry_run:
            return self._unnamed(self._database.named())
        if self._shared and not unshared:
            raise UsageError(
                "the place of the files was chosen by --files, and another board may keep its "
                "files there, too; where none does, say --unshared"
            )
        with self._database.alone() as named:
            found = self._unnamed(named)
            try:
                for kept in found:
                    self._files.remove(kept)
            except OSError as error:
                raise UsageError(f"a file cannot be removed: {error.strerror or error}") from None
        return found

    def _unnamed(self, named: set[str]) -> list[Kept]:
        return [kept for kept in self._files.all() if kept.sha256 not in named]
