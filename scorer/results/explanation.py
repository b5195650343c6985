"""An explanation of one list's values, as data."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from scorer.core.problems import Findings
from scorer.metrics.explain import Working
from scorer.metrics.notation import Measure
from scorer.results.report import Scope


@dataclass(frozen=True, slots=True)
class Explained:
    """A measure's value of one list, worked out."""

    measure: Measure
    working: Working
    counts: float  # what the value counts as; NaN: the list does not count
    notes: tuple[str, ...]  # what is to be known beside the working


@dataclass(frozen=True, slots=True)
class Explanation:
    """How one list of a submission comes by its values, or which lists it is worst in."""

    submission: str
    list: str | None  # None: the worst lists
    called: Mapping[str, str]  # role -> the challenge's word for it
    findings: Findings
    explained: tuple[Explained, ...]  # none: the submission cannot be scored
    scope: Scope | None = None  # the lists that it is of; None: the challenge has no splits
