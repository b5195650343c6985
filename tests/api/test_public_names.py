"""What `import scorer` offers is what the pages explain, and a type checker sees wrong choices."""

import re
import sys
from pathlib import Path
from subprocess import run

import pytest

import scorer

DOCS = Path(__file__).parents[2] / "docs"
USES = """
import scorer

report = scorer.evaluate({"q": {"a": 1}}, {"m": {"q": ["a"]}}, ["AP"], ties="expected")
report.plot(kind="forest")
scorer.evaluate({"q": {"a": 1}}, {"m": {"q": ["a"]}}, ["AP"], ties="by chance")
scorer.evaluate({"q": {"a": 1}}, {"m": {"q": ["a"]}}, ["AP"], missing_list="nought")
report.plot(kind="pie")
scorer.compare({"q": {"a": 1}}, {"m": {"q": ["a"]}}, measures=["AP"], test="guess")
"""


def test_every_name_is_explained():
    text = (DOCS / "python.md").read_text() + (DOCS / "own-metric.md").read_text()
    assert [name for name in scorer.__all__ if not re.search(rf"\b{name}\b", text)] == []


def test_a_report_has_few_names():
    names = {name for name in dir(scorer.Report) if not name.startswith("_")}
    assert names == {
        *("challenge", "measures", "primary", "submissions", "leaderboard", "certainty", "notes"),
        *("splits", "mean", "per_list", "interval", "p", "metrics", "plot", "to_dict"),
        *("to_polars", "to_pandas", "render", "write", "content", "subject", "default_form"),
    }


def test_a_report_is_a_frame_of_pandas_and_says_itself_in_a_line():
    pytest.importorskip("pandas")
    report = scorer.evaluate({"q": {"a": 1}}, {"m": {"q": ["a"]}}, ["AP"])
    assert repr(report) == "<Report of 1 submission on 1 list; AP: m 1.0000>"
    assert report.to_pandas().to_dict("records")[0]["AP"] == 1.0
    assert list(report.to_pandas(per_list=True).columns) == ["name", "list", "AP"]


@pytest.mark.slow("runs mypy")
def test_a_type_checker_sees_wrong_choices(tmp_path):
    path = tmp_path / "uses.py"
    path.write_text(USES)
    words = [sys.executable, "-m", "mypy", "--no-incremental", str(path)]
    ended = run(words, capture_output=True, text=True, check=False, cwd=tmp_path)
    lines = {int(line.split(":")[1]) for line in ended.stdout.splitlines() if ": error:" in line}
    assert lines == {6, 7, 8, 9}, ended.stdout
