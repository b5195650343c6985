"""What several tests need: running the command, in this process or as a user would."""

import io
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
COMMAND = Path(sys.executable).parent / "score"


class Ran:
    """How a command ended, and what it said."""

    def __init__(self, code, out, err):
        self.code, self.out, self.err = code, out, err

    def __repr__(self):
        return f"exit {self.code}\n--- out\n{self.out}\n--- err\n{self.err}"


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


@pytest.fixture(scope="session")
def spark():
    """A Spark session, one for all tests."""
    import sparks

    session = sparks.begun()
    yield session
    session.stop()
