"""A board says what it is of: the split, its share and lists, the phase and the time."""

import json
import random
import re
from itertools import chain

import pytest

import scorer

PHASES = """
splits: {public: 0.3, private: rest, seed: 2011}
timezone: UTC
phases:
  - {id: main, show: public, closes: 2027-01-01T00:00:00Z}
  - {id: end, after: main, show: private}
"""
PUBLIC = "public: 30 % of the rows, 72 of 240; final ranks by the other 168 (private)."
PRIVATE = "private: 70 % of the rows, 168 of 240."
ALL = "All 240 rows, of all splits together: public 72, private 168."


def table(path, wrong):
    chance = random.Random(3)
    cells = ("ab"[(n % 2) ^ (chance.random() < wrong)] for n in range(240))
    path.write_text("id,label\n" + "".join(f"{n:03d},{cell}\n" for n, cell in enumerate(cells)))


@pytest.fixture
def folder(tmp_path, monkeypatch, score):
    monkeypatch.chdir(tmp_path)
    for name, wrong in (("truth", 0), ("one", 0.2), ("two", 0.3)):
        table(tmp_path / f"{name}.csv", wrong)
    assert score("init", "--from", "truth.csv", "c").code == 0
    with (tmp_path / "c/challenge.yaml").open("a") as file:
        file.write(PHASES)
    return tmp_path


def shares(folder, score, *words):
    """The JSON of a run."""
    return score("c", "one.csv", "two.csv", *words, "--format", "json").json()


@pytest.mark.slow("scores challenges of several splits", beyond=1)
@pytest.mark.parametrize("form", ["table", "markdown", "html", "latex", "github"])
def test_a_mixture_of_splits_says_so_in_every_form(form, folder, score):
    text = " ".join(score("c", "one.csv", "two.csv", "--format", form).out.split())
    assert ALL.replace("%", r"\%") in text if form == "latex" else ALL in text
    if form != "github":  # which has a line a row
        assert ("public private" if form == "table" else "public (rank)") in text


@pytest.mark.slow("scores challenges of several splits")
def test_a_section_a_split_has_the_values_of_its_lists(folder, score):
    whole = shares(folder, score)
    assert [split["scope"]["split"] for split in whole["splits"]] == ["public", "private"]
    for split in whole["splits"]:
        alone = shares(folder, score, "--split", split["scope"]["split"])
        assert alone["scope"] == split["scope"]
        assert alone["leaderboard"] == split["leaderboard"]
        assert "splits" not in alone
    public, private = (split["leaderboard"][0]["values"]["Accuracy"] for split in whole["splits"])
    mean = whole["leaderboard"][0]["values"]["Accuracy"]
    assert (72 * public + 168 * private) / 240 == pytest.approx(mean, rel=1e-12)
    assert public != private


def test_a_spreadsheet_has_a_column_for_the_split(folder, score):
    lines = score("c", "one.csv", "two.csv", "--format", "csv").out.splitlines()
    assert lines[0].startswith("split,rank,name,")
    splits = [line.split(",")[0] for line in lines[1:]]
    assert splits == list(chain(*([name] * 2 for name in ("all", "public", "private"))))


@pytest.mark.parametrize(
    ("words", "said", "columns"),
    [
        (["--split", "public"], PUBLIC, []),
        (["--split", "private"], PRIVATE, []),
        (["--split", "private", "--split", "all"], PRIVATE, ["all (rank)"]),
    ],
)
def test_the_splits_that_are_asked_for(words, said, columns, folder, score):
    ran = score("c", "one.csv", *words)
    assert said in " ".join(ran.out.split())
    assert re.findall(r"\w+ \(rank\)", ran.out) == columns


@pytest.mark.parametrize(("words", "message"), [(["--split", "publik"], "did you mean 'public'?")])
def test_a_split_that_is_none(words, message, folder, score):
    score("c", "one.csv", *words).assert_exit(2, err=message)
    text = (folder / "c/challenge.yaml").read_text().replace(PHASES, "")
    (folder / "c/challenge.yaml").write_text(text)
    score("c", "one.csv", "--split", "public").assert_exit(2, err="this challenge has no splits")


AT = "2026-11-23T10:00:00+00:00"


@pytest.mark.slow("scores challenges of several splits", beyond=1)
@pytest.mark.parametrize("form", ["table", "markdown", "html", "json"])
@pytest.mark.parametrize(
    ("split", "said", "phase"), [("public", PUBLIC, "main"), ("private", PRIVATE, "end")]
)
def test_a_living_board_says_phase_and_time(form, split, said, phase, folder, score):
    assert score("add", "c", "one.csv", "--team", "anna", "-q", "--at", AT).code == 0
    ran = score("board", "c", "--split", split, "--at", AT, "--format", form)
    if form == "json":
        scope = json.loads(ran.out)["scope"]
        assert (scope["split"], scope["phase"], scope["time"]) == (
            split,
            phase,
            "2026-11-23 10:00 UTC",
        )
    else:
        text = " ".join(ran.out.split())
        assert f"{said} Phase {phase}, as of 2026-11-23 10:00 UTC." in text


def test_a_challenge_without_splits_is_as_it_was(folder, score):
    text = (folder / "c/challenge.yaml").read_text().replace(PHASES, "")
    (folder / "c/challenge.yaml").write_text(text)
    ran = shares(folder, score)
    assert not {"scope", "splits", "split"} & ran.keys()


@pytest.mark.slow("scores challenges of several splits", beyond=1)
@pytest.mark.parametrize("form", ["table", "markdown", "html", "latex", "csv", "json"])
@pytest.mark.parametrize(
    ("words", "said"), [([], ALL), (["--split", "all"], ALL), (["--split", "private"], PRIVATE)]
)
def test_a_comparison_says_which_split_it_is_of(form, words, said, folder, score):
    text = score("compare", "c", "one.csv", "two.csv", *words, "--format", form).out
    split = "private" if "private" in words else None
    if form == "json":
        assert json.loads(text)["scope"]["split"] == split
    elif form == "csv":
        head, first = (line.split(",")[0] for line in text.splitlines()[:2])
        assert (head, first) == ("split", split or "all")
    else:
        assert (said.replace("%", r"\%") if form == "latex" else said) in " ".join(text.split())


@pytest.mark.slow("scores challenges of several splits", beyond=1)
@pytest.mark.parametrize("split", ["public", "private"])
def test_a_comparison_of_a_split_has_its_values(split, folder, score):
    words = ("c", "one.csv", "two.csv", "--split", split, "--format", "json")
    (pair,) = score("compare", *words).json()["pairs"]
    one, two = (row["values"]["Accuracy"] for row in score(*words).json()["leaderboard"])
    assert pair["measures"]["Accuracy"]["difference"] == pytest.approx(one - two, abs=1e-12)
    assert pair["measures"]["Accuracy"]["lists"] == {"public": 72, "private": 168}[split]


@pytest.mark.slow("scores challenges of several splits", beyond=2)
@pytest.mark.parametrize("form", ["text", "markdown", "html", "csv", "json"])
@pytest.mark.parametrize(
    ("words", "said"), [([], ALL), (["--split", "public"], PUBLIC), (["--split", "all"], ALL)]
)
def test_an_explanation_says_which_split_it_is_of(form, words, said, folder, score):
    text = score("explain", "c", "one.csv", *words, "--format", form).out
    split = "public" if "public" in words else None
    if form == "json":
        assert json.loads(text)["scope"]["split"] == split
    elif form == "csv":
        head, first = (line.split(",")[0] for line in text.splitlines()[:2])
        assert (head, first) == ("split", split or "all")
    else:
        assert said in " ".join(text.split())


def test_the_worst_of_a_split_are_its_lists(folder, score):
    in_public = scorer.score("c", ["one.csv"], splits=["public"])
    names = in_public.per_list("one").keys()
    ran = score("explain", "c", "one.csv", "--split", "public", "--format", "json")
    (measure,) = json.loads(ran.out)["measures"]
    worst = {row[0] for row in measure["steps"][0]["rows"]}
    assert worst
    assert worst <= names
    assert measure["value"] == in_public.mean("one")
    one = min(worst)
    ran = score("explain", "c", "one.csv", "--list", one)
    assert PUBLIC in " ".join(ran.out.split())
    ran = score("explain", "c", "one.csv", "--list", one, "--split", "private")
    assert (ran.code, "is in the split 'public'" in ran.err) == (2, True)


@pytest.mark.slow("scores challenges of several splits", beyond=1)
@pytest.mark.parametrize("verb", [["compare", "c", "two.csv"], ["explain", "c"]])
def test_a_split_that_is_none_is_refused_by_every_command(verb, folder, score):
    score(*verb, "one.csv", "--split", "publik").assert_exit(2, err="did you mean 'public'?")
    text = (folder / "c/challenge.yaml").read_text().replace(PHASES, "")
    (folder / "c/challenge.yaml").write_text(text)
    score(*verb, "one.csv", "--split", "public").assert_exit(2, err="this challenge has no splits")
    assert "splits together" not in score(*verb, "one.csv").out
