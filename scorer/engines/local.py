"""Submissions scored one after the other, sharing one reading of the truth.

Many are shared out between two processes.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path

from scorer.bytes.limits import Unreadable
from scorer.checks.tally import FileContext
from scorer.core.problems import Findings, Problem
from scorer.engines.gather import TooManyErrors, parts_of_file
from scorer.engines.processes import shareable, shared
from scorer.formats.base import Format
from scorer.formats.cut import ready_to_read
from scorer.formats.parts import by_part
from scorer.formats.pieces import Pieces, columns_at, joined, pieces
from scorer.formats.whole import whole_text
from scorer.results.scorecard import Outcome
from scorer.scoring.lists import ListsResult, Plan, merged, outcome, score_lists
from scorer.tables.runs import Apart
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
        try:
            outcome = _scored(plan, path, tick)
        except Apart:
            outcome = _scored(plan, path, tick, scattered=True)
        return with_causes(plan, path, outcome)
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


def _scored(plan: Plan, path: Path, tick: Tick, scattered: bool = False) -> Outcome:
    """As `scored`; gathers `scattered` lists. `Apart` if that is seen after some were scored."""
    findings, sha256 = Findings(str(path)), hashlib.sha256()
    format = plan.format(path)
    with pieces(
        path, format, plan.shapes, plan.limits, findings, sha256=sha256, tick=tick
    ) as tables:
        try:
            if Frames in plan.views and not findings.fatal:  # it was opened
                parts = _whole(plan, tables, path, format, findings)
            else:
                parts = parts_of_file(plan, tables, scattered)
        except Unreadable as error:
            findings.add(error.problem)
            if isinstance(error, TooManyErrors):
                whole = FileContext(plan.public, plan.rules, plan.known, partial=True)
                problems = error.checked.problems(whole)
                findings.extend(problem for problem in problems if problem.severity == "error")
            return Outcome(findings, None, None)
        part = merged(parts) if parts else None
        parts.clear()  # of millions of ids that are wrong, each copy is large
    digest = sha256.hexdigest() if tables.hashed else None
    if part is None or not tables.whole:
        by_part(findings, format.form.parts)
        return Outcome(findings, digest, None)
    scored_outcome = outcome(plan, part, findings, digest)
    find = partial(columns_at, path, format, plan.shapes, plan.limits, index=tables.index)
    findings.locate(find)
    by_part(findings, format.form.parts)
    return scored_outcome


def _whole(
    plan: Plan, tables: Pieces, path: Path, format: Format, findings: Findings
) -> list[ListsResult]:
    """The one part of a file that measures read whole; its columns with roles may do for it.

    `Unreadable` if it is no CSV, and no other columns are known.
    """
    text = whole_text(path, format, plan.limits)
    if text is None and plan.public.kind == "frames":
        message = "Kaggle's metrics read CSV, with a header"
        raise Unreadable(Problem("S107", message, help="write the file with to_csv(index=False)"))
    if (table := joined(tables)) is None:
        return []
    facts = {} if text is None else {TEXT: text}
    plan = plan.unscored if findings.fatal else plan
    return [score_lists(plan, replace(table, facts={**table.facts, **facts}))]
