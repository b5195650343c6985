"""Many submissions shared out between processes."""

from __future__ import annotations

import mmap
import os
import signal
import sys
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from pathlib import Path

from scorer.core.problems import Findings, Problem
from scorer.core.threads import VARIABLE
from scorer.formats.cut import SMALLEST, ready_to_read
from scorer.formats.read import COMPRESSED
from scorer.results.scorecard import Outcome

UNPACKED = 4  # times its size, about, is what a compressed file holds
SHARED = 1_500_000  # bytes for the careful parser; with fewer a second process gains nothing
FASTER = 10  # about so many bytes are cut by polars while one is by the careful parser
PROCESSES = 2

Scorer = Callable[[Path], Outcome]  # of one submission


def shareable(submissions: Sequence[Path]) -> bool:
    """Whether these are worth a second process, and none of what would be copied has threads."""
    if len(submissions) < 2 or sys.platform != "linux" or len(os.sched_getaffinity(0)) < 2:
        return False
    if "polars" in sys.modules or threading.active_count() > 1:
        return False
    work = 0.0
    for path in submissions:
        with suppress(OSError, ValueError):
            size = path.stat().st_size * (UNPACKED if path.suffix.lower() in COMPRESSED else 1)
            work += size / (FASTER if size >= SMALLEST else 1)
    return work >= SHARED


def shared(scorer: Scorer, submissions: Sequence[Path]) -> Iterator[Outcome]:
    """The outcomes in order, made by two copies of this process.

    Ends early where there can be no copies. Where one is killed, probably for lack of memory, what
    it had begun is tried again in a copy of its own, and refused when that is killed, too: this
    process never reads it.
    """
    begun = mmap.mmap(-1, max(len(submissions), 1))  # a byte a submission, shared with the copies
    done = 0
    for shared_outcome in _copied(scorer, list(enumerate(submissions)), PROCESSES, begun):
        done += 1
        yield shared_outcome
    if not any(begun[:]):
        return
    for n, path in list(enumerate(submissions))[done:]:
        if (outcome := next(_copied(scorer, [(n, path)], 1, begun), None)) is None:
            findings = Findings(str(path))
            message = (
                "the system ended the process that read this file, probably for lack of memory"
            )
            findings.add(Problem("S104", message))
            outcome = Outcome(findings, None, None)
        yield outcome


def _copied(
    scorer: Scorer, work: Sequence[tuple[int, Path]], processes: int, begun: mmap.mmap
) -> Iterator[Outcome]:
    """The outcomes of numbered submissions; ends early when a copy is killed, or can not be."""
    from concurrent.futures import ProcessPoolExecutor
    from concurrent.futures.process import BrokenProcessPool
    from multiprocessing import get_context

    try:
        pool = ProcessPoolExecutor(processes, get_context("fork"), _begin, (scorer, work, begun))
    except (OSError, NotImplementedError):  # a system without semaphores
        return
    try:
        yield from pool.map(_score_one, work)
    except (BrokenProcessPool, OSError):
        return
    finally:
        pool.shutdown(cancel_futures=True)


_job: list[tuple[Scorer, mmap.mmap]] = []  # in a copy of the process, what it scores by


def _begin(scorer: Scorer, work: Sequence[tuple[int, Path]], begun: mmap.mmap) -> None:
    """Initialise a copy of the process: default signal handlers, one polars thread."""
    _job.append((scorer, begun))
    os.environ.setdefault("POLARS_MAX_THREADS", "1")  # the other copy has the other core
    os.environ[VARIABLE] = "1"
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, signal.SIG_DFL)
    ready_to_read([path for _, path in work[::PROCESSES]])


def _score_one(work: tuple[int, Path]) -> Outcome:
    (scorer, begun), (number, path) = _job[-1], work
    begun[number] = 1
    return scorer(path)
