"""Work shared out between the threads of one process."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from contextlib import ExitStack
from typing import Any, TypeVar

T = TypeVar("T")
R = TypeVar("R")


def count_cores() -> int:
    """Return how many cores this process may use."""
    affinity = getattr(os, "sched_getaffinity", None)
    return len(affinity(0)) if affinity else os.cpu_count() or 1


class Threads:
    """Threads that share out one piece of work after another; they are gone with the stack."""

    def __init__(self, stack: ExitStack, most: int) -> None:
        self.size = min(most, count_cores())
        self._stack = stack
        self._pool: Any = None

    def each(self, function: Callable[[T], R], parts: Sequence[T]) -> list[R]:
        """Return the function's result of each part, in order."""
        if len(parts) < 2 or self.size < 2:
            return [function(part) for part in parts]
        if self._pool is None:
            from concurrent.futures import ThreadPoolExecutor

            self._pool = ThreadPoolExecutor(self.size)
            self._stack.callback(self._pool.shutdown, cancel_futures=True)
        return list(self._pool.map(function, parts))
