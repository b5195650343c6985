"""The input of a guess, and its result."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple, Protocol

from scorer.infer.look import Preview

NOTHING: frozenset[str] = frozenset()


class Needs(NamedTuple):
    """The kinds that all given measures fit, and columns that they need; empty without any."""

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
        unsure: what may be otherwise, as a clause; empty where nothing is known to.
    """

    what: str
    truth: Mapping[str, Any]
    submission: Mapping[str, Any]
    metrics: Sequence[str | Mapping[str, str]]
    unsure: str = ""


class Recognizer(Protocol):
    """Says what a truth and a sample are by their columns."""

    def __call__(self, truth: Preview, sample: Preview | None, needs: Needs) -> Guess | None:
        """Guess the challenge; None where the columns mean something else."""
