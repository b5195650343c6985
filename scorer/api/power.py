"""The smallest difference that the lists of a challenge can show, and the lists of smaller ones."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import replace

import numpy as np

from scorer.api.probes import cards, has_probes, probes
from scorer.api.submissions import SubmissionFile, list_baselines, terms_of
from scorer.challenge.leaderboard import Tiers
from scorer.core.problems import Findings
from scorer.leaderboard.board import settled
from scorer.leaderboard.certainty import cluster_codes, usual
from scorer.leaderboard.samples import samples_of
from scorer.results.report import Scored
from scorer.results.scorecard import Outcome
from scorer.results.soundness import Among, Detectable, Smaller
from scorer.scoring.bind import BoundChallenge
from scorer.scoring.open import OpenChallenge
from scorer.stats.power import detectable, least_p, lists_needed

SUBMISSIONS = (2, 5, 10, 30)  # for how many a board is judged
SMALLER = (0.5, 0.25)  # of the difference between two, for which lists are counted
SHARES = (0.25, 0.5)  # of a perfect submission that are left to chance
DEGRADED = "degraded truths"
POWER = 0.8  # how often such a difference is detected
EACH = 5  # degraded submissions of every share


def known_files(prepared: BoundChallenge) -> list[SubmissionFile]:
    """The examples on the own truth, and the baselines."""
    examples = [
        SubmissionFile(f"examples[{n}]", example.submission)
        for n, example in enumerate(prepared.challenge.examples)
        if example.truth is None
    ]
    return [*examples, *list_baselines(prepared)]


def detectable_of(ready: OpenChallenge, known: Sequence[Scored]) -> Detectable:
    """The smallest differences that the lists could show, among a few and many submissions.

    How much a difference varies from list to list is taken from submissions that are known, or
    where there are fewer than two, from perfect ones that are partly random. Wholly random
    submissions would all be equally bad, on all lists, and vary too little.
    """
    terms = terms_of(ready)
    primary, challenge = terms.primary, ready.bound.challenge
    tiers = challenge.leaderboard.tiers or Tiers()
    # deviations are wanted, not p-values
    rules = challenge.leaderboard.model_copy(update={"tiers": tiers, "draws": 100})
    for basis in ("the examples and baselines", DEGRADED):
        if basis == DEGRADED and not has_probes(ready):
            break
        scored = _degraded(ready) if basis == DEGRADED else known
        if len(scored) < 2:
            continue
        codes = cluster_codes(terms.lists, terms.clusters)
        samples = samples_of(primary, scored, challenge=challenge, clusters=codes)
        if isinstance(samples, str):
            return _unknown(tiers.alpha, samples)
        test = samples.tests(rules)
        lists, units, sd = usual(test)
        if sd > 0:
            smallest = replace(
                _unknown(tiers.alpha), deviation=sd, basis=basis, test=test.test,
                adjust=test.adjust, over=samples.over, lists=lists, units=units,
            )  # fmt: skip
            draws = challenge.leaderboard.draws
            among = [Among(n, _least(smallest, n, draws)) for n in SUBMISSIONS]
            smallest = replace(smallest, difference=among[0].difference, among=among)
            return replace(smallest, smaller=list(_lists_of_smaller(smallest)))
    why = "" if has_probes(ready) else "it takes two examples, or baselines, that differ"
    return _unknown(tiers.alpha, why)


def _unknown(alpha: float, why: str = "") -> Detectable:
    """Return that nothing is known of differences, as no submissions show them."""
    return Detectable(
        difference=math.nan,
        deviation=math.nan,
        alpha=alpha,
        power=POWER,
        basis="nothing",
        test="permutation",
        adjust="max",
        over="lists",
        lists=0,
        units=0,
        among=(),
        smaller=(),
        why=why,
    )


def _least(smallest: Detectable, count: int, draws: int) -> float:
    """The smallest difference among so many submissions; infinite where there is none."""
    pairs = count * (count - 1) // 2
    if least_p(smallest.units, draws, by_t=smallest.test != "permutation") > smallest.alpha:
        return math.inf
    return detectable(smallest.deviation, smallest.units, smallest.alpha, pairs=pairs)


def _lists_of_smaller(smallest: Detectable) -> Iterator[Smaller]:
    """Yield smaller differences between two submissions, and how many lists each takes."""
    if not 0 < smallest.difference < math.inf:
        return
    for share in SMALLER:
        difference = share * smallest.difference
        units = lists_needed(smallest.deviation, difference, smallest.alpha)
        if units is not None:
            # clusters have as many lists as now
            yield Smaller(difference, math.ceil(units * smallest.lists / smallest.units))


def _degraded(ready: OpenChallenge) -> list[Scored]:
    """Perfect submissions that are partly random."""
    probe_set, terms = probes(ready), terms_of(ready)
    rng = np.random.default_rng(ready.bound.challenge.leaderboard.seed)
    degraded = []
    for share in SHARES:
        for n in range(EACH):
            card, folds = cards(ready, probe_set.degraded(rng, share))
            outcome = Outcome(Findings(), None, card, folds)
            scored = settled(terms, f"{share} {n}", "", outcome)
            degraded += [scored] if scored.valid else []
    return degraded
