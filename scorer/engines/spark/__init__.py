"""The engine of a cluster: Spark reads, shuffles and tries again; `score_lists` scores.

What stands here imports no pyspark before it is asked to work.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import Any

from scorer.bytes.files import digest
from scorer.bytes.limits import NoTable, Unreadable
from scorer.core.problems import Findings
from scorer.engines.base import Tick, engine
from scorer.engines.spark import whole
from scorer.engines.spark.elsewhere import SparkTruth, elsewhere, suits
from scorer.engines.spark.fetch import fetch
from scorer.engines.spark.outcomes import job, returned, settled, told_here
from scorer.engines.spark.scoring import Work
from scorer.engines.spark.session import quiet, session_of
from scorer.engines.spark.sources import refuse_whole, source_of
from scorer.formats.pieces import columns_at
from scorer.prepare.bind import BoundChallenge
from scorer.results.scorecard import Outcome
from scorer.scoring.lists import Plan


def leave(prepared: BoundChallenge, options: Mapping[str, str]) -> SparkTruth | None:
    """Leave a truth of very many lists where Spark reads it, where their sums are enough."""
    if not suits(prepared):
        return None
    return elsewhere(session_of(options), prepared)


@engine("spark", options=True, fetch=fetch, leave=leave)
def spark(
    plan: Plan,
    submissions: Sequence[Path],
    tick: Tick = lambda done: None,
    options: Mapping[str, str] | None = None,
) -> Iterator[Outcome]:
    """Have Spark read each submission, and bring its lists to be scored.

    `UsageError` if Spark does not start, `PluginError` if a metric or Spark fails.
    """
    session = session_of(options or {})
    work, done = Work.of(plan), 0
    for small, paths in whole.jobs(submissions):
        tick(done)
        done += len(paths)
        if small:
            with quiet():
                every = whole.outcomes(session, work, paths, plan.limits.own)
            yield from every
            continue
        [path] = paths
        with quiet():
            outcome = scored_in_parts(session, plan, work, path)
        yield told_here(plan, path, outcome)
    tick(len(submissions))


def scored_in_parts(session: Any, plan: Plan, work: Work, path: Path) -> Outcome:
    """The outcome of one submission; `PluginError` if a metric or Spark fails."""
    findings, sha256 = Findings(str(path)), None
    try:
        if path.is_file():
            with suppress(Unreadable):
                sha256 = digest(path)
        refuse_whole(plan)
        source = source_of(
            session, str(path), plan.rules.format, plan.shapes, plan.limits, findings,
            form=plan.form,
        )  # fmt: skip
        back = returned(job(work, [source], plan.limits.errors))
    except Unreadable as error:
        findings.add(error.problem)
        return Outcome(findings, sha256, None)
    except NoTable:
        return Outcome(findings, sha256, None)
    outcome = settled(plan, source, back, findings, sha256)
    if sha256 is not None and outcome.findings:
        format = plan.format(path)
        outcome.findings.locate(partial(columns_at, path, format, plan.shapes, plan.limits))
    return outcome
