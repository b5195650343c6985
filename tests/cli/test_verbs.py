"""How a command line finds its verb; help, completion; what happens before anything is imported."""

import os
import subprocess
import sys

import pytest
from conftest import COMMAND, ROOT

from scorer.cli.verbs import MAIN, OTHERS, SUMMARIES

VLNET = ROOT / "challenges/vlnet-2011"
SENT = ROOT / "submissions_example/vlnet-2011/good/team_a.lists"


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


@pytest.mark.parametrize(
    ("words", "parts"),
    [
        (["board"], ["Usage: score board [OPTIONS] CHALLENGE\n", "-h, --help"]),
        (["score"], ["Usage: score [OPTIONS] CHALLENGE SUBMISSION...\n", "More options:"]),
        (["schema"], ["Usage: score schema [OPTIONS] [RESULT]\n"]),
        (["nDCG@10"], ["Normalised discounted cumulative gain"]),
        (["roc_auc_score"], ["AUC[@k]: Area under the ROC curve"]),
        (["hit", "rate"], ["Success"]),
        (["s304"], ["S304 (error): an item is given twice in a list", "What to do:"]),
        (["leaderboard.tie_break"], ["leaderboard.tie_break: a key of challenge.yaml\n"]),
        (["metrics.where"], ["metrics[].where: a key", "Value: text"]),
        (
            ["tie_break"],
            ["leaderboard.tie_break: a key", "leaderboard.rank_by.tie_break: a key"],
        ),
        (["metrics"], ["Usage: score metrics", "metrics: a key of challenge.yaml"]),
    ],
)
def test_help_explains_a_command_a_metric_a_code_or_a_key(score, words, parts):
    ran = score("help", *words).assert_exit(0)
    assert ran.err == ""
    for part in parts:
        assert part in ran.out


@pytest.mark.parametrize(
    ("word", "message"),
    [
        ("nDGC", "no command, key, problem code or metric is called 'nDGC'; did you mean 'nDCG'?"),
        ("explian", "'explian'; did you mean 'explain'?"),
        ("S999", "no problem code is called 'S999'"),
        ("qwertyuiop", "no command, key, problem code or metric is called 'qwertyuiop'"),
    ],
)
def test_help_of_what_there_is_not(score, word, message):
    ran = score("help", word).assert_exit(2)
    assert ran.out == ""
    assert message in ran.err


def test_no_line_of_any_help_is_wider_than_a_small_terminal(score):
    for name in SUMMARIES:
        assert max(map(len, score("help", name).assert_exit(0).out.splitlines())) <= 80, name


@pytest.mark.parametrize("option", ["-h", "--help"])
@pytest.mark.parametrize(
    "verb", ["check", "compare", "init", "lint", "metrics", "rule", "schema", "study"]
)
def test_help_of_a_verb(score, verb, option):
    ran = score(verb, option).assert_exit(0)
    assert ran.out.startswith(f"Usage: score {verb} ")


@pytest.mark.parametrize(
    ("words", "verb"),
    [
        (["-q", "check", VLNET, SENT], "check"),
        (["--allow-plugins", "-q", "check", VLNET, SENT], "check"),
        (["--format", "json", "check", VLNET, SENT], "check"),
        (["check", VLNET, SENT, "-q"], "check"),
        (["--format", "csv", VLNET, SENT], "score"),
        ([VLNET, SENT, "--format", "csv"], "score"),
        (["-m", "P@1", "--format=csv", VLNET, "--", SENT], "score"),
        (["--", VLNET, SENT], "score"),
        (["-q", VLNET, SENT], "score"),
        ([VLNET, "--precision", "2", SENT], "score"),
        ([VLNET / "challenge.yaml", SENT, "--format=markdown"], "score"),
    ],
)
def test_options_may_stand_before_the_verb_after_it_or_last(score, words, verb):
    ran = score(*words).assert_exit(0)
    assert ("rank" in ran.out) == (verb == "score")


def test_a_word_that_is_nearly_a_file(score, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "autumn-2026").mkdir()
    ran = score("autum-2026", "x.csv")
    says = "error: no command and no file is called 'autum-2026'; did you mean 'autumn-2026'?\n"
    assert (ran.code, ran.err) == (2, says)


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["chek", "x"], "no command and no file is called 'chek'; did you mean check?"),
        (["lnit", VLNET], "did you mean lint?"),
        (["power", VLNET, "-d", "0.1"], "no file is called 'power'; did you mean lint?"),
        (["compar", VLNET, SENT], "did you mean compare?"),
        (["rehearse", "x"], "'rehearse'; score --help lists the commands"),
        (["-m", "P@1", "rehearse", "x"], "no command and no file is called 'rehearse'"),
        (["0123-4567", SENT], "no command and no file is called '0123-4567'"),
        (["nowhere.yaml", SENT], "C101"),
        (["no/where", SENT], "C101"),
        (["check", VLNET, SENT, "--formt", "json"], "No such option: --formt"),
        ([VLNET, SENT, "--formt", "json"], "No such option: --formt"),
        (["board", VLNET, "--as-of", "x"], "No such option: --as-of; --at shows the board of any"),
        (["check", VLNET, SENT, "--statistics"], "what a file looks like is always said"),
        (["compare", VLNET, "--entries", "1,2"], "No such option: --entries; score store files"),
        (["explain", VLNET, "--entries", "1,2"], "store files CHALLENGE --entries 3,9 -o DIR"),
        (["study", VLNET, "--entries", "1,2"], "store files CHALLENGE --entries 3,9 -o DIR"),
        (["check", VLNET, SENT, "--formt", "json"], "(score check --help)"),
        ([VLNET, SENT, "--formt", "json"], "(score --help)"),
    ],
)
def test_a_mistyped_word(score, words, said):
    ran = score(*words)
    assert (ran.code, ran.out) == (2, "")
    assert said in ran.err


def test_a_file_of_a_verbs_name_is_a_path(score, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "check").symlink_to(VLNET)
    (tmp_path / "chek").symlink_to(VLNET)
    assert score("./check", SENT).code == 0
    assert score("chek", SENT).code == 0


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


@pytest.mark.parametrize("verb", [[], ["lint"], ["kit"]])
def test_a_kit_that_is_not_whole_is_named_as_such(score, challenge, tmp_path, verb):
    kit = tmp_path / "kit.zip"
    assert score("kit", challenge(), "-o", kit).code == 0
    kit.write_bytes(kit.read_bytes()[:-40])
    ran = score(*verb, kit, *([] if verb else [SENT]))
    ran.assert_exit(2, err="error[T108] this is a ZIP archive, and no kit that is whole")


def test_a_kit_is_announced_once_it_is_there(score, challenge, tmp_path):
    folder = challenge()
    (tmp_path / "taken").mkdir()
    ran = score("kit", folder, "-o", tmp_path / "nowhere/kit.zip").assert_exit(2)
    assert "bytes" not in ran.err
    ran = score("kit", folder, "-o", tmp_path / "kit.zip")
    assert f"{(tmp_path / 'kit.zip').stat().st_size:,} bytes; score check" in ran.err


def test_a_secrets_name_is_never_an_output(score, tmp_path):
    ran = score(VLNET, SENT, "-o", tmp_path / ".scorer-key")
    ran.assert_exit(2, err=".scorer-key is the challenge's secret")
    assert not (tmp_path / ".scorer-key").exists()


@pytest.mark.slow("starts processes")
def test_all_public_names_are_there():
    code = (
        "from scorer import *; import scorer; print(score.__name__, set(dir(scorer)) >= {'load'})"
    )
    ended = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert ended.stdout == "score True\n"


def test_help_has_colours_where_the_terminal_has_them(score):
    assert "\x1b" not in score("check", "--help").out
    coloured = score("check", "--help", "--color", "always").assert_exit(0).out
    assert "\x1b[32m\x1b[1mOptions:" in coloured
    assert "  \x1b[36m\x1b[1m-q, --quiet" in coloured
    assert "\x1b[36m\x1b[1mlint" in score("--color", "always").assert_exit(0).out
