"""The LaTeX report: what stands in it, and that it compiles and fits a page."""

import re
import shutil
import subprocess
from dataclasses import replace

import pytest
from boards import score as scored

from scorer.api.submissions import SubmissionFile
from scorer.reports.base import Options, report_format

PDFLATEX = shutil.which("pdflatex")
compiled = pytest.mark.skipif(
    not PDFLATEX, reason="no LaTeX here: apt-get install texlive-latex-recommended"
)
PACKAGES = r"\usepackage{amsmath,booktabs,longtable}\usepackage[T1]{fontenc}"
NAMES = [
    r"\input{/etc/passwd} $x$ %", "a_b^c~d#e&f{g}h", "Université de Montréal", "x" * 90,
    "[2] --- ``quoted'' <tag>", "::error::x", "*", "Ñandú ß ø",
]  # fmt: skip


def write(report, **options):
    return report_format("leaderboard", "latex").write(report, Options(**options))


@pytest.fixture(scope="module")
def make(tmp_path_factory):
    """A report of so many submissions, measures and lists; the submissions differ."""

    def made(names, measures, lists=12):
        folder = tmp_path_factory.mktemp("latex")
        keys = [f"q{n}" for n in range(lists)]
        truth = "".join(f"{q},{item},1\n" for q in keys for item in ("a", "b"))
        (folder / "truth.csv").write_text("list,item,grade\n" + truth)
        ids = ", ".join(f'"{each}"' for each in measures)
        (folder / "challenge.yaml").write_text(
            f"title: A & B\ntruth: truth.csv\nmetrics: [{ids}]\nleaderboard: {{draws: 200}}\n"
        )
        sent = []
        for n, name in enumerate(names):
            path = folder / f"{n}.csv"
            items = (("a", "b"), ("x", "a"), ("a", "x"), ("x", "y"))[n % 4]
            path.write_text("list,item\n" + "".join(f"{q},{i}\n" for q in keys for i in items))
            sent.append(SubmissionFile(name, path))
        return scored(folder, sent)

    return made


@pytest.fixture(scope="module")
def hostile(make):
    return make(NAMES, ["P@2", "RR", "nDCG(gain=exp2)@10"])


@pytest.fixture(scope="module")
def large(make):
    measures = [f"P@{k}" for k in range(1, 21)]
    return make([f"team {n}" for n in range(60)], measures)


@pytest.mark.slow("writes a document a row")
def test_what_a_document_must_load_is_said(hostile, large):
    assert r"% \usepackage{booktabs}" in write(hostile)
    assert r"% \usepackage{longtable}" not in write(hostile)
    assert r"% \usepackage[T1]{fontenc}" in write(hostile)
    assert "XeLaTeX" not in write(hostile)
    assert r"% \usepackage{longtable}" in write(large)
    assert "fontenc" not in write(large)


def test_letters_that_are_not_latin_ask_for_xelatex(make):
    assert "% Some letters are not Latin: compile with XeLaTeX" in write(make(["東京"], ["P@2"]))


def test_the_best_of_each_measure_is_bold(hostile):
    text = write(hostile)
    rows = [line for line in text.splitlines() if line.endswith(r" \\") and "rank &" not in line]
    bold = [re.findall(r"\\textbf\{([\d.]+)\}", row) for row in rows]
    # P@2 and nDCG: two are perfect; RR: four have the best item first
    assert sum(map(len, bold)) == 2 + 4 + 2
    assert {value for each in bold for value in each} == {"1.000"}


def test_a_baseline_is_never_bold(hostile):
    rows = tuple(replace(row, rank=None, baseline=True) for row in hostile.leaderboard)
    assert r"\textbf" not in write(replace(hostile, leaderboard=rows))


def test_more_than_forty_rows_run_over_pages(large):
    text = write(large)
    assert r"\begin{table}" not in text
    assert text.count(r"\begin{longtable}") == text.count(r"\endhead") >= 2
    assert text.count("(continued)") >= 1
    for k in range(1, 21):
        assert len(re.findall(rf"& P@{k}\b", text.replace(r"\textsuperscript", ""))) >= 1


@pytest.mark.slow("writes a document a row", beyond=1)
@compiled
@pytest.mark.parametrize("per_list", [False, True])
@pytest.mark.parametrize("which", ["hostile", "large", "board", "empty"])
def test_it_compiles_and_fits_the_page(request, tmp_path, which, per_list):
    if which == "empty":
        report = replace(request.getfixturevalue("hostile"), leaderboard=(), submissions=())
    else:
        report = request.getfixturevalue(which)
    text = write(report, per_list=per_list and which != "large")
    head = rf"\documentclass{{article}}{PACKAGES}\begin{{document}}"
    (tmp_path / "a.tex").write_text(f"{head}\n{text}\n\\end{{document}}\n")
    ended = subprocess.run(
        [PDFLATEX, "-interaction=nonstopmode", "-halt-on-error", "-no-shell-escape", "a.tex"],
        cwd=tmp_path, capture_output=True, timeout=120,
    )  # fmt: skip
    log = (tmp_path / "a.log").read_text(errors="replace")
    assert ended.returncode == 0, log[-2000:]
    wide = [float(each) for each in re.findall(r"Overfull \\hbox \(([\d.]+)pt", log)]
    assert max(wide, default=0) < 2, re.findall(r"Overfull.*\n.*", log)
    assert "Float too large" not in log
    assert "Missing character" not in log
