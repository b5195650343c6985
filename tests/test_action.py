"""The action for GitHub and the hooks for pre-commit do what they say, run in a shell as there."""

import os
import shlex
import subprocess
import sys
from pathlib import Path
from runpy import run_path

import pytest
import yaml
from conftest import ROOT

ACTION = yaml.safe_load((ROOT / "action.yml").read_text("utf-8"))
HOOKS = {each["id"]: each for each in yaml.safe_load((ROOT / ".pre-commit-hooks.yaml").read_text())}
INSTALL, SCORE = (step for step in ACTION["runs"]["steps"] if "run" in step)
LISTS = [f"q{n}" for n in range(40)]


def run(hits):
    rows = [f"{q},{x}" for n, q in enumerate(LISTS) for x in ("ab" if n < hits else "ba")]
    return "list,item\n" + "\n".join(rows) + "\n"


@pytest.fixture
def repository(challenge):
    truth = "list,item,grade\n" + "".join(
        f"{q},{item},{int(item == 'a')}\n" for q in LISTS for item in "abcdefgh"
    )
    files = {"one.csv": run(10), "old.csv": run(35), "bad.csv": "list,item\nq1,a\nq1,a\n"}
    folder = challenge("truth: truth.csv\nmetrics: [RR, P@1]\n", **{"truth.csv": truth}, **files)
    (folder / "new runs").mkdir()
    (folder / "one.csv").rename(folder / "new runs/one.csv")
    return folder


def environment(repository, **inputs):
    """What GitHub gives to a step: inputs, where they have none, as their defaults."""
    given = {name: str(each.get("default", "")) for name, each in ACTION["inputs"].items()}
    given |= {name.replace("_", "-"): value for name, value in inputs.items()}
    assert given.keys() == ACTION["inputs"].keys()
    named = {
        name: given[value.removeprefix("${{ inputs.").removesuffix(" }}")]
        for name, value in SCORE["env"].items()
    }
    path = f"{Path(sys.executable).parent}:{os.environ['PATH']}"
    there = {"GITHUB_ACTION_PATH": str(ROOT), "GITHUB_STEP_SUMMARY": str(repository / "summary.md")}
    return {"PATH": path, "HOME": str(repository), **named, **there}


def stepped(repository, **inputs):
    ended = subprocess.run(
        ["bash", "--noprofile", "--norc", "-eo", "pipefail", "-c", SCORE["run"]],
        cwd=repository, env=environment(repository, **inputs), capture_output=True, text=True,
        timeout=300, check=False,
    )  # fmt: skip
    summary = repository / "summary.md"
    return ended, summary.read_text() if summary.exists() else ""


@pytest.mark.slow("starts three processes each", beyond=1)
@pytest.mark.parametrize(
    ("inputs", "code", "said"),
    [
        ({"files": "new runs/*.csv\n\n"}, 0, "::notice"),
        ({"files": "new runs\nold.csv", "fail_under": "P@1=0.5"}, 5, "one: P@1 is 0.25, below 0.5"),
        ({"files": "new runs/one.csv", "fail_if_worse": "old.csv"}, 5, "significantly worse than"),
        ({"files": "old.csv", "fail_if_worse": "new runs/one.csv", "margin": "0.1"}, 0, "::notice"),
        ({"files": "bad.csv\nold.csv"}, 1, "::error file=bad.csv,line=3"),
        ({"files": "none.csv"}, 1, "::error file=none.csv"),
        ({"files": "old.csv", "metrics": "nDCG@2"}, 0, "nDCG@2"),
        ({"files": "$(touch x); `touch x`"}, 1, "::error"),
        ({"files": "old.csv", "fail_if_worse": "bad.csv"}, 1, "::error file=bad.csv,line=3"),
        ({"files": "old.csv", "page": "site/board.html"}, 0, "::notice"),
    ],
)
def test_the_steps_of_the_action(repository, inputs, code, said):
    ended, summary = stepped(repository, challenge=".", **inputs)
    assert ended.returncode == code, ended
    assert said in ended.stdout
    assert not (repository / "x").exists()
    if "old.csv" in inputs["files"] or code in (0, 5):
        assert "| rank" in summary
        page = repository / inputs.get("page", "board.html")
        assert page.read_text().startswith("<!doctype html>")


@pytest.mark.slow("starts two processes each")
@pytest.mark.parametrize(("file", "code"), [("old.csv", 0), ("bad.csv", 1)])
def test_the_steps_of_the_action_only_check(repository, file, code):
    ended, summary = stepped(repository, challenge=".", files=file, check="True")
    assert ended.returncode == code, ended
    assert ("::error" in ended.stdout) == bool(code)
    assert ("would be rejected" in summary) == bool(code)
    assert file in (repository / "board.html").read_text()


@pytest.mark.parametrize(
    ("inputs", "said"),
    [
        ({"files": " "}, "files: it is empty"),
        ({"files": "old.csv", "margin": "0.1"}, "margin: it needs fail-if-worse"),
        ({"files": "old.csv", "check": "yes"}, "check: write true or false"),
        ({"files": "old.csv", "allow_plugins": "1"}, "allow-plugins: write true or false"),
        ({"files": "old.csv", "check": "true", "fail_under": "P@1=1"}, "fail-under: it needs"),
    ],
)
def test_inputs_that_do_not_go_together_are_told(monkeypatch, inputs, said):
    for name, given in environment(ROOT, challenge=".", **inputs).items():
        monkeypatch.setenv(name, given)
    assert run_path(str(ROOT / "tools/action.py"))["fault"]().startswith(said)


def test_every_input_is_told_and_reaches_the_shell_as_data():
    assert all(each["description"] for each in ACTION["inputs"].values())
    assert "${{" not in SCORE["run"] + INSTALL["run"]
    assert "$GITHUB_ACTION_PATH" in INSTALL["run"]


@pytest.mark.slow("runs the steps in a shell", beyond=1)
@pytest.mark.parametrize(
    ("hook", "words", "code"),
    [
        ("score-check", ["old.csv", "one.csv"], 2),  # there is no kit.zip, and none is the truth
        ("score-lint", [], 0),
        ("score-check", [".", "old.csv"], 0),
        ("score-check", [".", "old.csv", "bad.csv"], 1),
        ("score-lint", ["."], 0),
        ("score-lint", ["broken.yaml"], 2),
    ],
)
def test_the_hooks_of_pre_commit(repository, score, monkeypatch, hook, words, code):
    monkeypatch.chdir(repository)
    repository.joinpath("broken.yaml").write_text("truth: none.csv\n")
    command, *further = shlex.split(HOOKS[hook]["entry"])
    assert command == "score"
    given = len(words) and words[0] in (".", "broken.yaml")  # `args` of the configuration
    score(*further, *([] if given else HOOKS[hook]["args"]), *words).assert_exit(code)
