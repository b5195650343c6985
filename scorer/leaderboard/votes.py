"""The board of votes on pairs of systems."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence

import numpy as np
from scipy import sparse

from scorer.challenge.leaderboard import Leaderboard
from scorer.core.arrays import Floats, Ints, Mask
from scorer.core.errors import SubmissionRejected
from scorer.core.problems import Findings, Problem
from scorer.core.text import join_first, quoted
from scorer.results.votes import (
    FEWEST_PROMPTS,
    Ballots,
    GroupBoard,
    JudgeRow,
    Position,
    VerdictAgreement,
    VoteBoard,
    VoteStanding,
)
from scorer.stats.bradley_terry import (
    ELO,
    Obstacle,
    Strengths,
    Votes,
    drawn_strengths,
    fit,
    obstacle,
    pseudo_values,
)
from scorer.stats.intervals import intervals
from scorer.stats.paired import paired
from scorer.stats.quantiles import student
from scorer.stats.ranks import rank_shares, stability
from scorer.stats.tiers import rank_ranges, tiers

MEAN, EQUAL = 1000.0, 1e-4  # of ratings: their mean, and how near equal ones are
DRAWS = 1_000  # of prompts, at most
GROUPS = 12  # judges that have boards of their own where votes have no groups
SURE = 0.99  # of an interval by which a judge is said to be biased
SEEN = 8  # votes after which one place alone is no chance: 2 / 2**8 is below .01


def vote_board(ballots: Ballots, rules: Leaderboard, title: str, findings: Findings) -> VoteBoard:
    """Systems by strength, with intervals, tiers, ranks that cannot be ruled out, and judges.

    Raises `SubmissionRejected` where no finite strengths fit the votes best.
    """
    votes = _votes(ballots)
    if (missing := obstacle(votes)) is not None:
        findings.add(Problem("V201", said(missing, ballots.systems)))
        raise SubmissionRejected(problems=findings)
    strengths = fit(votes)
    standings, order = _standings(ballots, votes, strengths, rules)
    met = votes.wins + votes.wins.T + votes.ties
    with np.errstate(invalid="ignore"):
        rates = (votes.wins + votes.ties / 2) / met
    by, called, names = _grouping(ballots)
    positions = _residuals(ballots, strengths)
    judges = tuple(_judges(ballots, positions))
    findings.extend(_one_sided(judges))
    square = np.ix_(order, order)
    return VoteBoard(
        title, standings, rates[square], met[square], strengths.probabilities()[0][square],
        strengths.tie, int(votes.tie.sum()), votes.tie.size, ballots.prompts, ballots.named,
        _position(ballots, positions, np.ones(votes.tie.size, dtype=bool)), judges,
        tuple(_boards(ballots, by, names, rules, strengths)), called,
        rules.level, rules.joint, min(rules.draws, DRAWS), rules.seed,
        None if rules.tiers is None else rules.tiers.alpha,
        None if rules.tiers is None else rules.tiers.rule,
        ballots.columns, ballots.files, findings,
    )  # fmt: skip


def said(missing: Obstacle, systems: Sequence[str]) -> str:
    """What votes lack for finite strengths."""
    groups = [_quoted_group(group, systems) for group in missing.groups]
    if missing.why == "apart":
        return f"no vote compares {' with '.join(groups[:4])}{' ...' * (len(groups) > 4)}"
    if missing.why == "always":
        return (
            f"{groups[0]} wins every vote against {_quoted_group(missing.groups[1], systems)}"
            if len(groups) == 2
            else f"these win every vote against those after them: {'; '.join(groups[:4])}"
            + " ..." * (len(groups) > 4)
        ) + ", so that no strength is large enough; a tie or a win the other way is missing"
    if missing.why == "tied":
        return "every vote is a tie, which tells nothing of how far systems differ"
    return (
        "ties are as many as wins wherever votes come back to a system, so that no share of ties "
        "is large enough; two systems that each win a vote against the other are missing"
    )


def _quoted_group(group: Sequence[int], systems: Sequence[str]) -> str:
    names = join_first([systems[n] for n in group], 5)
    return f"({names})" if len(group) > 1 else names


def _votes(ballots: Ballots, mask: Mask | None = None) -> Votes:
    first = ballots.outcome >= 0
    winner, loser = np.where(first, (ballots.a, ballots.b), (ballots.b, ballots.a))
    votes = Votes(len(ballots.systems), winner, loser, ballots.outcome == 0, ballots.prompt)
    return votes if mask is None else votes.where(mask)


def _standings(
    ballots: Ballots, votes: Votes, strengths: Strengths, rules: Leaderboard
) -> tuple[tuple[VoteStanding, ...], Ints]:
    """The standings, best first, and the systems in their order."""
    ratings = MEAN + ELO * strengths.log
    order = np.argsort(-ratings, kind="stable")
    first = reach = None
    units = np.unique(votes.prompt).size
    values = pseudo_values(votes, strengths, rules.seed) if units > 1 else None
    if rules.level is not None and values is not None:
        draws = MEAN + ELO * drawn_strengths(values, min(rules.draws, DRAWS), rules.seed)
        first = rank_shares(draws)[:, 0]
        if units >= FEWEST_PROMPTS:
            level = rules.level ** (1 / len(ratings)) if rules.joint else rules.level
            reach = _reach(draws, level, units)
    placed = spans = None
    if values is not None:
        placed, spans = _tiers_and_ranks(values[order], rules)
    shares = strengths.scores()
    won, lost, tied = votes.wins.sum(axis=1), votes.wins.sum(axis=0), votes.ties.sum(axis=1)
    return tuple(
        VoteStanding(
            ballots.systems[n], 1 + int((ratings > ratings[n] + EQUAL).sum()), float(ratings[n]),
            None if reach is None else (float(ratings[n] - reach[n]), float(ratings[n] + reach[n])),
            float(shares[n]), int(won[n]), int(tied[n]), int(lost[n]),
            None if placed is None else placed[at], None if spans is None else spans[at],
            None if first is None else float(first[n]),
        )
        for at, n in enumerate(order.tolist())
    ), order  # fmt: skip


def _reach(draws: Floats, level: float, units: int) -> Floats:
    """How far the interval of each rating goes to both sides: Student's t of so few prompts."""
    wide = student((1 + level) / 2, units - 1) * math.sqrt(units / (units - 1))
    return np.asarray(wide * draws.std(axis=1))


def _tiers_and_ranks(
    values: Floats, rules: Leaderboard
) -> tuple[list[int] | None, list[tuple[int, int]] | None]:
    """The tiers and the ranges of ranks, by the board's test of what each prompt adds.

    `values` are the pseudo-values of the systems, best first.
    """
    tier = rules.tiers
    if tier is None:
        return None, None
    test = paired(
        values, adjust=tier.adjust, draws=rules.draws, seed=rules.seed,
        level=1 - tier.alpha,
    )  # fmt: skip
    return (
        tiers(test.p, test.lead, tier.alpha, tier.rule),
        rank_ranges(test.p, test.lead, tier.alpha),
    )


def _grouping(ballots: Ballots) -> tuple[Ints, str, tuple[str, ...]]:
    """The group of each vote, the role that names it, and the groups; else a few judges."""
    if ballots.group is not None:
        return ballots.group, "group", ballots.groups
    few = 1 < len(ballots.judges) <= GROUPS
    return ballots.judge, "judge", ballots.judges if few else ()


def _boards(
    ballots: Ballots, by: Ints, names: Sequence[str], rules: Leaderboard, whole: Strengths
) -> Iterator[GroupBoard]:
    """The board of each group by its own votes, on the systems that these are about."""
    for n, name in enumerate(names if len(names) > 1 else ()):
        mask = by == n
        present = np.unique(np.concatenate([ballots.a[mask], ballots.b[mask]]))
        code = np.full(len(ballots.systems), -1)
        code[present] = np.arange(present.size)
        systems = tuple(ballots.systems[at] for at in present.tolist())
        own = Ballots(systems, code[ballots.a[mask]], code[ballots.b[mask]], ballots.outcome[mask],
                      ballots.prompt[mask], ballots.prompts, ballots.judge[mask])  # fmt: skip
        votes = _votes(own)
        if (missing := obstacle(votes)) is not None:
            yield GroupBoard(name, int(mask.sum()), (), said(missing, systems))
            continue
        strengths = fit(votes)
        standings, _ = _standings(own, votes, strengths, rules)
        tau = stability(whole.log[present], strengths.log[:, None])
        yield GroupBoard(name, int(mask.sum()), standings, tau=tau)


def _residuals(ballots: Ballots, strengths: Strengths) -> Floats:
    """By how much a decided vote for the first place beats its chance; NaN of a tie: (votes,)."""
    ahead = strengths.log[ballots.a] - strengths.log[ballots.b]
    chance = 1 / (1 + np.exp(-ahead))
    return np.where(ballots.outcome == 0, np.nan, (ballots.outcome > 0) - chance)


def _position(ballots: Ballots, residuals: Floats, mask: Mask) -> Position:
    mask = mask & ~np.isnan(residuals)
    if not mask.any():
        return Position(0, math.nan, math.nan, None)
    first, own = float((ballots.outcome[mask] > 0).mean()), residuals[mask]
    excess = intervals(own, SURE, ballots.prompt[mask])[0]
    expected = first - float(own.mean())
    ends = None
    if not math.isnan(excess.low):  # the share itself is between 0 and 1
        ends = max(excess.low, -expected), min(excess.high, 1 - expected)
    return Position(int(mask.sum()), first, expected, ends)


def _judges(ballots: Ballots, residuals: Floats) -> Iterator[JudgeRow]:
    """What each judge's votes show, by name."""
    if not ballots.judges:
        return
    same, pairs = _meetings(ballots, ballots.judge, len(ballots.judges))
    own_same, own_pairs = same.diagonal(), pairs.diagonal()
    with_others, of_others = same.sum(axis=1) - own_same, pairs.sum(axis=1) - own_pairs
    order = np.argsort(ballots.judge, kind="stable")
    edges = np.searchsorted(ballots.judge[order], np.arange(len(ballots.judges) + 1))
    for n, name in enumerate(ballots.judges):
        mask = np.zeros(ballots.judge.size, dtype=bool)
        mask[order[edges[n] : edges[n + 1]]] = True
        yield JudgeRow(
            name, int(mask.sum()), float((ballots.outcome[mask] == 0).mean()),
            _position(ballots, residuals, mask),
            VerdictAgreement.of(float(with_others[n]), float(of_others[n])),
            VerdictAgreement.of(float(own_same[n]), float(own_pairs[n])),
        )  # fmt: skip


def _meetings(ballots: Ballots, by: Ints, count: int) -> tuple[sparse.csr_array, sparse.csr_array]:
    """Pairs of votes on one prompt and pair of systems that say the same, and all such pairs.

    Both are of shape (count, count), for the numbers of `by`; of one number each pair once.
    """
    low, high = np.minimum(ballots.a, ballots.b), np.maximum(ballots.a, ballots.b)
    pair = low * len(ballots.systems) + high
    cell = np.unique(ballots.prompt * len(ballots.systems) ** 2 + pair, return_inverse=True)[1]
    said = np.where(ballots.a == low, ballots.outcome, -ballots.outcome) + 1

    def met(columns: Ints) -> sparse.csr_array:
        ones = np.ones(by.size)
        table = sparse.csr_array((ones, (by, columns)), shape=(count, int(columns.max()) + 1))
        both = table @ table.T
        own = (table.power(2) - table).sum(axis=1) / 2
        return sparse.csr_array(both - sparse.diags_array(both.diagonal() - own))

    return met(cell * 3 + said), met(cell)


def _one_sided(judges: Sequence[JudgeRow]) -> Iterator[Problem]:
    """Judges that only ever choose one place."""
    for judge in judges:
        at = judge.position
        if at.decided >= SEEN and at.first in (0.0, 1.0):
            place = "first" if at.first else "second"
            message = (
                f"judge {quoted(judge.name)} takes the {place} of the two in all of "
                f"{at.decided:,} votes that are no ties"
            )
            yield Problem("V104", message, "warning")
