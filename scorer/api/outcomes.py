"""The outcome of each submission, and the terms of the board that ranks them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import NamedTuple

from scorer.api.submissions import Progress, SubmissionFile, refuse_equal_names
from scorer.core.problems import Findings, Problem
from scorer.kinds.base import NO_CONSTANTS, Constants
from scorer.leaderboard.board import Terms, apply_rules
from scorer.results.report import Scored
from scorer.results.scorecard import Outcome
from scorer.scoring.bind import BoundChallenge
from scorer.scoring.fingerprint import board_digest, fingerprint, signature
from scorer.scoring.open import OpenChallenge
from scorer.scoring.run import score_submissions
from scorer.scoring.submission import score_submission


def score_files(
    ready: OpenChallenge,
    files: Sequence[SubmissionFile],
    progress: Progress | None,
    jobs: int = 1,
) -> list[Outcome]:
    """Return the outcome of each submission: read, checked and, if the truth is open, scored.

    Args:
        ready: The opened challenge.
        files: The submissions.
        progress: Called before each submission.
        jobs: The number of processes that share the files.

    Raises:
        UsageError: Two submissions have one name, or a metric cannot be sent to another process.
    """
    refuse_equal_names(files)
    plan = ready.plan
    tables = ready.tables

    def has_rows(file: SubmissionFile) -> bool:
        return file.frame is not None or file.path in tables

    unread = [file.path for file in files if not file.problems and not has_rows(file)]
    outcomes_of_unread = score_submissions(plan, unread, jobs=jobs)
    outcomes = []
    for number, file in enumerate(files):
        if progress is not None:
            progress(number, len(files), file.name)
        if file.problems:
            outcome = rejected_outcome(file)
        elif has_rows(file):
            outcome = score_submission(plan, file.source, tables.get(file.path))
        else:
            outcome = next(outcomes_of_unread)
        file.label_problems(outcome.findings)
        outcomes.append(outcome)
    if progress is not None and files:
        progress(len(files), len(files), files[-1].name)
    return outcomes


def rejected_outcome(file: SubmissionFile) -> Outcome:
    """Return the outcome of a file whose `problems` say that it cannot be read."""
    findings = Findings(file.display)
    findings.extend(file.problems)
    return Outcome(findings, None, None)


def scored_files(
    ready: OpenChallenge, files: Sequence[SubmissionFile], progress: Progress | None
) -> list[Scored]:
    """Return each submission scored by the challenge's rules. Raises as `score_files`."""
    return to_scored(terms_of(ready), files, score_files(ready, files, progress))


def to_scored(
    terms: Terms, files: Sequence[SubmissionFile], outcomes: Sequence[Outcome]
) -> list[Scored]:
    """Return each outcome with its submission's name and its values by the challenge's rules."""
    return [
        apply_rules(terms, file.name, file.description, outcome, baseline=file.baseline)
        for file, outcome in zip(files, outcomes, strict=True)
    ]


class TruthFacts(NamedTuple):
    """What a board needs to know of a challenge's truth and lists: no answers, and no grades."""

    constants: Constants
    lists: Sequence[str]
    folds: int
    groups: Mapping[str, str]  # list -> the group that it is in
    clusters: Mapping[str, str]  # list -> its cluster
    called: Mapping[str, str]  # role -> the challenge's word
    notes: tuple[Problem, ...]  # warnings about the challenge itself


def facts_of(ready: OpenChallenge) -> TruthFacts:
    """Return what a board needs to know of the truth of an opened challenge."""
    truth = ready.truth
    return TruthFacts(
        constants=NO_CONSTANTS if truth is None else truth.constants,
        lists=() if truth is None else truth.lists,
        folds=sum(fold is not None for fold in ready.plan.truths),
        groups=ready.public.groups,
        clusters=ready.public.clusters,
        called=ready.public.called,
        notes=ready.warnings,
    )


def terms_of(ready: OpenChallenge) -> Terms:
    """Return the terms of an opened challenge's board."""
    board = board_digest(ready.bound.challenge, ready.bound.measures)
    return make_terms(ready.bound, facts_of(ready), fingerprint(ready.digests, board))


def make_terms(bound: BoundChallenge, facts: TruthFacts, fingerprint: str) -> Terms:
    """Return the terms of a challenge's board, for which its truth need not be opened."""
    ties = bound.challenge.submission.ties
    rules = bound.undefined_rules
    measures = []
    for measure in (unresolved.resolve(facts.constants) for unresolved in bound.measures):
        text = signature(measure, rules[measure.id], ties, len(facts.lists), facts.folds)
        measures.append(replace(measure, board_signature=text))
    return Terms(
        challenge=bound.challenge,
        measures=tuple(measures),
        fingerprint=fingerprint,
        rules=rules,
        tie_breakers=bound.board.tie_breakers,
        pairwise=bound.board.pairwise,
        lists=facts.lists,
        groups=facts.groups,
        called=facts.called,
        notes=facts.notes,
        clusters=facts.clusters,
        rank_aggregate=bound.board.rank_aggregate,
    )
