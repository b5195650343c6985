"""Submissions scored one after the other, sharing one reading of the truth.

Many are shared out between two processes.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path

import numpy as np

from scorer.bytes.limits import Unreadable, limit
from scorer.core.problems import Findings, Problem
from scorer.engines.processes import shareable, shared
from scorer.formats.base import Format
from scorer.formats.cut import ready_to_read
from scorer.formats.parts import by_part
from scorer.formats.pieces import columns_at, joined, pieces
from scorer.formats.whole import whole_text
from scorer.results.scorecard import Outcome
from scorer.scoring.lists import Plan, score_with_views
from scorer.tables.table import Table
from scorer.views.frames import TEXT, Frames

Tick = Callable[[float], None]  # how much is done, of 1 for each submission


def local(
    plan: Plan, submissions: Sequence[Path], tick: Tick = lambda done: None
) -> Iterator[Outcome]:
    """Read, check and score each submission, in order.

    `tick` is told how many submissions are done, with the share of the one being read.
    """
    done = 0
    ready_to_read(submissions, plain=False)  # where it is imported, no process is copied
    if shareable(submissions):
        for shared_outcome in shared(partial(scored, plan), submissions):
            done += 1
            tick(done)
            yield shared_outcome
    ready_to_read(submissions[done:])
    for n, path in enumerate(submissions[done:], done):
        tick(n)
        yield scored(plan, path, lambda share, n=n: tick(n + share))  # type: ignore[misc]
    tick(len(submissions))


def scored(plan: Plan, path: Path, tick: Tick = lambda share: None) -> Outcome:
    """The outcome of one submission: its problems, and its scorecard if it has no error."""
    try:
        return with_causes(plan, path, _scored(plan, path, tick))
    except MemoryError:
        return failed(path, "there is not enough memory to read this file")


def with_causes(plan: Plan, path: Path, outcome: Outcome) -> Outcome:
    """The outcome of a file; of one with errors, with one cause for all that follows from it."""
    if not outcome.findings.fatal or plan.format(path).name != "csv":
        return outcome
    from scorer.checks.causes import expected, with_cause

    table = expected(plan.public, plan.rules, plan.shapes, plan.form, path)
    told = with_cause(outcome.findings, path, table, plan.public, plan.limits)
    return outcome._replace(findings=told)


def failed(path: Path, why: str) -> Outcome:
    """The outcome of a submission that takes more than there is."""
    findings = Findings(str(path))
    findings.add(Problem("S104", why))
    return Outcome(findings, None, None)


def _scored(plan: Plan, path: Path, tick: Tick) -> Outcome:
    findings, sha256 = Findings(str(path)), hashlib.sha256()
    format = plan.format(path)
    with pieces(
        path, format, plan.shapes, plan.limits, findings, sha256=sha256, tick=tick
    ) as tables:
        table = joined(tables)
        if table is not None and Frames in plan.views and not findings.fatal:  # it was opened
            try:
                table = _with_text(plan, table, path, format)
            except Unreadable as error:
                findings.add(error.problem)
                return Outcome(findings, None, None)
    digest = sha256.hexdigest() if tables.hashed else None
    outcome = Outcome(findings, digest, None)
    if table is not None and not _has_longer_list(plan, table, findings):
        if Frames in plan.views and findings.fatal:
            plan = plan.unscored
        whole = [table]
        del table  # scoring gives it back before it measures
        outcome, _ = score_with_views(plan, whole.pop(), findings, digest)
        findings.locate(
            partial(columns_at, path, format, plan.shapes, plan.limits, index=tables.index)
        )
    by_part(findings, format.form.parts)
    return outcome


def _with_text(plan: Plan, table: Table, path: Path, format: Format) -> Table:
    """The table, with the text that measures read whole; its columns with roles may do for it.

    `Unreadable` if it is no CSV, and no other columns are known.
    """
    text = whole_text(path, format, plan.limits)
    if text is None and plan.public.kind == "frames":
        message = "Kaggle's metrics read CSV, with a header"
        raise Unreadable(Problem("S107", message, help="write the file with to_csv(index=False)"))
    return table if text is None else replace(table, facts={**table.facts, TEXT: text})


def _has_longer_list(plan: Plan, table: Table, findings: Findings) -> bool:
    """Whether a list has more rows than are accepted, which is then among the findings."""
    most = plan.limits.list
    if len(table) <= most or int(np.bincount(table.ids["list"].codes).max()) <= most:
        return False
    message = f"more than {most:,} rows in one {plan.public.word('list')}"
    findings.add(Problem("S104", message, help=limit("list")))
    return True
