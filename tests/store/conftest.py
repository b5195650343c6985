"""A real PostgreSQL server for the tests of the store, and small boards on either database."""

import os
import pwd
import random
import shutil
import socket
import subprocess
import tempfile
from pathlib import Path

import pytest

from scorer.api.board import Board

BINARIES = sorted(Path("/usr/lib/postgresql").glob("*/bin"), reverse=True)


def _as_somebody(command):
    """The command as an unprivileged user, since PostgreSQL refuses to run as root."""
    if os.getuid() != 0:
        return command
    return ["runuser", "-u", "postgres", "--", *command]


@pytest.fixture(scope="session")
def postgresql():
    """The URL of a PostgreSQL server of our own on a free port."""
    tool = next((folder for folder in BINARIES if (folder / "initdb").exists()), None)
    if tool is None:
        found = shutil.which("initdb")
        tool = Path(found).parent if found else None
    if tool is None:
        pytest.skip("no PostgreSQL server is installed (apt-get install postgresql)")
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    folder = Path(tempfile.mkdtemp(prefix="scorer-postgresql-"))
    if os.getuid() == 0:
        user = pwd.getpwnam("postgres")
        os.chown(folder, user.pw_uid, user.pw_gid)
    data = folder / "data"
    quiet = {"check": True, "capture_output": True, "cwd": folder}
    setup = [tool / "initdb", "-D", data, "-U", "scorer", "-A", "trust", "-E", "UTF8"]
    subprocess.run(_as_somebody(list(map(str, setup))), **quiet)
    options = f"-p {port} -c listen_addresses=127.0.0.1 -k {folder}"
    start = [tool / "pg_ctl", "-D", data, "-l", folder / "log", "-o", options, "-w", "start"]
    subprocess.run(_as_somebody(list(map(str, start))), **quiet)
    yield f"postgresql+psycopg://scorer@127.0.0.1:{port}/postgres"
    stop = [tool / "pg_ctl", "-D", data, "-m", "immediate", "-w", "stop"]
    subprocess.run(_as_somebody(list(map(str, stop))), **quiet)
    shutil.rmtree(folder, ignore_errors=True)


@pytest.fixture(params=["sqlite", "postgresql"])
def store(request, tmp_path):
    """The URL of an empty store on each database."""
    if request.param == "sqlite":
        yield f"sqlite:///{tmp_path / 'store.db'}"
        return
    from sqlalchemy import create_engine, text

    url = request.getfixturevalue("postgresql")
    name = f"board_{os.getpid()}_{random.getrandbits(64):x}"
    engine = create_engine(url, isolation_level="AUTOCOMMIT")
    with engine.connect() as connection:
        connection.execute(text(f"CREATE DATABASE {name}"))
    yield url.rsplit("/", 1)[0] + f"/{name}"
    with engine.connect() as connection:
        connection.execute(text(f"DROP DATABASE {name} WITH (FORCE)"))
    engine.dispose()


YAML = "truth: truth.csv\nmetrics: [nDCG@10, P@5]\nleaderboard: {draws: 500}\n"


@pytest.fixture
def life(tmp_path):
    """A challenge of 60 lists, and submissions of a chosen noise; no two runs differ."""
    folder = tmp_path / "life"
    folder.mkdir()
    return Life(folder)


class Life:
    """A challenge's folder, and the files that teams send."""

    def __init__(self, folder):
        self.folder = folder
        self.chance = random.Random(5)
        self.lists = [f"q{n:02d}" for n in range(60)]
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
