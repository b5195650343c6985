"""The engine of one machine: submissions one after the other, sharing one reading of the truth."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from pathlib import Path

import numpy as np

from scorer.checking import Submitted, examine
from scorer.checks.lists import missing_list
from scorer.columns import Ids, Table
from scorer.cutting import Doubt, worth
from scorer.errors import Findings
from scorer.judged import Judged, Ranked
from scorer.kinds.grades import Grades, met
from scorer.preferences import Positions
from scorer.preparing import Opened
from scorer.quick import Asked, quick
from scorer.results import Outcome
from scorer.scoring import score
from scorer.streams import Unreadable, digest
from scorer.tables import Format, format_of, read

JUDGED = frozenset({Judged, Ranked, Positions})  # what the judged items alone show


Tick = Callable[[float], None]  # how much is done, of 1 for each submission


def local(
    opened: Opened, submissions: Sequence[Path], tick: Tick = lambda done: None
) -> Iterator[Outcome]:
    """Read, check and score each submission."""
    for n, path in enumerate(submissions):
        tick(n)
        yield outcome(opened, path, lambda share, n=n: tick(n + share))  # type: ignore[misc]
    tick(len(submissions))


def outcome(opened: Opened, path: Path, tick: Tick) -> Outcome:
    """What becomes of one submission: its problems, and its scorecard if it has no error."""
    rules, sha256 = opened.prepared.challenge.submission, None
    if worth(path):
        with suppress(Doubt):
            return _vouched(opened, path, format_of(path, rules.format), tick)
    table, findings = checked(opened, path)
    try:
        sha256 = digest(path)
    except (OSError, Unreadable):
        return Outcome(findings, None, None)
    if table is None or findings.fatal or opened.answers is None:
        return Outcome(findings, sha256, None)
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


def checked(opened: Opened, path: Path) -> tuple[Table | None, Findings]:
    """A submission's rows, where they can be read, and all that is wrong with it."""
    prepared, rules = opened.prepared, opened.prepared.challenge.submission
    findings = Findings(str(path))
    table = read(path, format_of(path, rules.format), prepared.shapes, findings, prepared.limits)
    if table is not None:
        examine(Submitted(table, opened.public, rules), findings)
    return table, findings


def _vouched(opened: Opened, path: Path, format: Format, tick: Tick) -> Outcome:
    """The outcome of a large submission in which the fast pass finds nothing to tell.

    Raises:
        Doubt: it cannot vouch for the file, or a measure looks at more than judged items.
    """
    prepared, rules, answers = opened.prepared, opened.prepared.challenge.submission, opened.answers
    truth = answers.truth if isinstance(answers, Grades) else None
    if prepared.kind.name != "grades" or opened.folds or not opened.views <= JUDGED:
        raise Doubt
    length = rules.length
    shortest, longest = (length.min, length.max) if length else (None, None)
    size, findings = max(path.stat().st_size, 1), Findings(str(path))
    asked = Asked(
        opened.public,
        truth,
        rules.ties,
        shortest,
        longest,
        prepared.limits,
        rules.missing_list in ("zero", "skip"),
        lambda read: tick(min(read / size, 1.0)),
    )
    seen = quick(path, format, prepared.shapes, asked)
    if seen.lists is not None:
        lists = {"list": Ids(np.arange(len(seen.lists)), seen.lists)}
        stub = Table(lists, {}, np.zeros(len(seen.lists), dtype=np.int64), prepared.shapes[0])
        findings.extend(missing_list(Submitted(stub, opened.public, rules)))
    if seen.judged is None:
        return Outcome(findings, seen.sha256, None)
    meeting = met(seen.judged, seen.judged.returned > 0, opened.views)
    digests = {**opened.digests, "submission": seen.sha256}
    card = score(meeting, seen.judged.names, opened.measures, digests)
    return Outcome(findings, seen.sha256, card)
