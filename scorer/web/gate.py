"""The gate before child processes: so many at once, a short queue, and 503 beyond."""

from __future__ import annotations

import asyncio
import tempfile
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from starlette.concurrency import run_in_threadpool
from starlette.exceptions import HTTPException

QUEUE = 4  # that wait for a place
RETRY = 10  # seconds after which it is worth asking again; longer than connections are kept
BUSY = "the server is busy; try again in a few seconds"


class Gate:
    """A limit of child processes at a time. Requests wait in a queue; a full queue gives 503."""

    def __init__(self, places: int) -> None:
        self.most = places + QUEUE  # inside or waiting
        self._places, self._inside, self._lock = threading.Semaphore(places), 0, threading.Lock()

    def refuse_if_full(self) -> None:
        """503 where nobody else can wait, before anything of a request is read."""
        if self._inside >= self.most:
            raise HTTPException(503, BUSY, {"Retry-After": str(RETRY)})

    @contextmanager
    def place(self, *, patient: bool = False) -> Iterator[None]:
        """A place, inside the `with`; unless one is `patient`, 503 if the queue is full."""
        with self._lock:
            if not patient:
                self.refuse_if_full()
            self._inside += 1
        try:
            with self._places:
                yield
        finally:
            with self._lock:
                self._inside -= 1


class Kits:
    """The kit of each version of a challenge, made once and kept as a file."""

    def __init__(self) -> None:
        self._folder = tempfile.TemporaryDirectory(prefix="scorer-kits-")
        self._made: dict[tuple[str, int], asyncio.Task[Path]] = {}

    def close(self) -> None:
        """Remove the files."""
        self._folder.cleanup()

    async def path(self, site: str, version: int, make: Callable[[Path], object]) -> Path:
        """The file of a kit; all who ask while it is made wait for the one.

        `make` writes it to a path; if it fails, the next who asks has it tried again.
        """
        key = (site, version)
        task = self._made.get(key)
        if task is None or (task.done() and task.exception() is not None):
            path = Path(self._folder.name, f"{len(self._made)}-{version}.zip")
            self._made[key] = task = asyncio.create_task(self._make(path, make))
        return await asyncio.shield(task)

    async def _make(self, path: Path, make: Callable[[Path], object]) -> Path:
        await run_in_threadpool(make, path)
        return path
