"""Adding a metric is one file and its name in a table, or a package of its own."""

import json
import os
import shutil
import subprocess
import sys

import pytest
from conftest import ROOT

PLUGIN = ROOT / "examples/plugin"
ADDED = {  # of the plugin, and where it would be in scorer's own tree
    "scorer_example/enough.py": "scorer/metrics",
    "tests/enough.yaml": "tests/metrics",
}
# what is tested of every metric
CONTRACT = """
tests/metrics/test_metrics.py
tests/api/test_explain.py::test_every_metric_explains_itself
tests/api/test_explain.py::test_ranked_lists[HitShare@3]
tests/api/test_explain.py::test_ranked_lists[Enough@1]
tests/test_testing.py
tests/test_docs.py::test_the_made_parts_are_up_to_date
tests/test_docs.py::test_the_site_has_the_page_of_every_metric_and_code
scorer/metrics/ranking.py
scorer/metrics/enough.py
"""
OF_ALL = """
tests/scoring/test_lists.py::test_a_plan_of_every_metric_gives_the_same_bits_in_another_process
"""
CHALLENGE = {
    "truth.csv": "list,item,grade\nq1,a,1\nq1,b,1\nq2,c,1\n",
    "challenge.yaml": "truth: truth.csv\nmetrics: [Enough@2]\n",
    "one.csv": "list,item,score\nq1,a,3\nq1,x,2\nq2,c,1\n",
}


def ran(*words, cwd, code=0, **environment):
    """The output of a command whose scorer is found in this folder, or of whoever installed it."""
    path = os.pathsep.join([str(cwd), os.environ.get("PYTHONPATH", "")])
    ended = subprocess.run(
        [sys.executable, *map(str, words)], cwd=cwd, capture_output=True, text=True,
        env={**os.environ, "PYTHONPATH": path, **environment},
    )  # fmt: skip
    assert ended.returncode == code, ended.stdout[-4000:] + ended.stderr[-4000:]
    return ended.stdout + ended.stderr


def score(*words, cwd, code=0):
    return ran("-c", "from scorer.cli.start import main; main()", *words, cwd=cwd, code=code)


@pytest.fixture(scope="module")
def tree(tmp_path_factory):
    """The repository, with further metrics."""
    tree = tmp_path_factory.mktemp("tree")
    for name in ("scorer", "tests", "tools", "docs", "challenges/course-2026"):
        shutil.copytree(ROOT / name, tree / name, ignore=shutil.ignore_patterns("__pycache__"))
    for name in ("pyproject.toml", "conftest.py", "README.md", "CONTRIBUTING.md", "CHANGELOG.md"):
        shutil.copy(ROOT / name, tree)
    for name, folder in ADDED.items():
        shutil.copy(PLUGIN / name, tree / folder)
    registry = tree / "scorer/metrics/registry.py"
    table = 'FAMILIES = """\n'
    registry.write_text(registry.read_text().replace(table, f"{table}enough: Enough\n"))
    assert "hitshare.yaml" in ran("tools/new_metric.py", "HitShare", cwd=tree)
    assert "setshare.yaml" in ran("tools/new_metric.py", "SetShare", "sets", cwd=tree)
    return tree


@pytest.fixture(scope="module")
def plugin(tmp_path_factory):
    """A folder in which the plugin is installed; the network is not asked."""
    target = tmp_path_factory.mktemp("plugin")
    source = target / "source"
    shutil.copytree(PLUGIN, source, ignore=shutil.ignore_patterns("__pycache__"))
    pip = ("-m", "pip", "install", "-q", "--disable-pip-version-check", "--no-index", "--no-deps")
    ran(*pip, "--no-build-isolation", "--target", target / "site", source, cwd=target)
    return target / "site"


@pytest.mark.slow("runs the tests of metrics in a copy of the tree")
def test_the_whole_contract_holds_of_what_is_one_file(tree):
    assert str(tree) in ran("-c", "import scorer; print(scorer.__file__)", cwd=tree)
    ran("-m", "ruff", "check", "scorer", "tests", cwd=tree)
    ran("-m", "ruff", "format", "--check", "scorer/metrics", cwd=tree)
    ran("-c", "from importlinter.cli import lint_imports_command as lint; lint()", cwd=tree)
    ran("-m", "pytest", "-q", "-x", *CONTRACT.split(), cwd=tree, METRIC="HitShare,SetShare,Enough")
    ran("-m", "pytest", "-q", "-x", *OF_ALL.split(), cwd=tree)


@pytest.mark.slow("copies the tree")
def test_a_metric_without_its_file_of_cases_is_named(tree):
    cases = tree / "tests/metrics/enough.yaml"
    text = cases.read_text()
    wrong = {
        None: "Enough needs tests/metrics/enough.yaml: see CONTRIBUTING.md",
        text.replace("/ wanted", "/ 7"): "AssertionError: Enough",
        text.replace("Enough@2: 1/2", "Enough@2: 1/3"): "case 1 (by hand",
    }
    for changed, said in wrong.items():
        cases.unlink() if changed is None else cases.write_text(changed)
        try:
            words = ("tests/metrics/test_metrics.py", "-k", "enough or oracles_in_range")
            out = ran("-m", "pytest", "-q", "-x", *words, cwd=tree, code=1, METRIC="Enough")
            assert said in out
        finally:
            cases.write_text(text)


@pytest.mark.slow("starts several processes")
@pytest.mark.parametrize("where", ["tree", "plugin"])
def test_a_metric_is_found_and_used(where, request, tmp_path):
    cwd = request.getfixturevalue(where)
    for name, text in CHALLENGE.items():
        (tmp_path / name).write_text(text)
    sent = tmp_path / "one.csv"
    board = json.loads(score(tmp_path, sent, "--format", "json", "--quiet", cwd=cwd))
    assert [each["values"]["Enough@2"]["mean"] for each in board["submissions"]] == [0.5]
    assert "Enough relevant items" in score("metrics", "enough", cwd=cwd)
    assert "Enough = min(found, wanted) / wanted = 1 / 2 = 0.5" in score(
        "explain", tmp_path, sent, "--list", "q1", cwd=cwd
    )


@pytest.mark.slow("starts pytest")
def test_the_plugins_own_tests(plugin):
    ran("-m", "pytest", "-q", PLUGIN / "tests", "-p", "no:cacheprovider", cwd=plugin)


@pytest.mark.slow("starts processes")
def test_a_metric_is_written_into_a_folder_too(tmp_path):
    for name in ("truth.csv", "sub.csv"):
        (tmp_path / name).write_text("list,item\nq1,a\n")
    (tmp_path / "challenge.yaml").write_text(
        "truth: truth.csv\nmetrics: [HitShare@2]\nplugins: [hitshare.py]\n"
    )
    ran("tools/new_metric.py", "HitShare", tmp_path, cwd=ROOT)
    assert (tmp_path / "hitshare.yaml").exists()
    words = (tmp_path, tmp_path / "sub.csv", "--allow-plugins", "--format", "json")
    (one,) = json.loads(score(*words, cwd=ROOT))["submissions"]
    assert one["values"]["HitShare@2"]["mean"] == 0.5
    for place, words in {
        "nosuch": "neither a module of scorer/metrics nor a folder",
        "classes": "classes is no family of ranked lists",
        tmp_path: "hitshare.py exists already",
    }.items():
        assert words in ran("tools/new_metric.py", "HitShare", place, cwd=ROOT, code=1)


@pytest.mark.slow("starts processes", beyond=1)
@pytest.mark.parametrize("name", ["a b", "2nd", "lambda", "nDCG", "MRR", "", "Metric", "Steps"])
def test_a_metric_of_an_impossible_name_is_refused(name):
    said = ran("tools/new_metric.py", name, cwd=ROOT, code=1)
    assert "Traceback" not in said
    assert "name" in said
