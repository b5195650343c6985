"""A process that was confined reaches its own files, and nothing else."""

import json
import os
import subprocess
import sys

import polars
import pytest

from scorer.board import confine
from scorer.board.board import Board
from scorer.board.file_evaluation import EvaluationResult
from scorer.board.integrity import find_alterations
from scorer.board.isolation import (
    BoardPlace,
    ChildLimits,
    ask_child,
    evaluate_in_isolation,
    evaluate_next,
)
from scorer.board.worker_process import run_task
from scorer.core.errors import ScorerError
from scorer.core.problems import Findings

TRY = """
import json, os, socket, subprocess, sys
from scorer.board.confine import confine
given, hidden, own = sys.argv[1:]
confine([given], [own])
def outcome(act):
    try:
        act()
    except OSError:
        return False
    return True
print(json.dumps({
    "given": outcome(lambda: open(given).read()),
    "given, written": outcome(lambda: open(given, "a")),
    "own, written": outcome(lambda: open(own + "/x", "w")),
    "hidden": outcome(lambda: open(hidden).read()),
    "hidden, by a link": outcome(lambda: (os.symlink(hidden, own + "/l"), open(own + "/l").read())),
    "hidden, by a child": not subprocess.run(["cat", hidden], capture_output=True).returncode,
    "hidden, linked": outcome(lambda: os.link(hidden, own + "/h")),
    "listed": outcome(lambda: os.listdir(os.path.dirname(hidden))),
    "passwords": outcome(lambda: open("/etc/passwd")),
    "parent": outcome(lambda: open(f"/proc/{os.getppid()}/environ", "rb")),
    "internet": outcome(lambda: socket.socket(socket.AF_INET)),
    "datagrams": outcome(lambda: socket.socket(socket.AF_INET6, socket.SOCK_DGRAM)),
    "local sockets": outcome(lambda: socket.socket(socket.AF_UNIX)),
    "pairs": outcome(socket.socketpair),
}))
"""


def test_a_confined_process_has_its_own_files_and_no_network(tmp_path):
    if not confine.landlock() or not confine.seccomp():
        pytest.skip("this system lacks Landlock or seccomp")
    given, hidden, own = (tmp_path / name for name in ("given", "hidden", "own"))
    given.write_text("x")
    hidden.write_text("x")
    own.mkdir()
    words = [sys.executable, "-c", TRY, *map(str, (given, hidden, own))]
    ran = subprocess.run(words, capture_output=True, text=True, check=True, env={**os.environ})
    reached = {name for name, could in json.loads(ran.stdout).items() if could}
    assert reached == {"given", "own, written", "pairs"}


@pytest.mark.parametrize(
    ("landlock", "seccomp", "words"),
    [
        (7, True, "an evaluation has no file but its own (Landlock) and no network (seccomp)"),
        (0, True, "an evaluation has no network (seccomp); it reaches all files of this user "
         "(no Landlock): use a container"),
        (0, False, "an evaluation is not confined; it reaches all files of this user (no Landlock) "
         "and the network (no seccomp): use a container"),
    ],
)  # fmt: skip
def test_the_protections_are_said(monkeypatch, landlock, seccomp, words):
    monkeypatch.setattr(confine, "landlock", lambda: landlock)
    monkeypatch.setattr(confine, "seccomp", lambda: seccomp)
    assert confine.protections() == words


@pytest.mark.slow("keeps and evaluates entries")
def test_a_confined_child_evaluates_and_reads_parquet(tmp_path):
    """Without the store; Parquet takes a further process, which is confined, too."""
    (tmp_path / "c").mkdir()
    (tmp_path / "c/challenge.yaml").write_text(
        "truth: truth.csv\nmetrics: [P@1]\nsubmission: {format: parquet}\n"
    )
    (tmp_path / "c/truth.csv").write_text("list,item,grade\nq,a,1\nq,b,0\n")
    rows = polars.DataFrame({"list": ["q", "q"], "item": ["a", "b"]})
    rows.write_parquet(tmp_path / "sent.parquet")
    with Board.open(tmp_path / "c") as board:
        board.add([tmp_path / "sent.parquet"], "red", evaluate=False)
        assert evaluate_next(board, BoardPlace(str(tmp_path / "c")), ChildLimits(), "worker")
        assert board.ledger.outcome(1).values == {"all": {"P@1": 1.0}}
        assert find_alterations(board.evaluations) == []


REACHES = '''
import socket

from scorer import Ranked, metric


def reached(act):
    try:
        act().close()
    except OSError:
        return 0
    return 1


@metric("Reach", title="reach", source="a test", range=(0, 2))
def reach(ranked: Ranked) -> float:
    """How far the process that evaluates reaches."""
    return reached(socket.socket) + reached(lambda: open("/etc/passwd"))
'''


@pytest.fixture
def reaching(tmp_path):
    """A board of two entries under a measure that says how far its process reaches."""
    folder = tmp_path / "c"
    folder.mkdir()
    (folder / "reaches.py").write_text(REACHES)
    (folder / "truth.csv").write_text("list,item,grade\nq,a,1\nq,b,0\n")
    (folder / "challenge.yaml").write_text(
        "truth: truth.csv\nmetrics: [Reach]\nplugins: [reaches.py]\n"
    )
    paths = [tmp_path / f"{name}.csv" for name in ("one", "two")]
    for path, rank in zip(paths, (1, 2), strict=True):
        path.write_text(f"list,item,rank\nq,a,{rank}\nq,b,{3 - rank}\n")
    place = BoardPlace(str(folder), allow_plugins=True)
    with place.open() as board:
        board.add(paths, "red")
        assert [board.ledger.outcome(n).values["all"]["Reach"] for n in (1, 2)] == [2, 2]
        (folder / "truth.csv").write_text("list,item,grade\nq,a,2\nq,b,0\n")
    with place.open() as board:
        yield board, place


@pytest.mark.slow("starts processes that evaluate")
@pytest.mark.parametrize("by", ["board", "server"])
def test_what_re_scores_is_confined(reaching, by):
    board, place = reaching
    if by == "server":
        ask_child(place, ChildLimits(), "rescore", dry_run=False)
    else:
        evaluate_in_isolation(board, place, ChildLimits())
        assert board.rescore().applied
    held = confine.landlock() > 0, confine.seccomp()
    with place.open() as after:
        values = [after.ledger.outcome(n).values["all"]["Reach"] for n in (1, 2)]
        assert values == [2 - sum(held)] * 2
        assert find_alterations(after.evaluations) == []


def test_an_audit_reads_no_file_of_an_entry(reaching, monkeypatch):
    board, _ = reaching
    here = board.audit()
    for name in (
        "files.FileStore.link",
        "file_evaluation.score_submission",
    ):  # who reads fails
        monkeypatch.setattr(f"scorer.board.{name}", None)
    assert board.audit() == here


@pytest.mark.slow("keeps and evaluates entries")
def test_where_a_process_dies_its_files_are_read_one_by_one(life, monkeypatch):
    monkeypatch.setattr("scorer.board.evaluation_service.BATCH", 8)
    with life.open() as board:
        paths = [life.sent(f"s{n}", 1) for n in range(10)]
        board.add(paths, "red", evaluate=False)
        bad, sizes = board.ledger.get(5).sha256, []

        def run(do, more):
            assert do == "evaluate"
            sizes.append(len(more["files"]))
            if bad in [file["sha256"] for file in more["files"]]:
                raise ScorerError("it ended with 9")
            return run_task({"do": do, **more})

        board.evaluations.isolated_runner = run
        board.evaluations.finish_pending()
        statuses = board.ledger.statuses()
        assert sizes == [8, *[1] * 8, 2]
        assert [number for number, status in statuses.items() if status != "scored"] == [5]
        assert "it ended with 9" in board.evaluations.failure(board.evaluations.failures()[0][0])


@pytest.mark.parametrize(
    "fields",
    [
        {}, [], {"status": "scored"}, {"status": "rejected", "findings": "{}"},
        {"status": "scored", "findings": Findings().to_json(), "card": "AAAA", "folds": {}},
        {"status": "scored", "findings": Findings().to_json(), "card": None, "folds": {}},
    ],
)  # fmt: skip
def test_what_a_process_answers_otherwise_is_a_failure_of_the_file_that_it_had(fields):
    assert EvaluationResult.from_json(fields).status == "failed"


def test_a_process_answers_for_the_file_that_it_had_and_no_other(life):
    with life.open() as board:
        mine, yours = (life.sent(name, 1) for name in "ab")
        board.add([mine, yours], "red", evaluate=False)
        sha256 = board.evaluations.claim("worker", 60)
        with board.evaluations.worker_inputs(sha256) as asked:
            answer = run_task({"do": "evaluate", **asked})
        (fields,) = answer["files"]
        other = next(e.sha256 for e in board.entries() if e.sha256 != sha256)
        fields |= {"sha256": other, "values": "other", "status": "rejected"}
        board.evaluations.store_answer(asked, answer)
        states = {e.sha256: board.ledger.statuses()[e.number] for e in board.entries()}
        assert states == {sha256: "rejected", other: "pending"}


def test_an_entry_that_cannot_be_evaluated_any_more_stops_a_re_scoring(life):
    with life.open() as board:
        board.add([life.sent("a", 1), life.sent("b", 2)], "red")
    life.grade[life.lists[0], life.items[0]] = 2
    life.write_truth()
    with life.open() as board:

        def dies(do, more):
            raise ScorerError("it took longer than 8 seconds")

        board.evaluations.isolated_runner = dies
        for _ in range(2):
            with pytest.raises(ScorerError, match=r"a\.csv was scored .* longer than 8 seconds"):
                board.rescore()
        assert board.versions.in_force().number == 1
        board.evaluations.isolated_runner = None
        assert board.rescore().applied
