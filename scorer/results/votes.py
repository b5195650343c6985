"""Votes on pairs of systems, and the board that is made of them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

from scorer.core.arrays import Floats, Ints
from scorer.core.problems import Findings

FEWEST_PROMPTS = 5  # of which ratings have intervals: those of 2 or 3 prompts are too narrow


@dataclass(frozen=True, eq=False)
class Ballots:
    """Votes as they were cast; arrays have shape (votes,)."""

    systems: tuple[str, ...]
    a: Ints  # which of the systems was shown first
    b: Ints  # and second
    outcome: Ints  # 1: a won, -1: b won, 0: a tie
    prompt: Ints
    prompts: int
    judge: Ints
    judges: tuple[str, ...] = ()  # none where no column names them
    named: bool = True  # whether a column names the prompts; else each vote is one of its own
    columns: tuple[tuple[str, str], ...] = ()  # role -> the column that has it
    files: tuple[str, ...] = ()


class VoteStanding(NamedTuple):
    """A system on the board."""

    name: str
    rank: int
    rating: float  # on Elo's scale, the mean of all systems 1000
    interval: tuple[float, float] | None
    share: float  # the expected share of wins, ties half, against another system at random
    won: int
    tied: int
    lost: int
    tier: int | None = None
    ranks: tuple[int, int] | None = None  # that the votes cannot rule out

    @property
    def votes(self) -> int:
        """How many votes it is in."""
        return self.won + self.tied + self.lost


@dataclass(frozen=True, eq=False)
class VoteBoard:
    """Systems ranked by votes on pairs of them."""

    title: str
    standings: tuple[VoteStanding, ...]
    rates: Floats  # (systems, systems): the share of votes that the row won, ties half, or NaN
    met: Floats  # (systems, systems): how many votes are on the pair
    won: Floats  # (systems, systems): the probability, by the strengths, that the row wins
    ties: float  # Davidson's ν
    tied: int  # votes that are ties
    votes: int
    prompts: int
    named: bool  # whether a column names the prompts
    level: float | None
    draws: int
    seed: int
    alpha: float | None
    columns: tuple[tuple[str, str], ...]
    files: tuple[str, ...]
    findings: Findings  # warnings
