"""What a re-scoring changes, as fields."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from scorer.board.moves import Move
from scorer.board.rescore import Rescored
from scorer.challenge.model import Challenge
from scorer.results.json import VERSION, ChallengeIdentity


@dataclass(frozen=True, slots=True, kw_only=True)
class Record:
    """The changes by a re-scoring, or by its preview."""

    schema: str = "rescoring/1"
    scorer: str = VERSION
    challenge: ChallengeIdentity
    applied: bool
    lists_changed: int
    moves: Sequence[Move]
    entered: Sequence[int]
    left: Sequence[int]


def fields(rescored: Rescored, challenge: Challenge) -> Record:
    """The record of a re-scoring."""
    return Record(challenge=ChallengeIdentity.of(challenge), **rescored._asdict())
