"""The input of a guess, and its result."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

from scorer.prepare.guess.look import Look

NOTHING: frozenset[str] = frozenset()


class Needs(NamedTuple):
    """The kinds and columns that the given measures need; empty where none are given.

    Attributes:
        kinds: the kinds of challenge that all of them fit.
        columns: the columns of a submission that they need.
    """

    kinds: frozenset[str] = NOTHING
    columns: frozenset[str] = NOTHING

    def fits(self, kind: str) -> bool:
        """Whether a kind of challenge is possible."""
        return not self.kinds or kind in self.kinds


class Guess(NamedTuple):
    """The sections of a guessed challenge.yaml.

    Attributes:
        what: in a sentence, for the organizer.
        truth: keys of its section, beside the file.
        submission: keys of its section.
        metrics: those that fit, the first of which ranks.
    """

    what: str
    truth: Mapping[str, Any]
    submission: Mapping[str, Any]
    metrics: Sequence[str | Mapping[str, str]]


# of a truth and a sample, of which there may be none: None where the columns mean something else
Kind = Callable[[Look, Look | None, Needs], Guess | None]
