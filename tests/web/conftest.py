"""A served challenge: an application in this process, and a server as users start it."""

import os
import subprocess
import sys
import time
import urllib.request
from pathlib import Path

import pytest
from fastapi.testclient import TestClient
from web_helpers import LISTS, YAML, free_port, poor, rows

from scorer.api.board import Board
from scorer.web.app import Settings, create


class Served:
    """A challenge's folder, its board, and tokens."""

    def __init__(self, folder):
        self.folder = folder
        self.tokens = {}

    def board(self):
        return Board.open(self.folder)

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


@pytest.fixture
def served(tmp_path):
    folder = tmp_path / "course"
    folder.mkdir()
    truth = "".join(f"{name},a,2\n{name},b,1\n{name},c,0\n" for name in LISTS)
    (folder / "truth.csv").write_text(f"list,item,grade\n{truth}")
    (folder / "lists.csv").write_text("list\n" + "".join(f"{name}\n" for name in LISTS))
    (folder / "challenge.yaml").write_text(YAML)
    (folder / "poor.csv").write_text(rows(poor))
    return Served(folder)


def settings(served, **more):
    return Settings((str(served.folder),), **{"workers": 1, "limit": 0, **more})


@pytest.fixture
def client(served):
    with TestClient(create(settings(served)), follow_redirects=False) as made:
        yield made


@pytest.fixture
def client_with(served):
    """A client of an application with further settings."""
    made = []

    def make(**more):
        made.append(TestClient(create(settings(served, **more)), follow_redirects=False))
        made[-1].__enter__()
        return made[-1]

    yield make
    for each in made:
        each.__exit__(None, None, None)


@pytest.fixture
def serve():
    """Start `score serve` as a process of its own; gives it and its address."""
    running = []

    def start(folder, *words, port=None, **environment):
        port = port or free_port()
        command = [Path(sys.executable).parent / "score", "serve", folder, "--port", port, *words]
        process = subprocess.Popen(
            [str(word) for word in command], env={**os.environ, **environment},
            stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
        )  # fmt: skip
        running.append(process)
        url = f"http://127.0.0.1:{port}"
        for _ in range(600):
            try:
                with urllib.request.urlopen(f"{url}/healthz", timeout=5) as answer:
                    assert answer.read() == b"ok\n"
                return process, url
            except OSError:
                assert process.poll() is None, process.stdout.read().decode()
                time.sleep(0.1)
        raise AssertionError("the server does not answer")

    yield start
    for process in running:
        if process.poll() is None:
            process.terminate()
            try:
                process.wait(30)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()
        process.stdout.close()
