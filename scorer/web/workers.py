"""Workers: each takes one waiting evaluation at a time and has a child process make it."""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING

from scorer.board.evaluation_service import worker_name
from scorer.board.isolation import ChildLimits, evaluate_next
from scorer.core.errors import ScorerError
from scorer.core.log import LOG

if TYPE_CHECKING:
    from scorer.web.site import Site

PAUSE = 0.5  # seconds between looks for work that nobody announced


class Workers:
    """Threads of the server that wait for children; the children do the work."""

    def __init__(self, sites: list[Site], count: int, limits: ChildLimits) -> None:
        self._sites, self._limits = sites, limits
        self._wake, self._ends = threading.Condition(), False
        self._threads = [
            threading.Thread(target=self._work, name=f"worker-{n}", daemon=True)
            for n in range(count)
        ]

    def start(self) -> None:
        """Begin."""
        for thread in self._threads:
            thread.start()

    def wake(self) -> None:
        """Say that something waits."""
        with self._wake:
            self._wake.notify_all()

    def end(self) -> None:
        """Take nothing more, and wait for evaluations under way."""
        with self._wake:
            self._ends = True
            self._wake.notify_all()
        for thread in self._threads:
            thread.join()

    @property
    def alive(self) -> int:
        """The number of workers at work."""
        return sum(thread.is_alive() for thread in self._threads)

    def _work(self) -> None:
        away = False
        while not self._ends:
            try:
                evaluated, is_away = sum(self._evaluate_one(site) for site in self._sites) > 0, ""
            except ScorerError as error:  # the store is away; it may come back
                evaluated, is_away = False, str(error)
            except Exception:  # a mistake of ours must not be the end of all evaluations
                LOG.exception("error")
                evaluated, is_away = False, ""
            if is_away and not away:
                LOG.error("store away", extra={"cause": is_away})
            away = bool(is_away)
            if not evaluated:
                with self._wake:
                    if not self._ends:
                        self._wake.wait(PAUSE)

    def _evaluate_one(self, site: Site) -> bool:
        """Have one waiting file evaluated; False where none waits."""
        name = f"{worker_name()}:{threading.current_thread().name}"
        return evaluate_next(site.board, site.place, self._limits, name)
