"""The workers of the server: each has child processes evaluate one waiting entry at a time."""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING

from scorer.board.evaluation_service import worker_name
from scorer.board.isolation import ChildLimits, evaluate_next
from scorer.core.errors import ScorerError
from scorer.core.log import LOG

if TYPE_CHECKING:
    from scorer.web.site import Site

# Seconds after which an idle worker looks again: entries also come from other processes.
PAUSE = 0.5


class Workers:
    """Threads of the server; each one has waiting entries evaluated, one after the other."""

    def __init__(self, sites: list[Site], count: int, limits: ChildLimits) -> None:
        self._sites, self._limits = sites, limits
        self._condition = threading.Condition()
        self._is_ending = False
        self._threads = [
            threading.Thread(target=self._work, name=f"worker-{n}", daemon=True)
            for n in range(count)
        ]

    def start(self) -> None:
        """Start the threads."""
        for thread in self._threads:
            thread.start()

    def wake(self) -> None:
        """Have idle workers look for entries at once."""
        with self._condition:
            self._condition.notify_all()

    def end(self) -> None:
        """Begin no further evaluation, and wait for those under way."""
        with self._condition:
            self._is_ending = True
            self._condition.notify_all()
        for thread in self._threads:
            thread.join()

    @property
    def alive(self) -> int:
        """The number of threads that have not ended."""
        return sum(thread.is_alive() for thread in self._threads)

    def _work(self) -> None:
        """Evaluate waiting entries until the server ends."""
        was_unreachable = False
        while not self._is_ending:
            evaluated, cause = 0, ""
            try:
                evaluated = sum(self._evaluate_one(site) for site in self._sites)
            except ScorerError as error:  # the store cannot be reached; it may come back
                cause = str(error)
            except Exception:  # a mistake of ours must not be the end of all evaluations
                LOG.exception("error")
            if cause and not was_unreachable:  # once, not at every look
                LOG.error("store away", extra={"cause": cause})
            was_unreachable = bool(cause)
            if not evaluated:
                with self._condition:
                    if not self._is_ending:
                        self._condition.wait(PAUSE)

    def _evaluate_one(self, site: Site) -> bool:
        """Have one waiting file of a challenge evaluated; return whether one was waiting."""
        name = f"{worker_name()}:{threading.current_thread().name}"
        return evaluate_next(site.board, site.place, self._limits, name)
