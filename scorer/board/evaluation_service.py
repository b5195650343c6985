"""The evaluations of a board's files: who makes them, their means, and the state of the board.

`file_evaluation` evaluates one file. This module finds the waiting files, has them evaluated here
or by another process, and stores the results.
"""

from __future__ import annotations

import json
import logging
import os
import socket
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from functools import partial
from itertools import islice
from typing import Any

import numpy as np

from scorer.board.board_state import BoardState, Cache, Means, score_entry
from scorer.board.database import Database
from scorer.board.file_evaluation import EvaluationResult, attempt, evaluate_file, make_failure
from scorer.board.files import FileStore
from scorer.board.listing import Failure
from scorer.board.models import Entry, Evaluation, Version
from scorer.board.queue import Backlog
from scorer.board.versions import Versions
from scorer.core.errors import ScorerError, UnknownName
from scorer.core.log import LOG
from scorer.scoring.open import OpenChallenge
from scorer.scoring.splits import masks_of

LEASE, BEAT = 60.0, 15.0  # seconds for which a worker holds an evaluation, and between renewals
TRIES = 3  # workers that may end over an evaluation before it counts as failed
BATCH = 64  # files that one confined process reads: starting it takes a second
MOST_LISTS = 100_000  # of which it answers at once, and which are held in memory

# Has a confined process do a task with its inputs, and returns the answer.
IsolatedRunner = Callable[[str, dict[str, Any]], dict[str, Any]]


class EvaluationService:
    """The evaluations of all files under all versions.

    `isolated_runner` has a confined process read the files, which strangers wrote; where it is
    None, this process reads them.
    """

    def __init__(self, versions: Versions, database: Database, files: FileStore) -> None:
        self.versions, self.database, self.files = versions, database, files
        self.isolated_runner: IsolatedRunner | None = None
        self._queue = database.queue
        self._caches: dict[int, Cache] = {}  # for each version

    # the queue, under the version in force

    @property
    def _values(self) -> str:
        return self.versions.in_force().values

    def claim(self, worker: str, seconds: float) -> str | None:
        """Claim one waiting file for a limited time; None if none is waiting."""
        return self._queue.claim(self._values, worker, datetime.now(UTC), seconds)

    def backlog(self, now: datetime) -> Backlog:
        """Return how many evaluations wait, and how many workers hold."""
        return self._queue.backlog(self._values, now)

    def renew(self, sha256: str, worker: str, seconds: float) -> None:
        """Extend a worker's lease of a file to so many seconds from now."""
        until = datetime.now(UTC) + timedelta(seconds=seconds)
        self._queue.renew(self._values, sha256, worker, until)

    def enqueue_missing(self) -> None:
        """Queue entries without an evaluation, and the challenge's baselines."""
        version = self.versions.in_force()
        digests = [entry.sha256 for entry in self._entries(version)]
        self._queue.enqueue(version.values, digests, datetime.now(UTC))

    def failures(self) -> list[Failure]:
        """Return the failed evaluations under the version in force."""
        return self.database.listing(self._values).failures()

    def failure(self, reference: str) -> str:
        """Return the cause of a failed evaluation; for organizers only. Raises `UnknownName`."""
        return self._find_failure(reference).cause or ""

    def retry(self, reference: str) -> None:
        """Queue a failed evaluation again. Raises `UnknownName`."""
        evaluation = self._find_failure(reference)
        self._queue.retry(evaluation.values, evaluation.sha256)

    def _find_failure(self, reference: str) -> Evaluation:
        evaluation = self._queue.failure(reference)
        if evaluation is None:
            raise UnknownName("failure", reference, [])
        return evaluation

    # the work of this process

    def finish_pending(self, version: Version | None = None) -> None:
        """Evaluate entries that were recorded but not evaluated, as after a process was killed."""
        with self._read():
            chosen = version or self.versions.in_force()
            names = {entry.sha256: entry.file for entry in self._entries(chosen)}
            statuses = self._queue.statuses(chosen.values)
        if not_queued := [sha256 for sha256 in names if sha256 not in statuses]:
            self._queue.enqueue(chosen.values, not_queued, datetime.now(UTC))
        waiting = [s for s in names if statuses.get(s, "pending") == "pending"]
        for evaluation in self.evaluate(chosen, {sha256: names[sha256] for sha256 in waiting}):
            self._store(evaluation)

    def finish(self, version: Version, sha256: str, name: str) -> None:
        """Evaluate a file, which was sent under a name, and store the result."""
        for evaluation in self.evaluate(version, {sha256: name}):
            self._store(evaluation)

    def fail(self, sha256: str, cause: str) -> None:
        """Record that an evaluation failed, unless it has finished already."""
        self._store(Evaluation(self._values, sha256, **make_failure(cause)._asdict()))

    def _store(self, evaluation: Evaluation, seconds: float | None = None) -> None:
        self._queue.finish(replace(evaluation, made=datetime.now(UTC)))
        level = logging.ERROR if evaluation.status == "failed" else logging.INFO
        fields = {
            "challenge": self.versions.challenge.id,
            "sha256": evaluation.sha256,
            "status": evaluation.status,
            "seconds": seconds and round(seconds, 2),
            "reference": evaluation.reference,
            "cause": evaluation.cause,
        }
        LOG.log(level, "evaluation", extra=fields)

    def evaluate(self, version: Version, names: Mapping[str, str]) -> Iterator[Evaluation]:
        """Yield the evaluations of files (SHA-256 -> name) under a version; nothing is stored."""
        if self.isolated_runner is not None:
            results = self._run_isolated(self.isolated_runner, version, names)
        else:
            results = self._run_here(version, names)
        for sha256, result in results:
            yield self._with_means(version, sha256, result)

    def _run_here(
        self, version: Version, names: Mapping[str, str]
    ) -> Iterator[tuple[str, EvaluationResult]]:
        """Yield SHA-256 and result of each file, which this process reads."""
        for sha256, name in names.items():
            evaluate = partial(self._evaluate, self.versions.opened(version), sha256, name)
            yield sha256, attempt(evaluate)

    def _evaluate(self, challenge: OpenChallenge, sha256: str, name: str) -> EvaluationResult:
        with self.files.link(sha256, name) as path:
            return evaluate_file(challenge, path, name)

    def _run_isolated(
        self, run: IsolatedRunner, version: Version, names: Mapping[str, str]
    ) -> Iterator[tuple[str, EvaluationResult]]:
        """Yield SHA-256 and result of each file, which confined processes read."""
        left = iter(names.items())
        some = max(MOST_LISTS // max(len(self.versions.terms(version).lists), 1), 1)
        while batch := dict(islice(left, min(BATCH, some))):
            try:
                with self._inputs(version, batch) as inputs:
                    answers = run("evaluate", inputs)["files"]
            except (ScorerError, OSError) as error:
                if len(batch) == 1:
                    cause = f"the process that reads it did not finish: {error}"
                    yield from ((sha256, make_failure(cause)) for sha256 in batch)
                    continue
                for sha256, name in batch.items():  # whose fault was it?
                    yield from self._run_isolated(run, version, {sha256: name})
            else:
                yield from zip(batch, map(EvaluationResult.from_json, answers), strict=True)

    # the work of another process

    @contextmanager
    def worker_inputs(self, sha256: str) -> Iterator[dict[str, Any]]:
        """Yield what a process needs to evaluate a file without the store, inside the `with`.

        Raises:
            ScorerError: Too many workers ended over this file.
        """
        version = self.versions.in_force()
        if self._queue.attempts(version.values, sha256) > TRIES:
            raise ScorerError(f"{TRIES} workers ended over this file")
        with self._inputs(version, {sha256: self._name(version, sha256)}) as inputs:
            yield inputs

    @contextmanager
    def _inputs(self, version: Version, names: Mapping[str, str]) -> Iterator[dict[str, Any]]:
        """Yield what a process needs to read files (SHA-256 -> name) under a version."""
        with ExitStack() as stack:
            inputs = self.versions.worker_inputs(version) | {"values": version.values}
            inputs["files"] = []
            for sha256, name in names.items():
                path = str(stack.enter_context(self.files.link(sha256, name)))
                inputs["files"].append({"sha256": sha256, "name": name, "path": path})
                inputs["read"].append(path)
            yield inputs

    def _name(self, version: Version, sha256: str) -> str:
        """Return the name under which a file was last sent."""
        entries = self.database.entries(sha256=sha256)
        named = entries or [e for e in self.versions.baselines(version) if e.sha256 == sha256]
        return named[-1].file if named else "submission"

    def store_answer(
        self, asked: Mapping[str, Any], answer: Mapping[str, Any], seconds: float | None = None
    ) -> None:
        """Store the result of another process, which took so long, with its scorecard's means."""
        version = self.versions.in_force()
        for file, fields in zip(asked["files"], answer["files"], strict=True):
            result = EvaluationResult.from_json(fields)
            if asked["values"] == version.values:
                evaluation = self._with_means(version, file["sha256"], result)
            else:
                evaluation = Evaluation(asked["values"], file["sha256"], **result._asdict())
            self._store(evaluation, seconds)

    # the state of the board

    def read_state(
        self, version: Version | None = None, entries: Sequence[Entry] | None = None
    ) -> BoardState:
        """Return everything that the board depends on, read in one transaction.

        Args:
            version: The version; default: the one in force.
            entries: Only these entries, and no others, are read; default: all, and baselines.
        """
        with self._read():
            chosen = version or self.versions.in_force()
            sent = self._entries(chosen) if entries is None else entries
            files = None if entries is None else {entry.sha256 for entry in entries}
            results = self._queue.results(chosen.values, files)
            state = self._state(chosen, sent)
            return replace(
                state,
                statuses={row.sha256: row.status for row in results},
                means={
                    row.sha256: self.means(chosen, row.sha256, row.summary)
                    for row in results
                    if row.status == "scored"
                },
                evaluations=partial(self._queue.get_several, chosen.values),
                cache=self._caches.setdefault(chosen.number, Cache()),
            )

    def state_at(self, now: datetime) -> BoardState:
        """Return everything that a board depends on, under the version in force at a time.

        Entries that were recorded but not evaluated are evaluated first.
        """
        version = self.versions.in_force(now)
        self.finish_pending(version)
        return self.read_state(version)

    def team_state(self, team: int | None) -> BoardState:
        """Return the state of a board with the entries of one team alone; None: the baselines."""
        with self._read():
            return self.read_state(entries=self.database.entry_rows(team=team))

    def preview_state(self, version: Version, evaluations: Mapping[str, Evaluation]) -> BoardState:
        """Return everything that a board would depend on under a version not in force."""
        scored = {s: each for s, each in evaluations.items() if each.status == "scored"}
        return replace(
            self._state(version, self._entries(version)),
            statuses={sha256: each.status for sha256, each in evaluations.items()},
            means={sha256: self._means(version, each) for sha256, each in scored.items()},
            evaluations=partial(map, evaluations.__getitem__),
        )

    @contextmanager
    def _read(self) -> Iterator[None]:
        """Read the store as it is at one moment, inside the `with`, with a version in force.

        A first version is made before: a transaction that has begun to read would not see it.
        """
        self.versions.make_first()
        with self.database.read():
            yield

    def _state(self, version: Version, entries: Sequence[Entry]) -> BoardState:
        """Return a state without evaluations; teams are read after the entries that are theirs."""
        terms = self.versions.terms(version)
        splits = masks_of(terms.lists, version.splits)
        teams, decisions = self.database.teams(), self.database.decisions()
        return BoardState(terms, splits, teams, entries, decisions, {}, {}, lambda _: ())

    def _entries(self, version: Version) -> list[Entry]:
        return [*self.database.entry_rows(), *self.versions.baselines(version)]

    # means

    def _with_means(self, version: Version, sha256: str, result: EvaluationResult) -> Evaluation:
        """Return an evaluation with its means; a failure where they cannot be worked out."""
        evaluation = Evaluation(version.values, sha256, **result._asdict())
        if evaluation.status == "scored":

            def summarize() -> EvaluationResult:
                evaluation.summary = self.summary(version, evaluation)
                return result

            failure = attempt(summarize)
            if failure.status == "failed":
                return Evaluation(version.values, sha256, **failure._asdict())
        return evaluation

    def summary(self, version: Version, evaluation: Evaluation) -> str:
        """Return the means of an evaluation on every split, as JSON, from its scorecard."""
        means = {
            split: {measure: None if np.isnan(mean) else mean for measure, mean in means.items()}
            for split, means in self._means(version, evaluation).items()
        }
        return json.dumps({"fingerprint": version.fingerprint, "means": means})

    def _means(self, version: Version, evaluation: Evaluation) -> Means:
        """Return split -> measure id -> mean, from a scorecard."""
        terms = self.versions.terms(version)
        splits = masks_of(terms.lists, version.splits)
        alone = BoardState(terms, splits, (), (), (), {}, {}, lambda _: ())
        entry = Entry(0, None, version.since, evaluation.sha256, "", 0, None)
        scored = {split: score_entry(alone.part(split), evaluation, entry) for split in splits}
        return {
            split: {key: value.mean for key, value in each.values.items()}
            for split, each in scored.items()
        }

    def means(self, version: Version, sha256: str, summary: str | None) -> Means:
        """Return split -> measure id -> mean, of a scored file; once for each fingerprint."""
        cached = json.loads(summary) if summary else {}
        if cached.get("fingerprint") != version.fingerprint:
            evaluation = self._queue.get(version.values, sha256)
            assert evaluation is not None
            summary = self.summary(version, evaluation)
            self._queue.summarize(version.values, sha256, summary)
            cached = json.loads(summary)
        for means in cached["means"].values():
            means |= {key: np.nan for key, mean in means.items() if mean is None}
        return cached["means"]  # type: ignore[no-any-return]


def worker_name() -> str:
    """Return the name of this process as a worker: its machine and its number."""
    return f"{socket.gethostname()}:{os.getpid()}"
