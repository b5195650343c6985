"""`--fail-under MEASURE=VALUE`: a participant's CI as a gate."""

import pytest

TRUTH = "list,item,grade\nq1,a,1\nq1,b,1\nq2,a,1\nq2,c,0\n"
HALF = "list,item\nq1,a\nq1,x\nq2,x\nq2,a\n"  # P@2 is .5, RR .75


@pytest.fixture
def graded(challenge):
    """Two measures, and a baseline that is worse than any floor."""
    yaml = (
        "truth: truth.csv\nmetrics: [P@2, {metric: RR, id: first}, nDCG(gain=exp2)@2]\n"
        "leaderboard: {baselines: [none.csv]}\n"
    )
    none = "list,item\nq1,x\nq2,x\n"
    bad = "list,item\nq1,a\nq1,a\n"
    files = {"truth.csv": TRUTH, "half.csv": HALF, "none.csv": none, "bad.csv": bad}
    return challenge(yaml, **files)


@pytest.mark.parametrize(
    ("floors", "code"),
    [
        (["P@2=0.5"], 0),
        (["p@2=0.4999"], 0),
        (["P@2=0.5000001"], 5),
        (["first=0.7", "P@2=0.6"], 5),
        (["first=0.75", "P@2=0.5"], 0),
        (["RR=0.76"], 5),
        (["nDCG(gain=exp2)@2=0.99"], 5),
        (["P@2=-1"], 0),
    ],
)
def test_who_is_worse_than_asked_for_fails(score, graded, floors, code):
    words = [word for floor in floors for word in ("--fail-under", floor)]
    ran = score(graded, graded / "half.csv", *words).assert_exit(code)
    assert ("(--fail-under)" in ran.err) == (code == 5)
    assert "error: none" not in ran.err
    assert "half" in ran.out


def test_a_rejected_submission_comes_first(score, graded):
    ran = score(graded, graded / "half.csv", graded / "bad.csv", "--fail-under", "P@2=0.9")
    ran.assert_exit(1, err="half: P@2 is 0.5, below 0.9 (--fail-under)")


@pytest.mark.parametrize(
    ("floor", "says"),
    [
        ("P@2=0.5000001", "P@2 is 0.5, below 0.5000001 (--fail-under)"),
        ("first=0.750000001", "first is 0.75, below 0.750000001 (--fail-under)"),
        # With l = 1 / log2(3), the mean of 1 / (1 + l) and l is 0.622038473.
        ("nDCG(gain=exp2)@2=0.62203849", "is 0.62203847, below 0.62203849 (--fail-under)"),
    ],
)
def test_a_value_and_its_floor_are_shown_with_digits_in_which_they_differ(
    score, graded, floor, says
):
    ran = score(graded, graded / "half.csv", "--fail-under", floor)
    assert says in ran.err


@pytest.mark.parametrize(
    ("word", "said"),
    [
        ("P@3=0.5", "did you mean 'P@2'"),
        ("P@2", "write MEASURE=VALUE"),
        ("=0.5", "no measure of this challenge is called ''"),
        ("P@2=", "write MEASURE=VALUE"),
        ("P@2=nan", "write MEASURE=VALUE"),
        ("P@2=1_0", "write MEASURE=VALUE"),
        ("P@2=0,5", "write MEASURE=VALUE"),
    ],
)
def test_a_word_that_is_no_floor_is_a_usage_error(score, graded, word, said):
    ran = score(graded, graded / "half.csv", "--fail-under", word).assert_exit(2, err=said)
    assert ran.out == ""


def test_where_lower_is_better_higher_fails(score, challenge):
    folder = challenge(
        "truth: truth.csv\nmetrics: [MAE]\n",
        **{"truth.csv": "list,item,rating\nu,a,1\nu,b,3\n",
           "s.csv": "list,item,prediction\nu,a,2\nu,b,3\n"},
    )  # fmt: skip
    assert score(folder, folder / "s.csv", "--fail-under", "MAE=0.5").code == 0
    ran = score(folder, folder / "s.csv", "--fail-under", "MAE=0.4")
    ran.assert_exit(5, err="s: MAE is 0.5, above 0.4")


def test_no_value_is_no_pass(score, challenge):
    folder = challenge(
        "truth: truth.csv\nmetrics: [nDCG@2]\nundefined: skip\n",
        **{"truth.csv": "list,item,grade\nq1,a,0\n", "s.csv": "list,item\nq1,a\n"},
    )
    ran = score(folder, folder / "s.csv", "--fail-under", "nDCG@2=0")
    ran.assert_exit(5, err="nDCG@2 is undefined")


def test_for_github_the_gate_and_the_problems_are_marks(score, graded):
    ran = score(
        graded, graded / "half.csv", graded / "bad.csv",
        "--fail-under", "P@2=0.9", "--format", "github",
    )  # fmt: skip
    assert ran.code == 1
    assert "::error::half: P@2 is 0.5, below 0.9 (--fail-under)" in ran.err
    assert f"::error file={graded}/bad.csv,line=3" in ran.out
    assert "S304" in ran.out
    assert "S304" not in ran.err


@pytest.mark.parametrize("form", [("--format", "github"), ("--format=github",)])
def test_for_github_what_ends_the_command_is_a_mark_without_colours(
    score, graded, monkeypatch, form
):
    monkeypatch.setenv("FORCE_COLOR", "1")
    ran = score(graded, graded / "half.csv", "--fail-under", "P@2=0.9", *form)
    assert ran.err.splitlines()[-1] == "::error::half: P@2 is 0.5, below 0.9 (--fail-under)"
    ran = score(graded, graded / "half.csv", "--fail-under", "P@3=0.9", *form)
    assert (ran.code, ran.err[:9]) == (2, "::error::"), ran
    yaml = graded / "challenge.yaml"
    yaml.write_text(yaml.read_text().replace("RR", "RRR"))
    ran = score("check", graded, graded / "half.csv", *form)
    assert (ran.code, ran.out) == (2, "")
    assert ran.err.startswith(f"::error file={yaml},line=2,title=C113::"), ran


def test_a_replaced_metric_can_be_asked_for(score, graded):
    ran = score(
        graded, graded / "half.csv", "-m", "P@1", "--fail-under", "P@1=0.5", "--format", "json"
    )
    assert ran.json()["leaderboard"][0]["values"] == {"P@1": 0.5}


COUNTING = """
from pathlib import Path
from scorer import Floats, Judged, metric

with Path(__file__).with_name("ran.txt").open("a") as file:
    file.write("x")

@metric("Met", title="How many judged items were met", source="this test", range=(0, None))
def met(judged: Judged) -> Floats:
    \"\"\"Hits.\"\"\"
    return judged.hits.total()
"""


@pytest.mark.parametrize("verb", [[], ["lint"]], ids=["score", "lint"])
def test_a_plugin_file_runs_once_and_the_truth_is_opened_once(score, challenge, monkeypatch, verb):
    from scorer.scoring import open as opening

    folder = challenge(
        "truth: truth.csv\nmetrics: [Met]\nplugins: [own.py]\n"
        "leaderboard: {baselines: [half.csv]}\n"
        "examples: [{submission: sent.csv, expect: {Met: 1.0}}]\n",
        **{"truth.csv": TRUTH, "own.py": COUNTING, "half.csv": HALF, "sent.csv": HALF},
    )
    (folder.parent / "mine.csv").write_text(HALF)
    asked, open_truth = [], opening.open_truth
    monkeypatch.setattr(opening, "open_truth", lambda *given: asked.append(1) or open_truth(*given))
    words = [folder.parent / "mine.csv", "--fail-under", "Met=0.5"] if not verb else []
    ran = score(*verb, folder, *words, "--allow-plugins")
    assert ("0 failed" in ran.out) if verb else (ran.code == 0), ran
    assert (folder / "ran.txt").read_text() == "x"
    assert asked == [1]


@pytest.mark.parametrize("labels", ["aaabbbcaa", "abbbbbccc"])
def test_the_last_bit_of_a_value_fails_nobody(score, challenge, labels):
    """Recalls of 1, 1 and 1/3 in any order: their mean is 7/9, but for its last bit."""

    def rows(labels):
        return "id,y\n" + "".join(f"{n},{label}\n" for n, label in enumerate(labels))

    yaml = (
        "truth: {file: truth.csv, columns: {list: id, label: y}}\n"
        "submission: {columns: {list: id, label: y}}\nmetrics: [BalancedAccuracy]\n"
    )
    folder = challenge(yaml, **{"truth.csv": rows("aaabbbccc"), "s.csv": rows(labels)})
    for floor, code in ((repr(7 / 9), 0), ("0.7777777777778", 0), ("0.77777777779", 5)):
        ran = score(folder, folder / "s.csv", "--fail-under", f"BalancedAccuracy={floor}")
        assert ran.code == code, ran
