"""The evaluation of one file: what a child process does, and what its answer is in the store.

Nothing here needs the store; the child is not told which file it reads.
"""

from __future__ import annotations

import secrets
import traceback
from base64 import b64decode, b64encode
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, Literal, NamedTuple
from zipfile import BadZipFile

from scorer.api.outcomes import rejected_outcome, terms_of
from scorer.api.submissions import SubmissionFile, split_systems
from scorer.core.errors import ChallengeError, PluginError, ScorerError
from scorer.core.problems import Findings
from scorer.leaderboard.board import apply_rules
from scorer.results.report import Scored
from scorer.results.scorecard import Outcome, Scorecard
from scorer.scoring.open import OpenChallenge
from scorer.scoring.submission import score_submission

# Errors of an evaluation that are no fault of the file.
OUR_ERRORS = (MemoryError, ScorerError, OSError, ArithmeticError, ValueError)


class EvaluationResult(NamedTuple):
    """The problems of a file, and its scorecards as bytes."""

    status: Literal["scored", "rejected", "failed"]
    findings: str = Findings().to_json()
    card: bytes | None = None
    folds: Mapping[str, bytes] = {}  # fold, or run -> its scorecard
    reference: str | None = None  # of a failure
    cause: str | None = None  # of a failure; for the organizer only

    def to_json(self) -> dict[str, Any]:
        """Return it as JSON has it, without the reference, which the store's process makes."""
        return {
            "status": self.status,
            "findings": self.findings,
            "card": None if self.card is None else b64encode(self.card).decode(),
            "folds": {fold: b64encode(data).decode() for fold, data in self.folds.items()},
            "cause": self.cause,
        }

    @classmethod
    def from_json(cls, fields: Mapping[str, Any]) -> EvaluationResult:
        """Return the result that `to_json` wrote; a failure for any other fields.

        Args:
            fields: The answer of a process, which a stranger's file may have taken over.
        """
        try:
            status = fields["status"]
            if status == "failed":
                return make_failure(str(fields["cause"]))
            findings = Findings.from_json(fields["findings"]).to_json()
            if status == "rejected":
                return cls("rejected", findings)
            folds = {str(fold): b64decode(data) for fold, data in fields["folds"].items()}
            card = b64decode(fields["card"])
            for each in (card, *folds.values()):
                Scorecard.from_bytes(each)
        except (AttributeError, LookupError, TypeError, ValueError, BadZipFile) as error:
            return make_failure(f"its process answered something else: {error!r}")
        return cls("scored", findings, card, folds)


def make_failure(cause: str) -> EvaluationResult:
    """Return the result of a file that could not be evaluated, with a new reference."""
    return EvaluationResult("failed", reference=secrets.token_hex(4), cause=cause)


def attempt(evaluate: Callable[[], EvaluationResult]) -> EvaluationResult:
    """Return the result of a function; a failure if it fails by no fault of the challenge."""
    try:
        return evaluate()
    except ChallengeError:
        raise
    except OUR_ERRORS as error:
        return make_failure("".join(traceback.format_exception(error)))


def evaluate_file(challenge: OpenChallenge, path: Path, name: str) -> EvaluationResult:
    """Return the problems of a file, and its scorecard unless one of them rejects the file.

    Args:
        challenge: The challenge with its truth.
        path: The file.
        name: The name under which it was sent, for problems.
    """
    if "run" in challenge.bound.challenge.submission.columns:
        return _evaluate_runs(challenge, path, name)
    outcome = score_submission(challenge.plan, path)
    scored = _apply_rules(challenge, name, outcome)
    findings = scored.findings.to_json()
    if scored.card is None:
        return EvaluationResult("rejected", findings)
    folds = {fold: card.to_bytes() for fold, card in outcome.folds.items()}
    return EvaluationResult("scored", findings, scored.card.to_bytes(), folds)


def _evaluate_runs(challenge: OpenChallenge, path: Path, name: str) -> EvaluationResult:
    """Return the result of a file with a column of runs: a scorecard each, in place of folds."""
    findings, cards = Findings(name), dict[str, bytes]()
    for part in split_systems(challenge.bound, SubmissionFile("", path), ("run",)):
        if part.problems:
            outcome = rejected_outcome(part)
        else:
            outcome = score_submission(challenge.plan, part.source)
            part.label_problems(outcome.findings)
        scored = _apply_rules(challenge, name, outcome)
        findings.extend(scored.findings)
        if scored.card is not None:
            cards[part.name.removeprefix("#")] = scored.card.to_bytes()
    if findings.fatal:
        return EvaluationResult("rejected", findings.to_json())
    first = next(iter(cards.values()))
    return EvaluationResult("scored", findings.to_json(), first, cards)


def _apply_rules(challenge: OpenChallenge, name: str, outcome: Outcome) -> Scored:
    """Return an outcome with the rules of the board applied.

    Raises:
        PluginError: A plugin of the challenge failed.
    """
    for cause in (problem.cause for problem in outcome.findings if problem.cause):
        raise PluginError(cause)
    named = outcome._replace(findings=outcome.findings.with_path(name))
    return apply_rules(terms_of(challenge), name, name, named)
