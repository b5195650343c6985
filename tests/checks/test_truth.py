"""The truth, and rules that it makes void: what is wrong with them, as exact findings."""

from pathlib import Path

import pytest
import yaml

from scorer.api.submissions import to_challenge
from scorer.core.errors import ChallengeError
from scorer.scoring.bind import bind
from scorer.scoring.open import open_challenge

GRADES = "truth: truth.csv\nmetrics: [P@2]\n"
FILES = {"lists.csv": "list\nq1\nq2\n", "items.csv": "item\na\n007\n"}
CASES = yaml.safe_load(Path(__file__).with_name("truth.yaml").read_text(encoding="utf-8"))


def findings(folder):
    """All problems of a challenge's files, errors and warnings."""
    try:
        problems = open_challenge(bind(to_challenge(folder))).warnings
    except ChallengeError as error:
        problems = error.problems
    lines = []
    for problem in problems:
        warning = "warning " if problem.severity == "warning" else ""
        lines.append(f"{problem.line or '-'} {warning}{problem.code} {problem.message}")
    return lines


@pytest.mark.parametrize("case", CASES, ids=lambda case: case["name"])
def test_exactly_these_findings(case, challenge):
    folder = challenge(case.get("challenge", GRADES), **{"truth.csv": case["truth"]}, **FILES)
    assert findings(folder) == case.get("problems", [])


def test_the_command_says_what_is_wrong_and_what_to_do(challenge, score, tmp_path):
    folder = challenge(GRADES, **{"truth.csv": "userId,movieId,rating\nq1,a,1\n"})
    ran = score(folder, tmp_path / "none.csv")
    assert (ran.code, ran.out) == (2, "")
    assert "truth.csv:1: error[T201] columns 'list', 'item' are missing" in ran.err
    written = "truth: {file: truth.csv, columns: {list: ..., item: ..., grade: ...}}"
    assert f"help: say which is which: {written}" in ran.err
