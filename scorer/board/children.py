"""Child processes with limits of time and memory, in which untrusted files are evaluated."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from contextlib import suppress
from importlib.util import find_spec
from pathlib import Path
from typing import Any, NamedTuple

from scorer.board.board import Board
from scorer.board.evaluations import BEAT, LEASE
from scorer.core.errors import ScorerError, UsageError
from scorer.core.problems import Problem

KEPT = ("PATH", "LANG", "LC_ALL", "TZ", "PYTHONPATH", "PYTHONHOME", "LD_LIBRARY_PATH")  # confined
SECRETS = ("SCORER_SERVE", "SCORER_SECRET")  # of the environment: the key of sessions


class ChildLimits(NamedTuple):
    """The resources that a child process may use."""

    seconds: int = 600  # of CPU, and half as much again of time
    memory: int = 4 << 30  # bytes of addresses

    @property
    def time(self) -> int:
        """Seconds after which it is killed."""
        return self.seconds * 3 // 2 + 1


class BoardPlace(NamedTuple):
    """Where a challenge and its store are."""

    path: str
    store: str | None = None
    files: str | None = None
    allow_plugins: bool = False

    def open(self) -> Board:
        """The board, as `Board.open` does."""
        path, store, files, allow_plugins = self
        return Board.open(Path(path), store, files, allow_plugins=allow_plugins)


class Failed(ScorerError):
    """A child process did not answer."""


def ask_child(
    place: BoardPlace,
    limits: ChildLimits,
    do: str,
    beat: Callable[[], None] = lambda: None,
    **more: Any,
) -> dict[str, Any]:
    """Have a child process do a task, and return its answer.

    Args:
        do: prepare, evaluate, check, kit, rescore or audit. With `read` among `more` it gets
            neither the store nor the network, and these files alone.
        beat: called now and then while it works.

    Raises:
        ScorerError: the fault that the child reports.
        Failed: it died, or took too long.
        UsageError: this system cannot limit a process.
    """
    require_limits()
    task = {"do": do, "time": limits.time, **limits._asdict(), **more}
    environment = {key: value for key, value in os.environ.items() if key not in SECRETS}
    if "read" not in more:
        return _asked({**task, "place": place}, environment, limits, beat)
    with tempfile.TemporaryDirectory(prefix="scorer-child-") as folder:
        task["write"] = [folder, *more.get("write", ())]
        environment = {key: os.environ[key] for key in KEPT if key in os.environ}
        return _asked(task, environment | {"TMPDIR": folder}, limits, beat)


def require_limits() -> None:
    """Refuse, by `UsageError`, to evaluate strangers' files where no process can be limited."""
    if find_spec("resource") is None:
        raise UsageError(
            "untrusted files are evaluated within limits of time and memory, which this system "
            "does not have; serve and work need Linux or macOS, or on Windows WSL"
        )


def _asked(
    task: dict[str, Any], environment: dict[str, str], limits: ChildLimits, beat: Callable[[], None]
) -> dict[str, Any]:
    # each child is one of several: a pool of threads of its own would only be in the way
    environment |= {"POLARS_MAX_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"}
    # The task is no argument, which everybody on the machine could read: a store's URL may have a
    # password. A session of its own: Ctrl-C ends the server, which lets evaluations finish.
    child = subprocess.Popen(
        [sys.executable, "-m", "scorer.board.child"],
        env=environment,
        start_new_session=True,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )
    try:
        stdout, stderr = _ended(child, json.dumps(task).encode(), limits.time, beat)
    finally:
        child.kill()  # if this process is ended
    try:
        answer: dict[str, Any] = json.loads(stdout)
    except ValueError:
        output = stderr.decode("utf-8", "replace")[-4000:]
        raise Failed(f"it ended with {child.returncode}\n{output}") from None
    if "error" in answer:
        raise ScorerError(answer["error"], [Problem(**fields) for fields in answer["problems"]])
    return answer


def _ended(
    child: subprocess.Popen[bytes], task: bytes, seconds: float, beat: Callable[[], None]
) -> tuple[bytes, bytes]:
    """Standard output and error of a child; it is killed when it takes longer than `seconds`."""
    until = time.monotonic() + seconds
    assert child.stdin
    with suppress(BrokenPipeError):  # it has ended; its exit code is read below
        child.stdin.write(task)  # not by `communicate`, which sends nothing when it is called again
    while True:
        try:
            return child.communicate(timeout=max(min(until - time.monotonic(), BEAT), 0.01))
        except subprocess.TimeoutExpired:
            if time.monotonic() < until:
                beat()
                continue
            child.kill()
            child.communicate()
            raise Failed(f"it took longer than {seconds:g} seconds") from None


def evaluate_next(board: Board, place: BoardPlace, limits: ChildLimits, worker: str) -> bool:
    """Have one waiting file evaluated by a child process; return whether one was waiting.

    Where the child ends otherwise, the evaluation has failed.
    """
    sha256 = board.evaluations.claim(worker, LEASE)
    if sha256 is None:
        return False

    def beat() -> None:
        with suppress(ScorerError):  # the store is away; it may come back
            board.evaluations.renew(sha256, worker, LEASE)

    try:
        begun = time.monotonic()
        with board.evaluations.worker_inputs(sha256) as asked:
            answer = ask_child(place, limits, "evaluate", beat, **asked)
    except ScorerError as error:
        board.evaluations.fail(sha256, f"the evaluation's process did not finish: {error}")
    else:  # where the store cannot be written, the next worker begins anew
        board.evaluations.keep(asked, answer, time.monotonic() - begun)
    return True


def evaluate_in_isolation(board: Board, place: BoardPlace, limits: ChildLimits) -> None:
    """Have audits and re-scorings of a board read entries in confined child processes.

    Where this system cannot limit a process, they are read in this one.
    """

    def run(do: str, more: dict[str, Any]) -> dict[str, Any]:
        seconds = limits.seconds * len(more["files"])
        return ask_child(place, limits._replace(seconds=seconds), do, **more)

    if find_spec("resource") is not None:
        board.evaluations.isolated_runner = run
