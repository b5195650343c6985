"""Methods of a paper: sentences that are true of a board, and BibTeX of all that they cite."""

import re

import boards
import pytest
from conftest import ROOT

from scorer.metrics.catalogue import bibtex_entries, bibtex_of, metrics
from scorer.reports.methods import as_bibtex, as_text

COURSE = ROOT / "challenges/course-2026"
GOOD = ROOT / "submissions_example/course-2026/good"


def cited(tex):
    return {key for keys in re.findall(r"\\cite\{(.*?)\}", tex) for key in keys.split(",")}


@pytest.mark.slow("scores the bundled challenges")
def test_a_board_in_sentences(score, tmp_path):
    score("paper", COURSE, GOOD, "-o", tmp_path, "--figures", "forest").assert_exit(0)
    bib, tex, plain = (tmp_path / name for name in ("refs.bib", "methods.tex", "methods.txt"))
    said = plain.read_text("utf-8")
    for sentence in (
        "It has 60 users; 12 submissions are ranked.",
        "The primary measure is nDCG@10 (Normalised discounted cumulative gain), the mean over "
        "the users; higher is better.\n    \\frac{\\sum_{i=1}^{k} \\frac{g_i}{\\log_2(i + 1)}}",
        "\n    k = 10\n",
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
TESTED = "{tiers: {alpha: 0.01}, intervals: 0.8}"


def test_bibtex_can_sort_every_entry():
    every = bibtex_entries() | {
        key: entry for each in metrics() for key, entry in bibtex_of(each).items()
    }
    assert [key for key, entry in every.items() if not re.search(r"\b(author|key) = ", entry)] == []


def methods_of(board, tmp_path):
    """The sentences and the BibTeX of a board of two submissions by these rules."""
    for name, text in {
        "truth.csv": "list,item,grade\n1,a,4\n2,b,1\n3,a,1\n4,b,2\n5,a,1\n",
        "challenge.yaml": RULES.replace("BOARD", board),
        "one.csv": "list,item\n1,a\n2,a\n2,b\n3,a\n4,b\n",
        "two.csv": "list,item\n1,b\n1,a\n2,b\n3,b\n3,a\n4,b\n",
    }.items():
        (tmp_path / name).write_text(text)
    report = boards.score(tmp_path, [tmp_path / "one.csv", tmp_path / "two.csv"]).published()
    return as_text(report) + as_bibtex(report)


def test_other_rules_give_other_sentences(tmp_path):
    said = methods_of(TESTED, tmp_path)
    for part in (
        "A list that a submission leaves out is scored as empty.",
        "ordered by their ids, upwards.",
        "a paired permutation test of lists finds a p of at most 0.01, corrected by the greatest",
        "Intervals have a level of 80 %",
        "@book{westfall1993resampling,",
    ):  # fmt: skip
        assert part in said, said
    assert "2^{g_{\\max}}" in said
    assert "g_{\\max} = " not in said  # the highest grade of the truth is not told
    said = methods_of("{tiers: false, intervals: false}", tmp_path)
    assert "Intervals" not in said
    assert "significantly" not in said


def test_every_metric_has_sources():
    known = " ".join(metric.source for metric in metrics())
    for metric in metrics():
        assert bibtex_of(metric), metric.name
    for key, entry in bibtex_entries().items():
        if found := re.search(r"^  doi = \{(.*)\},$", entry, re.MULTILINE):
            assert found[1] in known, key  # no doi but those that a metric's own source has
