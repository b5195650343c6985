"""`score compare`: every pair, list by list, and the orders that preferences make."""

import csv
import re

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from rounds import rounds
from scipy import stats

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


@pytest.mark.parametrize(
    ("test", "name"),
    [
        ("permutation", "permutation test, max adjusted"),
        ("t", "paired t-test, Holm adjusted"),
        ("wilcoxon", "Wilcoxon signed-rank test of medians, Holm adjusted"),
    ],
)
def test_pairs_are_tested_by_the_test_that_is_asked_for(score, folder, test, name):
    words = ("compare", folder, folder / "x.csv", folder / "y.csv", "--test", test)
    said = score(*words, "--format", "json").json()
    adjust = "max" if test == "permutation" else "holm"
    assert (said["tests"]["AP"]["test"], said["tests"]["AP"]["adjust"]) == (test, adjust)
    x, y = [1 / 2, 1, 1 / 9], [(1 / 2 + 2 / 3 + 3 / 4) / 3, 1, 1 / 3]
    expected = {
        "permutation": 0.5,  # of 8 patterns of signs, 4 have a difference as large
        "t": stats.ttest_rel(x, y).pvalue,
        "wilcoxon": stats.wilcoxon(x, y).pvalue,
    }
    assert said["pairs"][0]["measures"]["AP"]["p"] == pytest.approx(expected[test])
    assert name in " ".join(score(*words).out.split())


def test_a_test_that_there_is_not_is_refused(score, folder):
    ran = score("compare", folder, *runs(folder), "--test", "anova").assert_exit(2)
    assert "'permutation', 'wilcoxon', 't'" in " ".join(ran.err.split())


def test_json_lines_are_read_back_into_the_same_orders(score, folder, tmp_path):
    lines = tmp_path / "preferences.jsonl"
    score("compare", folder, *runs(folder), "--format", "jsonl", "-o", lines)
    assert len(lines.read_text().splitlines()) == 3 * 3
    before = score("compare", folder, *runs(folder), "--format", "json").json()
    after = score("compare", folder, lines, "--format", "json").json()
    assert after["orders"] == before["orders"]
    for mine, theirs in zip(before["pairs"], after["pairs"], strict=True):
        assert mine["preferences"] == theirs["preferences"]
    (only,) = score("compare", folder, lines, "-p", "RPP", "--format", "json").json()["orders"]
    assert only == "RPP"


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (
            '{"a": "x", "b": "y", "list": "q", "preferences": {"RPP": 1}}\n{"a"',
            "jsonl:2: not a line",
        ),
        ('{"a": "x", "b": "y", "list": "q", "preferences": {"RPP": "z"}}\n', "jsonl:1: not a line"),
        (
            '{"a": "x", "b": "y", "list": "q", "preferences": {"RPP": 1}}\n{"a": ' + "[" * 100_000,
            "jsonl:2: not a line",
        ),
    ],
)
def test_broken_json_lines_are_located(score, folder, tmp_path, text, said):
    lines = tmp_path / "p.jsonl"
    lines.write_text(text)
    score("compare", folder, lines).assert_exit(2, err=said)


def test_identical_submissions_tie_everywhere(score, folder):
    same = [f"one={folder / 'x.csv'}", f"two={folder / 'x.csv'}"]
    said = score("compare", folder, *same, "--format", "json").json()
    assert all(
        groups == [["one", "two"]]
        for orders in said["orders"].values()
        for groups in orders.values()
    )
    assert said["pairs"][0]["measures"]["AP"]["p"] == 1


def test_the_table_shows_pairs_preferences_and_a_picture_of_two(score, folder):
    ran = score("compare", folder, folder / "x.csv", folder / "y.csv", "-p", "RPP").assert_exit(0)
    assert max(map(len, ran.out.splitlines())) <= 80
    assert "RPP; above 0, a is preferred" in ran.out
    assert "y > x" not in ran.out  # orders are in JSON alone
    assert "AP, list by list, x minus y" in ran.out
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
    score("compare", folder, *words).assert_exit(code, err=said)


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
    # all have P@1 2/3 but for z; x and y are told apart by the preference alone
    challenge("truth: truth.csv\nmetrics: [Success@3]\nleaderboard: {tie_break: [LexiRecall]}\n",
              **{"truth.csv": TRUTH})  # fmt: skip
    said = score(folder, *runs(folder)[:2], "--format", "json").json()
    assert [(row["rank"], row["name"]) for row in said["leaderboard"]] == [(1, "y"), (2, "x")]
    challenge(
        "truth: truth.csv\nmetrics: [P@1]\nleaderboard: {rank_by: {preference: RP, aggregate: M}}\n"
    )
    ran = score(folder, *runs(folder))
    ran.assert_exit(2, err=["leaderboard.rank_by.preference", "leaderboard.rank_by.aggregate"])


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


def test_a_board_that_a_measure_ranks_says_so(score, folder):
    said = score(folder, *runs(folder), "--format", "json").json()
    assert said["ranked_by"] == {"measure": "AP"}
    assert "anked by" not in score(folder, *runs(folder), "--notes").out


def test_baselines_take_no_part_in_breaking_ties(score, challenge):
    yaml = (
        "truth: truth.csv\nmetrics: [Success@3]\n"
        "leaderboard: {tie_break: [LexiRecall], baselines: [base.csv]}\n"
    )
    files = {"truth.csv": TRUTH, "base.csv": table(dict.fromkeys("123", "abc"))}
    folder = challenge(yaml, **files, **{name: table(run) for name, run in RUNS.items()})
    said = score(folder, *runs(folder)[:2], "--format", "json").json()["leaderboard"]
    assert [(row["rank"], row["name"]) for row in said] == [(1, "y"), (2, "x"), (None, "base")]
    assert len({row["values"]["Success@3"] for row in said}) == 1


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


def test_text_shows_the_pairs_of_the_primary_measure_and_what_is_asked_for(score, folder):
    for form in ("table", "markdown"):
        plain = score("compare", folder, *runs(folder), "--format", form).out
        assert "Also compared: P@2" in plain
        for name in ("RPP", "LexiRecall", "Borda"):
            assert name not in plain
        for pair in ("x minus y", "x minus z", "y minus z"):
            assert pair in plain
        asked = score("compare", folder, *runs(folder), "-p", "RPP", "--format", form).out
        assert "RPP; above 0, a is preferred" in asked
        assert "Borda" not in asked
        assert "LexiRecall" not in asked
        both = score("compare", folder, *runs(folder), "-m", "P@2", "-m", "RR", "--format", form)
        assert "Also compared" not in both.out
        assert "P@2" in both.out
        assert "RR" in both.out
    page = score("compare", folder, *runs(folder), "--format", "html").out
    assert '<svg class="picture differences"' in page
    places = [page.index(f'<section id="{key}"') for key in ("measures", "pairs")]
    assert places == sorted(places)
    assert "LexiRecall" not in page  # preferences are shown where they were asked for
    page = score("compare", folder, *runs(folder), "-p", "RPP", "--format", "html").out
    assert '<section id="preferences"' in page


def test_a_measure_alone_is_compared_as_among_all(score, folder):
    words = ("compare", folder, *runs(folder), "--format", "json")
    every, alone = score(*words).json(), score(*words, "--measures", "P@2").json()
    for pair, same in zip(every["pairs"], alone["pairs"], strict=True):
        assert same["measures"] == {"P@2": pair["measures"]["P@2"]}


def test_measures_of_ratings_have_no_preferences_to_show(score, challenge):
    rows = [(f"q{q}", item) for q in range(6) for item in "ab"]
    folder = challenge(
        "truth: truth.csv\nmetrics: [MAE(average=lists), RMSE(average=lists)]\n",
        **{
            "truth.csv": "list,item,rating\n" + "".join(f"{q},{i},3\n" for q, i in rows),
            "one.csv": "list,item,prediction\n" + "".join(f"{q},{i},2.5\n" for q, i in rows),
            "two.csv": "list,item,prediction\n" + "".join(f"{q},{i},1\n" for q, i in rows),
        },
    )
    ran = score("compare", folder, folder / "one.csv", folder / "two.csv")
    ran.assert_exit(0, out="one minus two")
    assert "preferred" not in ran.out


def test_fewer_than_five_lists_have_no_interval(score, challenge):
    """Of 4 lists there is no column of intervals, and one sentence says why; of 5 there is."""
    for count in (4, 5):
        files = {
            f"{name}.csv": f"list,{column}\n"
            + "".join(f"r{n},{value + n * n * error:g}\n" for n in range(count))
            for name, column, value, error in [
                ("truth", "target", 1, 0),
                ("a", "prediction", 1, 0.1),
                ("b", "prediction", 1, 0.3),
            ]
        }
        folder = challenge("truth: truth.csv\nmetrics: [MAE]\n", **files)
        out = score("compare", folder, folder / "a.csv", folder / "b.csv").out
        sentence = "With fewer than 5 lists there is no interval."
        assert (sentence in " ".join(out.split())) == (count == 4)
        assert ("95 % interval" in " ".join(out.split())) == (count == 5)


def test_values_of_0_and_1_are_counted(score, challenge):
    folder = challenge(
        "truth: {file: truth.csv, columns: {list: id, label: y}}\n"
        "submission: {columns: {list: id, label: y}}\nmetrics: [Accuracy]\n",
        **{
            "truth.csv": "id,y\n" + "".join(f"{n},a\n" for n in range(20)) + "20,b\n",
            "one.csv": "id,y\n" + "".join(f"{n},{'ab'[n > 11]}\n" for n in range(21)),
            "two.csv": "id,y\n" + "".join(f"{n},{'ab'[n < 9]}\n" for n in range(21)),
        },
    )
    out = score("compare", folder, folder / "one.csv", folder / "two.csv").assert_exit(0).out
    assert re.search(r"values +two: 1 +two: 0", out)
    assert re.search(r"one: 1 +3 +10\n", out)
    assert re.search(r"one: 0 +8 +0\n", out)
    assert "#" not in out


def test_each_measure_names_the_lists_that_differ_most(score, folder):
    two = runs(folder)[:2]
    said = score("compare", folder, *two, "--format", "json").json()
    most = said["pairs"][0]["measures"]["AP"]["most"]
    line = ", ".join(f"{each['list']} {each['difference']:+.3f}" for each in most)
    for form in ("table", "markdown", "html"):
        out = score("compare", folder, *two, "--format", form).out.replace("\\", "")
        assert line in out, form
    assert "differ most in:\n  " in score("compare", folder, *two).out


def test_csv_has_a_row_for_each_pair_and_what_it_is_compared_by(score, folder):
    formula = runs(folder)[0].rename(folder / "=x.csv")
    three = ["--format", "csv", formula, *runs(folder)[1:]]
    out = score("compare", folder, "-p", "RPP", *three).out
    rows = list(csv.DictReader(out.splitlines()))
    assert [(row["is"], row["of"]) for row in rows[:3]] == [
        ("measure", "AP"), ("measure", "P@2"), ("preference", "RPP"),
    ]  # fmt: skip
    assert len(rows) == 9
    assert rows[0]["a"] == "'=x"
    three[1] = "json"
    said = score("compare", folder, *three).json()["pairs"][0]
    assert float(rows[0]["mean_difference"]) == said["measures"]["AP"]["difference"]
    assert [rows[0][end] for end in ("low", "high")] == ["", ""]  # of 3 lists there is none
    assert said["measures"]["AP"]["interval"] is None
    assert rows[2]["p"] == ""


def test_the_page_names_everything_and_text_stays_text(score, folder):
    hostile = "<script>=" + str(runs(folder)[0])
    out = score("compare", folder, hostile, *runs(folder)[1:], "--format", "html").out
    assert out.count("<script>") == 1
    assert "&lt;script&gt; minus y" in out
    assert out.count('class="picture differences"') == 3
    for name in ("AP", "P@2"):
        assert f">{name}<" in out


def test_a_comparison_read_back_can_be_shown_in_every_form(score, folder, tmp_path):
    lines = tmp_path / "preferences.jsonl"
    score("compare", folder, *runs(folder), "--format", "jsonl", "-o", lines)
    for form in ("table", "markdown", "csv", "html", "json", "jsonl"):
        score("compare", folder, lines, "--format", form).assert_exit(0, out="rrLexiPrecision")
    assert score("compare", folder, lines, "--format", "jsonl").out == lines.read_text()


@pytest.mark.slow("compares many boards")
@rounds(100)
@given(st.lists(st.sampled_from([-1.0, 0.0, 1e-17, 0.5, float("nan")]), max_size=8))
def test_a_tally_counts_every_list_once_and_mirrors(values):
    mine, theirs = WinTally.of(np.array(values)), WinTally.of(-np.array(values))
    assert (mine.wins, mine.ties, mine.losses) == (theirs.losses, theirs.ties, theirs.wins)
    assert mine.wins + mine.ties + mine.losses == sum(v == v for v in values)
