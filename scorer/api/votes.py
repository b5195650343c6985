"""A leaderboard of votes on pairs of systems (Bradley and Terry's model with ties)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

import polars as pl

from scorer.api.data import is_frame, is_path, read_polars
from scorer.api.notebook import TableResult
from scorer.challenge.leaderboard import Leaderboard, Tiers
from scorer.challenge.model import Challenge
from scorer.core.errors import UsageError
from scorer.core.problems import Findings
from scorer.core.text import printable, quoted
from scorer.leaderboard.votes import vote_board
from scorer.results import votes as results
from scorer.scoring.votes import NEEDED, USUAL, read_votes, refuse_keys_without_effect


class VoteBoard(TableResult[results.VoteBoard]):
    """A leaderboard of votes: systems ranked by votes on pairs of them.

    Attributes:
        columns: Role -> the column of the votes that has it.
        leaderboard: The systems with their ratings, best first.
        votes: How many votes there are.
        ties: How many of them are ties.
        prompts: How many prompts they are on.
        model: What ratings are made by.
        pairs: The votes of each two systems, in the order of the board.
        problems: Warnings.
    """

    _subject = "votes"
    _default_form = "text"

    def __init__(self, result: results.VoteBoard) -> None:
        super().__init__(result)
        self.columns: Mapping[str, str] = result.columns
        self.leaderboard: Sequence[results.VoteStanding] = result.leaderboard
        self.votes: int = result.votes
        self.ties: int = result.ties
        self.prompts: int = result.prompts
        self.model: results.VoteModel = result.model
        self.pairs: results.VotePairs = result.pairs
        self.problems: Findings = result.problems

    def __repr__(self) -> str:
        return f"<VoteBoard of {len(self.leaderboard):,} systems by {self.votes:,} votes>"


def votes(
    source: object,
    columns: Mapping[str, str] | None = None,
    *,
    level: float | None = 0.95,
    alpha: float | None = 0.05,
    draws: int = 10_000,
    seed: int = 1,
    title: str = "",
) -> VoteBoard:
    """Rank systems by votes on pairs of them.

    Args:
        source: A path, several, or a data frame: a row is a vote, with the columns a, b, winner
            (a name, a, b or tie), and if there are any, list (the prompt) and judge.
        columns: role -> the name of its column, where it is not a usual one.
        level: Of the intervals; None: none.
        alpha: Level of the tests that make tiers and ranges of ranks; None: none.
        draws: How many permutations the tests draw.
        seed: Of all draws.
        title: Of the leaderboard.

    Raises:
        SubmissionRejected: A row is no vote, or no finite strengths fit.
        UsageError: There is no such role, or no file.
    """
    names = dict(columns or {})
    for role in names:
        if role not in USUAL:
            raise UsageError(f"{quoted(role)} is no column of votes: {', '.join(USUAL)}")
    needed = [names[role] for role in NEEDED if role in names]
    if len(set(needed)) < len(needed):
        raise UsageError("the columns of a, b and winner are three")
    tiers = None if alpha is None else Tiers(alpha=alpha)
    rules = Leaderboard(intervals=level, tiers=tiers, draws=draws, seed=seed)
    return _rank(_list_sources(source), names, rules, title or "Votes")


def rank_votes(challenge: Challenge, paths: Sequence[Path]) -> VoteBoard:
    """Return the board of the votes in these files by the rules of a challenge of kind votes.

    Raises:
        ChallengeError: The challenge says what means nothing for votes.
        SubmissionRejected: A row is no vote, or no finite strengths fit.
    """
    refuse_keys_without_effect(challenge)
    title = challenge.title or challenge.id
    return _rank(paths, challenge.votes, challenge.leaderboard, title)


def _rank(
    sources: Sequence[Path | pl.DataFrame],
    columns: Mapping[str, str],
    rules: Leaderboard,
    title: str,
) -> VoteBoard:
    ballots, findings = read_votes(sources, columns)
    return VoteBoard(vote_board(ballots, rules, title, findings))


def _list_sources(source: object) -> list[Path | pl.DataFrame]:
    """Return the files of votes, or the data frame that was given instead."""
    if is_frame(source):
        return [read_polars(source, "the votes")]
    paths = [source] if is_path(source) else source
    if not isinstance(paths, Iterable):
        raise TypeError(f"{type(source).__name__} is not understood; give paths or a data frame")
    files: list[Path | pl.DataFrame] = []
    for path in paths:
        if not is_path(path):
            raise TypeError(f"{printable(repr(path), 60)} is no path of votes")
        files.append(Path(path))
    return files
