"""A submission with more errors than are accepted is refused, and the others are scored."""

import json

import pytest

from scorer.formats import cut

GOOD = "list,item,score\nq1,a,1\nq1,b,2\nq2,a,1\n"
YAML = (
    "truth: truth.csv\nitems: items.csv\nmetrics: [P@2]\n"
    "submission: {missing_list: zero, unknown_list: RULE, limits: {errors: 100}}\n"
)
HEAD = "list,item,score\n"
CASES = {
    "unknown lists": lambda n: f"u{n},a,1\n" if n else "q1,a,1\n",
    "unknown items": lambda n: f"q1,x{n},{n}\n",
    "items again": lambda n: "q1,a,1\n",
    "scattered unknown items": lambda n: f"q{n % 2 + 1},x{n},{n}\n",
    "scattered unknown lists": lambda n: f"u{n * 7919 % 5000},a{n % 2},1\n" if n else "q1,a,1\n",
    "wrong numbers": lambda n: f"q1,{n},x\n",
}


@pytest.fixture
def run(challenge, score, tmp_path, monkeypatch):
    """Score a file of these rows beside a good one; each submission by its name."""
    monkeypatch.setattr(cut, "SMALLEST", 100)
    monkeypatch.setattr(cut, "PIECE", 1000)

    def ran(rows, rule="error"):
        folder = challenge(
            YAML.replace("RULE", rule), **{"items.csv": "item\na\nb\nc\n", "good.csv": GOOD}
        )
        (tmp_path / "bad.csv").write_text(HEAD + rows)
        ended = score(folder, tmp_path / "bad.csv", folder / "good.csv", "--format", "json")
        return {each["name"]: each for each in json.loads(ended.out)["submissions"]}

    return ran


@pytest.mark.slow("reads files up to a limit", beyond=1)
@pytest.mark.parametrize("case", CASES)
def test_reading_ends_and_says_by_which_limit(case, run):
    found = run("".join(map(CASES[case], range(5000))))
    assert found["good"]["valid"]
    assert not found["bad"]["valid"]
    (told,) = [each for each in found["bad"]["problems"] if each["code"] == "S104"]
    assert "more than 100 errors" in told["message"]


@pytest.mark.slow("reads large files", beyond=2)
@pytest.mark.parametrize("scattered", [False, True])
def test_a_list_may_have_so_many_rows(scattered, run, monkeypatch):
    monkeypatch.setitem(globals(), "YAML", YAML.replace("errors: 100", "list: 500"))
    rows = [f"q1,x{n},{n}\n" for n in range(900)] + ["q2,a,1\n"]
    found = run("".join(rows[-1:] * scattered + rows))
    (told,) = [each for each in found["bad"]["problems"] if each["code"] == "S104"]
    assert told["message"] == "more than 500 rows in one list"
    assert found["good"]["valid"]
    fine = run("".join(rows[-1:] * scattered + rows[500:]))["bad"]["problems"]
    assert not any(each["code"] == "S104" for each in fine)


@pytest.mark.slow("reads large files", beyond=4)
@pytest.mark.parametrize("case", CASES)
def test_few_errors_are_all_told(case, run):
    found = run("".join(map(CASES[case], range(40))))
    assert not any(each["code"] == "S104" for each in found["bad"]["problems"])


@pytest.mark.slow("reads files up to a limit")
def test_lists_that_are_ignored_are_no_errors(run):
    rows = "".join(map(CASES["unknown lists"], range(5000))) + "q2,a,1\n"
    assert run(rows, "ignore")["bad"]["valid"]
