"""What a server calls leaves the process as it is: its folder, umask, filters, exit handlers."""

import atexit
import csv
import os
import warnings

import pytest

import scorer
from scorer.challenge.archive import unpacked

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
            asked.append(name)
            return kept(*given, **more)

        monkeypatch.setattr(module, name, noted)
    return asked


def test_nothing_of_the_process_is_touched(challenge, changes):
    import scipy.stats  # noqa: F401  # its own import sets filters

    size = csv.field_size_limit()
    text = "list,item,score\nq1,a,3\nq2,c,2\n"
    folder = challenge(YAML, **{"own.py": PLUGIN, "a.csv": text, "b.csv": text + "q2,a,1\n"})
    sent = [folder / "a.csv", folder / "b.csv"]
    changes.clear()
    assert scorer.score(folder, sent, allow_plugins=True).submissions[0].valid
    assert not scorer.check(folder, sent, allow_plugins=True)[0].findings.fatal
    assert scorer.compare(folder, sent, allow_plugins=True)[1].pairs
    assert scorer.explain(folder, sent[0], "q1", allow_plugins=True).found
    assert scorer.lint(scorer.load(folder), allow_plugins=True).measures
    assert changes == []
    assert csv.field_size_limit() == size


def test_a_kit_is_there_while_it_is_used(challenge, score, tmp_path):
    folder = challenge("truth: truth.csv\nmetrics: [nDCG@2]\n")
    assert score("kit", folder, "-o", tmp_path / "kit.zip").code == 0
    with unpacked(tmp_path / "kit.zip") as inside:
        assert {path.name for path in inside.iterdir()} >= {"challenge.yaml", "lists.csv"}
    assert not inside.exists()
    with unpacked(folder) as same:
        assert same == folder
    assert folder.exists()
