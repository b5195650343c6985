"""`score paper`: files that LaTeX takes, with the numbers, figures and methods of the board."""

import re
import shutil
import subprocess
from pathlib import Path
from xml.etree import ElementTree

import pytest

import scorer
from scorer.api.figures import has_converter
from scorer.api.paper import DEFAULT_FIGURES
from scorer.reports.leaderboard.figures import KINDS

ROOT = Path(__file__).parents[2]
COURSE = ROOT / "challenges/course-2026"
GOOD = ROOT / "submissions_example/course-2026/good"
IRIS = ROOT / "challenges/iris"
TEXTS = {
    "main.tex", "numbers.tex", "methods.tex", "methods.txt", "board.tex", "figures.tex", "refs.bib",
}  # fmt: skip


@pytest.mark.slow("writes a paper")
def test_the_paper_has_the_numbers_of_the_board(score, tmp_path):
    score("paper", COURSE, GOOD, "-o", tmp_path / "paper", "-q").assert_exit(0)
    folder = tmp_path / "paper"
    numbers = dict(re.findall(r"\\newcommand{\\(\w+)}{(.*)}", (folder / "numbers.tex").read_text()))
    first = score(COURSE, GOOD, "--format", "csv").out.splitlines()[1]
    assert numbers["bestname"].replace("{-}", "-") in first
    assert numbers["bestscore"] == "0.781"
    assert numbers["submissioncount"] == "12"
    main = (folder / "main.tex").read_text()
    assert len(main.splitlines()) <= 12
    for name in re.findall(r"\\input{(\w+)}", main):
        assert (folder / f"{name}.tex").is_file()
    known = set(re.findall(r"@\w+{([^,]+),", (folder / "refs.bib").read_text()))
    for keys in re.findall(r"\\cite{([^}]+)}", (folder / "methods.tex").read_text()):
        assert set(keys.split(",")) <= known
    for macro in re.findall(r"\\(best\w+|submissioncount|primarymeasure)", main):
        assert macro in numbers


@pytest.mark.slow("runs LaTeX four times")
@pytest.mark.skipif(not shutil.which("pdflatex"), reason="takes LaTeX")
@pytest.mark.parametrize("name", ["course-2026", "iris"])
def test_the_paper_compiles(score, tmp_path, name):
    good = ROOT / "submissions_example" / name / "good"
    assert score("paper", ROOT / "challenges" / name, good, "-o", tmp_path, "-q").code == 0
    for tool in (["pdflatex", "-interaction=nonstopmode", "-halt-on-error"], ["bibtex"]):
        ran = subprocess.run([*tool, "main"], cwd=tmp_path, capture_output=True, text=True)
        assert ran.returncode == 0, ran.stdout[-2000:]
        assert tool != ["bibtex"] or "Warning" not in ran.stdout, ran.stdout
    assert (tmp_path / "main.pdf").stat().st_size > 50_000
    board, methods = ((tmp_path / f"{part}.tex").read_text() for part in ("board", "methods"))
    assert board.count(r"\begin{tabular}") == {"course-2026": 1, "iris": 2}[name]  # it is wide
    assert r"\[" not in board  # formulas stand in the methods, each once
    formulas = re.findall(r"\\\[.*", methods)
    assert len(formulas) == len(set(formulas)) > 0
    assert len(list(tmp_path.glob("*.svg"))) <= 3


@pytest.mark.slow("draws pictures")
def test_figures_that_are_asked_for(score, tmp_path):
    made, again = tmp_path / "new" / "folder", tmp_path / "again"
    words = ["--figures", "forest,pairs", "--width", "84mm", "-m", "RR", "-q"]
    score("paper", COURSE, GOOD, "-o", made, *words).assert_exit(0)
    forms = ("svg", "pdf") if has_converter() else ("svg",)
    figures = {f"{key}.{form}" for key in ("forest", "pairs") for form in forms}
    assert {path.name for path in made.iterdir()} == TEXTS | figures
    assert ElementTree.parse(made / "forest.svg").getroot().get("width") == "84mm"
    assert "RR of each submission" not in (made / "forest.svg").read_text()  # the caption says it
    if has_converter():
        assert (made / "forest.pdf").read_bytes().startswith(b"%PDF")
        assert "RR of each submission, with its" in (made / "figures.tex").read_text()
    assert score("paper", COURSE, GOOD, "-o", again, *words).code == 0
    for path in made.iterdir():
        assert path.read_bytes() == (again / path.name).read_bytes(), path.name


def test_curves_of_labels(score, tmp_path):
    files = sorted((ROOT / "submissions_example/iris").rglob("*.csv"))
    ran = score("paper", IRIS, *files[:1], "-o", tmp_path, "--figures", "curves", "-q")
    assert (tmp_path / "confusion-1.svg").exists(), ran.err


def test_figures_are_the_ones_of_the_help(score):
    said = " ".join(score("paper", "--help").out.split()).replace("- ", "-")
    assert ", ".join(KINDS) in said
    assert set(DEFAULT_FIGURES) < {*KINDS}


@pytest.mark.slow("writes a paper twice")
def test_the_functions_write_what_the_commands_write(score, tmp_path):
    files = sorted(GOOD.iterdir())[:3]
    report = scorer.score(COURSE, files)
    score("paper", COURSE, *files, "-o", tmp_path / "command", "-q").assert_exit(0)
    scorer.paper(report).write(tmp_path / "function")
    names = {path.name for path in (tmp_path / "command").iterdir()}
    assert names == {path.name for path in (tmp_path / "function").iterdir()}
    for name in names:
        one, other = tmp_path / "command" / name, tmp_path / "function" / name
        assert one.read_bytes() == other.read_bytes(), name
    score("feedback", COURSE, *files, "-o", tmp_path / "texts", "-q").assert_exit(0)
    texts = {path.name: path.read_text() for path in (tmp_path / "texts").iterdir()}
    assert texts == scorer.feedback(report)
