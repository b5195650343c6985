"""Scores submission files in several processes."""

from __future__ import annotations

import multiprocessing
import os
import pickle
import signal
import threading
from collections.abc import Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor, wait
from concurrent.futures.process import BrokenProcessPool
from pathlib import Path

from scorer.core.errors import UsageError
from scorer.core.problems import Findings, Problem
from scorer.results.scorecard import Outcome
from scorer.scoring.submission import Plan, score_submission


def score_in_processes(plan: Plan, paths: Sequence[Path], jobs: int) -> Iterator[Outcome]:
    """Yield the outcome of each file, in order.

    If a process is killed, its pool ends. The first file without an outcome is then scored alone,
    and refused if its process is killed again; a new pool scores the files after it.
    """
    try:
        pickled_plan = pickle.dumps(plan)
    except (pickle.PicklingError, AttributeError, TypeError) as error:
        message = f"jobs: a metric cannot be sent to another process: {error}"
        raise UsageError(message) from None
    done = 0
    while done < len(paths):
        try:
            for outcome in _map_files(pickled_plan, paths[done:], jobs):
                done += 1
                yield outcome
        except BrokenProcessPool:
            yield _score_alone(pickled_plan, paths[done])
            done += 1


def _map_files(pickled_plan: bytes, paths: Sequence[Path], jobs: int) -> Iterator[Outcome]:
    """Yield the outcome of each file from a pool of processes, which ends with this iterator."""
    methods = multiprocessing.get_all_start_methods()
    context = multiprocessing.get_context("forkserver" if "forkserver" in methods else "spawn")
    earlier_children = set(multiprocessing.active_children())  # not of this pool
    with ProcessPoolExecutor(jobs, context, _start_process, (pickled_plan,)) as pool:
        try:
            for future in [pool.submit(_score_file, path) for path in paths]:
                # Ctrl-C does not interrupt a wait, since polars sets a flag by which the system
                # resumes it. So waits are short, and Ctrl-C takes effect between two of them.
                while not future.done():
                    wait([future], timeout=0.2)
                yield future.result()
        except BaseException:  # an interrupt, too: do not wait for the files under way
            pool.shutdown(wait=False, cancel_futures=True)
            for process in set(multiprocessing.active_children()) - earlier_children:
                process.terminate()
            raise


def _score_alone(pickled_plan: bytes, path: Path) -> Outcome:
    """Return the outcome of a file that has a process of its own."""
    try:
        return next(_map_files(pickled_plan, [path], 1))
    except BrokenProcessPool:
        findings = Findings(str(path))
        message = "the process that read this file was killed"
        help = "there may not be enough memory for it; --jobs 1 uses one process"
        findings.add(Problem("S104", message, help=help))
        return Outcome(findings, None, None)


_plans: list[Plan] = []  # in a process of a pool: the plan, as the only element


def _start_process(pickled_plan: bytes) -> None:
    """Prepare a new process of a pool to score files, and to end when its parent has ended."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)  # Ctrl-C ends it without a traceback
    threading.Thread(target=_end_with_parent, daemon=True).start()
    _plans.append(pickle.loads(pickled_plan))


def _end_with_parent() -> None:
    """Wait until the parent process has ended, then end this one."""
    parent = multiprocessing.parent_process()
    assert parent is not None
    parent.join()
    os._exit(1)


def _score_file(path: Path) -> Outcome:
    return score_submission(_plans[-1], path)
