"""`compare NEW OLD --fail-if-worse [--margin D]`: a regression ends with 5."""

import random

import pytest

LISTS = [f"q{n}" for n in range(60)]


def run(seed, hits):
    """A run that finds the one relevant item of so many lists of 60 first, of the others second."""
    found = set(random.Random(seed).sample(LISTS, hits))
    rows = [f"{q},{x}" for q in LISTS for x in (("a", "b") if q in found else ("b", "a"))]
    return "list,item\n" + "\n".join(rows) + "\n"


def error(seed, size):
    rng = random.Random(seed)
    return "list,prediction\n" + "".join(f"{q},{rng.gauss(0, size)}\n" for q in LISTS)


@pytest.fixture
def runs(challenge):
    truth = "list,item,grade\n" + "".join(f"{q},a,1\n" for q in LISTS)
    files = {"good.csv": run(1, 55), "bad.csv": run(2, 25), "alike.csv": run(1, 54)}
    return challenge("truth: truth.csv\nmetrics: [RR]\n", **{"truth.csv": truth}, **files)


@pytest.mark.slow("compares a board a row", beyond=2)
@pytest.mark.parametrize(
    ("new", "old", "margin", "code", "said"),
    [
        ("bad", "good", None, 5, "'bad' is significantly worse than 'good' by RR: difference 0.25"),
        ("good", "bad", None, 0, ""),
        ("alike", "good", None, 0, ""),
        ("alike", "good", 0.05, 0, ""),
        ("alike", "good", 0.001, 5, "'alike' is not shown to be within the margin of 'good'"),
        ("bad", "good", 0.9, 0, ""),  # significantly worse, and it does not matter
        ("good", "bad", 0.001, 0, ""),  # much better is within the margin
    ],
)
def test_a_worse_run_fails(score, runs, new, old, margin, code, said):
    words = [] if margin is None else ["--margin", str(margin)]
    ran = score(
        "compare", runs, runs / f"{new}.csv", runs / f"{old}.csv", "--fail-if-worse", *words
    )
    ran.assert_exit(code, err=said)
    assert ("--fail-if-worse" in ran.err) == (code == 5)
    assert "lists" in ran.out


@pytest.mark.parametrize(("new", "code"), [("large", 5), ("small", 0)])
def test_of_errors_more_is_worse(score, challenge, new, code):
    truth = "list,target\n" + "".join(f"{q},0\n" for q in LISTS)
    files = {"truth.csv": truth, "large.csv": error(1, 3), "small.csv": error(2, 1)}
    folder = challenge("truth: truth.csv\nmetrics: [RMSE]\n", **files)
    old = "small" if new == "large" else "large"
    assert score("compare", folder, folder / f"{new}.csv", folder / f"{old}.csv",
                 "--fail-if-worse").code == code  # fmt: skip


def test_what_cannot_be_told_is_an_error(score, runs, tmp_path):
    good, bad = runs / "good.csv", runs / "bad.csv"
    three = score("compare", runs, good, bad, runs / "alike.csv", "--fail-if-worse")
    three.assert_exit(2, err="the new one, then the old one")
    broken = tmp_path / "broken.csv"
    broken.write_text("list\nq1\n")
    assert score("compare", runs, broken, good, "--fail-if-worse").code == 1
    (runs / "challenge.yaml").write_text(
        "truth: truth.csv\nmetrics: [RR]\nleaderboard: {tiers: null}\n"
    )
    untested = score("compare", runs, good, bad, "--fail-if-worse")
    untested.assert_exit(2, err="--fail-if-worse: there is no test of RR: leaderboard.tiers is off")
