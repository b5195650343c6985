"""How a command line finds its verb; help, completion; what happens before anything is imported."""

import os
import subprocess
import sys

import pytest
from conftest import COMMAND

from scorer.cli.verbs import MAIN, OTHERS, SUMMARIES


def test_score_alone_says_in_twelve_lines_how_to_begin(score):
    ran = score()
    assert (ran.code, ran.err) == (0, "")
    lines = ran.out.splitlines()
    assert lines[0] == "Usage: score CHALLENGE SUBMISSION..."
    assert "  check    only the checks, blind to the answers" in lines
    assert len(lines) == 12
    assert max(map(len, lines)) <= 80


@pytest.mark.parametrize("option", ["-h", "--help"])
def test_help_lists_fourteen_commands_and_rare_options_last(score, option):
    ran = score(option).assert_exit(0)
    assert ran.out.startswith("Usage: score [OPTIONS] CHALLENGE SUBMISSION...\n")
    lines = [line.strip() for line in ran.out.splitlines()]
    assert [group for group in MAIN | OTHERS if f"{group}:" in lines] == list(MAIN)
    assert sum(map(len, MAIN.values())) == 14
    heads = [lines.index("Options:"), lines.index("More options:")]
    assert heads[0] < lines.index("-q, --quiet        No warnings and no progress.") < heads[1]
    assert heads[1] < next(n for n, line in enumerate(lines) if line.startswith("--engine spark"))


def test_every_command_is_in_one_group_and_says_what_it_does(score):
    grouped = [name for group in (MAIN | OTHERS).values() for name in group]
    assert len(grouped) == len({*grouped})
    ran = score("help", "--all").assert_exit(0)
    listed = {
        line.split()[0]: line.split()[1:] for line in ran.out.splitlines() if line[:2] == "  "
    }
    assert sorted(listed) == sorted(grouped)
    assert all(len(words) >= 3 for words in listed.values())
    assert "why" not in score("help").assert_exit(0).out.split()


def test_no_line_of_any_help_is_wider_than_a_small_terminal(score):
    for name in SUMMARIES:
        assert max(map(len, score("help", name).assert_exit(0).out.splitlines())) <= 80, name


@pytest.mark.slow("starts processes", beyond=1)
@pytest.mark.parametrize(
    ("line", "found"),
    [
        ("score ch", ["check"]),
        ("score ", ["check", "compare", "explain", "init", "kit", "lint", "metrics"]),
        ("score --per", ["--per-list"]),
        ("score --fail", ["--fail-under"]),
        ("score check --f", ["--format", "--fix"]),
        ("score x.yaml a.csv --per", ["--per-list"]),
    ],
)
def test_the_shell_completes(line, found):
    environment = {
        "PATH": "/usr/bin:/bin", "_SCORE_COMPLETE": "complete_bash", "COMP_WORDS": line,
        "COMP_CWORD": str(line.count(" ")),
    }  # fmt: skip
    ended = subprocess.run([COMMAND], env=environment, capture_output=True, text=True)
    assert ended.returncode == 0, ended
    assert set(found) <= set(ended.stdout.split()), ended.stdout


@pytest.mark.slow("starts processes", beyond=1)
@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_completion_is_shown_for_a_shell(installed, tmp_path, shell):
    ran = installed(
        "--show-completion", shell, _TYPER_COMPLETE_TEST_DISABLE_SHELL_DETECTION="1", HOME=tmp_path
    )
    ran.assert_exit(0, out="_SCORE_COMPLETE")


def test_completion_is_installed(installed, tmp_path):
    ran = installed(
        "--install-completion", "bash",
        _TYPER_COMPLETE_TEST_DISABLE_SHELL_DETECTION="1", HOME=tmp_path,
    )  # fmt: skip
    assert ran.code == 0, ran
    assert "completion installed" in ran.out
    assert "score.sh" in (tmp_path / ".bashrc").read_text()


INTERRUPTING = """
import os, signal, sys
class Interrupting:
    def find_spec(self, name, path=None, target=None):
        if name == {name!r}:
            os.kill(os.getpid(), signal.SIGINT)
sys.meta_path.insert(0, Interrupting())
sys.argv = ["score", "rule"]
from scorer.cli.start import main
main()
"""


@pytest.mark.parametrize(
    "name",
    ["scorer.cli.main", "scorer.core.problems", "scorer.cli.progress", "typer", "typer.core"],
)
def test_an_interruption_while_importing_is_one_line(name):
    code = INTERRUPTING.format(name=name)
    ended = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, env={**os.environ}
    )
    assert (ended.returncode, ended.stdout, ended.stderr) == (130, "", "interrupted\n")


def test_a_kit_that_is_not_whole_is_named_as_such(score, challenge, tmp_path):
    kit, sent = tmp_path / "kit.zip", tmp_path / "a.csv"
    sent.write_text("list,item\nq1,a\n")
    score("kit", challenge(), "-o", kit).assert_exit(0)
    kit.write_bytes(kit.read_bytes()[:-40])
    for words in ((kit, sent), ("lint", kit), ("kit", kit)):
        ran = score(*words)
        ran.assert_exit(2, err="error[T108] this is a ZIP archive, and no kit that is whole")


@pytest.mark.slow("starts processes")
def test_all_public_names_are_there():
    code = (
        "from scorer import *; import scorer; print(score.__name__, set(dir(scorer)) >= {'load'})"
    )
    ended = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert ended.stdout == "score True\n"
