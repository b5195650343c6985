"""`score paper`: files that LaTeX takes, with the numbers of the board."""

import re
import shutil
import subprocess
from pathlib import Path

import pytest

from scorer.api.figures import converts

ROOT = Path(__file__).parents[2]
COURSE = ROOT / "challenges/course-2026"
GOOD = ROOT / "submissions_example/course-2026/good"


@pytest.mark.slow("writes a paper")
def test_the_paper_has_the_numbers_of_the_board(score, tmp_path):
    ran = score("paper", COURSE, GOOD, "-o", tmp_path / "paper", "-q")
    assert ran.code == 0, ran.err
    folder = tmp_path / "paper"
    numbers = dict(re.findall(r"\\newcommand{\\(\w+)}{(.*)}", (folder / "numbers.tex").read_text()))
    first = score(COURSE, GOOD, "--format", "csv").out.splitlines()[1]
    assert numbers["bestname"].replace("{-}", "-") in first
    assert numbers["bestscore"] == "0.7810"
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
@pytest.mark.skipif(not shutil.which("pdflatex") or not converts(), reason="takes LaTeX, and PDF")
def test_the_paper_compiles(score, tmp_path):
    assert score("paper", COURSE, GOOD, "-o", tmp_path, "-q").code == 0
    for tool in (["pdflatex", "-interaction=nonstopmode", "-halt-on-error"], ["bibtex"]):
        ran = subprocess.run([*tool, "main"], cwd=tmp_path, capture_output=True, text=True)
        assert ran.returncode == 0, ran.stdout[-2000:]
        assert tool != ["bibtex"] or "Warning" not in ran.stdout, ran.stdout
    assert (tmp_path / "main.pdf").stat().st_size > 50_000
