"""A served challenge: an application in this process, and a server as users start it."""

import subprocess
from types import SimpleNamespace

import pytest
from fastapi.testclient import TestClient
from web_helpers import Here, ended, made, started

from scorer.web.app import create
from scorer.web.context import Settings


@pytest.fixture
def served(tmp_path):
    return made(tmp_path)


@pytest.fixture
def children():
    """For tests that want children as processes of their own."""


@pytest.fixture(autouse=True)
def no_children(request, monkeypatch):
    """An application in this process has no children, unless a test asks for `children`."""
    if "children" not in request.fixturenames:
        kept = SimpleNamespace(**{**vars(subprocess), "Popen": Here})
        monkeypatch.setattr("scorer.board.isolation.subprocess", kept)


def settings(served, **more):
    return Settings((str(served.folder),), **{"workers": 1, "limit": 0, **more})


@pytest.fixture
def client(served):
    with TestClient(create(settings(served)), follow_redirects=False) as opened:
        yield opened


@pytest.fixture
def client_with(served):
    """A client of an application with further settings."""
    opened = []

    def make(**more):
        app, from_here = create(settings(served, **more)), ("127.0.0.1", 50000)
        opened.append(TestClient(app, follow_redirects=False, client=from_here))
        opened[-1].__enter__()
        return opened[-1]

    yield make
    for each in opened:
        each.__exit__(None, None, None)


@pytest.fixture
def serve():
    """Start `score serve` as a process of its own; gives it and its address."""
    running = []

    def start(folder, *words, port=None, **environment):
        running.append(started(folder, *words, port=port, **environment))
        return running[-1]

    yield start
    for process, _ in running:
        ended(process)
