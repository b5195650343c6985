"""The smallest difference that the lists of a challenge can show, and how many lists it takes."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from scorer.api.submissions import Named, baselines, loaded, scored_files, terms_of
from scorer.api.systems import among
from scorer.api.text import Text
from scorer.challenge.leaderboard import Leaderboard, Tiers
from scorer.challenge.model import Challenge
from scorer.core.errors import ChallengeError, UsageError
from scorer.core.problems import Findings
from scorer.core.text import printable
from scorer.leaderboard.board import settled
from scorer.leaderboard.certainty import cluster_codes, usual
from scorer.leaderboard.samples import samples_of
from scorer.prepare.bind import BoundChallenge, prepare
from scorer.prepare.open import OpenChallenge, opened
from scorer.prepare.probes import cards, has_probes, probes
from scorer.results import soundness
from scorer.results.report import Scored
from scorer.results.scorecard import Outcome
from scorer.results.soundness import Detectable, Needed
from scorer.stats.paired import Test
from scorer.stats.power import (
    detectable,
    fewest_lists,
    least_p,
    lists_needed,
)

SUBMISSIONS = (2, 5, 10, 30)  # for how many a board is judged
SHARES = (0.25, 0.5)  # of a perfect submission that are left to chance
DEGRADED = "degraded truths"
EACH = 5  # degraded submissions of every share


@dataclass(frozen=True, repr=False, eq=False)
class Power(Text, soundness.Power):
    """How many lists it takes to detect a difference; for organizers."""

    subject, plain = "power", "text"

    def __repr__(self) -> str:
        return f"<Power of {printable(self.challenge.id, 40)}: {self.difference:g}>"


def power(
    challenge: Challenge | Path | str,
    difference: float,
    submissions: Sequence[int] = SUBMISSIONS,
    *,
    allow_plugins: bool = False,
) -> Power:
    """The number of lists that it takes to detect a difference of the primary measure.

    Args:
        challenge: the challenge, or the path of its challenge.yaml or folder; its truth, examples
            and baselines say how much differences vary from list to list.
        difference: the difference of the primary measure, above 0.
        submissions: numbers of submissions, all pairs of which are tested.
        allow_plugins: whether the challenge's own metrics may be run.

    Raises:
        ChallengeError: the challenge is wrong, or nothing is known of its differences.
        UsageError: the difference is not above 0 or too small for any number of lists, or there
            are fewer than two submissions.
        PluginError: a metric failed.
    """
    if not 0 < difference < math.inf:
        raise UsageError(f"a difference of {difference:g} cannot be detected; give one above 0")
    if wrong := [n for n in submissions if n < 2]:
        raise UsageError(f"{wrong[0]} submissions have no pair; give 2 or more")
    challenge = loaded(challenge)
    prepared = prepare(challenge, allow_plugins)
    ready = opened(among(prepared, known_files(prepared)))
    smallest = detectable_of(ready, known_submissions(ready), submissions)
    if not smallest.deviation > 0:
        primary = terms_of(ready).primary.id
        raise ChallengeError(f"{challenge.id}: nothing is known of differences in {primary}")
    tiers = challenge.leaderboard.tiers or Tiers()
    needed = []
    for count, least in smallest.among:
        pairs = count * (count - 1) // 2
        sd, alpha, each = smallest.deviation, smallest.alpha, smallest.lists / smallest.units
        units = lists_needed(sd, difference, alpha, pairs=pairs)
        if units is None:
            raise UsageError(
                f"a difference of {difference:g} takes more than a billion lists; give a larger one"
            )
        units = max(units, fewest_lists(alpha, _test(smallest), tiers.adjust, pairs))
        # clusters have as many lists as now
        needed.append(Needed(count, pairs, math.ceil(units * each), least))
    return Power(
        challenge, terms_of(ready).primary, difference, smallest, tuple(needed), ready.public.called
    )


def known_submissions(ready: OpenChallenge) -> list[Scored]:
    """The examples on the own truth, and the baselines, that can be scored."""
    scored_examples = scored_files(ready, known_files(ready.prepared), None)
    return [scored for scored in scored_examples if scored.valid]


def known_files(prepared: BoundChallenge) -> list[Named]:
    """The examples on the own truth, and the baselines."""
    examples = [
        Named(f"examples[{n}]", example.submission)
        for n, example in enumerate(prepared.challenge.examples)
        if example.truth is None
    ]
    return [*examples, *baselines(prepared)]


def detectable_of(
    ready: OpenChallenge, known: Sequence[Scored], submissions: Sequence[int] = SUBMISSIONS
) -> Detectable:
    """The smallest differences that the lists could show, among so many submissions.

    How much a difference varies from list to list is taken from submissions that are known, or
    where there are fewer than two, from perfect ones that are partly random. Wholly random
    submissions would all be equally bad, on all lists, and vary too little.
    """
    terms = terms_of(ready)
    primary, challenge = terms.primary, ready.prepared.challenge
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
            return Detectable(math.nan, math.nan, tiers.alpha, "nothing", why=samples)
        lists, units, sd = usual(samples.tests(rules))
        if sd > 0:
            name, adjust = samples.test(tiers)
            smallest = Detectable(
                math.nan, sd, tiers.alpha, basis, (), name, adjust, samples.over, lists, units
            )
            among = tuple(
                (n, _least(smallest, n, tiers, challenge.leaderboard)) for n in submissions
            )
            first = _least(smallest, 2, tiers, challenge.leaderboard)
            return replace(smallest, difference=first, among=among)
    why = "" if has_probes(ready) else "it takes two examples, or baselines, that differ"
    return Detectable(math.nan, math.nan, tiers.alpha, "nothing", why=why)


def _test(smallest: Detectable) -> Test:
    """The test by its least p: that of folds is a t-test."""
    return "wilcoxon" if smallest.test == "wilcoxon" else "permutation" if (
        smallest.test == "permutation") else "t"  # fmt: skip


def _least(smallest: Detectable, count: int, tiers: Tiers, rules: Leaderboard) -> float:
    """The smallest difference among so many submissions; infinite where there is none."""
    pairs = count * (count - 1) // 2
    # Holm's correction raises its draws
    draws = max(rules.draws, 2 * math.ceil(pairs / smallest.alpha))
    if least_p(smallest.units, _test(smallest), tiers.adjust, pairs, draws) > smallest.alpha:
        return math.inf
    return detectable(smallest.deviation, smallest.units, smallest.alpha, pairs=pairs)


def _degraded(ready: OpenChallenge) -> list[Scored]:
    """Perfect submissions that are partly random."""
    probe_set, terms = probes(ready), terms_of(ready)
    rng = np.random.default_rng(ready.prepared.challenge.leaderboard.seed)
    degraded = []
    for share in SHARES:
        for n in range(EACH):
            card, folds = cards(ready, probe_set.degraded(rng, share))
            outcome = Outcome(Findings(), None, card, folds)
            scored = settled(terms, f"{share} {n}", "", outcome)
            degraded += [scored] if scored.valid else []
    return degraded
