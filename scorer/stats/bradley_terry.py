"""Strengths of systems from votes on pairs of them, with ties.

Bradley & Terry, "Rank analysis of incomplete block designs", Biometrika 39, 1952; Davidson, "On
extending the Bradley-Terry model to accommodate ties in paired comparison experiments", JASA 65,
1970. Of systems with strengths π, the first wins with a probability of π₁, the second of π₂, and
both tie with one of ν √(π₁ π₂), each divided by the sum of the three.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from scorer.stats.units import Floats, Ints, Mask, units

ELO = 400 / math.log(10)  # points of Elo's scale for a strength e times as large
STEPS, EXACT = 100, 1e-7  # of Newton's method: the most; the largest at its end, of a logarithm
FAR = 2.0  # the largest step that is taken
GATHERED = 2_500  # prompts above which blocks of them are drawn


@dataclass(frozen=True, eq=False)
class Votes:
    """Votes on pairs of systems; all arrays have shape (votes,)."""

    systems: int
    winner: Ints  # of a tie the one of both
    loser: Ints  # and the other
    tie: Mask
    prompt: Ints  # equal numbers for votes that are not independent of each other

    @property
    def wins(self) -> Floats:
        """(systems, systems): how often the row won against the column."""
        return self._counted(~self.tie)

    @property
    def ties(self) -> Floats:
        """(systems, systems): how often both tied; symmetric."""
        one_way = self._counted(self.tie)
        return one_way + one_way.T

    def _counted(self, mask: Mask) -> Floats:
        cells = self.winner[mask] * self.systems + self.loser[mask]
        counts = np.bincount(cells, minlength=self.systems**2).astype(np.float64)
        return counts.reshape(self.systems, self.systems)


class Strengths(NamedTuple):
    """The fit of Davidson's model."""

    log: Floats  # (systems,): natural logarithms of the strengths, their mean 0
    tie: float  # Davidson's ν, 0 without ties

    def probabilities(self) -> tuple[Floats, Floats]:
        """(systems, systems): of a win of the row against the column, and of a tie."""
        return _probabilities(self.log / 2, self.tie)

    def scores(self) -> Floats:
        """(systems,): the expected share of wins, ties half, against another system at random."""
        won, tied = self.probabilities()
        expected = won + tied / 2
        return np.asarray((expected.sum(axis=1) - np.diag(expected)) / (len(self.log) - 1))


class NoFiniteFit(NamedTuple):
    """Why no finite strengths fit votes best."""

    why: Literal["disconnected", "dominated", "all_ties", "ties_exceed_wins"]
    groups: tuple[tuple[int, ...], ...] = ()  # of systems


def find_fit_problem(votes: Votes) -> NoFiniteFit | None:
    """Return why no finite strengths fit votes best; None where some do.

    - `disconnected`: no vote is between these groups.
    - `dominated`: each of these groups wins all its votes against the groups after it (Ford,
      "Solution of a ranking problem from binary comparisons", American Mathematical Monthly 64,
      1957).
    - `all_ties`: all votes are ties.
    - `ties_exceed_wins`: in no circle of votes, each on the system of the next, are there more wins
      than ties. The greater the differences and the more likely a tie, the better is the fit.
    """
    from scipy.sparse.csgraph import (
        NegativeCycleError,
        connected_components,
        floyd_warshall,
        shortest_path,
    )

    won, tied = votes.wins > 0, votes.ties > 0
    together = connected_components(won | tied, directed=False)[1]
    if together.any():
        return NoFiniteFit(
            "disconnected", tuple(sorted(_systems_by_group(together), key=len, reverse=True))
        )
    reached = np.isfinite(shortest_path(won | tied, unweighted=True))
    if not reached.all():
        both = connected_components(won | tied, connection="strong")[1]
        # whoever wins against a group reaches all that it reaches, and the winner itself
        wide = reached.sum(axis=1)
        return NoFiniteFit(
            "dominated", tuple(sorted(_systems_by_group(both), key=lambda own: -wide[own[0]]))
        )
    if not won.any():
        return NoFiniteFit("all_ties")
    if tied.any():
        steps = np.where(won, -1.0, np.where(tied, 1.0, np.inf))
        try:
            floyd_warshall(steps)
        except NegativeCycleError:
            return None
        return NoFiniteFit("ties_exceed_wins")
    return None


def _systems_by_group(group: NDArray[np.integer[Any]]) -> list[tuple[int, ...]]:
    return [tuple(np.flatnonzero(group == n).tolist()) for n in range(int(group.max()) + 1)]


def fit(votes: Votes) -> Strengths:
    """Return the strengths of greatest likelihood, by Newton's method.

    `find_fit_problem` returns None for these votes.
    """
    wins, ties = votes.wins, votes.ties
    of_pairs = wins + wins.T + ties
    lead = wins.sum(axis=1) - wins.sum(axis=0)
    tied_votes = ties.sum() / 2
    at = np.zeros(votes.systems + 1)  # half of the logarithms, then that of ν
    for _ in range(STEPS):
        won, tied = _probabilities(at[:-1], math.exp(at[-1]) if tied_votes else 0.0)
        expected = of_pairs * won
        slope = np.append(
            lead - (expected.sum(axis=1) - expected.sum(axis=0)),
            tied_votes - (of_pairs * tied).sum() / 2,
        )
        step = np.linalg.solve(_curvature(of_pairs, won, tied), slope)
        largest = float(np.abs(step).max())
        # far from the top a whole step can go beyond it
        at += step * (FAR / max(largest, FAR))
        if largest <= EXACT:
            break
    half = at[:-1] - at[:-1].mean()
    return Strengths(2 * half, math.exp(at[-1]) if tied_votes else 0.0)


def pseudo_values(votes: Votes, strengths: Strengths, seed: int) -> Floats:
    """Return what each prompt, or block of prompts, adds to the strengths: (systems, units).

    The mean of a row is the logarithm of a strength. The standard error of that mean is the error
    of the logarithm to the first order, however votes on one prompt depend on each other (White,
    "Maximum likelihood estimation of misspecified models", Econometrica 50, 1982).
    """
    unit = _units(votes, seed)
    count, systems = int(unit.max()) + 1, votes.systems
    won, tied = strengths.probabilities()
    at = (votes.winner, votes.loser)
    ahead = ~votes.tie - (won[at] - won.T[at])
    scores = np.zeros((systems + 1, count))
    np.add.at(scores, (votes.winner, unit), ahead)
    np.add.at(scores, (votes.loser, unit), -ahead)
    np.add.at(scores[-1], unit, votes.tie - tied[at])
    moved = np.linalg.solve(_information(votes, strengths), scores)
    return np.asarray(strengths.log[:, None] + 2 * count * moved[:-1])


def _units(votes: Votes, seed: int) -> Ints:
    gathered = units(votes.prompt.size, votes.prompt, GATHERED, seed)
    assert gathered is not None  # there are clusters: the prompts
    return gathered


def _information(votes: Votes, strengths: Strengths) -> Floats:
    won, tied = strengths.probabilities()
    of_pairs = votes.wins + votes.wins.T + votes.ties
    return _curvature(of_pairs, won, tied)


def _probabilities(half: Floats, tie: float) -> tuple[Floats, Floats]:
    """Of a win of the row and of a tie: (systems, systems).

    Args:
        half: (systems,), half of the logarithms of the strengths.
        tie: Davidson's ν.
    """
    grown = np.exp(half)
    odds = grown[:, None] / grown[None, :]
    whole = odds + odds.T + tie
    return odds / whole, tie / whole


def _curvature(of_pairs: Floats, won: Floats, tied: Floats) -> Floats:
    """Return the information on half the logarithms and on log ν: (systems + 1, systems + 1).

    No vote depends on the sum of the logarithms, which is held; so is ν without ties. `of_pairs`
    is the number of votes on each pair; all are of shape (systems, systems).
    """
    systems = len(won)
    ahead = won - won.T
    full = np.zeros((systems + 1, systems + 1))
    inner = full[:-1, :-1]
    np.multiply(-of_pairs, 1 - tied - ahead**2, out=inner)
    held = -inner.mean()
    np.fill_diagonal(inner, -inner.sum(axis=1))
    inner += held
    full[:-1, -1] = full[-1, :-1] = -(of_pairs * ahead * tied).sum(axis=1)
    of_ties = (of_pairs * tied * (1 - tied)).sum() / 2
    full[-1, -1] = of_ties if of_ties > 0 else 1.0
    return full
