"""Runs of a report: those that are small are scored in one job."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from scorer.bytes.limits import NoTable, Unreadable
from scorer.core.problems import Findings
from scorer.engines.spark import brought, whole
from scorer.engines.spark.brought import UNKNOWN
from scorer.engines.spark.frames import frame_rows, refuse_failing, sources_of
from scorer.engines.spark.outcomes import JobFailed, job, returned_each, settled
from scorer.engines.spark.scoring import Work
from scorer.engines.spark.sources import (
    SparkRows,
    SparkSource,
    refuse_rows,
    refuse_whole,
    source_of,
)
from scorer.prepare.bind import BoundChallenge
from scorer.prepare.open import OpenChallenge
from scorer.results.scorecard import Outcome
from scorer.scoring.lists import Plan

TOGETHER = 4_000_000  # rows of the runs of one job, whose parts the driver holds
ROW_BYTES = 64  # that a row of a table takes here, as a rule
MOST_TOGETHER = 100  # runs of one job, whose plan has all of them


def outcomes_of_runs(
    session: Any, ready: OpenChallenge, runs: Mapping[str, Any]
) -> dict[str, Outcome]:
    """The outcome of each run; small files are scored in one job, and so are small data frames."""
    work, own = Work.of(ready.plan), ready.plan.limits.own
    paths = {name: Path(run) for name, run in runs.items() if isinstance(run, str)}
    small = {name: path for name, path in paths.items() if whole.is_small(path)}
    scored = [
        outcome
        for _, files in whole.jobs([*small.values()])
        for outcome in whole.outcomes(session, work, files, own)
    ]
    outcomes = dict(zip(small, scored, strict=True))
    for name, outcome in outcomes.items():
        outcome.findings.show_as(name)
    read = {name: Findings(name) for name in runs if name not in outcomes}
    sources, frames = _sources_and_frames(session, ready.prepared, runs, read)
    refused = {name: Outcome(found, None, None) for name, found in read.items()}
    sizes = {name: brought.estimated_bytes(rows.frame) for name, rows in frames.items()}
    outcomes |= _brought_outcomes(session, ready.plan, work, frames, sizes, read)
    larger = {name: rows for name, rows in frames.items() if name not in outcomes}
    counted = _few_enough(larger, ready.plan, read)
    unknown = {name: source for name, source in counted.items() if sizes[name] == UNKNOWN}
    sizes = {n: s.size * ROW_BYTES for n, s in unknown.items() if s.buckets.count == 1}
    outcomes |= _brought_outcomes(session, ready.plan, work, frames, sizes, read)
    sources |= {name: source for name, source in counted.items() if name not in outcomes}
    for names in _jobs({name: source.size for name, source in sources.items()}, TOGETHER):
        together = {name: sources[name] for name in names}
        outcomes |= _job_outcomes(ready.plan, work, together, frames, read)
    return refused | outcomes


def _sources_and_frames(
    session: Any, prepared: BoundChallenge, runs: Mapping[str, Any], read: Mapping[str, Findings]
) -> tuple[dict[str, SparkSource], dict[str, SparkRows]]:
    """The files and the frames that Spark can read; `read` gets what keeps it from others."""
    limits, sources, frames = prepared.limits, dict[str, SparkSource](), dict[str, SparkRows]()
    submission = prepared.challenge.submission
    form = prepared.challenge.form(submission)
    for name, findings in read.items():
        with _telling(findings):
            refuse_whole(prepared)
            if isinstance(runs[name], str | os.PathLike):
                path, format = os.fspath(runs[name]), submission.format
                sources[name] = source_of(
                    session, path, format, prepared.shapes, limits, findings, form=form
                )
            else:
                frames[name] = frame_rows(
                    runs[name], "the run", prepared.shapes, limits, findings, form
                )
    return sources, frames


def _brought_outcomes(
    session: Any,
    plan: Plan,
    work: Work,
    frames: Mapping[str, SparkRows],
    sizes: Mapping[str, float],
    read: Mapping[str, Findings],
) -> dict[str, Outcome]:
    """The outcomes of frames of small sizes that can be brought here, and scored whole."""
    small = {name: size for name, size in sizes.items() if size <= whole.MOST_BYTES}
    outcomes = dict[str, Outcome]()
    for names in _jobs(small, whole.TOGETHER):
        tables = brought.tables_of({name: frames[name] for name in names})
        for name, table in [*tables.items()]:
            try:
                refuse_rows(table.num_rows, plan.limits)
            except Unreadable as error:
                read[name].add(error.problem)
                outcomes[name] = Outcome(read[name], None, None)
                del tables[name]
        rows = [frames[name] for name in tables]
        returned = brought.returned_of(session, work, rows, [*tables.values()], plan.limits.errors)
        for name, back in zip(tables, returned, strict=True):
            outcomes[name] = settled(plan, frames[name].source(), back, read[name], None)
    return outcomes


def _few_enough(
    frames: Mapping[str, SparkRows], plan: Plan, read: Mapping[str, Findings]
) -> dict[str, SparkSource]:
    """The frames that have no more rows than are accepted, cut as their rows ask."""
    fit = dict[str, SparkSource]()
    for name, source in _frame_sources(frames, read).items():
        with _telling(read[name]):
            refuse_rows(source.size, plan.limits)
            fit[name] = source
    return fit


def _frame_sources(
    frames: Mapping[str, SparkRows], read: Mapping[str, Findings]
) -> dict[str, SparkSource]:
    """The frames as Spark reads them; counted one by one where they cannot be together."""
    if not frames:
        return {}
    try:
        return dict(zip(frames, sources_of([*frames.values()]), strict=True))
    except Unreadable as error:
        if len(frames) == 1:
            read[next(iter(frames))].add(error.problem)
            return {}
    alone = (_frame_sources({name: frame}, read) for name, frame in frames.items())
    return {name: source for each in alone for name, source in each.items()}


@contextmanager
def _telling(findings: Findings) -> Iterator[None]:
    """Tell what keeps a table from being read."""
    try:
        yield
    except Unreadable as error:
        findings.add(error.problem)
    except NoTable:
        pass


def _jobs(sizes: Mapping[str, float], most: float) -> Iterator[list[str]]:
    """The names of the runs of one job each, which are no larger together than the most."""
    together, size = list[str](), 0.0
    for name, more in sizes.items():
        if together and (size + more > most or len(together) == MOST_TOGETHER):
            yield together
            together, size = [], 0.0
        together.append(name)
        size += more
    if together:
        yield together


def _job_outcomes(
    plan: Plan,
    work: Work,
    sources: Mapping[str, SparkSource],
    frames: Mapping[str, SparkRows],
    read: Mapping[str, Findings],
) -> dict[str, Outcome]:
    """The outcome of each run of a job; each has one of its own where one of them is damaged.

    `frames` are the runs that are data frames, which may fail where Spark computes them.
    """
    try:
        every = returned_each(job(work, [*sources.values()], plan.limits.errors), len(sources))
    except (Unreadable, JobFailed) as error:
        if len(sources) > 1:
            alone = (_job_outcomes(plan, work, {n: s}, frames, read) for n, s in sources.items())
            return {name: outcome for each in alone for name, outcome in each.items()}
        [name] = sources
        with _telling(read[name]):
            if isinstance(error, JobFailed) and name in frames:
                refuse_failing(frames[name].frame)
            raise
        return {name: Outcome(read[name], None, None)}
    return {
        name: settled(plan, source, back, read[name], None)
        for (name, source), back in zip(sources.items(), every, strict=True)
    }
