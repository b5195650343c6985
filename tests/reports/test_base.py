"""The formats of reports: those of every subject, and those of one."""

import pytest

from scorer.core.errors import UnknownName
from scorer.reports.base import (
    SUBJECTS,
    ReportFormat,
    format_names,
    report_format,
    report_formats,
)

SYNTAXES = {"csv", "html", "json", "latex", "markdown", "text"}
LEADERBOARD = "classroom codabench evalai github grades gradescope grand-challenge tira"
OWN = {
    "leaderboard": set(LEADERBOARD.split()),
    "comparison": {"jsonl"},
    "findings": {"github", "lines"},
    "explanation": set(),
    "soundness": set(),
    "study": set(),
    "votes": set(),
}


# What bundles for platforms ask for by name.
UNLISTED = {*LEADERBOARD.split(), "lines"} - {"github"}


@pytest.mark.parametrize("subject", list(OWN))
def test_every_subject_has_every_syntax_and_its_own_forms(subject):
    names = SYNTAXES | OWN[subject]
    assert {each.name for each in report_formats(subject)} == names
    assert format_names(subject) == ", ".join(sorted(names - UNLISTED))
    for name in names:
        assert (
            report_format(subject, name)
            == report_format(subject, name.upper())
            == ReportFormat(subject, name)
        )
    assert report_format(subject, "table") == report_format(subject, "text")


def test_every_subject_is_here():
    assert OWN.keys() == SUBJECTS.keys()


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["--format", "marckdown"], "no leaderboard format is called 'marckdown'"),
        (["check", "--format", "lins"], "did you mean 'lines'"),
        (["explain", "--list", "q1", "--format", "txt"], "did you mean 'text'"),
    ],
)
def test_a_mistyped_form_is_an_error_before_any_work(score, challenge, words, said):
    folder = challenge(**{"s.csv": "list,item\nq1,a\nq2,a\n"})
    score(*words, folder, folder / "s.csv").assert_exit(2, err=said)


def test_cells_are_no_form():
    with pytest.raises(UnknownName):
        report_format("leaderboard", "cells")
