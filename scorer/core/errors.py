"""The exceptions of scorer, one class for each party that can be at fault.

ScorerError
├── UsageError             the command's arguments, or where its output should go exit 2
├── ChallengeError         challenge.yaml, the truth, an organizer's file         exit 2
├── SubmissionRejected     a participant's file; the others are still scored      exit 1
├── Refused                an act that a rule of the board does not allow         exit 3
├── PluginError            a metric, ours or a plugin's: "not your fault"         exit 4
│   └── MetricFailed       a plugin's metric on one file; the others are scored
├── InternalError          a mistake of scorer that it noticed itself             exit 4
└── UnknownName            a name that was looked up and does not exist           exit 2

A `Problem` is a record of one thing wrong in one file; the exceptions carry
problems to the command or the server, which shows them.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence

from scorer.core.problems import SHOWN_PLACES, Problem
from scorer.core.text import quoted, suggest


class ScorerError(Exception):
    """The base of all errors of scorer. The message is written for a person."""

    exit_code = 2

    def __init__(self, message: str = "", problems: Iterable[Problem] = ()) -> None:
        self.problems = tuple(problems)
        super().__init__(message or "\n".join(_summarize_problems(self.problems)))


def _summarize_problems(problems: Sequence[Problem]) -> Iterator[str]:
    """Yield the first SHOWN_PLACES problems of each code, then the number of further ones."""
    counts = Counter[str]()
    for problem in problems:
        counts[problem.code] += 1
        if counts[problem.code] <= SHOWN_PLACES:
            yield str(problem)
    for code, count in counts.items():
        if count > SHOWN_PLACES:
            yield f"and {count - SHOWN_PLACES:,} more of {code}"


class UsageError(ScorerError):
    """The command's arguments do not fit together, or its output cannot be written."""


class ChallengeError(ScorerError):
    """The organizer's side is wrong: challenge.yaml, the truth, another of its files."""


class SubmissionRejected(ScorerError):
    """A submission cannot be scored; `problems` say why."""

    exit_code = 1


class Refused(ScorerError):
    """A rule of the board does not allow an act; a problem with a code S80x says which."""

    exit_code = 3


class PluginError(ScorerError):
    """A metric or another plugin raised an error or returned no valid result; no file is wrong."""

    exit_code = 4


class MetricFailed(PluginError):
    """A metric of the challenge raised an error, or left its range of values, on one file."""

    @property
    def problem(self) -> Problem:
        """The problem to show to the participant.

        Its `cause` is for the organizer alone, as it may reveal the truth.
        """
        message = "a metric of this challenge failed on this file; the organizer is told why"
        return Problem("S530", message, cause=str(self))


class InternalError(ScorerError):
    """Two parts of scorer contradict each other, so that no value can be trusted."""

    exit_code = 4


class UnknownName(ScorerError):
    """Nothing of a kind (metric, test, ...) has a name; the message suggests the nearest one."""

    def __init__(self, kind: str, name: str, known: Sequence[str]) -> None:
        self.kind = kind
        self.name = name
        super().__init__(f"no {kind} is called {quoted(name)}{suggest(name, known)}")
