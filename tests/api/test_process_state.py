"""What a server calls leaves the process as it is: its folder, umask, filters, exit handlers."""

import atexit
import csv
import os
import subprocess
import sys
import warnings

import pytest

import scorer
from scorer.challenge.kit_archive import open_kit

PLUGIN = '''
import os
from scorer import Floats, Judged, metric
HERE = os.getcwd()

@metric("Met", title="How many judged items were met", source="this test", range=(0, None))
def met(judged: Judged) -> Floats:
    """Hits."""
    return judged.hits.total()
'''
YAML = "truth: truth.csv\nmetrics: [Met, nDCG@2]\nplugins: [own.py]\n"


@pytest.fixture
def changes(monkeypatch):
    """Which changes of the process were asked for, meanwhile."""
    asked = []
    for module, name in ((os, "chdir"), (os, "umask"), (os, "putenv"), (atexit, "register"),
                         (warnings, "simplefilter"), (warnings, "filterwarnings")):  # fmt: skip
        kept = getattr(module, name)

        def noted(*given, name=name, kept=kept, **more):
            # pydantic puts its filter back: `catch_warnings` around the fields of a new model
            if not sys._getframe(1).f_globals["__name__"].startswith("pydantic."):
                asked.append(name)
            return kept(*given, **more)

        monkeypatch.setattr(module, name, noted)
    return asked


@pytest.mark.slow("starts a process")
def test_nothing_of_the_process_is_touched(challenge, changes):
    import scipy.stats  # noqa: F401  # its own import sets filters

    size = csv.field_size_limit()
    text = "list,item,score\nq1,a,3\nq2,c,2\n"
    folder = challenge(YAML, **{"own.py": PLUGIN, "a.csv": text, "b.csv": text + "q2,a,1\n"})
    sent = [folder / "a.csv", folder / "b.csv"]
    changes.clear()
    filters = list(warnings.filters)
    assert scorer.score(folder, sent, allow_plugins=True).submissions[0].valid
    assert not scorer.check(folder, sent, allow_plugins=True)[0].findings.fatal
    assert scorer.compare(folder, sent, allow_plugins=True).pairs
    assert scorer.explain(folder, sent[0], "q1", allow_plugins=True).measures
    assert scorer.lint(scorer.load(folder), allow_plugins=True).measures
    assert changes == []
    assert warnings.filters == filters
    assert csv.field_size_limit() == size


def test_a_kit_is_there_while_it_is_used(challenge, score, tmp_path):
    folder = challenge("truth: truth.csv\nmetrics: [nDCG@2]\n")
    assert score("kit", folder, "-o", tmp_path / "kit.zip").code == 0
    with open_kit(tmp_path / "kit.zip") as inside:
        assert {path.name for path in inside.iterdir()} >= {"challenge.yaml", "lists.csv"}
    assert not inside.exists()
    with open_kit(folder) as same:
        assert same == folder
    assert folder.exists()


IMPORTS = """
import atexit, importlib, os, pkgutil, signal, sys, warnings

asked = []

def watch(module, name):
    kept = getattr(module, name)

    def noted(*given, **more):
        caller = sys._getframe(1).f_globals["__name__"]
        if caller.partition(".")[0] == "scorer":
            asked.append(f"{caller} calls {name}")
        return kept(*given, **more)

    setattr(module, name, noted)

for module, name in ((os, "chdir"), (os, "umask"), (os, "putenv"), (atexit, "register"),
                     (warnings, "simplefilter"), (warnings, "filterwarnings"),
                     (signal, "signal")):
    watch(module, name)
import scorer

count = 0
for found in pkgutil.walk_packages(scorer.__path__, "scorer."):
    if not found.name.endswith("__main__") and ".migrations." not in found.name:
        try:
            importlib.import_module(found.name)
        except ModuleNotFoundError as error:  # of an extra that is not installed
            assert not error.name.startswith("scorer"), error
        count += 1
assert count > 300, count
print(*asked, sep="\\n", end="")
"""


@pytest.mark.slow("imports the package in a process")
def test_importing_the_package_asks_nothing_of_the_process():
    ended = subprocess.run(
        [sys.executable, "-c", IMPORTS], capture_output=True, text=True, check=True
    )
    assert ended.stdout == ""
