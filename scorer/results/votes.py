"""Votes on pairs of systems, and the board that is made of them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

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
    group: Ints | None = None
    groups: tuple[str, ...] = ()  # of votes, in which boards of their own are made
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
    best: float | None = None  # the share of draws in which it is first

    @property
    def votes(self) -> int:
        """How many votes it is in."""
        return self.won + self.tied + self.lost


class VerdictAgreement(NamedTuple):
    """How often two votes of different judges on one prompt and pair say the same."""

    share: float  # NaN of none
    pairs: int  # of votes

    @classmethod
    def of(cls, same: float, pairs: float) -> VerdictAgreement:
        """From the number of pairs that say the same, and of all."""
        return cls(same / pairs if pairs else np.nan, int(pairs))


class Position(NamedTuple):
    """How often the system that was shown first won, of the votes that are no ties."""

    decided: int
    first: float  # the share; NaN of none
    expected: float  # by the strengths of the systems that were shown first
    excess: tuple[float, float] | None  # the interval of the one less the other, over prompts

    @property
    def biased(self) -> bool:
        """Whether the place surely sways the votes."""
        return self.excess is not None and not self.excess[0] <= 0 <= self.excess[1]


class JudgeRow(NamedTuple):
    """What is known of a judge."""

    name: str
    votes: int
    ties: float  # a share
    position: Position
    others: VerdictAgreement  # with all other judges
    swapped: VerdictAgreement  # with itself, where it saw a pair in both orders


class GroupBoard(NamedTuple):
    """The board by the votes of one group alone."""

    name: str
    votes: int
    standings: tuple[VoteStanding, ...]
    why: str = ""  # there are no standings
    tau: float = np.nan  # Kendall's tau-b of its ratings and those of all votes


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
    position: Position
    judges: tuple[JudgeRow, ...]
    boards: tuple[GroupBoard, ...]
    called: str  # the role that the groups have: group or judge
    level: float | None
    joint: bool  # whether all intervals hold at once so often
    draws: int
    seed: int
    alpha: float | None
    rule: str | None  # of tiers: all or first
    columns: tuple[tuple[str, str], ...]
    files: tuple[str, ...]
    findings: Findings  # warnings
