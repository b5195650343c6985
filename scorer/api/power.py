"""The smallest difference that the lists of a challenge can show, and the lists of smaller ones."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import replace

import numpy as np

from scorer.api.outcomes import terms_of
from scorer.api.probes import Probes, score_probe
from scorer.challenge.leaderboard import Tiers
from scorer.core.problems import Findings
from scorer.leaderboard.board import Terms, apply_rules
from scorer.leaderboard.certainty import cluster_codes, typical_pair
from scorer.leaderboard.samples import sample_of
from scorer.results.lint import Among, Detectable, Smaller
from scorer.results.report import Scored
from scorer.results.scorecard import Outcome
from scorer.scoring.open import OpenChallenge
from scorer.stats.power import detectable, least_p, lists_needed

SUBMISSIONS = (2, 5, 10, 30)  # among so many submissions a difference is to be detected
SMALLER = (0.5, 0.25)  # of the difference between two, for which lists are counted
SHARES = (0.25, 0.5)  # of a perfect submission that are left to chance
DRAWS = 5  # degraded submissions of every share
# Whose differences the deviation is taken from.
KNOWN = "the examples and baselines"
DEGRADED = "degraded truths"
POWER = 0.8  # how often such a difference is detected
FEW_DRAWS = 100  # random draws of the tests: only deviations are needed, not p-values


def find_detectable(
    ready: OpenChallenge, submissions: Sequence[Scored], probes: Probes | None
) -> Detectable:
    """Return the smallest differences that the lists could show, among few and many submissions.

    How much a difference varies from list to list is taken from these submissions, or
    where there are fewer than two, from perfect ones that are partly random. Wholly random
    submissions would all be equally bad, on all lists, and vary too little.

    Args:
        ready: The challenge, whose truth is open.
        submissions: Its examples and baselines.
        probes: The probes of its truth, if it has any.
    """
    terms = terms_of(ready)
    rules = ready.bound.challenge.leaderboard
    tiers = rules.tiers or Tiers()
    unknown = Detectable(
        difference=math.nan,
        deviation=math.nan,
        alpha=tiers.alpha,
        power=POWER,
        basis="nothing",
        test="permutation",
        adjust="max",
        over="lists",
        lists=0,
        units=0,
        among=(),
        smaller=(),
        why="it takes two examples, or baselines, that differ" if probes is None else "",
    )
    for basis in (KNOWN, DEGRADED):
        scored = submissions
        if basis == DEGRADED:
            scored = [] if probes is None else _score_degraded(ready, terms, probes)
        if len(scored) < 2:
            continue
        clusters = cluster_codes(terms.lists, terms.clusters)
        sample = sample_of(terms.primary, scored, challenge=terms.challenge, clusters=clusters)
        if isinstance(sample, str):
            return replace(unknown, why=sample)
        test = sample.tests(rules.model_copy(update={"tiers": tiers, "draws": FEW_DRAWS}))
        lists, units, deviation = typical_pair(test)
        if deviation > 0:
            found = replace(
                unknown,
                why="",
                deviation=deviation,
                basis=basis,
                test=test.test,
                adjust=test.adjust,
                over=sample.over,
                lists=lists,
                units=units,
            )
            among = [Among(n, _smallest(found, n, rules.draws)) for n in SUBMISSIONS]
            found = replace(found, difference=among[0].difference, among=among)
            return replace(found, smaller=list(_lists_of_smaller(found)))
    return unknown


def _score_degraded(ready: OpenChallenge, terms: Terms, probes: Probes) -> list[Scored]:
    """Return perfect submissions that are partly random."""
    rng = np.random.default_rng(ready.bound.challenge.leaderboard.seed)
    scored = []
    for share in SHARES:
        for n in range(DRAWS):
            card, folds = score_probe(ready, probes.degraded(rng, share))
            outcome = Outcome(Findings(), None, card, folds)
            scored.append(apply_rules(terms, f"{share} {n}", "", outcome))
    return [each for each in scored if each.valid]


def _smallest(found: Detectable, submissions: int, draws: int) -> float:
    """Return the smallest detectable difference among so many submissions; infinite without any."""
    if least_p(found.test, found.units, draws) > found.alpha:
        return math.inf
    pairs = submissions * (submissions - 1) // 2
    return detectable(found.deviation, found.units, found.alpha, pairs=pairs)


def _lists_of_smaller(found: Detectable) -> Iterator[Smaller]:
    """Yield smaller differences between two submissions, and how many lists each takes."""
    if not 0 < found.difference < math.inf:
        return
    for share in SMALLER:
        difference = share * found.difference
        units = lists_needed(found.deviation, difference, found.alpha)
        if units is not None:  # clusters have as many lists as now
            yield Smaller(difference, math.ceil(units * found.lists / found.units))
