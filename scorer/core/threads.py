"""Work of one process shared out between its threads, with results in order."""

from __future__ import annotations

import os
from collections import deque
from collections.abc import Callable, Generator, Iterable, Iterator, Sequence
from contextlib import ExitStack
from functools import partial
from typing import Any, TypeVar

from scorer.core.errors import UsageError

VARIABLE = "SCORER_THREADS"
END = object()
T = TypeVar("T")
R = TypeVar("R")


def threads() -> int:
    """How many threads may work at once: `SCORER_THREADS`, else the cores of this process.

    `UsageError` if the variable is no whole number from 1 to 1,024.
    """
    given = os.environ.get(VARIABLE, "")
    if not given:
        affinity = getattr(os, "sched_getaffinity", None)
        return len(affinity(0)) if affinity else os.cpu_count() or 1
    if not (given.isascii() and given.isdigit() and 1 <= int(given[:5]) <= 1024):
        raise UsageError(f"{VARIABLE} is {given!r}, not a whole number from 1 to 1,024")
    return int(given)


def ahead(
    stack: ExitStack,
    function: Callable[[T], R],
    items: Iterable[T],
    most: int,
    waiting: int,
    alone: Callable[[T], bool] = lambda item: False,
) -> Iterator[tuple[T, Callable[[], R]]]:
    """Each item, with a call that gives the function's result of it, in order.

    Results are worked out by threads while the ones before them are used; with one thread when
    they are asked for. What `items` raises is raised after the items before it, so that all is as
    if one item were taken after the other.

    Args:
        stack: ends the threads.
        waiting: how many items are taken beyond the one that is used; the same for any number of
            threads.
        alone: whether an item's result is worked out when it is asked for, whatever the threads.
    """
    pool = _pool(stack, count) if (count := min(most, threads())) > 1 else None

    def begin(item: T) -> Callable[[], R]:
        if pool is None or alone(item):
            return partial(function, item)
        result: Callable[[], R] = pool.submit(function, item).result
        return result

    begun, items = deque[tuple[T, Callable[[], R]]](), iter(items)
    error: Exception | None = None
    while True:
        while error is None and len(begun) <= waiting:
            try:
                item = next(items)
            except Exception as raised:
                error = raised
            else:
                begun.append((item, begin(item)))
        if not begun:
            break
        yield begun.popleft()
    if error is not None and not isinstance(error, StopIteration):
        raise error


class Threads:
    """Threads that share out one piece of work after another; they are gone with the stack."""

    def __init__(self, stack: ExitStack, most: int) -> None:
        self._stack, self._most = stack, most
        self._pool: Any = None

    @property
    def size(self) -> int:
        """How many threads there are at most."""
        return min(self._most, threads())

    def each(self, function: Callable[[T], R], parts: Sequence[T]) -> list[R]:
        """The function's result of each part, in order."""
        if len(parts) < 2 or self.size < 2:
            return [function(part) for part in parts]
        self._pool = self._pool or _pool(self._stack, self.size)
        return list(self._pool.map(function, parts))


def beside(stack: ExitStack, items: Iterator[T]) -> Generator[T]:
    """The items, of which the next is made by a thread of its own while one is used.

    Nothing makes items any more when the generator is closed.
    """
    if threads() == 1:
        yield from items
        return
    from concurrent.futures import wait

    pool = _pool(stack, 1)
    following = pool.submit(next, items, END)
    try:
        while (item := following.result()) is not END:
            following = pool.submit(next, items, END)
            yield item
    finally:
        if not following.cancel():  # it is being made; one that is cancelled would be waited for
            wait((following,))


def _pool(stack: ExitStack, count: int) -> Any:
    """Threads that are gone when the stack is left; what they have not begun, they leave."""
    from concurrent.futures import ThreadPoolExecutor

    pool = ThreadPoolExecutor(count)
    stack.callback(pool.shutdown, cancel_futures=True)
    return pool
