"""Reading entries' files: in this process, or in confined ones without store or network."""

from __future__ import annotations

import secrets
import traceback
from base64 import b64decode, b64encode
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack, contextmanager
from itertools import islice
from pathlib import Path
from typing import Any
from zipfile import BadZipFile

from scorer.api.submissions import SubmissionFile, rejected_outcome, split_systems, terms_of
from scorer.board.versions import Versions
from scorer.core.errors import ChallengeError, PluginError, ScorerError
from scorer.core.problems import Findings
from scorer.leaderboard.board import apply_rules
from scorer.results.report import Scored
from scorer.results.scorecard import Outcome, Scorecard
from scorer.scoring.open import OpenChallenge
from scorer.scoring.submission import score_submission
from scorer.store.files import Files, as_path
from scorer.store.records import Evaluation, Version

BATCH = 64  # files that one confined process reads: starting it takes a second
ANSWERED = 100_000  # lists of which it answers at once, which are held in memory
Aside = Callable[[str, dict[str, Any]], dict[str, Any]]  # a task, its arguments -> its answer
Make = Callable[[str], Evaluation]
OURS = (MemoryError, ScorerError, OSError, ArithmeticError, ValueError)  # no file's fault


class Reader:
    """Reads the files of entries, which strangers wrote.

    `aside` has a confined process do a task; where it is None, this process reads.
    """

    def __init__(self, versions: Versions, files: Files) -> None:
        self._versions, self._files = versions, files
        self.aside: Aside | None = None

    @contextmanager
    def material(self, version: Version, names: Mapping[str, str]) -> Iterator[dict[str, Any]]:
        """The material to read files (SHA-256 -> name) without the store, inside the `with`."""
        with ExitStack() as stack:
            more = self._versions.material(version) | {"values": version.values, "files": []}
            for sha256, name in names.items():
                path = str(stack.enter_context(as_path(self._files, sha256, name)))
                more["files"].append({"sha256": sha256, "name": name, "path": path})
                more["read"].append(path)
            yield more

    def evaluated(self, version: Version, names: Mapping[str, str]) -> Iterator[Evaluation]:
        """The evaluations of files (SHA-256 -> name) under a version; no means on the splits."""
        if self.aside is not None:
            for sha256, fields in self._asked(self.aside, version, names):
                yield evaluation_from(fields, version.values, sha256)
        elif names:
            ready = self._versions.opened(version)
            for sha256, name in names.items():
                yield attempted(version.values, sha256, self._here(ready, version, name))

    def _here(self, ready: OpenChallenge, version: Version, name: str) -> Make:
        def make(sha256: str) -> Evaluation:
            with as_path(self._files, sha256, name) as path:
                return evaluated(ready, path, name, version.values, sha256)

        return make

    def _asked(
        self, aside: Aside, version: Version, names: Mapping[str, str]
    ) -> Iterator[tuple[str, Mapping[str, Any]]]:
        """SHA-256 of each file, and the answer for it of a confined process, of `aside`."""
        left = iter(names.items())
        some = max(ANSWERED // max(len(self._versions.terms(version).lists), 1), 1)
        while batch := dict(islice(left, min(BATCH, some))):
            try:
                with self.material(version, batch) as needed:
                    answers = aside("evaluate", needed)["files"]
            except (ScorerError, OSError) as error:
                if len(batch) == 1:
                    cause = f"the process that reads it did not finish: {error}"
                    yield from ((sha256, {"status": "failed", "cause": cause}) for sha256 in batch)
                    continue
                files = [*batch.items()]  # whose fault was it? half of them are asked again
                for part in (files[: len(files) // 2], files[len(files) // 2 :]):
                    yield from self._asked(aside, version, dict(part))
            else:
                yield from zip(batch, answers, strict=True)


def attempted(values: str, sha256: str, make: Make) -> Evaluation:
    """The result of `make`; a failed evaluation if it fails by no fault of the challenge."""
    try:
        return make(sha256)
    except ChallengeError:
        raise
    except OURS as error:
        return failed(values, sha256, "".join(traceback.format_exception(error)))


def evaluated(ready: OpenChallenge, path: Path, name: str, values: str, sha256: str) -> Evaluation:
    """The evaluation of a file, without its means on the splits."""
    if "run" in ready.bound.challenge.submission.columns:
        return _of_runs(ready, path, name, values, sha256)
    outcome = score_submission(ready.plan, path)
    scored = _settled(ready, name, outcome)
    text = scored.findings.to_json()
    if scored.card is None:
        return Evaluation(values, sha256, "rejected", text)
    folds = {fold: card.to_bytes() for fold, card in outcome.folds.items()}
    return Evaluation(values, sha256, "scored", text, scored.card.to_bytes(), folds)


def _settled(ready: OpenChallenge, name: str, outcome: Outcome) -> Scored:
    for cause in (problem.cause for problem in outcome.findings if problem.cause):
        raise PluginError(cause)
    own = outcome._replace(findings=outcome.findings.with_path(name))
    return apply_rules(terms_of(ready), name, name, own)


def _of_runs(ready: OpenChallenge, path: Path, name: str, values: str, sha256: str) -> Evaluation:
    """The evaluation of a file with a column of runs: a scorecard for each, in place of folds."""
    findings, cards = Findings(name), dict[str, Scorecard]()
    for part in split_systems(ready.bound, SubmissionFile("", path), ("run",)):
        if part.problems:
            outcome = rejected_outcome(part)
        else:
            outcome = score_submission(ready.plan, part.source)
            part.label_problems(outcome.findings)
        scored = _settled(ready, name, outcome)
        findings.extend(scored.findings)
        if scored.card is not None:
            cards[part.name.removeprefix("#")] = scored.card
    if findings.fatal:
        return Evaluation(values, sha256, "rejected", findings.to_json())
    runs = {run: card.to_bytes() for run, card in cards.items()}
    first = next(iter(runs.values()))
    return Evaluation(values, sha256, "scored", findings.to_json(), first, runs)


def failed(values: str, sha256: str, cause: str) -> Evaluation:
    """The evaluation of a file that could not be made."""
    return Evaluation(values, sha256, "failed", reference=secrets.token_hex(4), cause=cause)


# what a confined process answers for a file; which file it was, it is not asked


def evaluation_fields(evaluation: Evaluation) -> dict[str, Any]:
    """An evaluation as JSON has it."""
    card = evaluation.card
    return {
        "status": evaluation.status,
        "findings": evaluation.findings,
        "card": None if card is None else b64encode(card).decode(),
        "folds": {fold: b64encode(data).decode() for fold, data in evaluation.folds.items()},
        "cause": evaluation.cause,
    }


def evaluation_from(fields: Mapping[str, Any], values: str, sha256: str) -> Evaluation:
    """The evaluation that `evaluation_fields` wrote; a failed one of any other fields.

    Args:
        fields: what a process answered, which a stranger's file may have taken over.
    """
    try:
        status = fields["status"]
        if status == "failed":
            return failed(values, sha256, str(fields["cause"]))
        text = Findings.from_json(fields["findings"]).to_json()
        if status == "rejected":
            return Evaluation(values, sha256, "rejected", text)
        folds = {str(fold): b64decode(data) for fold, data in fields["folds"].items()}
        card = b64decode(fields["card"])
        for each in (card, *folds.values()):
            Scorecard.from_bytes(each)
    except (AttributeError, LookupError, TypeError, ValueError, BadZipFile) as error:
        return failed(values, sha256, f"its process answered something else: {error!r}")
    return Evaluation(values, sha256, "scored", text, card, folds)
