"""Reading entries' files: in this process, or in confined ones without store or network."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack, contextmanager
from itertools import islice
from typing import Any

from scorer.board.evaluation import EvaluationResult, attempt, evaluate_file, make_failure
from scorer.board.files import Files, as_path
from scorer.board.models import Evaluation, Version
from scorer.board.versions import Versions
from scorer.core.errors import ScorerError
from scorer.scoring.open import OpenChallenge

BATCH = 64  # files that one confined process reads: starting it takes a second
MOST_LISTS = 100_000  # of which it answers at once, and which are held in memory

# A task and its arguments -> the answer of a confined process.
IsolatedRunner = Callable[[str, dict[str, Any]], dict[str, Any]]


class Reader:
    """Reads the files of entries, which strangers wrote.

    `isolated_runner` has a confined process do a task; where it is None, this process reads.
    """

    def __init__(self, versions: Versions, files: Files) -> None:
        self._versions, self._files = versions, files
        self.isolated_runner: IsolatedRunner | None = None

    @contextmanager
    def worker_inputs(self, version: Version, names: Mapping[str, str]) -> Iterator[dict[str, Any]]:
        """What a process needs to read files (SHA-256 -> name) without the store, in the `with`."""
        with ExitStack() as stack:
            inputs = self._versions.worker_inputs(version) | {"values": version.values}
            inputs["files"] = []
            for sha256, name in names.items():
                path = str(stack.enter_context(as_path(self._files, sha256, name)))
                inputs["files"].append({"sha256": sha256, "name": name, "path": path})
                inputs["read"].append(path)
            yield inputs

    def evaluate(self, version: Version, names: Mapping[str, str]) -> Iterator[Evaluation]:
        """The evaluations of files (SHA-256 -> name) under a version; no means on the splits."""
        if self.isolated_runner is not None:
            for sha256, result in self._evaluate_isolated(self.isolated_runner, version, names):
                yield Evaluation(version.values, sha256, **result._asdict())
        elif names:
            ready = self._versions.opened(version)
            for sha256, name in names.items():
                result = attempt(lambda: self._evaluate_here(ready, sha256, name))  # noqa: B023
                yield Evaluation(version.values, sha256, **result._asdict())

    def _evaluate_here(self, ready: OpenChallenge, sha256: str, name: str) -> EvaluationResult:
        with as_path(self._files, sha256, name) as path:
            return evaluate_file(ready, path, name)

    def _evaluate_isolated(
        self, run: IsolatedRunner, version: Version, names: Mapping[str, str]
    ) -> Iterator[tuple[str, EvaluationResult]]:
        """SHA-256 of each file, and what a confined process answers for it."""
        left = iter(names.items())
        some = max(MOST_LISTS // max(len(self._versions.terms(version).lists), 1), 1)
        while batch := dict(islice(left, min(BATCH, some))):
            try:
                with self.worker_inputs(version, batch) as inputs:
                    answers = run("evaluate", inputs)["files"]
            except (ScorerError, OSError) as error:
                if len(batch) == 1:
                    cause = f"the process that reads it did not finish: {error}"
                    yield from ((sha256, make_failure(cause)) for sha256 in batch)
                    continue
                for sha256, name in batch.items():  # whose fault was it?
                    yield from self._evaluate_isolated(run, version, {sha256: name})
            else:
                results = map(EvaluationResult.from_json, answers)
                yield from zip(batch, results, strict=True)
