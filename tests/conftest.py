"""What several tests need: the command, in this process or as a user would; a PostgreSQL server."""

import io
import json
import os
import pwd
import random
import re
import shutil
import socket
import subprocess
import sys
import tempfile
from collections import Counter
from pathlib import Path

import numpy as np
import pytest

ROOT = Path(__file__).parent.parent
COMMAND = Path(sys.executable).parent / "score"
os.environ.pop("COLUMNS", None)  # the width of whoever runs the tests is no part of what they show


def pytest_addoption(parser):
    help = "give the hashes of rows few values in all tests, so that texts alone tell rows apart"
    parser.addoption("--few-hashes", action="store_true", help=help)


@pytest.fixture
def few_hashes(monkeypatch):
    """Give the hashes of rows eight values, so that most rows share theirs with other rows."""
    from scorer.core import matching

    hash_rows = matching.hash_rows
    monkeypatch.setattr(matching, "hash_rows", lambda columns: hash_rows(columns) & np.uint64(7))


@pytest.fixture(autouse=True)
def _few_hashes_in_all_tests(request):
    if request.config.getoption("--few-hashes"):
        request.getfixturevalue("few_hashes")


SERVERS = {"postgresql"}  # fixtures


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items):
    """Each test that only `make test-all` runs says why it takes long.

    Of a table of cases, `beyond` says how many rows are always run.
    """
    rows = Counter()
    for item in items:
        if needed := SERVERS.intersection(item.fixturenames):
            item.add_marker(pytest.mark.slow(f"starts a server: {', '.join(needed)}"))
        for mark in list(item.iter_markers("slow")):
            if not (len(mark.args) == 1 and isinstance(mark.args[0], str) and mark.args[0]):
                raise pytest.UsageError(f'{item.nodeid}: say why, as @pytest.mark.slow("...")')
            rows[item.nodeid.split("[")[0]] += 1
            if rows[item.nodeid.split("[")[0]] <= mark.kwargs.get("beyond", 0):
                item.own_markers.remove(mark)


def pytest_terminal_summary(terminalreporter):
    """Each reason for which tests were skipped, once; it says what they need."""
    skipped = terminalreporter.getreports("skipped")
    reasons = Counter(report.longrepr[2].removeprefix("Skipped: ") for report in skipped)
    for reason, count in sorted(reasons.items()):
        terminalreporter.write_line(f"skipped {count}: {reason}")


class Ran:
    """How a command ended, and what it said."""

    def __init__(self, code, out, err):
        self.code, self.out, self.err = code, out, err

    def __repr__(self):
        return f"exit {self.code}\n--- out\n{self.out}\n--- err\n{self.err}"

    def assert_exit(self, code, out=(), err=()):
        """Check the exit code, and that each stream holds these words: a text, or several."""
        assert self.code == code, self
        for words, stream in ((out, self.out), (err, self.err)):
            for text in [words] if isinstance(words, str) else words:
                assert text in stream, self
        return self

    @property
    def told(self):
        """All that it said, with a file's path at each of its problems; no problem is indented."""
        path, lines = "", []
        for line in (self.out + self.err).splitlines():
            if not line.startswith(" "):
                heading = re.fullmatch(r"(.+?):(?: (?:fine|would be rejected)\b.*)?", line)
                path = heading[1] if heading else ""
            elif path and (found := re.fullmatch(r"  ([0-9:]*: )?((error|warning)\[.*)", line)):
                line = f"{path}:{found[1] or ' '}{found[2]}"
            elif path and line.startswith("    "):
                line = line.removeprefix("  ")
            lines.append(line)
        return "".join(f"{line}\n" for line in lines)

    def json(self, code=0):
        """Give the JSON that it wrote, where it ended with this code."""
        assert self.code == code, self
        return json.loads(self.out)

    def means(self):
        """Give the mean of each measure, of the one submission in its JSON."""
        (submission,) = self.json()["submissions"]
        return {name: value["mean"] for name, value in submission["values"].items()}


@pytest.fixture
def score(capfdbinary, monkeypatch):
    """Run `score` in this process; fast, and the same code as the installed command."""
    from scorer.cli import main as cli

    def run(*words, stdin=b""):
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(stdin)))
        code = cli.run([str(word) for word in words])
        out, err = capfdbinary.readouterr()
        return Ran(code, out.decode(), err.decode())

    return run


@pytest.fixture
def terminal(monkeypatch):
    """Make the standard output of `score` a terminal of some width, without colours or with."""
    from scorer.cli import main as cli

    def of(width, colours=False):
        monkeypatch.setenv("COLUMNS", str(width))
        monkeypatch.setenv("TERM", "xterm-256color")
        monkeypatch.delenv("FORCE_COLOR", raising=False)
        monkeypatch.delenv("NO_COLOR", raising=False)
        if not colours:
            monkeypatch.setenv("NO_COLOR", "1")
        monkeypatch.setattr(cli, "is_terminal", lambda stream: stream is sys.stdout)

    return of


@pytest.fixture
def installed():
    """Run the installed command as a process of its own."""

    def run(*words, stdin=b"", **environment):
        ended = subprocess.run(
            [COMMAND, *map(str, words)],
            input=stdin,
            capture_output=True,
            timeout=60,
            env={"PATH": "/usr/bin:/bin", "LC_ALL": "C.UTF-8", **environment},
        )
        return Ran(ended.returncode, ended.stdout.decode(), ended.stderr.decode())

    return run


@pytest.fixture
def challenge(tmp_path):
    """Make a small challenge from its files: {"name": "text"}; gives its folder."""

    def make(yaml="truth: truth.csv\nmetrics: [P@2]\n", **files):
        folder = tmp_path / "challenge"
        folder.mkdir(exist_ok=True)
        (folder / "challenge.yaml").write_text(yaml)
        files.setdefault("truth.csv", "list,item,grade\nq1,a,2\nq1,b,1\nq2,a,1\nq2,c,0\n")
        for name, text in files.items():
            data = text if isinstance(text, bytes) else text.encode()
            (folder / name).write_bytes(data)
        return folder

    return make


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
    setup = [tool / "initdb", "-D", data, "-U", "scorer", "-A", "trust", "-E", "UTF8", "-N"]
    subprocess.run(_as_somebody(list(map(str, setup))), **quiet)
    # processes are killed in tests, machines are not
    options = f"-p {port} -c listen_addresses=127.0.0.1 -c fsync=off -k {folder}"
    start = [tool / "pg_ctl", "-D", data, "-l", folder / "log", "-o", options, "-w", "start"]
    subprocess.run(_as_somebody(list(map(str, start))), **quiet)
    yield f"postgresql+psycopg://scorer@127.0.0.1:{port}/postgres"
    stop = [tool / "pg_ctl", "-D", data, "-m", "immediate", "-w", "stop"]
    subprocess.run(_as_somebody(list(map(str, stop))), **quiet)
    shutil.rmtree(folder, ignore_errors=True)


@pytest.fixture
def postgresql_store(postgresql):
    """The URL of an empty database."""
    from sqlalchemy import create_engine, text

    name = f"board_{os.getpid()}_{random.getrandbits(64):x}"
    engine = create_engine(postgresql, isolation_level="AUTOCOMMIT")
    with engine.connect() as connection:
        connection.execute(text(f"CREATE DATABASE {name}"))
    yield postgresql.rsplit("/", 1)[0] + f"/{name}"
    with engine.connect() as connection:
        connection.execute(text(f"DROP DATABASE {name} WITH (FORCE)"))
    engine.dispose()
