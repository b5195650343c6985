"""Which packages that take long to import a command does without."""

import subprocess
import sys

import pytest
from conftest import ROOT

SERVER = {"sqlalchemy", "fastapi", "jinja2"}
VLNET = str(ROOT / "challenges/vlnet-2011")
LISTS = str(ROOT / "submissions_example/vlnet-2011/good/team_a.lists")
OTHER_LISTS = str(ROOT / "submissions_example/vlnet-2011/good/perfect.lists")
TITANIC = str(ROOT / "challenges/gallery/titanic")
TABLE = str(next((ROOT / "submissions_example/gallery/titanic/good").iterdir()))


@pytest.mark.slow("starts processes", beyond=1)
@pytest.mark.parametrize(
    ("words", "absent"),
    [
        (["--help"], {*SERVER, "polars", "scipy"}),
        (["--version"], {*SERVER, "polars", "scipy"}),
        (["check", VLNET, LISTS], {*SERVER, "scipy"}),
        ([VLNET, LISTS], {*SERVER, "multiprocessing"}),
        ([TITANIC, TABLE, "--format", "json"], SERVER),
        (["compare", VLNET, LISTS, OTHER_LISTS, "--format", "json"], SERVER),
        (["explain", VLNET, LISTS, "--list", "s1"], SERVER),
    ],
    ids=["help", "version", "check", "lists", "table", "compare", "explain"],
)
def test_a_command_does_without(words, absent):
    packages = {module.split(".")[0] for module in imported_modules(words)}
    assert packages & absent == set()


@pytest.mark.slow("starts processes", beyond=1)
@pytest.mark.parametrize("words", [[VLNET, LISTS, OTHER_LISTS], [TITANIC, TABLE]])
def test_scoring_takes_only_special_functions_of_scipy(words):
    code = "import sys, scipy.special; print(*sys.modules)"  # an older one imports linalg, too
    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    special = {m for m in ran.stdout.split() if m.startswith("scipy.")}
    assert {m for m in imported_modules(words) if m.startswith("scipy.")} <= special


@pytest.mark.slow("starts processes")
def test_a_verb_is_found_without_the_first_form():
    assert "scorer.cli.commands.score" not in imported_modules(["rule", "S304"])


def imported_modules(words):
    """The names of the modules that the command has imported when it ends."""
    code = (
        "import sys\n"
        "from scorer.cli.main import run\n"
        f"run({words!r})\n"
        "print(*sys.modules, file=sys.stderr)\n"
    )
    ended = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    return set(ended.stderr.splitlines()[-1].split())
