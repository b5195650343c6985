"""Votes on pairs of systems, and the board that is made of them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from scorer.core.arrays import Ints
from scorer.results.json import VERSION, CountRows, NumberRows, ShownFindings


@dataclass(frozen=True, eq=False)
class Ballots:
    """Votes as they were cast; arrays have shape (votes,)."""

    systems: tuple[str, ...]
    a: Ints  # the index in `systems` of the one that was shown first
    b: Ints  # and of the other
    outcome: Ints  # 1: a won, -1: b won, 0: a tie
    prompt: Ints  # the number of the prompt that the vote is on
    prompts: int  # how many there are
    named: bool = True  # whether a column names the prompts; else each vote is on one of its own
    columns: tuple[tuple[str, str], ...] = ()  # role -> the column that has it
    files: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class VoteStanding:
    """A row of the board: a system, its rating and its votes."""

    rank: int
    name: str
    rating: float  # on Elo's scale, the mean of all systems 1000
    interval: tuple[float, float] | None
    ranks: tuple[int, int] | None  # the best and the worst that the votes cannot rule out
    tier: int | None
    share: float  # the expected share of wins, ties half, against another system at random
    votes: int  # that it is in
    won: int
    tied: int
    lost: int


@dataclass(frozen=True, slots=True, eq=False)
class VotePairs:
    """The votes on each two systems; rows and columns are in the order of the board."""

    votes: CountRows
    won: NumberRows  # the share of votes that the row won, ties half; NaN: there are none
    probability: NumberRows  # of a win of the row, by strengths; NaN of itself


@dataclass(frozen=True, slots=True)
class VoteModel:
    """The model of votes from which ratings are estimated, and its settings."""

    name: str
    points: float  # by which a rating is higher if the strength is e times as large
    tie: float  # Davidson's ν
    level: float | None
    alpha: float | None
    draws: int
    seed: int
    over: str  # prompts, or votes where no column names them


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class VoteBoard:
    """A board of votes."""

    schema: str = "votes/1"
    scorer: str = VERSION
    title: str
    files: Sequence[str]
    columns: Mapping[str, str]  # role -> the column that has it
    votes: int
    ties: int  # votes that are ties
    prompts: int
    model: VoteModel
    leaderboard: Sequence[VoteStanding]  # best first
    pairs: VotePairs
    problems: ShownFindings  # warnings
