"""The truth and the organizer's other files: what is wrong with them, as exact findings."""

from pathlib import Path

import pytest
import yaml

from scorer.api.submissions import loaded
from scorer.core.errors import ChallengeError
from scorer.prepare.bind import prepare
from scorer.prepare.open import opened

GRADES = "truth: truth.csv\nmetrics: [P@2]\n"
FILES = {"lists.csv": "list\nq1\nq2\n", "items.csv": "item\na\n007\n"}
CASES = yaml.safe_load(Path(__file__).with_name("truth.yaml").read_text(encoding="utf-8"))


def findings(folder):
    """All problems of a challenge's files, errors and warnings."""
    try:
        problems = opened(prepare(loaded(folder))).warnings
    except ChallengeError as error:
        problems = error.problems
    lines = []
    for problem in problems:
        warning = "warning " if problem.severity == "warning" else ""
        assert problem.path.endswith(".csv")
        lines.append(f"{problem.line or '-'} {warning}{problem.code} {problem.message}")
    return lines


@pytest.mark.parametrize("case", CASES, ids=lambda case: case["name"])
def test_exactly_these_findings(case, challenge):
    folder = challenge(case.get("challenge", GRADES), **{"truth.csv": case["truth"]}, **FILES)
    assert findings(folder) == case.get("problems", [])


def test_columns_that_are_called_otherwise(challenge, score, tmp_path):
    folder = challenge(GRADES, **{"truth.csv": "userId,movieId,rating\nq1,a,1\n"})
    assert findings(folder) == [
        f"1 T201 column '{role}' is missing; found: userId, movieId, rating"
        for role in ("list", "item")
    ]
    ran = score(folder, tmp_path / "none.csv")
    written = "truth: {file: truth.csv, columns: {list: ..., item: ..., grade: ...}}"
    assert f"help: say which is which: {written}" in ran.err


def test_the_command_says_so_and_ends_with_2(challenge, score, tmp_path):
    folder = challenge(GRADES, **{"truth.csv": "list,item,grade\nq1,a,1\nq1,a,2\n"})
    (tmp_path / "one.csv").write_text("list,item\nq1,a\n")
    ran = score(folder, tmp_path / "one.csv")
    assert (ran.code, ran.out) == (2, "")
    assert "truth.csv:3: error[T304] item 'a' of list 'q1' is graded 1 and 2" in ran.err
