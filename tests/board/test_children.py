"""Child processes: what takes long is waited for, and told to be under way meanwhile."""

import subprocess
import sys
import time
from contextlib import nullcontext
from types import SimpleNamespace

import pytest

from scorer.board import isolation
from scorer.board.worker_process import VISITOR_NICENESS
from scorer.core.errors import UsageError

ECHO = "import sys, time; asked = sys.stdin.read(); time.sleep({}); print(asked)"


@pytest.fixture
def sleeper():
    """A child that answers what it was asked after so many seconds."""
    made = []

    def start(seconds):
        made.append(
            subprocess.Popen(
                [sys.executable, "-I", "-S", "-c", ECHO.format(seconds)],
                stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
            )
        )  # fmt: skip
        return made[-1]

    yield start
    for child in made:
        child.kill()
        child.communicate()


def test_an_evaluation_longer_than_a_beat_is_waited_for(sleeper, monkeypatch):
    monkeypatch.setattr(isolation, "BEAT", 0.02)
    beats, task = [], b"x" * (1 << 18)  # more than a pipe holds
    stdout, stderr = isolation._wait_for(sleeper(0.2), task, 30, lambda: beats.append(1))
    assert stdout.strip() == task
    assert stderr == b""
    assert len(beats) > 1


def test_a_child_that_takes_too_long_is_killed(sleeper, monkeypatch):
    monkeypatch.setattr(isolation, "BEAT", 0.02)
    child, began = sleeper(60), time.monotonic()
    with pytest.raises(isolation.ChildError, match=r"longer than 0\.1 seconds"):
        isolation._wait_for(child, b"x", 0.1, lambda: None)
    assert child.returncode == -9
    assert time.monotonic() - began < 30


NICE = """
import os
from scorer.board.worker_process import VISITOR_NICENESS, _lower_priority
before = os.nice(0)
_lower_priority(VISITOR_NICENESS)
print(os.nice(0) - before)
"""


def test_what_visitors_start_gives_way():
    words = [sys.executable, "-c", NICE]
    ran = subprocess.run(words, capture_output=True, text=True, start_new_session=True, check=True)
    assert int(ran.stdout) == VISITOR_NICENESS > 0


def test_where_the_store_cannot_be_written_an_evaluation_has_not_failed(monkeypatch):
    """What was found is lost, and found again by the next worker; nobody is told of a failure."""

    def store_answer(asked, answer, seconds):
        raise UsageError("the store cannot be written: database is locked")

    failures = []
    board = SimpleNamespace(
        evaluations=SimpleNamespace(
            claim=lambda *words: "x", worker_inputs=lambda sha256: nullcontext({}),
            store_answer=store_answer,
            fail=lambda *words: failures.append(words),
        )
    )  # fmt: skip
    monkeypatch.setattr(isolation, "ask_child", lambda *words, **more: {})
    with pytest.raises(UsageError, match="locked"):
        isolation.evaluate_next(board, None, isolation.ChildLimits(), "worker")
    assert failures == []


def test_a_worker_renews_its_lease_while_the_child_works(monkeypatch):
    renewed = []
    board = SimpleNamespace(
        evaluations=SimpleNamespace(
            claim=lambda *words: "x", worker_inputs=lambda sha256: nullcontext({}),
            renew=lambda *words: renewed.append(words), store_answer=lambda *words: None,
        )
    )  # fmt: skip

    def ask_child(place, limits, task, beat, **inputs):
        beat()
        return {}

    monkeypatch.setattr(isolation, "ask_child", ask_child)
    assert isolation.evaluate_next(board, None, isolation.ChildLimits(), "worker")
    assert renewed == [("x", "worker", 60.0)]


WITHIN = """
import resource
from scorer.board.worker_process import _limit
resource.setrlimit(resource.RLIMIT_CPU, (50, 100))
for limits in ((200, 201), (60, 61), (40, 41)):
    _limit("CPU", *limits)
    print(*resource.getrlimit(resource.RLIMIT_CPU))
"""


@pytest.mark.slow("starts processes")
def test_a_child_of_a_child_stays_within_its_limits():
    """Asking for more is an error to all but root, as where a server's child starts others."""
    words = [sys.executable, "-c", WITHIN]
    ran = subprocess.run(words, capture_output=True, text=True, check=True)
    assert ran.stdout.splitlines() == ["100 100", "60 61", "40 41"]
