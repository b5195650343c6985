"""The board of votes on pairs of systems."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from scorer.challenge.leaderboard import Leaderboard
from scorer.core.arrays import Floats, Ints
from scorer.core.errors import SubmissionRejected
from scorer.core.problems import Findings, Problem
from scorer.core.text import join_first
from scorer.results.votes import (
    Ballots,
    VoteBoard,
    VoteModel,
    VotePairs,
    VoteStanding,
)
from scorer.stats.bradley_terry import (
    ELO,
    NoFiniteFit,
    Strengths,
    Votes,
    find_fit_problem,
    fit,
    pseudo_values,
)
from scorer.stats.intervals import MIN_UNITS, student
from scorer.stats.paired import paired_tests
from scorer.stats.ranks import rank_ranges, tiers

MEAN, EQUAL = 1000.0, 1e-4  # of ratings: their mean, and how near equal ones are


def vote_board(ballots: Ballots, rules: Leaderboard, title: str, findings: Findings) -> VoteBoard:
    """Systems by strength, with intervals, tiers, and ranks that cannot be ruled out.

    Raises `SubmissionRejected` where no finite strengths fit the votes best.
    """
    votes = _votes(ballots)
    if (missing := find_fit_problem(votes)) is not None:
        findings.add(Problem("V201", no_fit_message(missing, ballots.systems)))
        raise SubmissionRejected(problems=findings)
    strengths = fit(votes)
    standings, order = _standings(ballots, votes, strengths, rules)
    met = votes.wins + votes.wins.T + votes.ties
    with np.errstate(invalid="ignore"):
        rates = (votes.wins + votes.ties / 2) / met
    square = np.ix_(order, order)
    probability = strengths.probabilities()[0][square]
    np.fill_diagonal(probability, np.nan)
    return VoteBoard(
        title=title,
        files=ballots.files,
        columns=dict(ballots.columns),
        votes=votes.tie.size,
        ties=int(votes.tie.sum()),
        prompts=ballots.prompts,
        model=VoteModel(
            name="Davidson",
            points=ELO,
            tie=strengths.tie,
            level=rules.intervals,
            alpha=None if rules.tiers is None else rules.tiers.alpha,
            draws=rules.draws,
            seed=rules.seed,
            over="prompts" if ballots.named else "votes",
        ),
        leaderboard=standings,
        pairs=VotePairs(met[square].astype(int), rates[square], probability),
        problems=findings,
    )


def no_fit_message(missing: NoFiniteFit, systems: Sequence[str]) -> str:
    """Return what votes lack for finite strengths."""
    groups = [_quoted_group(group, systems) for group in missing.groups]
    if missing.why == "disconnected":
        return f"no vote compares {' with '.join(groups[:4])}{' ...' * (len(groups) > 4)}"
    if missing.why == "dominated":
        return (
            f"{groups[0]} wins every vote against {_quoted_group(missing.groups[1], systems)}"
            if len(groups) == 2
            else f"these win every vote against those after them: {'; '.join(groups[:4])}"
            + " ..." * (len(groups) > 4)
        ) + ", so that no strength is large enough; a tie or a win the other way is missing"
    if missing.why == "all_ties":
        return "every vote is a tie, which tells nothing of how far systems differ"
    return (
        "ties are as many as wins wherever votes come back to a system, so that no share of ties "
        "is large enough; two systems that each win a vote against the other are missing"
    )


def _quoted_group(group: Sequence[int], systems: Sequence[str]) -> str:
    names = join_first([systems[n] for n in group], 5)
    return f"({names})" if len(group) > 1 else names


def _votes(ballots: Ballots) -> Votes:
    first = ballots.outcome >= 0
    winner, loser = np.where(first, (ballots.a, ballots.b), (ballots.b, ballots.a))
    return Votes(len(ballots.systems), winner, loser, ballots.outcome == 0, ballots.prompt)


def _standings(
    ballots: Ballots, votes: Votes, strengths: Strengths, rules: Leaderboard
) -> tuple[tuple[VoteStanding, ...], Ints]:
    """The standings, best first, and the systems in their order."""
    ratings = MEAN + ELO * strengths.log
    order = np.argsort(-ratings, kind="stable")
    margins = None
    units = np.unique(votes.prompt).size
    values = pseudo_values(votes, strengths, rules.seed) if units > 1 else None
    if rules.intervals is not None and values is not None and units >= MIN_UNITS:
        margins = _margins(values, rules.intervals)
    placed = spans = None
    if values is not None:
        placed, spans = _tiers_and_ranks(values[order], rules)
    shares = strengths.scores()
    won, lost, tied = votes.wins.sum(axis=1), votes.wins.sum(axis=0), votes.ties.sum(axis=1)
    standings = []
    for at, n in enumerate(order.tolist()):
        ends = None
        if margins is not None:
            ends = float(ratings[n] - margins[n]), float(ratings[n] + margins[n])
        standings.append(
            VoteStanding(
                rank=1 + int((ratings > ratings[n] + EQUAL).sum()),
                name=ballots.systems[n],
                rating=float(ratings[n]),
                interval=ends,
                ranks=None if spans is None else spans[at],
                tier=None if placed is None else placed[at],
                share=float(shares[n]),
                votes=int(won[n] + tied[n] + lost[n]),
                won=int(won[n]),
                tied=int(tied[n]),
                lost=int(lost[n]),
            )
        )
    return tuple(standings), order


def _margins(values: Floats, level: float) -> Floats:
    """Return half the width of the interval of each rating, (systems,).

    It is Student's t times the error by what each prompt adds: White's sandwich. `values` are the
    pseudo-values, (systems, prompts).
    """
    prompts = values.shape[1]
    error = ELO * values.std(axis=1, ddof=1) / math.sqrt(prompts)
    return np.asarray(student((1 + level) / 2, prompts - 1) * error)


def _tiers_and_ranks(
    values: Floats, rules: Leaderboard
) -> tuple[list[int] | None, list[tuple[int, int]] | None]:
    """The tiers and the ranges of ranks, by the board's test of what each prompt adds.

    `values` are the pseudo-values of the systems, best first.
    """
    tier = rules.tiers
    if tier is None:
        return None, None
    test = paired_tests(values, draws=rules.draws, seed=rules.seed, level=1 - tier.alpha)
    return tiers(test.p, test.lead, tier.alpha), rank_ranges(test.p, test.lead, tier.alpha)
