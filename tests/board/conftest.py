"""Small boards on either database."""

import random

import pytest

from scorer.board.board import Board

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
