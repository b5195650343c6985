"""Scores many submission files: one after the other, in threads or in processes."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor, wait
from pathlib import Path

from scorer.metrics.notation import Measure
from scorer.reading.signatures import GZIP, PARQUET, ZIP
from scorer.results.scorecard import Outcome
from scorer.scoring.submission import Plan, score_submission

Tick = Callable[[int], None]  # called with the number of submissions that are done

# The total size of the files, in bytes, from which several processes are used. Starting a process
# takes as long as scoring about 10 MiB, so that sharing smaller files would gain little.
SHARED_SIZE = 32 << 20
# Files of at most this size each, and together, in bytes, are shared among threads, which need no
# start. Scoring one takes less than 400 MB, so that a few threads do not fill the memory: the
# system would end the process, and with it all files. With more files processes are faster, since
# Python's own code runs in one thread at a time: with two cores and files of 3 MB from 350 MB on.
THREAD_SIZE = 8 << 20
THREAD_TOTAL = 320 << 20
MAX_THREADS = 4
PACKED = (GZIP, ZIP, PARQUET)  # what a file begins with that may be far larger than it is on disk


def default_jobs(paths: Sequence[Path], measures: Sequence[Measure]) -> int:
    """Return the number of processes to use: one for few or small files, else one per core."""
    if len(paths) < 2 or can_use_threads(paths, measures):
        return 1
    return min(_count_cores(), len(paths)) if _total_size(paths) >= SHARED_SIZE else 1


def can_use_threads(paths: Sequence[Path], measures: Sequence[Measure]) -> bool:
    """Return whether files should be scored side by side in this process.

    All are small, and no metric is a plug-in, whose code may not expect threads.
    """
    metrics = [part.metric for measure in measures for part in measure.all_parts]
    built_in = all(metric.function.__module__.startswith("scorer.metrics.") for metric in metrics)
    if len(paths) < 2 or not built_in or _total_size(paths) > THREAD_TOTAL:
        return False
    return all(map(_is_small, paths))


def _total_size(paths: Sequence[Path]) -> int:
    # `Path.is_file` raises an OSError for a name that is too long; `os.path.isfile` does not.
    return sum(os.path.getsize(path) for path in paths if os.path.isfile(path))


def _is_small(path: Path) -> bool:
    try:
        if not path.is_file() or path.stat().st_size > THREAD_SIZE:
            return False
        with path.open("rb") as file:
            return not file.read(4).startswith(PACKED)
    except OSError:
        return False


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
    elif can_use_threads(paths, plan.measures):
        outcomes = _score_in_threads(plan, paths)
    else:
        outcomes = (score_submission(plan, path) for path in paths)
    tick(0)
    for done, outcome in enumerate(outcomes, 1):
        yield outcome
        tick(done)


def _score_in_threads(plan: Plan, paths: Sequence[Path]) -> Iterator[Outcome]:
    """Yield the outcome of each file, in order, from a few threads."""
    pool = ThreadPoolExecutor(min(_count_cores(), MAX_THREADS, len(paths)))
    try:
        for future in [pool.submit(score_submission, plan, path) for path in paths]:
            # Ctrl-C does not interrupt a wait, since polars sets a flag by which the system
            # resumes it. So waits are short, and Ctrl-C takes effect between two of them.
            while not future.done():
                wait([future], timeout=0.2)
            yield future.result()
    finally:
        pool.shutdown(cancel_futures=True)
