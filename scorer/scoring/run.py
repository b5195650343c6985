"""Scores many submission files, one after the other or in several processes."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

from scorer.results.scorecard import Outcome
from scorer.scoring.submission import Plan, score_submission

Tick = Callable[[int], None]  # called with the number of submissions that are done

# The total size of the files, in bytes, from which several processes are used. Starting a process
# takes as long as scoring about 10 MiB, so that sharing smaller files would gain little.
SHARED_SIZE = 32 << 20


def default_jobs(paths: Sequence[Path]) -> int:
    """Return the number of processes to use: one for few or small files, else one per core."""
    # `Path.is_file` raises an OSError for a name that is too long; `os.path.isfile` does not.
    size = sum(os.path.getsize(path) for path in paths if os.path.isfile(path))
    if len(paths) < 2 or size < SHARED_SIZE:
        return 1
    affinity = getattr(os, "sched_getaffinity", None)
    cores = len(affinity(0)) if affinity else os.cpu_count() or 1
    return min(cores, len(paths))


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
    outcomes: Iterator[Outcome] = (score_submission(plan, path) for path in paths)
    if jobs > 1:
        from scorer.scoring.processes import score_in_processes  # imports multiprocessing

        outcomes = score_in_processes(plan, paths, jobs)
    tick(0)
    for done, outcome in enumerate(outcomes, 1):
        yield outcome
        tick(done)
