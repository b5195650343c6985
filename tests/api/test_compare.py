"""`score compare`: every pair, list by list, and the orders that preferences make."""

import re

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from rounds import rounds

from scorer.results.comparison import WinTally

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
    said = score("compare", folder, *runs(folder), "--format", "json").json()
    assert list(said)[:5] == ["schema", "scorer", "challenge", "pairs", "orders"]
    pair = said["pairs"][0]
    assert list(pair["preferences"]["RPP"]) == ["mean", "wins", "ties", "losses", "per_list"]
    assert list(pair["measures"]["AP"])[:4] == ["difference", "wins", "ties", "losses"]
    assert set(said["orders"]["RPP"]) >= {"Borda", "Copeland", "MC4", "Mean"}
    borda = said["orders"]["RPP"]["Borda"]
    assert sorted(name for tied in borda for name in tied) == ["x", "y", "z"]


def test_json_lines_are_read_back_into_the_same_orders(score, folder, tmp_path):
    lines = tmp_path / "preferences.jsonl"
    score("compare", folder, *runs(folder), "--format", "jsonl", "-o", lines)
    assert len(lines.read_text().splitlines()) == 3 * 3
    before = score("compare", folder, *runs(folder), "--format", "json").json()
    after = score("compare", folder, lines, "--format", "json").json()
    assert after["orders"] == before["orders"]
    for mine, theirs in zip(before["pairs"], after["pairs"], strict=True):
        assert mine["preferences"] == theirs["preferences"]
    assert score("compare", folder, lines, "--format", "jsonl").out == lines.read_text()


def test_preferences_can_rank_and_break_ties(score, challenge, folder):
    yaml = (
        "truth: truth.csv\nmetrics: [P@1]\n"
        "leaderboard: {{rank_by: {{preference: RPP, aggregate: {}}}, tie_break: [LexiRecall]}}\n"
    )
    for aggregate in ("Borda", "MC4", "Copeland", "Mean"):
        challenge(yaml.format(aggregate), **{"truth.csv": TRUTH})
        said = score(folder, *runs(folder), "--format", "json").json()
        orders = score("compare", folder, *runs(folder), "--format", "json").json()
        expected = [name for group in orders["orders"]["RPP"][aggregate] for name in group]
        assert [row["name"] for row in said["leaderboard"]] == expected


CYCLE = {"x": "123", "y": "231", "z": "312"}  # where each has the relevant item of three lists


@pytest.fixture
def condorcet(challenge):
    """Three lists that rank x y z, z x y and y z x; the board is ranked by RPP and MC4."""
    yaml = (
        "truth: truth.csv\nmetrics: [RR]\nleaderboard:\n"
        "  rank_by: {preference: RPP, aggregate: MC4}\n  baselines: [none.csv]\n"
    )
    files = {
        f"{name}.csv": table(
            {q: "x" * (int(at) - 1) + "a" for q, at in zip("123", places, strict=True)}
        )
        for name, places in CYCLE.items()
    }
    truth = "list,item\nq1,a\nq2,a\nq3,a\n"
    none = table(dict.fromkeys("123", "x"))
    return challenge(yaml, **{"truth.csv": truth, "none.csv": none}, **files)


def test_a_board_says_that_preferences_rank_it_and_contradict_each_other(score, condorcet):
    files = [condorcet / f"{name}.csv" for name in CYCLE]
    said = score(condorcet, *files, "--format", "json").json()
    assert said["ranked_by"] == {"preference": "RPP", "aggregate": "MC4"}
    assert said["cycles"] == [["x", "y", "z"]]
    assert [(row["rank"], row["name"]) for row in said["leaderboard"]] == [
        (1, "x"), (1, "y"), (1, "z"), (None, "none"),
    ]  # fmt: skip
    assert all(row["tier"] is None and row["ranks"] is None for row in said["leaderboard"])
    assert said["certainty"] is None
    for form in ("table", "markdown", "html", "latex", "github"):
        brief = " ".join(score(condorcet, *files, "--format", form).out.split())
        assert "x, y and z share the first rank, ranked by MC4 of RPP" in brief, form
        out = " ".join(score(condorcet, *files, "--format", form, "--notes").out.split())
        assert "Ranked by the preference RPP" in out, form
        assert "MC4 makes an order" in out, form
        assert "contradict each other" in out, form
        assert "ranks the board" not in out, form
    assert "contradicts itself among 'x', 'y', 'z'" in score("compare", condorcet, *files).out


@pytest.fixture
def six(folder):
    """Six submissions, which make 15 pairs."""
    return [f"{name}={path}" for n in "12" for name, path in
            ((f"{path.stem}{n}", path) for path in runs(folder))]  # fmt: skip


def test_many_pairs_are_a_matrix_unless_all_are_asked_for(score, folder, six):
    ran = score("compare", folder, *six, "-p", "RPP")
    assert "15 pairs: a sign each (--all shows every pair)." in ran.out
    assert "minus" not in ran.out
    assert max(map(len, ran.out.splitlines())) <= 80
    rows = [line.split() for line in ran.out.splitlines() if line[:1] in "xyz" and line[2:3] == " "]
    assert len(rows) == 12  # of AP, and of a preference
    preferred = {row[0]: row[2:] for row in rows[6:]}
    assert preferred["y1"] == preferred["y2"] == [".", ">", ">", ">", ">"]
    assert preferred["z1"] == ["<", "<", ".", ">", ">"]
    every = score("compare", folder, *six, "--all")
    heads = [line.split()[-1] for line in every.out.splitlines() if line.startswith("a minus b  ")]
    assert heads == ["p"]
    assert len(re.findall(r"^[xyz]\d minus [xyz]\d  ", every.out, re.M)) == 15
    assert max(map(len, every.out.splitlines())) <= 80
    for form in ("json", "csv", "html"):
        assert score("compare", folder, *six, "--format", form).code == 0


def test_columns_that_do_not_fit_are_left_out(score, folder, six, terminal):
    terminal(12)
    ran = score("compare", folder, *six)
    assert "\n     1 2 3 4\n" in ran.out  # of six
    assert max(map(len, ran.out.splitlines())) <= 12
    terminal(50)
    ran = score("compare", folder, *six[:2], "-p", "RPP")
    assert re.search(r"^a minus b +difference +w-t-l +effect +p$", ran.out, re.M)  # no interval
    assert max(map(len, ran.out.splitlines())) <= 50
    assert "RPP; above 0, a is preferred" in " ".join(ran.out.split())


def test_a_measure_alone_is_compared_as_among_all(score, folder):
    words = ("compare", folder, *runs(folder), "--format", "json")
    every, alone = score(*words).json(), score(*words, "--measures", "P@2").json()
    for pair, same in zip(every["pairs"], alone["pairs"], strict=True):
        assert same["measures"] == {"P@2": pair["measures"]["P@2"]}


@pytest.mark.slow("compares many boards")
@rounds(100)
@given(st.lists(st.sampled_from([-1.0, 0.0, 1e-17, 0.5, float("nan")]), max_size=8))
def test_a_tally_counts_every_list_once_and_mirrors(values):
    mine, theirs = WinTally.of(np.array(values)), WinTally.of(-np.array(values))
    assert (mine.wins, mine.ties, mine.losses) == (theirs.losses, theirs.ties, theirs.wins)
    assert mine.wins + mine.ties + mine.losses == sum(v == v for v in values)
