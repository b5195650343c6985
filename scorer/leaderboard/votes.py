"""The board of systems that people or judges compared in pairs: one vote for each pair shown."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from scorer.challenge.leaderboard import Leaderboard
from scorer.core.arrays import Floats, Ints
from scorer.core.errors import SubmissionRejected
from scorer.core.problems import Findings, Problem
from scorer.core.text import join_first
from scorer.results.votes import Ballots, VoteBoard, VoteModel, VotePairs, VoteStanding
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

MEAN_RATING = 1000.0
MAX_GROUPS = 4  # groups of systems that a message names
EQUAL_RATINGS = 1e-4  # the largest difference of two ratings that share a rank


def vote_board(ballots: Ballots, rules: Leaderboard, title: str, findings: Findings) -> VoteBoard:
    """Return systems by strength, with intervals, tiers, and ranks that cannot be ruled out.

    Raises:
        SubmissionRejected: No finite strengths fit the votes best.
    """
    votes = _number_votes(ballots)
    if (fit_problem := find_fit_problem(votes)) is not None:
        findings.add(Problem("V201", no_fit_message(fit_problem, ballots.systems)))
        raise SubmissionRejected(problems=findings)
    strengths = fit(votes)
    standings, order = _standings(ballots, votes, strengths, rules)
    vote_counts = votes.wins + votes.wins.T + votes.ties
    with np.errstate(invalid="ignore"):  # systems that never met have no rate
        win_rates = (votes.wins + votes.ties / 2) / vote_counts
    by_rank = np.ix_(order, order)
    probability = strengths.probabilities()[0][by_rank]
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
        pairs=VotePairs(vote_counts[by_rank].astype(int), win_rates[by_rank], probability),
        problems=findings,
    )


def no_fit_message(problem: NoFiniteFit, systems: Sequence[str]) -> str:
    """Return why no finite strengths fit the votes, and which votes are missing."""
    groups = [_quote_group(group, systems) for group in problem.groups]
    ellipsis = " ..." if len(groups) > MAX_GROUPS else ""
    if problem.why == "disconnected":
        return f"no vote compares {' with '.join(groups[:MAX_GROUPS])}{ellipsis}"
    if problem.why == "dominated":
        if len(groups) == 2:
            message = f"{groups[0]} wins every vote against {groups[1]}"
        else:
            message = "these win every vote against those after them: "
            message += "; ".join(groups[:MAX_GROUPS]) + ellipsis
        reason = "so that no strength is large enough; a tie or a win the other way is missing"
        return f"{message}, {reason}"
    if problem.why == "all_ties":
        return "every vote is a tie, which tells nothing of how far systems differ"
    return (
        "ties are as many as wins wherever votes come back to a system, so that no share of ties "
        "is large enough; two systems that each win a vote against the other are missing"
    )


def _quote_group(group: Sequence[int], systems: Sequence[str]) -> str:
    names = join_first([systems[n] for n in group], 5)
    return f"({names})" if len(group) > 1 else names


def _number_votes(ballots: Ballots) -> Votes:
    """Return the votes with winner and loser; of a tie, a takes the winner's place."""
    a_wins = ballots.outcome >= 0
    winner, loser = np.where(a_wins, (ballots.a, ballots.b), (ballots.b, ballots.a))
    return Votes(len(ballots.systems), winner, loser, ballots.outcome == 0, ballots.prompt)


def _standings(
    ballots: Ballots, votes: Votes, strengths: Strengths, rules: Leaderboard
) -> tuple[tuple[VoteStanding, ...], Ints]:
    """Return the standings, best first, and the numbers of the systems in this order."""
    ratings = MEAN_RATING + ELO * strengths.log
    order = np.argsort(-ratings, kind="stable")
    margins = tier_numbers = ranges = None
    prompts = np.unique(votes.prompt).size
    if prompts > 1:
        values = pseudo_values(votes, strengths, rules.seed)
        if rules.intervals is not None and prompts >= MIN_UNITS:
            margins = _margins(values, rules.intervals)
        if rules.tiers is not None:
            alpha = rules.tiers.alpha
            test = paired_tests(values[order], draws=rules.draws, seed=rules.seed, level=1 - alpha)
            tier_numbers = tiers(test.p, test.lead, alpha)
            ranges = rank_ranges(test.p, test.lead, alpha)
    shares = strengths.scores()
    won, lost, tied = votes.wins.sum(axis=1), votes.wins.sum(axis=0), votes.ties.sum(axis=1)
    standings = []
    for position, n in enumerate(order.tolist()):
        interval = None
        if margins is not None:
            interval = float(ratings[n] - margins[n]), float(ratings[n] + margins[n])
        standings.append(
            VoteStanding(
                rank=1 + int((ratings > ratings[n] + EQUAL_RATINGS).sum()),
                name=ballots.systems[n],
                rating=float(ratings[n]),
                interval=interval,
                ranks=None if ranges is None else ranges[position],
                tier=None if tier_numbers is None else tier_numbers[position],
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

    It is the quantile of Student's t times White's robust standard error. `values` are the
    pseudo-values, (systems, prompts): what each prompt adds to the log-strengths.
    """
    prompts = values.shape[1]
    error = ELO * values.std(axis=1, ddof=1) / math.sqrt(prompts)
    return np.asarray(student((1 + level) / 2, prompts - 1) * error)
