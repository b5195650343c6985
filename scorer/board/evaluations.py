"""The evaluations of a board's files: leases, results, and their means."""

from __future__ import annotations

import json
import logging
import os
import socket
import threading
import traceback
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from functools import partial
from typing import Any

import numpy as np

from scorer.board.database import Database
from scorer.board.evaluation import OUR_ERRORS, EvaluationResult, make_failure
from scorer.board.files import Files
from scorer.board.models import Entry, Evaluation, Status, Version
from scorer.board.queue import QueueState
from scorer.board.reading import Reader
from scorer.board.standings import BoardState, Cache, Means
from scorer.board.versions import Versions
from scorer.core.errors import ChallengeError, ScorerError, UnknownName
from scorer.core.log import LOG
from scorer.scoring.splits import masks_of

LEASE, BEAT = 60.0, 15.0  # seconds for which a worker holds an evaluation, and between renewals
TRIES = 3  # workers that may end over an evaluation before it counts as failed


class Evaluations:
    """The evaluations of all files under all versions."""

    def __init__(self, versions: Versions, database: Database, files: Files) -> None:
        self.versions, self.database, self.files = versions, database, files
        self._queue = database.evaluations
        self.reader = Reader(versions, files)
        self._caches: dict[int, Cache] = {}  # for each version

    # the work

    def claim(self, worker: str, seconds: float) -> str | None:
        """Claim one waiting file for a limited time; None if none is waiting."""
        values = self.versions.in_force().values
        return self._queue.claim(values, worker, datetime.now(UTC), seconds)

    def queue(self, now: datetime) -> QueueState:
        """What waits, and what workers hold, under the version in force."""
        return self._queue.queue(self.versions.in_force().values, now)

    def renew(self, sha256: str, worker: str, seconds: float) -> None:
        """Keep a file that this worker has taken, for so long from now."""
        until = datetime.now(UTC) + timedelta(seconds=seconds)
        self._queue.renew(self.versions.in_force().values, sha256, worker, until)

    def work(self, *, most: int | None = None, worker: str | None = None) -> int:
        """Evaluate waiting files until none is left, or `most` are, and return their number.

        Several workers can share the work; the store keeps the name of each.
        """
        version, done = self.versions.in_force(), 0
        name = worker or worker_name()
        while most is None or done < most:
            sha256 = self._queue.claim(version.values, name, datetime.now(UTC), LEASE)
            if sha256 is None:
                break
            if self._queue.state(version.values, sha256)[1] > TRIES:
                self.fail(sha256, f"{TRIES} workers ended over this file")
            else:
                with self._held(sha256, name):
                    self.finish(version, sha256, self._name(version, sha256))
            done += 1
        return done

    @contextmanager
    def _held(self, sha256: str, worker: str) -> Iterator[None]:
        """Keep a file that this worker has taken, however long the `with` takes."""
        ended = threading.Event()

        def renew() -> None:
            while not ended.wait(BEAT):
                with suppress(ScorerError):  # the store is away; it may come back
                    self.renew(sha256, worker, LEASE)

        beat = threading.Thread(target=renew, name="lease", daemon=True)
        beat.start()
        try:
            yield
        finally:
            ended.set()
            beat.join()

    def ask(self) -> None:
        """Queue entries without an evaluation, and the challenge's baselines."""
        version = self.versions.in_force()
        digests = [entry.sha256 for entry in self._entries(version)]
        self._queue.ask(version.values, digests, datetime.now(UTC))

    def finish_pending(self, version: Version | None = None) -> None:
        """Evaluate entries that were recorded but not evaluated, as after a process was killed."""
        with self.database.read():
            chosen = version or self.versions.in_force()
            names = {entry.sha256: entry.file for entry in self._entries(chosen)}
            statuses = self._queue.statuses(chosen.values)
        if unasked := [sha256 for sha256 in names if sha256 not in statuses]:
            self._queue.ask(chosen.values, unasked, datetime.now(UTC))
        waiting = {
            sha256: name
            for sha256, name in names.items()
            if statuses.get(sha256, "pending") == "pending"
        }
        self._store(self.evaluated(chosen, waiting))

    def _entries(self, version: Version) -> list[Entry]:
        return [*self.database.entries(), *self.versions.baselines(version)]

    def finish(self, version: Version, sha256: str, name: str) -> None:
        """Evaluate a file, which was sent under a name, and store the result."""
        self._store(self.evaluated(version, {sha256: name}))

    def _store(self, evaluations: Iterable[Evaluation], seconds: float | None = None) -> None:
        for evaluation in evaluations:
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

    def evaluated(self, version: Version, names: Mapping[str, str]) -> Iterator[Evaluation]:
        """The evaluations of files under a version; they are not stored."""
        for evaluation in self.reader.evaluate(version, names):
            yield self._with_means(version, evaluation)

    def _with_means(self, version: Version, evaluation: Evaluation) -> Evaluation:
        """The evaluation with its means; a failure where they cannot be worked out."""
        if evaluation.status != "scored":
            return evaluation
        try:
            return replace(evaluation, summary=self.summary(version, evaluation))
        except ChallengeError:
            raise
        except OUR_ERRORS as error:
            failure = make_failure("".join(traceback.format_exception(error)))
            return Evaluation(version.values, evaluation.sha256, **failure._asdict())

    # the work of another process

    @contextmanager
    def worker_inputs(self, sha256: str) -> Iterator[dict[str, Any]]:
        """What a process needs to evaluate a file without the store, inside the `with`.

        `ScorerError` if too many workers ended over this file.
        """
        version = self.versions.in_force()
        if self._queue.state(version.values, sha256)[1] > TRIES:
            raise ScorerError(f"{TRIES} workers ended over this file")
        with self.reader.worker_inputs(version, {sha256: self._name(version, sha256)}) as inputs:
            yield inputs

    def _name(self, version: Version, sha256: str) -> str:
        """The name under which a file was last sent."""
        entries = self.database.entries(sha256=sha256)
        named = entries or [e for e in self.versions.baselines(version) if e.sha256 == sha256]
        return named[-1].file if named else "submission"

    def keep(
        self, asked: Mapping[str, Any], answer: Mapping[str, Any], seconds: float | None = None
    ) -> None:
        """Store the result of another process, which took so long, with its scorecard's means."""
        version = self.versions.in_force()
        for file, fields in zip(asked["files"], answer["files"], strict=True):
            result = EvaluationResult.from_json(fields)
            evaluation = Evaluation(asked["values"], file["sha256"], **result._asdict())
            if evaluation.values == version.values:
                evaluation = self._with_means(version, evaluation)
            self._store([evaluation], seconds)

    # failures

    def fail(self, sha256: str, cause: str) -> None:
        """Record that an evaluation failed, unless it has finished already."""
        failure = make_failure(cause)._asdict()
        self._store([Evaluation(self.versions.in_force().values, sha256, **failure)])

    def failures(self) -> list[tuple[str, int]]:
        """The reference of each failed evaluation, and the first entry it concerns."""
        return self.database.listing(self.versions.in_force().values).failures()

    def failure(self, reference: str) -> str:
        """The cause of a failed evaluation; for the organizer only. Raises `UnknownName`."""
        return self._failed(reference).cause or ""

    def retry(self, reference: str) -> None:
        """Queue a failed evaluation again. Raises `UnknownName`."""
        evaluation = self._failed(reference)
        self._queue.retry(evaluation.values, evaluation.sha256)

    def _failed(self, reference: str) -> Evaluation:
        evaluation = self._queue.failure(reference)
        if evaluation is None:
            raise UnknownName("failure", reference, [])
        return evaluation

    def snapshot(
        self, version: Version | None = None, entries: Sequence[Entry] | None = None
    ) -> BoardState:
        """Everything that the board depends on, under the version in force or another.

        Args:
            version: the version; default: the one in force.
            entries: only these entries, and no others, are read; default: all, and baselines.
        """
        with self.database.read():
            chosen = version or self.versions.in_force()
            sent = self._entries(chosen) if entries is None else entries
            files = None if entries is None else {entry.sha256 for entry in entries}
            results = self._queue.results(chosen.values, files)
            return self._snapshot(
                chosen,
                sent,
                {row.sha256: row.status for row in results},
                {
                    row.sha256: self.means(chosen, row.sha256, row.summary)
                    for row in results
                    if row.status == "scored"
                },
                partial(self._queue.several, chosen.values),
                self._caches.setdefault(chosen.number, Cache()),
            )

    def state_at(self, now: datetime) -> BoardState:
        """Return everything that a board depends on, under the version in force at a time.

        Entries that were recorded but not evaluated are evaluated first.
        """
        version = self.versions.in_force(now)
        self.finish_pending(version)
        return self.snapshot(version)

    def own(self, team: int | None) -> BoardState:
        """What the entries of one team, or baselines, depend on, under the version in force."""
        with self.database.read():
            return self.snapshot(entries=self.database.entries(team=team))

    def snapshot_of(self, version: Version, evaluations: Mapping[str, Evaluation]) -> BoardState:
        """Everything that a board would depend on under a version that is not in force."""
        return self._snapshot(
            version,
            self._entries(version),
            {sha256: each.status for sha256, each in evaluations.items()},
            {
                sha256: self._means(version, each)
                for sha256, each in evaluations.items()
                if each.status == "scored"
            },
            partial(map, evaluations.__getitem__),
            Cache(),
        )

    def _snapshot(
        self,
        version: Version,
        entries: Sequence[Entry],
        statuses: Mapping[str, Status],
        means: Mapping[str, Means],
        several: Callable[[Sequence[str]], Iterable[Evaluation]],
        cache: Cache,
    ) -> BoardState:
        """A snapshot with teams and decisions; read after the entries, whose teams it has."""
        terms = self.versions.terms(version)
        return BoardState(
            terms,
            masks_of(terms.lists, version.splits),
            self.database.teams(),
            entries,
            self.database.decisions(),
            statuses,
            means,
            several,
            cache,
        )

    def summary(self, version: Version, evaluation: Evaluation) -> str:
        """The means of an evaluation on every split, as JSON, from its scorecard."""
        means = {
            split: {measure: None if np.isnan(mean) else mean for measure, mean in means.items()}
            for split, means in self._means(version, evaluation).items()
        }
        return json.dumps({"fingerprint": version.fingerprint, "means": means})

    def _means(self, version: Version, evaluation: Evaluation) -> dict[str, dict[str, float]]:
        """Split -> measure id -> mean, from a scorecard."""
        terms = self.versions.terms(version)
        masks = masks_of(terms.lists, version.splits)
        alone = BoardState(terms, masks, (), (), (), {}, {}, lambda _: [evaluation])
        entry = Entry(0, None, version.since, evaluation.sha256, "", 0, None)
        return {
            split: {key: value.mean for key, value in alone.scored(entry, "", split).values.items()}
            for split in masks
        }

    def means(
        self, version: Version, sha256: str, summary: str | None
    ) -> dict[str, dict[str, float]]:
        """Split -> measure id -> mean, of a scored file; worked out once for each fingerprint."""
        cached = json.loads(summary) if summary else {}
        if cached.get("fingerprint") != version.fingerprint:
            whole = self._queue.one(version.values, sha256)
            assert whole is not None
            summary = self.summary(version, whole)
            self._queue.summarize(version.values, sha256, summary)
            cached = json.loads(summary)
        for means in cached["means"].values():
            means |= {key: np.nan for key, mean in means.items() if mean is None}
        return cached["means"]  # type: ignore[no-any-return]


def worker_name() -> str:
    """The name of this process as a worker: its machine and its number."""
    return f"{socket.gethostname()}:{os.getpid()}"
