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
from scorer.board.evaluation_service import BEAT, LEASE
from scorer.core.errors import ScorerError, UsageError
from scorer.core.problems import Problem

# The environment variables that a confined process sees.
VISIBLE_VARIABLES = ("PATH", "LANG", "LC_ALL", "TZ", "PYTHONPATH", "PYTHONHOME", "LD_LIBRARY_PATH")
SECRET_VARIABLE = "SCORER_SECRET"  # that no child sees: the key by which sessions are signed
OUTPUT_END = 4000  # characters of a failed child's output that its error quotes


class ChildLimits(NamedTuple):
    """The resources that a child process may use."""

    seconds: int = 600  # of CPU time
    memory: int = 4 << 30  # bytes of address space

    @property
    def time(self) -> int:
        """Seconds of wall time after which it is killed: half as many again as of CPU time."""
        return self.seconds * 3 // 2 + 1  # rounded up


class BoardPlace(NamedTuple):
    """Where a challenge and its store are."""

    path: str
    store: str | None = None
    files: str | None = None
    allow_plugins: bool = False

    def open(self) -> Board:
        """Open the board."""
        return Board.open(Path(self.path), self.store, self.files, allow_plugins=self.allow_plugins)


class ChildError(ScorerError):
    """A child process ended without an answer, or took too long."""


def ask_child(
    place: BoardPlace,
    limits: ChildLimits,
    task: str,
    beat: Callable[[], None] = lambda: None,
    **inputs: Any,
) -> dict[str, Any]:
    """Have a child process do a task, and return its answer.

    Args:
        task: prepare, evaluate, check, kit, rescore or audit.
        beat: Called every `BEAT` seconds while the child works.
        inputs: What the task needs. With `read`, the child is confined: it sees only the files
            in `read` and `write`, and neither the store nor the network.

    Raises:
        ScorerError: The child reports an error.
        ChildError: The child ended without an answer, or took too long.
        UsageError: This system cannot limit a process.
    """
    require_limits()
    message = {"do": task, "time": limits.time, **limits._asdict(), **inputs}
    env = {key: value for key, value in os.environ.items() if key != SECRET_VARIABLE}
    if "read" not in inputs:
        return _run_child({**message, "place": place}, env, limits, beat)
    with tempfile.TemporaryDirectory(prefix="scorer-child-") as folder:
        message["write"] = [folder, *inputs.get("write", ())]
        env = {key: os.environ[key] for key in VISIBLE_VARIABLES if key in os.environ}
        return _run_child(message, env | {"TMPDIR": folder}, limits, beat)


def require_limits() -> None:
    """Raise `UsageError` on a system that cannot limit the time and memory of a process."""
    if find_spec("resource") is None:
        raise UsageError(
            "untrusted files are evaluated within limits of time and memory, which this system "
            "does not have; serve and work need Linux or macOS, or on Windows WSL"
        )


def _run_child(
    message: dict[str, Any], env: dict[str, str], limits: ChildLimits, beat: Callable[[], None]
) -> dict[str, Any]:
    """Send a message to a new child process, and return its answer."""
    # Several children run at a time, so more threads in each of them would only slow them down.
    env |= {"POLARS_MAX_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"}
    # Everybody on the machine can read arguments, but not standard input; a store's URL may have a
    # password. In a session of its own the child outlives Ctrl-C, so that evaluations can finish.
    child = subprocess.Popen(
        [sys.executable, "-m", "scorer.board.worker_process"],
        env=env,
        start_new_session=True,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )
    try:
        stdout, stderr = _wait_for(child, json.dumps(message).encode(), limits.time, beat)
    finally:
        child.kill()  # where an exception ended the wait; a child that has ended stays as it is
    try:
        answer: dict[str, Any] = json.loads(stdout)
    except ValueError:
        output = stderr.decode("utf-8", "replace")[-OUTPUT_END:]
        raise ChildError(f"it ended with {child.returncode}\n{output}") from None
    if "error" in answer:
        raise ScorerError(answer["error"], [Problem(**fields) for fields in answer["problems"]])
    return answer


def _wait_for(
    child: subprocess.Popen[bytes], message: bytes, seconds: float, beat: Callable[[], None]
) -> tuple[bytes, bytes]:
    """Return standard output and error of a child, which is killed after `seconds`."""
    deadline = time.monotonic() + seconds
    assert child.stdin
    with suppress(BrokenPipeError):  # it has ended; its exit code is read below
        # `communicate` is called several times, and would send its input at the first call only.
        child.stdin.write(message)
    while True:
        # above 0 even past the deadline: the child may have ended during a slow beat
        timeout = max(min(deadline - time.monotonic(), BEAT), 0.01)
        try:
            return child.communicate(timeout=timeout)
        except subprocess.TimeoutExpired:
            if time.monotonic() < deadline:
                beat()
                continue
            child.kill()
            child.communicate()
            raise ChildError(f"it took longer than {seconds:g} seconds") from None


def evaluate_next(board: Board, place: BoardPlace, limits: ChildLimits, worker: str) -> bool:
    """Have one waiting file evaluated by a child process; return whether one was waiting.

    If the child reports an error or does not answer, the evaluation has failed.
    """
    sha256 = board.evaluations.claim(worker, LEASE)
    if sha256 is None:
        return False

    def beat() -> None:
        with suppress(ScorerError):  # the store cannot be reached now; a later beat may reach it
            board.evaluations.renew(sha256, worker, LEASE)

    try:
        begun = time.monotonic()
        with board.evaluations.worker_inputs(sha256) as inputs:
            answer = ask_child(place, limits, "evaluate", beat, **inputs)
    except ScorerError as error:
        board.evaluations.fail(sha256, f"the evaluation's process did not finish: {error}")
    else:  # if this cannot be written to the store, another worker evaluates the file again
        board.evaluations.store_answer(inputs, answer, time.monotonic() - begun)
    return True


def evaluate_in_isolation(board: Board, place: BoardPlace, limits: ChildLimits) -> None:
    """Have confined child processes read the entries of a board for audits and re-scorings.

    On a system that cannot limit a process, the board's own process reads them.
    """

    def run(task: str, inputs: dict[str, Any]) -> dict[str, Any]:
        seconds = limits.seconds * len(inputs["files"])
        return ask_child(place, limits._replace(seconds=seconds), task, **inputs)

    if find_spec("resource") is not None:
        board.evaluations.isolated_runner = run
