"""A progress bar on stderr."""

from __future__ import annotations

import time
from typing import Any

from scorer.core.text import printable

REFRESHED = 3  # how often the bar is drawn in a second


class Progress:
    """A bar on stderr for work that takes more than a second."""

    def __init__(self) -> None:
        self._start = time.monotonic()
        self._bar: Any = None

    def __call__(self, done: float, of: int, name: str) -> None:
        """Show that `done` of so many submissions are done, and which is next."""
        if self._bar is None and time.monotonic() - self._start > 1 and done < of:
            from rich import progress
            from rich.console import Console

            self._bar = progress.Progress(
                progress.TextColumn("{task.description}", markup=False),
                progress.BarColumn(),
                progress.MofNCompleteColumn(),
                progress.TimeRemainingColumn(),
                console=Console(stderr=True),
                transient=True,
                refresh_per_second=REFRESHED,
            )
            self._bar.add_task("", total=of)
            self._bar.start()
        if self._bar is not None:
            self._bar.update(0, completed=done, description=printable(name, 40))

    def close(self) -> None:
        """Take the bar away, however the work ended."""
        if self._bar is not None:
            self._bar.stop()
