"""The evaluations of a board's files: who works on them, what they gave, and their means."""

from __future__ import annotations

import json
import os
import secrets
import socket
import traceback
from base64 import b64decode, b64encode
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from scorer.api.submissions import terms_of
from scorer.board.snapshot import Means, Snapshot
from scorer.board.versions import Versions
from scorer.challenge.phases import EVERYTHING
from scorer.core.arrays import Mask
from scorer.core.errors import ChallengeError, ScorerError, UnknownName
from scorer.core.problems import Findings
from scorer.engines.local import local
from scorer.leaderboard.board import settled
from scorer.prepare.open import OpenChallenge
from scorer.store.files import Files, as_path
from scorer.store.records import Entry, Evaluation, Version

if TYPE_CHECKING:
    from scorer.results.report import Scored
    from scorer.store.database import Database

LEASE = 15 * 60  # seconds for which a worker holds an evaluation
TRIES = 3  # workers that may end over an evaluation before it counts as failed


class Evaluations:
    """The evaluations of all files under all versions.

    Args:
        versions: of the challenge.
        database: of the board.
        files: the entries' files.
    """

    def __init__(self, versions: Versions, database: Database, files: Files) -> None:
        self._versions, self._database, self._files = versions, database, files
        self._caches: dict[int, dict[tuple[str, str, bool, str], Scored]] = {}  # for each version

    # the work

    def claim(self, worker: str, seconds: float) -> str | None:
        """Claim one waiting file for a limited time; None where none is waiting."""
        values = self._versions.in_force().values
        return self._database.claim(values, worker, datetime.now(UTC), seconds)

    def renew(self, sha256: str, worker: str, seconds: float) -> None:
        """Keep a file that this worker has taken, for so long from now.

        Args:
            sha256: of the file.
            worker: who has taken it.
            seconds: from now.
        """
        until = datetime.now(UTC) + timedelta(seconds=seconds)
        self._database.renew(self._versions.in_force().values, sha256, worker, until)

    def work(self, *, most: int | None = None, worker: str | None = None) -> int:
        """Do what `Board.work` says."""
        version, done = self._versions.in_force(), 0
        name = worker or worker_name()
        files = {entry.sha256: entry.file for entry in self._database.entries()}
        while most is None or done < most:
            sha256 = self._database.claim(version.values, name, datetime.now(UTC), LEASE)
            if sha256 is None:
                break
            self.finish(version, sha256, files.get(sha256, "submission"))
            done += 1
        return done

    def ask(self) -> None:
        """Queue entries without an evaluation, and the challenge's baselines."""
        version = self._versions.in_force()
        digests = [entry.sha256 for entry in self._entries(version)]
        self._database.ask(version.values, digests, datetime.now(UTC))

    def finish_pending(self, version: Version | None = None) -> None:
        """Evaluate entries that were recorded but not evaluated, as after a process was killed."""
        chosen = version or self._versions.in_force()
        entries = self._entries(chosen)
        statuses = self._database.statuses(chosen.values)
        if missing := [e.sha256 for e in entries if e.sha256 not in statuses]:
            self._database.ask(chosen.values, missing, datetime.now(UTC))
        for entry in entries:
            if statuses.get(entry.sha256, "pending") == "pending":
                self.finish(chosen, entry.sha256, entry.file)

    def _entries(self, version: Version) -> list[Entry]:
        return [*self._database.entries(), *self._versions.baselines(version)]

    def finish(self, version: Version, sha256: str, name: str) -> None:
        """Evaluate a file under a version and store the result, unless that is done already.

        Args:
            version: of the challenge.
            sha256: of the file.
            name: what the file is called in messages.

        Raises:
            ChallengeError: the challenge is wrong.
        """
        earlier = self._database.evaluation(version.values, sha256)
        if earlier is not None and earlier.status != "pending":
            return
        try:
            if self._database.tries(version.values, sha256) > TRIES:
                raise ScorerError(f"{TRIES} workers ended over this file")
            evaluation = self.evaluated(version, self._versions.opened(version), sha256, name)
        except ChallengeError:
            raise
        except (MemoryError, ScorerError, OSError, ArithmeticError, ValueError) as error:
            cause = "".join(traceback.format_exception(error))
            evaluation = _failure(version, sha256, cause)
        self._database.finish(replace(evaluation, made=datetime.now(UTC)))

    def evaluated(
        self, version: Version, ready: OpenChallenge, sha256: str, name: str
    ) -> Evaluation:
        """The evaluation of a file under a version; it is not stored.

        Args:
            version: of the challenge.
            ready: its challenge and truth.
            sha256: of the file.
            name: what the file is called in messages.
        """
        with as_path(self._files, sha256, name) as path:
            evaluation = evaluated(ready, path, name, version.values, sha256)
        return self._with_means(version, evaluation)

    def _with_means(self, version: Version, evaluation: Evaluation) -> Evaluation:
        if evaluation.status != "scored":
            return evaluation
        return replace(evaluation, summary=self.summary(version, evaluation))

    # the work of another process

    @contextmanager
    def material(self, sha256: str) -> Iterator[dict[str, Any]]:
        """What a process needs to evaluate a file without the store, as long as the context.

        Raises:
            ScorerError: too many workers ended over this file.
        """
        version = self._versions.in_force()
        if self._database.tries(version.values, sha256) > TRIES:
            raise ScorerError(f"{TRIES} workers ended over this file")
        names = {entry.sha256: entry.file for entry in self._entries(version)}
        name = names.get(sha256, "submission")
        with as_path(self._files, sha256, name) as path:
            more = self._versions.material(version)
            more["read"].append(str(path))
            yield {
                **more,
                "path": str(path),
                "name": name,
                "values": version.values,
                "sha256": sha256,
            }

    def keep(self, answer: Mapping[str, Any]) -> None:
        """Store what another process found, with the means that its scorecard has."""
        if "cause" in answer:
            self.fail(answer["sha256"], answer["cause"])
            return
        version = self._versions.in_force()
        evaluation = from_fields(answer)
        if evaluation.values == version.values:
            evaluation = self._with_means(version, evaluation)
        self._database.finish(replace(evaluation, made=datetime.now(UTC)))

    # failures

    def fail(self, sha256: str, cause: str) -> None:
        """Record that an evaluation failed, unless it has finished already."""
        self._database.finish(_failure(self._versions.in_force(), sha256, cause))

    def failures(self) -> list[tuple[str, int]]:
        """The reference of each failed evaluation, and the first entry it concerns."""
        version, references = self._versions.in_force(), []
        statuses = self._database.statuses(version.values)
        for entry in self._database.entries():
            if statuses.get(entry.sha256) == "failed":
                evaluation = self._database.evaluation(version.values, entry.sha256)
                references.append(
                    ((evaluation.reference if evaluation else None) or "", entry.number)
                )
        return references

    def failure(self, reference: str) -> str:
        """What went wrong with an evaluation; for the organizer only. Raises `UnknownName`."""
        return self._failed(reference).cause or ""

    def retry(self, reference: str) -> None:
        """Queue a failed evaluation again. Raises `UnknownName`."""
        evaluation = self._failed(reference)
        self._database.retry(evaluation.values, evaluation.sha256)

    def _failed(self, reference: str) -> Evaluation:
        evaluation = self._database.failure(reference)
        if evaluation is None:
            raise UnknownName("failure", reference, [])
        return evaluation

    # what they gave

    def snapshot(self, version: Version | None = None) -> Snapshot:
        """Everything that the board depends on, under the version in force or another."""
        chosen = version or self._versions.in_force()
        cache = self._caches.setdefault(chosen.number, {})
        means = _Means(self, chosen, self._database.summaries)
        return replace(self._snapshot(chosen, self._whole(chosen), means), cache=cache)

    def snapshot_of(self, version: Version, evaluations: Mapping[str, Evaluation]) -> Snapshot:
        """What a board would depend on, under a version that is not in force.

        Args:
            version: of the challenge.
            evaluations: SHA-256 of a file -> its evaluation, which is not stored.
        """

        def summaries(values: str) -> dict[str, str | None]:
            return {
                sha256: self.summary(version, evaluation)
                for sha256, evaluation in evaluations.items()
                if evaluation.status == "scored"
            }

        snapshot = self._snapshot(
            version, evaluations.__getitem__, _Means(self, version, summaries)
        )
        return replace(snapshot, statuses={k: each.status for k, each in evaluations.items()})

    def _whole(self, version: Version) -> Callable[[str], Evaluation]:
        def whole(sha256: str) -> Evaluation:
            evaluation = self._database.evaluation(version.values, sha256)
            assert evaluation is not None
            return evaluation

        return whole

    def _snapshot(
        self,
        version: Version,
        evaluation: Callable[[str], Evaluation],
        means: Mapping[str, Means],
    ) -> Snapshot:
        terms = self._versions.terms(version)
        return Snapshot(
            terms,
            _masks(terms.lists, version.splits),
            self._database.teams(),
            self._entries(version),
            self._database.decisions(),
            self._database.statuses(version.values),
            means,
            evaluation,
        )

    def summary(self, version: Version, evaluation: Evaluation) -> str:
        """The means of an evaluation on every split, as JSON, from its scorecard."""
        snapshot = self._snapshot(version, lambda sha256: evaluation, {})
        entry = Entry(0, None, version.since, evaluation.sha256, "", 0, None)
        means = {
            split: {
                measure: None if np.isnan(value.mean) else value.mean
                for measure, value in snapshot.scored(entry, "", split).values.items()
            }
            for split in snapshot.splits
        }
        return json.dumps({"fingerprint": version.fingerprint, "means": means})

    def means(self, version: Version, evaluation: Evaluation) -> dict[str, dict[str, float]]:
        """Split -> measure id -> mean, of an evaluation; worked out once for each fingerprint.

        Args:
            version: of the challenge.
            evaluation: of a file that is scored; its scorecard need not be there.
        """
        cached = json.loads(evaluation.summary) if evaluation.summary else {}
        if cached.get("fingerprint") != version.fingerprint:
            whole = self._database.evaluation(version.values, evaluation.sha256) or evaluation
            summary = self.summary(version, whole)
            self._database.summarize(version.values, evaluation.sha256, summary)
            cached = json.loads(summary)
        return {
            split: {key: np.nan if mean is None else mean for key, mean in means.items()}
            for split, means in cached["means"].items()
        }


class _Means(Mapping[str, Means]):
    """SHA-256 of a file -> its means on every split, from the summaries of a version."""

    def __init__(
        self,
        evaluations: Evaluations,
        version: Version,
        summaries: Callable[[str], dict[str, str | None]],
    ) -> None:
        self._evaluations, self._version, self._read = evaluations, version, summaries

    @cached_property
    def _summaries(self) -> dict[str, str | None]:
        return self._read(self._version.values)

    def __getitem__(self, sha256: str) -> Means:
        evaluation = Evaluation(
            self._version.values, sha256, "scored", summary=self._summaries[sha256]
        )
        return self._evaluations.means(self._version, evaluation)

    def __iter__(self) -> Iterator[str]:
        return iter(self._summaries)

    def __len__(self) -> int:
        return len(self._summaries)


def evaluated(ready: OpenChallenge, path: Path, name: str, values: str, sha256: str) -> Evaluation:
    """The evaluation of a file, without its means on the splits.

    Args:
        ready: the challenge and its truth.
        path: of the file.
        name: what the file is called in messages.
        values: the digest of the challenge's state.
        sha256: of the file.
    """
    (outcome,) = local(ready.plan, [path])
    findings = Findings(name)
    findings.extend(replace(problem, path=name) for problem in outcome.findings)
    scored = settled(terms_of(ready), name, name, outcome._replace(findings=findings))
    text = scored.findings.to_json()
    if scored.card is None:
        return Evaluation(values, sha256, "rejected", text)
    folds = {fold: card.to_bytes() for fold, card in outcome.folds.items()}
    return Evaluation(values, sha256, "scored", text, scored.card.to_bytes(), folds)


def to_fields(evaluation: Evaluation) -> dict[str, Any]:
    """An evaluation as JSON has it."""
    card = evaluation.card
    return {
        "values": evaluation.values,
        "sha256": evaluation.sha256,
        "status": evaluation.status,
        "findings": evaluation.findings,
        "card": None if card is None else b64encode(card).decode(),
        "folds": {fold: b64encode(data).decode() for fold, data in evaluation.folds.items()},
    }


def from_fields(fields: Mapping[str, Any]) -> Evaluation:
    """The evaluation that `to_fields` wrote."""
    card = fields["card"]
    return Evaluation(
        fields["values"],
        fields["sha256"],
        fields["status"],
        fields["findings"],
        None if card is None else b64decode(card),
        {fold: b64decode(data) for fold, data in fields["folds"].items()},
    )


def worker_name() -> str:
    """What this process is called as a worker: its machine and its number."""
    return f"{socket.gethostname()}:{os.getpid()}"


def _failure(version: Version, sha256: str, cause: str) -> Evaluation:
    reference = secrets.token_hex(4)
    return Evaluation(
        version.values, sha256, "failed", reference=reference, cause=cause,
        made=datetime.now(UTC),
    )  # fmt: skip


def _masks(lists: Sequence[str], splits: Mapping[str, str]) -> dict[str, Mask]:
    """Split -> one a list; `all` is the first."""
    names = sorted(set(splits.values()), key=lambda name: (name != "public", name))
    masks = {EVERYTHING: np.ones(len(lists), dtype=bool)}
    for name in names:
        masks[name] = np.array([splits.get(list_name) == name for list_name in lists], dtype=bool)
    return masks
