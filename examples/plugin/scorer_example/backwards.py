"""An engine that scores the last file first; a model for one that sends them elsewhere."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

from scorer.engines.base import Tick, engine
from scorer.engines.local import scored  # internal: it may change without notice
from scorer.results.scorecard import Outcome
from scorer.scoring.lists import Plan


@engine("backwards")
def backwards(plan: Plan, submissions: Sequence[Path], tick: Tick) -> Iterator[Outcome]:
    """The outcome of each submission, in their order."""
    found = {path: scored(plan, path) for path in reversed(submissions)}
    tick(len(found))
    yield from (found[path] for path in submissions)
