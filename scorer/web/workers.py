"""Workers: each takes one waiting evaluation at a time and has a child process make it."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from contextlib import suppress
from typing import TYPE_CHECKING, Any, NamedTuple

from scorer.core.errors import ScorerError

if TYPE_CHECKING:
    from scorer.web.site import Site

PAUSE = 0.5  # seconds between looks for work that nobody announced
LEASE, BEAT = 60.0, 15.0  # seconds that work is held by who does it, and between renewals


class Limits(NamedTuple):
    """What a child process may use."""

    seconds: int = 600  # of CPU, and half as much again of time
    memory: int = 4 << 30  # bytes of addresses


class Failed(ScorerError):
    """A child process did not answer."""


def asked(
    site: Site, limits: Limits, do: str, beat: Callable[[], None] = lambda: None, **more: Any
) -> dict[str, Any]:
    """What a child process answers.

    Args:
        site: the challenge and its store.
        limits: of the child.
        do: prepare, evaluate, check, kit, rescore or audit.
        beat: called now and then while it works.
        more: what the task needs.

    Raises:
        ScorerError: what it says is wrong.
        Failed: it died, or took too long.
    """
    task = {
        "do": do, "challenge": str(site.path), "store": site.store, "files": site.files,
        "allow_plugins": site.allow_plugins, **limits._asdict(), **more,
    }  # fmt: skip
    command = [sys.executable, "-m", "scorer.web.evaluation", json.dumps(task)]
    environment = {key: value for key, value in os.environ.items() if key != "SCORER_SERVE"}
    # each child is one of several: a pool of threads of its own would only be in the way
    environment |= {"POLARS_MAX_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"}
    # a session of its own: Ctrl-C ends the server, which lets evaluations finish
    child = subprocess.Popen(
        command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
        env=environment, start_new_session=True,
    )  # fmt: skip
    stdout, stderr = _ended(child, limits.seconds * 1.5, beat)
    try:
        answer: dict[str, Any] = json.loads(stdout)
    except ValueError:
        said = stderr.decode("utf-8", "replace")[-4000:]
        raise Failed(f"it ended with {child.returncode}\n{said}") from None
    if "error" in answer:
        raise ScorerError(answer["error"])
    return answer


def _ended(
    child: subprocess.Popen[bytes], seconds: float, beat: Callable[[], None]
) -> tuple[bytes, bytes]:
    """What a child wrote, once it has ended; it is killed when it takes longer."""
    until = time.monotonic() + seconds
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


class Workers:
    """Threads of the server that wait for children; the children do the work."""

    def __init__(self, sites: list[Site], count: int, limits: Limits) -> None:
        self._sites, self._limits = sites, limits
        self._wake, self._ends = threading.Condition(), False
        self._threads = [
            threading.Thread(target=self._work, name=f"worker-{n}", daemon=True)
            for n in range(count)
        ]

    def start(self) -> None:
        """Begin."""
        for thread in self._threads:
            thread.start()

    def wake(self) -> None:
        """Say that something waits."""
        with self._wake:
            self._wake.notify_all()

    def end(self) -> None:
        """Take nothing more, and wait for what is under way."""
        with self._wake:
            self._ends = True
            self._wake.notify_all()
        for thread in self._threads:
            thread.join()

    @property
    def alive(self) -> int:
        """How many work."""
        return sum(thread.is_alive() for thread in self._threads)

    def _work(self) -> None:
        while not self._ends:
            try:
                found = sum(self._one(site) for site in self._sites) > 0
            except ScorerError:  # the store is away; it may come back
                found = False
            if not found:
                with self._wake:
                    if not self._ends:
                        self._wake.wait(PAUSE)

    def _one(self, site: Site) -> bool:
        """Have one waiting file evaluated; False where none waits."""
        name = f"{os.uname().nodename}:{os.getpid()}:{threading.current_thread().name}"
        sha256 = site.board.claim(name, LEASE)
        if sha256 is None:
            return False

        def beat() -> None:
            with suppress(ScorerError):  # the store is away; it may come back
                site.board.renew(sha256, name, LEASE)

        try:
            asked(site, self._limits, "evaluate", beat, sha256=sha256)
        except ScorerError as error:
            site.board.fail(sha256, f"the evaluation's process did not finish: {error}")
        return True
