"""What `import scorer` offers is what the pages explain, and a type checker sees wrong choices."""

import re
import sys
from pathlib import Path
from subprocess import run
from typing import get_args

import pytest

import scorer
from scorer.api.init import Template, describe_templates
from scorer.api.report import FigureName, ReportForm
from scorer.api.text import FormName, RenderOptions
from scorer.board.models import Act as RecordedAct
from scorer.challenge.types import EntryRule, TieRule
from scorer.cli.commands.compare import PairedTest
from scorer.cli.commands.living import RULES
from scorer.cli.commands.upkeep import Act
from scorer.export.bundle import EXPORTERS, Platform
from scorer.reports.base import ALIASES, SUBJECTS, SYNTAXES, Options
from scorer.reports.leaderboard.figures import KINDS
from scorer.stats.paired import Test
from scorer.views.ranked import Ties

DOCS = Path(__file__).parents[2] / "docs"
# A choice of the public functions -> the words that the code knows.
CHOICES = {
    "figures of plot and paper": (FigureName, set(KINDS)),
    "forms of every result": (FormName, {*SYNTAXES, *ALIASES}),
    "forms of a report": (ReportForm, {*SYNTAXES, *ALIASES, *SUBJECTS["leaderboard"]}),
    "platforms of export_bundle": (Platform, set(EXPORTERS)),
    "templates of init": (Template, set(describe_templates())),
    "rules of ties": (TieRule, set(get_args(Ties))),
    "entry rules of Board.board": (EntryRule, set(RULES)),
    "tests of compare": (Test, {test.value for test in PairedTest}),
    "acts of Board.decide": (RecordedAct, {act.value for act in Act}),
}
USES = """
import scorer

report = scorer.evaluate({"q": {"a": 1}}, {"m": {"q": ["a"]}}, ["AP"], ties="expected")
report.plot(kind="forest")
scorer.evaluate({"q": {"a": 1}}, {"m": {"q": ["a"]}}, ["AP"], ties="by chance")
scorer.evaluate({"q": {"a": 1}}, {"m": {"q": ["a"]}}, ["AP"], missing_list="nought")
report.plot(kind="pie")
scorer.compare({"q": {"a": 1}}, {"m": {"q": ["a"]}}, measures=["AP"], test="guess")
report.render("pdf")
report.render(precison=3)
report.render("codabench", precision=3)
scorer.paper(report, ["pie"])
scorer.export_bundle("moodle", "challenge")
scorer.init("new", kind="poker")
scorer.Board.open("challenge").board(rule="first")
"""


def test_the_pages_explain_the_public_names_and_no_others():
    page = (DOCS / "python.md").read_text()
    described = set(re.findall(r"^## scorer\.(\w+)$", page, flags=re.MULTILINE))
    errors = {name for name in scorer.__all__ if f"`scorer.{name}`" in page}
    assert described <= set(scorer.__all__)
    own_metric = (DOCS / "own-metric.md").read_text()
    others = set(scorer.__all__) - described - errors
    assert [name for name in others if not re.search(rf"\b{name}\b", own_metric)] == []


def test_the_page_explains_each_name_of_a_report():
    page = (DOCS / "python.md").read_text()
    described = re.findall(r"^### Report\.(\w+)$", page, flags=re.MULTILINE)
    assert described == [name for name in dir(scorer.Report) if not name.startswith("_")]


def test_a_report_has_few_names():
    names = {name for name in dir(scorer.Report) if not name.startswith("_")}
    assert names == {
        *("measures", "submissions", "leaderboard", "notes", "splits"),
        *("mean", "per_list", "interval", "p", "metrics", "plot"),
        *("to_dict", "to_polars", "to_pandas", "render", "write"),
    }


def test_a_report_is_a_frame_of_pandas_and_says_itself_in_a_line():
    pytest.importorskip("pandas")
    report = scorer.evaluate({"q": {"a": 1}}, {"m": {"q": ["a"]}}, ["AP"])
    assert repr(report) == "<Report of 1 submission on 1 list; AP: m 1.0000>"
    assert report.to_pandas().to_dict("records")[0]["AP"] == 1.0
    assert list(report.to_pandas(per_list=True).columns) == ["name", "list", "AP"]


@pytest.mark.parametrize("name", CHOICES)
def test_types_of_choices_agree_with_the_tables_of_the_code(name):
    choices, words = CHOICES[name]
    assert set(get_args(choices)) == words


def test_options_of_render_are_those_of_the_forms():
    assert {*RenderOptions.__annotations__} <= {*Options._fields}
    report = scorer.evaluate({"q": {"a": 1}}, {"m": {"q": ["a"]}}, ["AP"])
    with pytest.raises(TypeError, match=r"no option 'precison'; did you mean 'precision'\?"):
        report.render(precison=3)
    with pytest.raises(
        TypeError, match=r"\(options: precision, per_list, notes, all_rows, every, "
    ):
        report.write("board.html", size=3)


@pytest.mark.slow("runs mypy")
def test_a_type_checker_sees_wrong_choices(tmp_path):
    path = tmp_path / "uses.py"
    path.write_text(USES)
    words = [sys.executable, "-m", "mypy", "--no-incremental", str(path)]
    ended = run(words, capture_output=True, text=True, check=False, cwd=tmp_path)
    lines = {int(line.split(":")[1]) for line in ended.stdout.splitlines() if ": error:" in line}
    wrong = {n for n, line in enumerate(USES.splitlines(), 1) if line} - {2, 4, 5, 12}
    assert lines == wrong, ended.stdout
