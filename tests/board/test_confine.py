"""A process that was confined reaches its own files, and nothing else."""

import json
import os
import subprocess
import sys

import polars
import pytest

from scorer.board import confine
from scorer.board.board import Board
from scorer.board.children import Limits, Place, evaluate_next

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
        assert evaluate_next(board, Place(str(tmp_path / "c")), Limits(), "worker")
        assert board.outcome(1).values == {"all": {"P@1": 1.0}}
        assert board.altered() == []
