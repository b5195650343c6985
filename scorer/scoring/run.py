"""Scores many submission files: one after the other, in threads or in processes."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor, wait
from pathlib import Path

from scorer.results.scorecard import Outcome
from scorer.scoring.submission import Plan, score_submission

Tick = Callable[[int], None]  # called with the number of submissions that are done

# The total size of the files, in bytes, from which several processes are used. Starting a process
# takes as long as scoring about 10 MiB, so that sharing smaller files would gain little. Below it
# files are shared among threads of one process, whose memory is bounded by this size, too.
SHARED_SIZE = 32 << 20


def default_jobs(paths: Sequence[Path]) -> int:
    """Return the number of processes to use: one for few or small files, else one per core."""
    if len(paths) < 2 or _total_size(paths) < SHARED_SIZE:
        return 1
    return min(_count_cores(), len(paths))


def _total_size(paths: Sequence[Path]) -> int:
    # `Path.is_file` raises an OSError for a name that is too long; `os.path.isfile` does not.
    return sum(os.path.getsize(path) for path in paths if os.path.isfile(path))


def _count_cores() -> int:
    affinity = getattr(os, "sched_getaffinity", None)
    return len(affinity(0)) if affinity else os.cpu_count() or 1


def score_submissions(
    plan: Plan, paths: Sequence[Path], tick: Tick = lambda done: None, jobs: int = 1
) -> Iterator[Outcome]:
    """Yield the outcome of each submission, in order.

    Args:
        plan: What scoring needs of the challenge.
        paths: The files.
        tick: Called with the number of files that are done, before each file and at the end.
        jobs: The number of processes. Above 1 they are started anew, never forked from this one:
            polars in a forked process does not return.

    Raises:
        UsageError: `jobs` is above 1, and a metric cannot be sent to another process.
    """
    jobs = min(jobs, len(paths))
    if jobs > 1:
        from scorer.scoring.processes import score_in_processes  # imports multiprocessing

        outcomes = score_in_processes(plan, paths, jobs)
    elif _threads_are_safe(plan, paths):
        outcomes = _score_in_threads(plan, paths)
    else:
        outcomes = (score_submission(plan, path) for path in paths)
    tick(0)
    for done, outcome in enumerate(outcomes, 1):
        yield outcome
        tick(done)


def _threads_are_safe(plan: Plan, paths: Sequence[Path]) -> bool:
    """Return whether the files may be scored side by side in this process.

    They are small, so that no thread takes so much memory that the process is killed with all
    files; and no code of other people runs, which may not expect threads.
    """
    metrics = [part.metric for measure in plan.measures for part in measure.all_parts]
    own = all(metric.function.__module__.startswith("scorer.metrics.") for metric in metrics)
    return own and len(paths) > 1 and _total_size(paths) < SHARED_SIZE


def _score_in_threads(plan: Plan, paths: Sequence[Path]) -> Iterator[Outcome]:
    """Yield the outcome of each file, in order, from one thread a core."""
    pool = ThreadPoolExecutor(min(_count_cores(), len(paths)))
    try:
        for future in [pool.submit(score_submission, plan, path) for path in paths]:
            # Ctrl-C does not interrupt a longer wait: see `score_in_processes`.
            while not future.done():
                wait([future], timeout=0.2)
            yield future.result()
    finally:
        pool.shutdown(cancel_futures=True)
