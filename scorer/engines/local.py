"""The engine of one machine: submissions one after the other, sharing one reading of the truth.

Many are shared out between two processes.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from functools import cache, partial
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from scorer.checks.base import Submitted, examine
from scorer.checks.submission.lists import missing_list
from scorer.core.errors import SubmissionRejected
from scorer.core.problems import Findings
from scorer.engines.processes import Scorer, Tick, _shared, shareable
from scorer.io.files import digest
from scorer.io.formats.base import Format, format_of, read
from scorer.io.limits import Unreadable
from scorer.io.polars_chunks import Doubt, worth
from scorer.io.table import CodedColumn, Table
from scorer.kinds.grades import Grades, met
from scorer.prepare.open import OpenChallenge
from scorer.results.scorecard import Outcome
from scorer.scoring.evaluate import score
from scorer.views.hits import Judged, Ranked
from scorer.views.positions import Positions

if TYPE_CHECKING:
    from scorer.engines.fast import Asked


JUDGED = frozenset({Judged, Ranked, Positions})  # what the judged items alone show


def local(
    opened: OpenChallenge, submissions: Sequence[Path], tick: Tick = lambda done: None
) -> Iterator[Outcome]:
    """Read, check and score each submission."""
    scorer, done = _scorer(opened), 0
    if shareable(submissions):
        for found in _shared(scorer, submissions):
            done += 1
            tick(done)
            yield found
    for n, path in enumerate(submissions[done:], done):
        tick(n)
        yield scorer(path, lambda share, n=n: tick(n + share))  # type: ignore[misc]
    tick(len(submissions))


def _scorer(opened: OpenChallenge) -> Scorer:
    """What scores one submission."""
    asked = cache(partial(_asked, opened))  # by the first large file, for all of them
    return lambda path, tick: outcome(opened, asked, path, tick)


def outcome(
    opened: OpenChallenge, asked: Callable[[], Asked | None], path: Path, tick: Tick
) -> Outcome:
    """What becomes of one submission: its problems, and its scorecard if it has no error."""
    rules, sha256 = opened.prepared.challenge.submission, None
    if worth(path) and (known := asked()) is not None:
        with suppress(Doubt):
            return _vouched(opened, known, path, format_of(path, rules.format), tick)
    table, findings = checked(opened, path)
    try:
        sha256 = digest(path)
    except (OSError, Unreadable):
        return Outcome(findings, None, None)
    if table is None or findings.fatal or opened.answers is None:
        return Outcome(findings, sha256, None)
    try:
        return _carded(opened, table, findings, sha256)
    except SubmissionRejected as error:  # by a metric that may refuse it
        findings.extend(error.problems)
        return Outcome(findings, sha256, None)


def _carded(opened: OpenChallenge, table: Table, findings: Findings, sha256: str) -> Outcome:
    """The outcome of a submission without an error."""
    assert opened.answers is not None
    rules = opened.prepared.challenge.submission
    meeting = opened.answers.meet(table, rules.ties, opened.views)
    digests = {**opened.digests, "submission": sha256}
    card = score(meeting, opened.answers.lists, opened.measures, digests)
    folds = {
        name: score(
            fold.meet(table, rules.ties, opened.views), fold.lists, opened.measures, digests
        )
        for name, fold in opened.folds.items()
    }
    return Outcome(findings, sha256, card, folds)


def checked(opened: OpenChallenge, path: Path) -> tuple[Table | None, Findings]:
    """A submission's rows, where they can be read, and all that is wrong with it."""
    prepared, rules = opened.prepared, opened.prepared.challenge.submission
    findings = Findings(str(path))
    table = read(path, format_of(path, rules.format), prepared.shapes, findings, prepared.limits)
    if table is not None:
        examine(Submitted(table, opened.public, rules), findings)
    return table, findings


def _asked(opened: OpenChallenge) -> Asked | None:
    """What the fast pass must know; None where a measure looks at more than judged items."""
    prepared, rules, answers = opened.prepared, opened.prepared.challenge.submission, opened.answers
    truth = answers.truth if isinstance(answers, Grades) else None
    if prepared.kind.name != "grades" or opened.folds or not opened.views <= JUDGED:
        return None
    from scorer.engines.fast import Asked

    length = rules.length
    shortest, longest = (length.min, length.max) if length else (None, None)
    lenient = rules.missing_list in ("zero", "skip")
    return Asked(opened.public, truth, rules.ties, shortest, longest, prepared.limits, lenient)


def _vouched(
    opened: OpenChallenge, asked: Asked, path: Path, format: Format, tick: Tick
) -> Outcome:
    """The outcome of a large submission in which the fast pass finds nothing to tell.

    Raises:
        Doubt: it cannot vouch for the file.
    """
    from scorer.engines.fast import quick

    prepared, rules = opened.prepared, opened.prepared.challenge.submission
    size, findings = max(path.stat().st_size, 1), Findings(str(path))
    seen = quick(path, format, prepared.shapes, asked, lambda read: tick(min(read / size, 1.0)))
    if seen.lists is not None:
        lists = {"list": CodedColumn(np.arange(len(seen.lists)), seen.lists)}
        stub = Table(lists, {}, np.zeros(len(seen.lists), dtype=np.int64), prepared.shapes[0])
        findings.extend(missing_list(Submitted(stub, opened.public, rules)))
    if seen.judged is None:
        return Outcome(findings, seen.sha256, None)
    meeting = met(seen.judged, seen.judged.returned > 0, opened.views)
    digests = {**opened.digests, "submission": seen.sha256}
    card = score(meeting, seen.judged.names, opened.measures, digests)
    return Outcome(findings, seen.sha256, card)
