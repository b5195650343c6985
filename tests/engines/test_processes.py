"""Many submissions are shared out between two processes, and nobody can tell."""

from __future__ import annotations

import subprocess
import sys

import pytest

pytestmark = pytest.mark.slow("copies of the process, many megabytes of files")

GOOD = "q1 Q0 a 1 3 t\nq1 Q0 b 2 2 t\nq2 Q0 c 1 3 t\nq2 Q0 a 2 1 t\n"
FILES = {
    "one.run": GOOD,
    "two.run": GOOD.replace(" b ", " x "),
    "twice.run": GOOD.replace(" b ", " a "),
    "short.run": GOOD.replace("q2", "q1", 1),
    "three.run": GOOD.replace("3 t", "0 t"),
    "empty.run": "",
}
# The command, which shares its work from `least` bytes on; each copy says so, and does `then`.
RUN = """
import os, sys
from scorer.engines import processes
processes.SHARED = {least}
begin = processes._begin
def _begin(*given):
    os.write(2, b"copied\\n")
    {then}
    begin(*given)
processes._begin = _begin
one = processes._score_one
def _one(work):
    {each}
    return one(work)
processes._score_one = _one
from scorer.cli.main import run
sys.exit(run(sys.argv[1:]))
"""


@pytest.fixture
def run(challenge):
    folder = challenge(
        "truth: {file: truth.qrels}\nmetrics: [nDCG@2, AP]\n"
        "submission: {format: trec}\nleaderboard: {draws: 200, tie_break: [RPP]}\n",
        **{"truth.qrels": "q1 0 a 1\nq2 0 c 2\nq2 0 a 0\n"},
        **FILES,
    )

    def ran(*words, least=0, then="pass", each="pass"):
        code = RUN.format(least=least, then=then, each=each)
        files = [str(folder / name) for name in FILES]
        command = [sys.executable, "-c", code, *words, str(folder), *files]
        return subprocess.run(command, capture_output=True, text=True, timeout=60)

    return ran


def said(ran):
    return ran.returncode, ran.stdout, ran.stderr.replace("copied\n", "")


@pytest.mark.skipif(sys.platform != "linux", reason="processes are copied on Linux only")
@pytest.mark.parametrize("words", [("--format", "json", "--per-list"), ("check",)])
def test_a_board_is_the_same_by_one_process_or_two(run, words):
    two, one = run(*words), run(*words, least=10**9)
    assert two.stderr.count("copied") == 2
    assert "copied" not in one.stderr
    assert said(two) == said(one)
    assert two.returncode == 1  # some are rejected
    assert "S304" in two.stdout + two.stderr


@pytest.mark.skipif(sys.platform != "linux", reason="processes are copied on Linux only")
def test_when_a_copy_is_killed_the_first_process_does_the_rest(run):
    killed = run("--format", "json", then="os._exit(9)")
    assert "copied" in killed.stderr
    assert said(killed) == said(run("--format", "json", least=10**9))


KILLED = "begun = processes._job[-1][1]; begun[work[0]] = 1; work[0] == 1 and os._exit(9)"


@pytest.mark.skipif(sys.platform != "linux", reason="processes are copied on Linux only")
def test_a_submission_whose_copy_is_killed_is_refused_and_read_by_nobody_else(run):
    killed, whole = run("check", each=KILLED), run("check", least=10**9)
    assert "two.run: error[S104] the system ended the process" in killed.stderr + killed.stdout
    for name in ("twice.run", "short.run", "empty.run"):
        told = [line for line in (whole.stderr + whole.stdout).splitlines() if name in line]
        assert told
        assert set(told) <= set((killed.stderr + killed.stdout).splitlines())
