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

from scorer.checks.base import Checked
from scorer.checks.ids import CLASSES
from scorer.checks.submission.lists import Lists
from scorer.checks.tally import IdTally
from scorer.core.problems import Findings
from scorer.engines.base import Tick, engine
from scorer.engines.processes import Scorer, _shared, shareable
from scorer.io.files import digest
from scorer.io.formats.base import Format, format_of, read
from scorer.io.limits import Unreadable
from scorer.io.polars_chunks import Doubt, worth
from scorer.kinds.grades import JUDGED, Grades, met
from scorer.results.scorecard import Outcome
from scorer.scoring.evaluate import score
from scorer.scoring.lists import Part, Plan, outcome, score_lists

if TYPE_CHECKING:
    from scorer.engines.fast import Asked


@engine("local")
def local(
    plan: Plan, submissions: Sequence[Path], tick: Tick = lambda done: None
) -> Iterator[Outcome]:
    """Read, check and score each submission."""
    scorer, done = _scorer(plan), 0
    if shareable(submissions):
        for found in _shared(scorer, submissions):
            done += 1
            tick(done)
            yield found
    for n, path in enumerate(submissions[done:], done):
        tick(n)
        yield scorer(path, lambda share, n=n: tick(n + share))  # type: ignore[misc]
    tick(len(submissions))


def _scorer(plan: Plan) -> Scorer:
    """What scores one submission."""
    asked = cache(partial(_asked, plan))  # by the first large file, for all of them
    return lambda path, tick: scored(plan, asked, path, tick)


def scored(plan: Plan, asked: Callable[[], Asked | None], path: Path, tick: Tick) -> Outcome:
    """What becomes of one submission: its problems, and its scorecard if it has no error."""
    format, sha256 = format_of(path, plan.rules.format), None
    if worth(path) and (known := asked()) is not None:
        with suppress(Doubt):
            return _vouched(plan, known, path, format, tick)
    findings = Findings(str(path))
    table = read(path, format, plan.shapes, findings, plan.limits)
    with suppress(OSError, Unreadable):
        sha256 = digest(path)
    if table is None or sha256 is None:
        return Outcome(findings, sha256, None)
    return outcome(plan, score_lists(plan, table), findings, sha256)


def _asked(plan: Plan) -> Asked | None:
    """What the fast pass must know; None where a measure looks at more than judged items."""
    rules, answers = plan.rules, plan.truth
    truth = answers.truth if isinstance(answers, Grades) else None
    if plan.public.kind != "grades" or plan.folds or not plan.views <= JUDGED:
        return None
    from scorer.engines.fast import Asked

    length = rules.length
    shortest, longest = (length.min, length.max) if length else (None, None)
    lenient = rules.missing_list in ("zero", "skip")
    return Asked(plan.public, truth, rules.ties, shortest, longest, plan.limits, lenient)


def _vouched(plan: Plan, asked: Asked, path: Path, format: Format, tick: Tick) -> Outcome:
    """The outcome of a large submission in which the fast pass finds nothing to tell.

    Raises:
        Doubt: it cannot vouch for the file.
    """
    from scorer.engines.fast import quick

    size, findings = max(path.stat().st_size, 1), Findings(str(path))
    seen = quick(path, format, plan.shapes, asked, lambda read: tick(min(read / size, 1.0)))
    given = np.array([seen.lists is None or n in set(seen.lists) for n in plan.public.lists])
    lists = Lists(given, np.zeros_like(given), IdTally(CLASSES))
    part = Part(Checked(tallies={"unknown_list": lists}))
    if seen.judged is not None:
        views = met(seen.judged, seen.judged.returned > 0, plan.views)
        part = part._replace(card=score(views, seen.judged.names, plan.measures), scored=True)
    return outcome(plan, part, findings, seen.sha256)
