"""`score compare`: every pair, list by list, and the orders that preferences make."""

import json

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from scorer.pairing import Tally

TRUTH = "list,item,grade\n" + "".join(
    f"q{q},{i},{g}\n" for q in "123" for i, g in ("a1", "b1", "c1")
)
RUNS = {
    "x.csv": {"1": "axxb", "2": "abc", "3": "xxa"},
    "y.csv": {"1": "xabc", "2": "abc", "3": "axx"},
    "z.csv": {"1": "xxxx", "2": "cab", "3": "cab"},
}


def table(run):
    rows = [
        f"q{q},{item if item != 'x' else f'x{n}'},{n}"
        for q, items in run.items()
        for n, item in enumerate(items, start=1)
    ]
    return "list,item,rank\n" + "\n".join(rows) + "\n"


@pytest.fixture
def folder(challenge):
    yaml = "truth: truth.csv\nmetrics: [AP, P@2]\n"
    return challenge(yaml, **{"truth.csv": TRUTH}, **{n: table(r) for n, r in RUNS.items()})


def runs(folder):
    return [folder / name for name in RUNS]


def test_json_has_the_keys_of_the_contract(score, folder):
    said = json.loads(score("compare", folder, *runs(folder), "--format", "json").out)
    assert list(said)[:4] == ["scorer", "challenge", "pairs", "orders"]
    assert [(p["a"], p["b"]) for p in said["pairs"]] == [("x", "y"), ("x", "z"), ("y", "z")]
    pair = said["pairs"][0]
    rpp = pair["preferences"]["RPP"]
    assert list(rpp) == ["mean", "wins", "ties", "losses", "per_list"]
    # q1: a first, b later, c never, against 2, 3, 4: (1 - 1 - 1) / 3; q2 the same; q3 a later
    assert rpp["per_list"] == {"q1": pytest.approx(-1 / 3), "q2": 0, "q3": pytest.approx(-1 / 3)}
    assert (rpp["wins"], rpp["ties"], rpp["losses"]) == (0, 1, 2)
    assert rpp["mean"] == pytest.approx(-2 / 9)
    ap = pair["measures"]["AP"]
    assert list(ap)[:4] == ["difference", "wins", "ties", "losses"]
    assert (ap["wins"], ap["ties"], ap["losses"]) == (0, 1, 2)
    assert ap["difference"] == pytest.approx(
        (1 / 2 - (1 / 2 + 2 / 3 + 3 / 4) / 3 + 1 / 9 - 1 / 3) / 3
    )
    assert {each["list"] for each in ap["most"]} == {"q1", "q3"}
    assert set(said["orders"]["RPP"]) >= {"Borda", "Copeland", "MC4", "Mean"}
    assert sorted(name for tied in said["orders"]["RPP"]["Borda"] for name in tied) == [
        "x",
        "y",
        "z",
    ]


def test_json_lines_are_read_back_into_the_same_orders(score, folder, tmp_path):
    lines = tmp_path / "preferences.jsonl"
    score("compare", folder, *runs(folder), "--format", "jsonl", "-o", lines)
    assert len(lines.read_text().splitlines()) == 3 * 3
    before = json.loads(score("compare", folder, *runs(folder), "--format", "json").out)
    after = json.loads(score("compare", folder, lines, "--format", "json").out)
    assert after["orders"] == before["orders"]
    for mine, theirs in zip(before["pairs"], after["pairs"], strict=True):
        assert mine["preferences"] == theirs["preferences"]
    (only,) = json.loads(score("compare", folder, lines, "-p", "RPP", "--format", "json").out)[
        "orders"
    ]
    assert only == "RPP"


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (
            '{"a": "x", "b": "y", "list": "q", "preferences": {"RPP": 1}}\n{"a"',
            "jsonl:2: not a line",
        ),
        ('{"a": "x", "b": "y", "list": "q", "preferences": {"RPP": "z"}}\n', "jsonl:1: not a line"),
    ],
)
def test_broken_json_lines_are_located(score, folder, tmp_path, text, said):
    lines = tmp_path / "p.jsonl"
    lines.write_text(text)
    ran = score("compare", folder, lines)
    assert ran.code == 2
    assert said in ran.err


def test_identical_submissions_tie_everywhere(score, folder):
    same = [f"one={folder / 'x.csv'}", f"two={folder / 'x.csv'}"]
    said = json.loads(score("compare", folder, *same, "--format", "json").out)
    assert all(
        groups == [["one", "two"]]
        for orders in said["orders"].values()
        for groups in orders.values()
    )
    assert said["pairs"][0]["measures"]["AP"]["p"] == 1


def test_the_table_shows_pairs_orders_and_a_picture_of_two(score, folder):
    ran = score("compare", folder, folder / "x.csv", folder / "y.csv", "-p", "RPP")
    assert ran.code == 0
    assert max(map(len, ran.out.splitlines())) <= 80
    assert "y > x" in ran.out
    assert "AP list by list, x less y" in ran.out
    assert "#|" in ran.out


@pytest.mark.parametrize(
    ("words", "code", "said"),
    [
        (["x.csv"], 2, "1 of 1 submissions can be scored, two are needed"),
        (["x.csv", "bad.csv"], 1, "S304"),
        (["x.csv", "y.csv", "-p", "RPQ"], 2, "did you mean 'RPP'"),
        (["x.csv", "y.csv", "-p", "RPP(weights=none)"], 2, "uniform"),
    ],
)
def test_what_cannot_be_compared_is_said(score, folder, words, code, said):
    (folder / "bad.csv").write_text("list,item\nq1,a\nq1,a\nq2,a\nq3,a\n")
    words = [folder / word if word.endswith(".csv") else word for word in words]
    ran = score("compare", folder, *words)
    assert ran.code == code, ran
    assert said in ran.err


def test_preferences_can_rank_and_break_ties(score, challenge, folder):
    yaml = (
        "truth: truth.csv\nmetrics: [P@1]\n"
        "leaderboard: {{rank_by: {{preference: RPP, aggregate: {}}}, tie_break: [LexiRecall]}}\n"
    )
    for aggregate in ("Borda", "MC4", "Copeland", "Mean"):
        challenge(yaml.format(aggregate), **{"truth.csv": TRUTH})
        said = json.loads(score(folder, *runs(folder), "--format", "json").out)
        orders = json.loads(score("compare", folder, *runs(folder), "--format", "json").out)
        expected = [name for group in orders["orders"]["RPP"][aggregate] for name in group]
        assert [row["name"] for row in said["leaderboard"]] == expected
    # all have P@1 2/3 but for z; x and y are told apart by the preference alone
    challenge("truth: truth.csv\nmetrics: [Success@3]\nleaderboard: {tie_break: [LexiRecall]}\n",
              **{"truth.csv": TRUTH})  # fmt: skip
    said = json.loads(score(folder, *runs(folder)[:2], "--format", "json").out)
    assert [(row["rank"], row["name"]) for row in said["leaderboard"]] == [(1, "y"), (2, "x")]
    challenge(
        "truth: truth.csv\nmetrics: [P@1]\nleaderboard: {rank_by: {preference: RP, aggregate: M}}\n"
    )
    ran = score(folder, *runs(folder))
    assert ran.code == 2
    assert "leaderboard.rank_by.preference" in ran.err
    assert "leaderboard.rank_by.aggregate" in ran.err


@settings(derandomize=True, deadline=None)
@given(st.lists(st.sampled_from([-1.0, 0.0, 1e-17, 0.5, float("nan")]), max_size=8))
def test_a_tally_counts_every_list_once_and_mirrors(values):
    mine, theirs = Tally.of(np.array(values)), Tally.of(-np.array(values))
    assert (mine.wins, mine.ties, mine.losses) == (theirs.losses, theirs.ties, theirs.wins)
    assert mine.wins + mine.ties + mine.losses == sum(v == v for v in values)
