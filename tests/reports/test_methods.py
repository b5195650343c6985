"""`score cite`: sentences that are true of a challenge, and BibTeX of all that they cite."""

import re
import shutil
import subprocess

import pytest
from conftest import ROOT

from scorer.metrics.base import metrics
from scorer.metrics.references import entries, sources

COURSE = ROOT / "challenges/course-2026"
GOOD = ROOT / "submissions_example/course-2026/good"


def cited(tex):
    return {key for keys in re.findall(r"\\cite\{(.*?)\}", tex) for key in keys.split(",")}


@pytest.mark.slow("scores the bundled challenges")
def test_a_board_in_sentences(score, tmp_path):
    bib, tex, plain = (tmp_path / name for name in ("refs.bib", "methods.tex", "methods.txt"))
    ran = score("cite", COURSE, GOOD, "-o", bib, "-o", tex, "-o", plain)
    assert ran.code == 0, ran
    said = plain.read_text("utf-8")
    for sentence in (
        "It has 60 users; 12 submissions are ranked.",
        "The primary measure is nDCG@10 (Normalised discounted cumulative gain), the mean over "
        "the users; higher is better.\n    (Σᵢ₌₁¹⁰ gᵢ / log₂(i + 1))",
        "Items with equal scores are ordered by their ids, downwards.",
        "A submission that leaves a user out is refused.",
        "a paired permutation test of users finds a p of at most 0.05, corrected for the 66 pairs",
    ):
        assert sentence in said
    keys = set(re.findall(r"^@\w+\{(\w+),", bib.read_text("utf-8"), re.MULTILINE))
    assert cited(tex.read_text("utf-8")) == keys
    assert {"scorer", "jarvelin2002cumulated", "westfall1993resampling"} <= keys


RULES = """\
truth: truth.csv
submission: {format: csv, missing_list: zero, ties: item-asc}
metrics: [ERR, P@2]
undefined: zero
leaderboard: BOARD
"""
TESTED = "{tiers: {test: t, adjust: holm, alpha: 0.01, rule: first}, intervals: joint}"


def test_bibtex_can_sort_every_entry():
    every = entries() | {key: entry for each in metrics() for key, entry in sources(each).items()}
    assert [key for key, entry in every.items() if not re.search(r"\b(author|key) = ", entry)] == []


def test_other_rules_give_other_sentences(score, tmp_path):
    (tmp_path / "truth.csv").write_text("list,item,grade\n1,a,4\n2,b,1\n")
    (tmp_path / "challenge.yaml").write_text(RULES.replace("BOARD", TESTED))
    said = score("cite", tmp_path).out
    for part in (
        "A list that a submission leaves out is scored as empty.",
        "ordered by their ids, upwards.",
        "a paired t-test finds a p of at most 0.01, corrected by Holm's steps.",
        "A tier has the submissions that are not significantly worse than its first.",
        "Intervals have a level, of all the ranked together, of 95 %",
        "@article{holm1979simple,", "@article{student1908probable,",
    ):  # fmt: skip
        assert part in said, said
    assert "2ᵍₘₐₓ" in said  # the highest grade of the truth is not told
    (tmp_path / "challenge.yaml").write_text(
        RULES.replace("BOARD", "{tiers: false, intervals: false}")
    )
    said = score("cite", tmp_path).out
    assert "Intervals" not in said
    assert "significantly" not in said


@pytest.mark.slow("scores the bundled challenges")
def test_reports_show_formulas_with_the_parameters(score, tmp_path):
    page, tex = tmp_path / "board.html", tmp_path / "board.tex"
    assert score(COURSE, GOOD, "-o", page, "-o", tex).code == 0
    assert page.read_text("utf-8").count("<math ") == 3
    assert "<mn>10</mn>" in page.read_text("utf-8")
    assert r"\frac{\sum_{i=1}^{10} \frac{g_i}{\log_2(i + 1)}}" in tex.read_text("utf-8")


def test_a_file_of_another_sort_is_refused(score, tmp_path):
    ran = score("cite", COURSE, "-o", tmp_path / "refs.pdf")
    assert ran.code == 2
    assert "the file's suffix can be .bib, .tex, .txt, .md" in ran.err


def test_every_metric_has_sources():
    known = " ".join(metric.source for metric in metrics())
    for metric in metrics():
        assert sources(metric), metric.name
    for key, entry in entries().items():
        if found := re.search(r"^  doi = \{(.*)\},$", entry, re.MULTILINE):
            assert found[1] in known, key  # no doi but those that a metric's own source has


@pytest.mark.slow("runs LaTeX")
def test_the_paragraph_compiles(score, tmp_path):
    if shutil.which("pdflatex") is None:
        pytest.skip("there is no LaTeX")
    for name in ("refs.bib", "methods.tex"):
        assert score("cite", COURSE, GOOD, "-o", tmp_path / name).code == 0
    (tmp_path / "main.tex").write_text(
        r"\documentclass{article}\usepackage[T1]{fontenc}\begin{document}\input{methods}"
        r"\bibliographystyle{plain}\bibliography{refs}\end{document}"
    )
    for words in (["pdflatex", "-interaction=batchmode", "main"], ["bibtex", "main"]):
        ended = subprocess.run(words, cwd=tmp_path, capture_output=True, text=True)
        assert ended.returncode == 0, ended.stdout[-2000:] + ended.stderr
