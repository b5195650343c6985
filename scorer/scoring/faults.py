"""Faults of a challenge's keys, found while it is bound, and the one place that locates them."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

from scorer.challenge.model import Challenge
from scorer.core.errors import ChallengeError
from scorer.core.problems import Problem
from scorer.core.text import display_path, printable


class Fault(NamedTuple):
    """What is wrong with a key of challenge.yaml, such as `metrics[1].cutoffs`."""

    key: str
    code: str
    message: str
    help: str | None = None


def located(challenge: Challenge, fault: Fault) -> Problem:
    """The fault as a problem at the line of its key, or of the nearest key above it."""
    key, code, message, help = fault
    text = f"{key}: {message}"
    path, line = display_path(challenge.path), challenge.line(key)
    return Problem(code, printable(text, len(text)), path=path, line=line, help=help)


def refuse(challenge: Challenge, faults: Iterable[Fault]) -> None:
    """Refuse, by `ChallengeError`, a challenge with faults: all of them, by their lines."""
    if problems := [located(challenge, fault) for fault in faults]:
        raise ChallengeError(problems=sorted(problems, key=lambda problem: problem.line or 0))
