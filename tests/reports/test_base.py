"""Output forms: one registry for all subjects, and an installed form of each from one file."""

import subprocess
import sys

import pytest

from scorer.core.errors import UnknownName
from scorer.reports.base import GROUPS, form_names, form_of, forms

SYNTAXES = {"csv", "html", "json", "latex", "markdown", "text"}
OWN = {
    "leaderboard": {
        "classroom",
        "codabench",
        "evalai",
        "github",
        "grades",
        "gradescope",
        "grand-challenge",
        "model-index",
        "tira",
    },
    "comparison": {"jsonl"},
    "findings": {"github", "lines", "sarif"},
    "explanation": set(),
    "soundness": set(),
    "power": set(),
    "study": set(),
    "votes": set(),
}
PLUGIN = '''
"""A form of every subject in one file."""
from scorer.reports.base import form

@form("leaderboard", "words")
def leaderboard(report, options):
    return f"board of {len(report.standings)}\\n"

@form("comparison", "words")
def comparison(compared, options):
    return f"comparison of {len(compared.pairing.names)}\\n"

@form("findings", "words")
def findings(checked, options):
    return f"findings of {len(checked.submissions)}\\n"

@form("explanation", "words")
def explanation(found, options):
    return f"explanation of {found.list}\\n"

@form("soundness", "words")
def soundness(lint, options):
    return f"soundness of {lint.lists}\\n"

@form("power", "words")
def power(estimate, options):
    return f"power of {len(estimate.needed)}\\n"

@form("study", "words")
def study(found, options):
    return f"study of {len(found.names)}\\n"
@form("votes", "words")
def votes(board, options):
    return f"votes: {board.votes}\\n"
'''


@pytest.mark.parametrize("subject", list(OWN))
def test_every_subject_has_every_syntax_and_its_own_forms(subject):
    names = SYNTAXES | OWN[subject]
    assert {each.name for each in forms(subject)} == names
    assert set(form_names(subject).split(", ")) == names
    for name in (*names, "table"):
        assert form_of(subject, name).name == forms(subject).get(name).name


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["--format", "marckdown"], "no leaderboard format is called 'marckdown'"),
        (["check", "--format", "sarf"], "did you mean 'sarif'"),
        (["explain", "--list", "q1", "--format", "txt"], "did you mean 'text'"),
    ],
)
def test_a_mistyped_form_is_an_error_before_any_work(score, challenge, words, said):
    folder = challenge(**{"s.csv": "list,item\nq1,a\nq2,a\n"})
    ran = score(*words, folder, folder / "s.csv")
    assert ran.code == 2, ran
    assert said in ran.err


def test_cells_are_no_form():
    with pytest.raises(UnknownName):
        form_of("leaderboard", "cells")


@pytest.mark.slow("installs a package for a process")
def test_one_installed_file_adds_a_form_of_every_subject(tmp_path, challenge):
    folder = challenge(**{"s.csv": "list,item\nq1,a\nq2,a\n", "t.csv": "list,item\nq1,b\nq2,a\n"})
    votes = tmp_path / "votes.csv"
    votes.write_text("a,b,winner\nx,y,x\nx,y,y\n")
    facts = tmp_path / "acme-1.0.dist-info"
    facts.mkdir()
    (tmp_path / "acme.py").write_text(PLUGIN)
    (facts / "METADATA").write_text("Metadata-Version: 2.1\nName: acme\nVersion: 1.0\n")
    points = (f"[{group}]\nwords = acme\n" for group in GROUPS.values())
    (facts / "entry_points.txt").write_text("".join(points))
    first, second = str(folder / "s.csv"), str(folder / "t.csv")
    here = str(folder)
    commands = [
        [here, first, second],
        ["compare", here, first, second],
        ["check", here, first],
        ["explain", here, first, "--list", "q1"],
        ["lint", here],
        ["power", here, "-d", "0.5"],
        ["study", here, first, second],
        ["votes", str(votes)],
    ]
    code = f"from scorer.cli.main import run\nfor words in {commands!r}:\n"
    code += "    run([*words, '--format', 'words'])\n"
    ended = subprocess.run(
        [sys.executable, "-c", code],
        env={"PYTHONPATH": str(tmp_path), "PATH": "/usr/bin:/bin"},
        capture_output=True,
        text=True,
    )
    assert ended.stdout.splitlines() == [
        "board of 2", "comparison of 2", "findings of 1", "explanation of q1", "soundness of 2",
        "power of 4", "study of 2", "votes: 2",
    ], ended.stderr  # fmt: skip
