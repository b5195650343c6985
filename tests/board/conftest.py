"""Small boards on either database."""

import random
import subprocess
from types import SimpleNamespace

import pytest
from web_helpers import Here

from scorer.board.board import Board
from scorer.board.isolation import BoardPlace, ChildLimits, evaluate_next
from scorer.board.verification import verify

SERVER = pytest.mark.slow("a server of PostgreSQL, a database a test")


@pytest.fixture(params=["sqlite", pytest.param("postgresql", marks=SERVER)])
def store(request, tmp_path):
    """The URL of an empty store on each database."""
    if request.param == "sqlite":
        return f"sqlite:///{tmp_path / 'store.db'}"
    return request.getfixturevalue("postgresql_store")


YAML = "truth: truth.csv\nmetrics: [nDCG@10, P@5]\nleaderboard: {draws: 500}\n"


@pytest.fixture
def life(tmp_path):
    """A challenge of 60 lists, and submissions of a chosen noise; no two runs differ."""
    folder = tmp_path / "life"
    folder.mkdir()
    return Life(folder)


@pytest.fixture(scope="session")
def new_life():
    """Makes a challenge in a new folder, with further rules and so many lists."""

    def make(folder, rules, lists):
        folder.mkdir()
        life = Life(folder, lists)
        life.rules(rules)
        return life

    return make


class Life:
    """A challenge's folder, and the files that teams send."""

    def __init__(self, folder, lists=60):
        self.folder = folder
        self.chance = random.Random(5)
        self.lists = [f"q{n:02d}" for n in range(lists)]
        self.items = [f"d{n}" for n in range(12)]
        self.grade = {
            (name, item): self.chance.choice([0, 1, 2])
            for name in self.lists
            for item in self.chance.sample(self.items, 6)
        }
        self.write_truth()
        self.rules("")

    def write_truth(self):
        rows = "".join(f"{n},{d},{g}\n" for (n, d), g in self.grade.items())
        (self.folder / "truth.csv").write_text(f"list,item,grade\n{rows}")

    def rules(self, more):
        (self.folder / "challenge.yaml").write_text(YAML + more)

    def rewrite(self, old, new):
        """Write something else in place of a part of challenge.yaml."""
        path = self.folder / "challenge.yaml"
        assert old in path.read_text()
        path.write_text(path.read_text().replace(old, new))

    def bad(self):
        """A submission's file that is rejected."""
        path = self.folder.parent / "bad.csv"
        path.write_text("list,item,score\nq00,d1,x\n")
        return path

    def sent(self, name, noise, lists=None):
        """A submission's file: the truth with so much noise."""
        path = self.folder.parent / f"{name}.csv"
        chance = random.Random(f"{name}{noise}")
        rows = "".join(
            f"{n},{d},{self.grade.get((n, d), 0) + chance.gauss(0, noise):.6f}\n"
            for n in lists or self.lists
            for d in self.items
        )
        path.write_text(f"list,item,score\n{rows}")
        return path

    def open(self, store=None):
        """The board, with its files beside the challenge."""
        return Board.open(self.folder, store)


@pytest.fixture
def verify_text(tmp_path):
    """Verifies receipts, one a line, as a file of their own."""

    def verified(text):
        path = tmp_path / "chain.jsonl"
        path.write_text(text)
        return verify([path])

    return verified


@pytest.fixture
def work(monkeypatch):
    """Evaluates what waits on a board as a worker does, at most so many files; gives the number."""
    kept = SimpleNamespace(**{**vars(subprocess), "Popen": Here})
    monkeypatch.setattr("scorer.board.isolation.subprocess", kept)

    def evaluate(board, most=100):
        place, limits = BoardPlace(str(board.challenge.path)), ChildLimits()
        for done in range(most):
            if not evaluate_next(board, place, limits, "worker"):
                return done
        return most

    return evaluate
