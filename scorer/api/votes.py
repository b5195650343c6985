"""A board of votes on pairs of systems (Bradley and Terry's model with ties)."""

from __future__ import annotations

import tempfile
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from scorer.api import data
from scorer.api.text import Renderable, as_renderable
from scorer.challenge.leaderboard import Leaderboard, Tiers
from scorer.challenge.model import Challenge
from scorer.core.errors import UsageError
from scorer.core.text import printable, quoted
from scorer.leaderboard.votes import vote_board
from scorer.results import votes as results
from scorer.scoring.votes import NEEDED, USUAL, read_votes, refuse_other_rules

ROLES = tuple(USUAL)


@dataclass(frozen=True, repr=False, eq=False)
class VoteBoard(Renderable, results.VoteBoard):
    """A board of votes: systems ranked by votes on pairs of them."""

    subject, plain = "votes", "text"

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
    """A board of systems by votes on pairs of them: one file, several together, or a data frame.

    Args:
        source: a path, several, or a data frame: a row is a vote, with the columns a, b, winner
            (a name, a, b or tie), and if there are any, list (the prompt) and judge.
        columns: role -> the name of its column, where it is not a usual one.
        level: of the intervals; None: none.
        alpha: level of the tests that make tiers and ranges of ranks; None: none.
        draws: how many permutations are drawn; of prompts at most 1,000.
        seed: of all draws.
        title: of the board.

    Raises:
        SubmissionRejected: a row is no vote, or no finite strengths fit.
        UsageError: there is no such role, or no file.
    """
    columns = dict(columns or {})
    refuse_roles(columns)
    tiers = None if alpha is None else Tiers(alpha=alpha)
    rules = Leaderboard(intervals=level, tiers=tiers, draws=draws, seed=seed)
    with _vote_files(source) as paths:
        ballots, findings = read_votes(paths, columns)
        named = title or "Votes"
        return as_renderable(VoteBoard, vote_board(ballots, rules, named, findings))


def votes_of(challenge: Challenge, paths: Sequence[Path]) -> VoteBoard:
    """The board of the votes in these files by the rules of a challenge.yaml of kind votes.

    Raises:
        ChallengeError: the challenge says what means nothing for votes.
        SubmissionRejected: a row is no vote, or no finite strengths fit.
    """
    refuse_other_rules(challenge)
    ballots, findings = read_votes(paths, challenge.votes)
    title = challenge.title or challenge.id
    return as_renderable(VoteBoard, vote_board(ballots, challenge.leaderboard, title, findings))


def refuse_roles(columns: Mapping[str, str]) -> None:
    """Refuse a role that there is not, or a column of two roles, by `UsageError`."""
    for role in columns:
        if role not in ROLES:
            raise UsageError(f"{quoted(role)} is no column of votes: {', '.join(ROLES)}")
    needed = [columns[role] for role in NEEDED if role in columns]
    if len(set(needed)) < len(needed):
        raise UsageError("the columns of a, b and winner are three")


@contextmanager
def _vote_files(source: object) -> Iterator[list[Path]]:
    """The paths, or a data frame written as one."""
    if data.is_frame(source):
        with tempfile.TemporaryDirectory(prefix="scorer-") as folder:
            path = Path(folder, "votes.jsonl")
            frame: Any = data.as_polars(source, "the votes")
            frame.write_ndjson(path)
            yield [path]
        return
    paths = [source] if data.is_path(source) else source
    if not isinstance(paths, Iterable):
        raise TypeError(f"{type(source).__name__} is not understood; give paths or a data frame")
    listed = list[Path]()
    for path in paths:
        if not data.is_path(path):
            raise TypeError(f"{printable(repr(path), 60)} is no path of votes")
        listed.append(Path(path))
    if not listed:
        raise UsageError("there are no files of votes")
    yield listed
