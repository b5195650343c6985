"""Every challenge of the repository, from end to end through the command."""

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
FOLDERS = [path.parent for path in (ROOT / "challenges").rglob("challenge.yaml")]
CHALLENGES = sorted(str(path.relative_to(ROOT / "challenges")) for path in FOLDERS)


def files(name, kind):
    return sorted((ROOT / "submissions_example" / name / kind).iterdir())


@pytest.mark.slow("scores the bundled challenges", beyond=1)
@pytest.mark.parametrize("name", CHALLENGES)
def test_its_documents_numbers_hold(name, score):
    ran = score("lint", ROOT / "challenges" / name, "--all").assert_exit(0, out="\nSound: ")
    assert "FAILS" not in ran.out
    assert max(map(len, ran.out.splitlines())) <= 80


@pytest.mark.slow("scores the bundled challenges", beyond=1)
@pytest.mark.parametrize("name", CHALLENGES)
def test_good_submissions_are_scored_and_ranked(name, score):
    good = files(name, "good")
    assert len(good) >= 2
    found = score(ROOT / "challenges" / name, *good, "--format", "json").json()
    ranked = [row for row in found["leaderboard"] if row["rank"] is not None]
    assert len(ranked) == len(good)
    assert len({row["values"][found["measures"][0]["id"]] for row in ranked}) > 1
    assert score(ROOT / "challenges" / name, *good).code == 0


@pytest.mark.slow("scores the bundled challenges", beyond=2)
@pytest.mark.parametrize("name", CHALLENGES)
def test_bad_submissions_are_refused_each_for_a_reason_of_its_own(name, score):
    bad = files(name, "bad")
    assert len(bad) >= 2
    reasons = []
    for path in bad:
        ran = score(ROOT / "challenges" / name, path).assert_exit(1)
        said = re.findall(r"error\[(\w+)\] (.*)", ran.err)  # S541 is of every fault of a box
        reasons.append(frozenset((code, re.sub(r"'.*?'|[0-9]+", "", text)) for code, text in said))
    assert len(set(reasons)) == len(reasons), dict(zip(bad, reasons, strict=True))


def submissions(kind):
    return [(name, path) for name in CHALLENGES for path in files(name, kind)]


@pytest.mark.slow("each file once more")
@pytest.mark.parametrize(("name", "path"), submissions("good"), ids=str)
def test_a_good_submission_passes_the_check_too(name, path, score):
    score("check", ROOT / "challenges" / name, path).assert_exit(0)


@pytest.mark.slow("each file once more")
@pytest.mark.parametrize(("name", "path"), submissions("bad"), ids=str)
def test_the_check_refuses_what_scoring_refuses_and_says_where(name, path, score):
    scored, checked = (score(*verb, ROOT / "challenges" / name, path) for verb in ((), ("check",)))
    assert scored.code == checked.code == 1, checked
    located = rf"^{re.escape(str(path))}(/[\w.-]+|, seed '\d+')?(:\d+)*: error\[\w+\] .+"
    errors = [re.findall(located, ran.told, re.M) for ran in (scored, checked)]
    assert all(errors), (scored, checked)


def test_two_rankings_whose_preferences_disagree(score):
    """Truth a, b, c; x has a at 1 and b at 9, y a, b, c at 2, 3 and 4."""
    good = ROOT / "submissions_example" / "preferences" / "good"
    words = [ROOT / "challenges" / "preferences", good / "x.run", good / "y.run"]
    (pair,) = score("compare", *words, "--format", "json").json()["pairs"]
    worked = {name: each["per_list"]["worked"] for name, each in pair["preferences"].items()}
    assert worked == {
        "RPP": pytest.approx(-1 / 3),
        "RPP(weights=inverse)": pytest.approx(1 / 11),
        "RPP(weights=log)": pytest.approx(-0.0614, abs=5e-5),
        "LexiRecall": -1,
        "LexiPrecision": 1,
        "rrLexiPrecision": 0.5,
    }
    assert {each["per_list"]["ruins"] for each in pair["preferences"].values()} == {None}
