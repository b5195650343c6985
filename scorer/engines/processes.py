"""Many submissions shared out between processes."""

from __future__ import annotations

import os
import signal
import sys
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from pathlib import Path

from scorer.engines.base import Tick
from scorer.io.polars_chunks import worth
from scorer.results.scorecard import Outcome

SHARED = 1_500_000  # bytes for the thorough pass; with fewer a second process gains nothing


FASTER = 10  # about so many bytes take the fast pass as long as one takes the thorough


PROCESSES = 2


Scorer = Callable[[Path, Tick], Outcome]  # of one submission


def shareable(submissions: Sequence[Path]) -> bool:
    """Whether these are worth a second process, and none of what would be copied has threads."""
    if len(submissions) < 2 or sys.platform != "linux" or len(os.sched_getaffinity(0)) < 2:
        return False
    if "polars" in sys.modules or threading.active_count() > 1:
        return False
    work = 0.0
    for path in submissions:
        with suppress(OSError, ValueError):
            work += path.stat().st_size / (FASTER if worth(path) else 1)
    return work >= SHARED


def _shared(scorer: Scorer, submissions: Sequence[Path]) -> Iterator[Outcome]:
    """The outcomes in order, made by two copies of this process.

    Ends early when there can be none, or one was killed, as for want of memory.
    """
    from concurrent.futures import ProcessPoolExecutor
    from concurrent.futures.process import BrokenProcessPool
    from multiprocessing import get_context

    try:
        pool = ProcessPoolExecutor(PROCESSES, get_context("fork"), _begin, (scorer,))
    except (OSError, NotImplementedError):  # a system without semaphores
        return
    try:
        yield from pool.map(_one, submissions)
    except (BrokenProcessPool, OSError):
        return
    finally:
        pool.shutdown(cancel_futures=True)


_given: list[Scorer] = []  # in a copy of the process, what it scores by


def _begin(scorer: Scorer) -> None:
    """Settle a copy of the process: a signal just ends it, and the first process answers."""
    _given.append(scorer)
    os.environ.setdefault("POLARS_MAX_THREADS", "1")  # the other copy has the other core
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, signal.SIG_DFL)


def _one(path: Path) -> Outcome:
    return _given[0](path, lambda share: None)
