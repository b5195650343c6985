"""What is installed: the distribution challenge-scorer, the package scorer, the command score."""

import re
import subprocess
import tomllib
from importlib.metadata import version

from conftest import ROOT

from scorer import __version__


def test_the_distribution():
    facts = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    assert facts["project"]["name"] == "challenge-scorer"
    assert list(facts["project"]["scripts"]) == ["score"]
    assert facts["tool"]["hatch"]["build"]["targets"]["wheel"]["packages"] == ["scorer"]


def test_the_version_is_of_one_place(score, installed):
    facts = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    assert facts["tool"]["hatch"]["version"] == {"path": "scorer/__init__.py"}
    assert "version" in facts["project"]["dynamic"]
    head = re.search(r"^## (\S+)", (ROOT / "CHANGELOG.md").read_text("utf-8"), re.MULTILINE)
    assert head[1] == __version__
    assert installed("--version").out == f"scorer {__version__}\n"
    assert version("challenge-scorer") == __version__, "install again: pip install -e ."


def test_no_other_file_says_the_version():
    listed = subprocess.run(["git", "ls-files"], cwd=ROOT, capture_output=True, text=True)
    files = [ROOT / name for name in listed.stdout.splitlines()]
    said = {
        str(path.relative_to(ROOT))
        for path in files
        if path.is_file() and __version__ in path.read_text("utf-8", errors="replace")
    }
    assert said <= {"CHANGELOG.md", "scorer/__init__.py"}
