"""The board of votes as fields."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from scorer.core.arrays import Floats, Mask
from scorer.reports.base import Options
from scorer.results import votes as results
from scorer.results.json import VERSION, ReportedProblem
from scorer.stats.bradley_terry import ELO


@dataclass(frozen=True, slots=True)
class Standing:
    """A system."""

    rank: int
    name: str
    rating: float
    interval: tuple[float, float] | None
    ranks: tuple[int, int] | None
    tier: int | None
    share: float
    votes: int
    won: int
    tied: int
    lost: int

    @classmethod
    def of(cls, row: results.VoteStanding) -> Standing:
        """The fields of a standing."""
        return cls(row.rank, row.name, row.rating, row.interval, row.ranks, row.tier, row.share,
                   row.votes, row.won, row.tied, row.lost)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Pairs:
    """Of each two systems, in the order of the board: rows against columns."""

    votes: Sequence[Sequence[int]]
    won: Sequence[Sequence[float | None]]  # a share, ties half
    probability: Sequence[Sequence[float | None]]  # of a win, by strengths; None of itself


@dataclass(frozen=True, slots=True)
class Model:
    """What ratings are made by."""

    name: str
    points: float  # of a strength that is e times as large
    tie: float  # Davidson's ν
    level: float | None
    alpha: float | None
    draws: int
    seed: int
    over: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Record:
    """A board of votes."""

    schema: str = "votes/1"
    scorer: str = VERSION
    title: str
    files: Sequence[str]
    columns: Mapping[str, str]
    votes: int
    ties: int
    prompts: int
    model: Model
    leaderboard: Sequence[Standing]
    pairs: Pairs
    problems: Sequence[ReportedProblem]


def fields(board: results.VoteBoard, options: Options) -> Record:
    """The record of a board of votes."""
    off = ~np.eye(len(board.standings), dtype=bool)
    over = "prompts" if board.named else "votes"
    return Record(
        title=board.title,
        files=board.files,
        columns=dict(board.columns),
        votes=board.votes,
        ties=board.tied,
        prompts=board.prompts,
        model=Model("Davidson", ELO, board.ties, board.level, board.alpha, board.draws,
                    board.seed, over),
        leaderboard=[Standing.of(row) for row in board.standings],
        pairs=Pairs(
            board.met.astype(int).tolist(), _masked(board.rates, off), _masked(board.won, off)
        ),
        problems=[ReportedProblem.of(problem) for problem in board.findings],
    )  # fmt: skip


def _masked(values: Floats, off: Mask) -> list[list[float | None]]:
    shown: list[list[float | None]] = np.where(off, values, np.nan).tolist()
    return shown
