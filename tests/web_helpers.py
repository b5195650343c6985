"""A challenge for the tests of the web, and how files are sent to it."""

import io
import json
import os
import socket
import subprocess
import sys
import time
import urllib.request
from datetime import UTC, datetime
from pathlib import Path

from scorer.board.board import Board
from scorer.board.worker_process import run_task

YAML = """\
title: A <b>course</b>
truth: truth.csv
lists: lists.csv
metrics: [P@2, RR]
splits: {public: 0.5, private: rest, seed: 424242}
phases:
  - {id: main, opens: 2020-01-01T00:00:00Z, closes: 2120-01-01T00:00:00Z, show: public}
  - {id: final, after: main, show: private}
registration: open
questions: {method: {board: true}}
leaderboard: {draws: 200, baselines: [poor.csv]}
"""
LISTS = [f"q{n:02d}" for n in range(12)]


def rows(score):
    return "list,item,score\n" + "".join(
        f"{name},{item},{score(n, item):g}\n" for n, name in enumerate(LISTS) for item in "abcd"
    )


def good(n, item):
    return "dcba".index(item)


def poor(n, item):
    return "abcd".index(item)


def mixed(by):
    """A submission that is right in every `by`-th list."""
    return rows(lambda n, item: good(n, item) if n % by == 0 else poor(n, item))


API = "/api/v1/challenges/course"


def send(client, headers, text, name="a.csv", **data):
    return client.post(
        f"{API}/entries", headers=headers, files={"file": (name, text.encode())}, data=data
    )


def finished(client, headers, number, seconds=120):
    """An entry once it is evaluated."""
    until = time.monotonic() + seconds
    while time.monotonic() < until:
        fields = client.get(f"{API}/entries/{number}", headers=headers).json()
        assert "status" in fields, fields
        if fields["status"] != "pending":
            return fields
        time.sleep(0.1)
    raise AssertionError(f"entry {number} still waits")


def entered(client, headers, text):
    """An entry that is sent, once it is evaluated."""
    return finished(client, headers, send(client, headers, text).json()["entry"])


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


NOW = datetime(2026, 1, 5, 12, tzinfo=UTC)


class Served:
    """A challenge's folder, its board, and tokens."""

    def __init__(self, folder):
        self.folder = folder
        self.tokens = {}

    def board(self):
        return Board.open(self.folder)

    def rewrite(self, old, new):
        """Write something else in place of a part of challenge.yaml."""
        path = self.folder / "challenge.yaml"
        assert old in path.read_text()
        path.write_text(path.read_text().replace(old, new))

    def token(self, team):
        """The token of a team that is made when it is first asked for."""
        if team not in self.tokens:
            with self.board() as board:
                self.tokens[team] = (
                    board.new_token(None) if team == "organizer" else board.add_team(team)
                )
        return self.tokens[team]

    def bearer(self, team):
        return {"Authorization": f"Bearer {self.token(team)}"}


def made(place, name="course"):
    """The challenge of these tests, in a folder below `place`."""
    folder = place / name
    folder.mkdir()
    truth = "".join(f"{name},a,2\n{name},b,1\n{name},c,0\n" for name in LISTS)
    (folder / "truth.csv").write_text(f"list,item,grade\n{truth}")
    (folder / "lists.csv").write_text("list\n" + "".join(f"{name}\n" for name in LISTS))
    (folder / "challenge.yaml").write_text(YAML)
    (folder / "poor.csv").write_text(rows(poor))
    return Served(folder)


def started(folder, *words, port=None, **environment):
    """`score serve` as a process of its own, and its address."""
    port = port or free_port()
    command = [Path(sys.executable).parent / "score", "serve", folder, "--port", port, *words]
    environment.setdefault("SCORER_LOG", "off")  # nobody reads standard error while it runs
    process = subprocess.Popen(
        [str(word) for word in command], env={**os.environ, **environment},
        stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
    )  # fmt: skip
    url = f"http://127.0.0.1:{port}"
    for _ in range(3000):
        try:
            with urllib.request.urlopen(f"{url}/healthz", timeout=5) as answer:
                assert answer.read() == b"ok\n"
            return process, url
        except OSError:
            assert process.poll() is None, process.stdout.read().decode()
            time.sleep(0.1)
    ended(process)
    raise AssertionError("the server does not answer")


def ended(process):
    """End a server."""
    if process.poll() is None:
        process.terminate()
        try:
            process.wait(30)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()
    process.stdout.close()


class Here:
    """Does what a child process is asked for in this process; starting one takes a second."""

    returncode = 0

    def __init__(self, command, **more):
        assert command[1:] == ["-m", "scorer.board.worker_process"]

        self.stdin = io.BytesIO()

    def communicate(self, timeout):
        return json.dumps(run_task(json.loads(self.stdin.getvalue()))).encode(), b""

    def kill(self):
        pass
