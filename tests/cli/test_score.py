"""`score CHALLENGE SUBMISSION...` as organizers and participants run it."""

import json
import re

import pytest
from conftest import ROOT

VLNET = ROOT / "challenges/vlnet-2011"
SENT = ROOT / "submissions_example/vlnet-2011"
GOOD = sorted((SENT / "good").iterdir())
BAD = {
    "gap_in_ranks.csv": [(4, "S404"), (5, "S406")],
    "missing_list.lists": [(None, "S301")],
    "no_header.csv": [(1, "S202")],
    "semicolons.csv": [(1, "S206")],
    "three_faults.csv": [(None, "S301"), (4, "S304"), (5, "S105")],
    "too_long.lists": [(1, "S402")],
    "unknown_list.lists": [(3, "S302")],
}


@pytest.mark.slow("scores the bundled challenges", beyond=1)
@pytest.mark.parametrize("path", GOOD, ids=lambda path: path.name)
def test_every_good_example_scores(installed, path):
    ran = installed(VLNET, path).assert_exit(0)
    assert ran.err == ""
    assert path.stem in ran.out


@pytest.mark.slow("scores the bundled challenges", beyond=1)
@pytest.mark.parametrize("name", sorted(path.name for path in (SENT / "bad").iterdir()))
def test_every_bad_example_says_all_that_is_wrong(installed, name):
    ran = installed(VLNET, SENT / "bad" / name, "--format", "json")
    assert "Traceback" not in ran.err
    said = ran.json(1)
    (submission,) = [s for s in said["submissions"] if not s["baseline"]]
    assert submission["valid"] is False
    assert submission["values"] is None
    found = [(p["line"], p["code"]) for p in submission["problems"] if p["severity"] == "error"]
    assert found == BAD[name]
    assert [row["rank"] for row in said["leaderboard"]] == [None]


def test_json_has_the_keys_of_the_contract_in_order(score):
    said = score(VLNET, SENT / "good/team_a.lists", "--format", "json", "--per-list").json()
    keys = ["schema", "scorer", "challenge", "measures", "submissions", "leaderboard"]
    assert list(said)[:6] == keys
    assert list(said["challenge"])[:3] == ["id", "title", "fingerprint"]
    assert list(said["measures"][0]) == [
        "id", "metric", "params", "better", "aggregate", "primary", "signature",
    ]  # fmt: skip
    assert said["measures"][0]["params"] == {
        "cutoffs": [5, 10], "at_cutoff": "include", "judged_only": False, "average": "lists",
    }  # fmt: skip
    submission = said["submissions"][0]
    assert list(submission) == [
        "name", "path", "sha256", "valid", "baseline", "problems", "values",
    ]  # fmt: skip
    value = submission["values"]["MARp"]
    assert list(value)[:5] == ["mean", "lists", "missing", "undefined", "per_list"]
    assert value["mean"] == pytest.approx(83 / 140, abs=1e-15)
    assert value["per_list"] == {"s1": 0.7, "s2": pytest.approx(17 / 35, abs=1e-15)}
    assert said["leaderboard"][0]["rank"] == 1


def test_per_list_comes_only_when_asked(score):
    said = score(VLNET, SENT / "good/team_a.lists", "--format", "json").json()
    assert "per_list" not in said["submissions"][0]["values"]["MARp"]


@pytest.mark.slow("scores the bundled challenges", beyond=2)
@pytest.mark.parametrize("form", ["table", "json", "csv", "markdown"])
@pytest.mark.parametrize("per_list", [[], ["--per-list"]])
def test_every_format_shows_the_leaderboard(score, terminal, form, per_list):
    terminal(80)
    ran = score(VLNET, *GOOD, "--format", form, *per_list).assert_exit(0, out="perfect")
    if form == "table":
        assert max(map(len, ran.out.splitlines())) <= 80
        assert "\x1b" not in ran.out


def test_nothing_is_cut_where_the_output_is_no_terminal(score, terminal, monkeypatch, tmp_path):
    measures = [f"P@{k}" for k in range(1, 31)]
    words = [word for each in measures for word in ("-m", each)]
    monkeypatch.setenv("COLUMNS", "80")  # as some shells export it
    piped = score(VLNET, *GOOD, *words)
    terminal(80)
    assert "P@30" not in score(VLNET, *GOOD, *words).out
    to = tmp_path / "board.txt"
    score(VLNET, *GOOD, *words, "-o", to)
    for text in (piped.out, to.read_text()):
        assert set(measures) <= set(text.splitlines()[1].split())
        for line in text.splitlines()[3 : 3 + len(GOOD)]:
            assert len(line) <= len(text.splitlines()[2])


def test_ties_share_a_rank_and_baselines_have_none(score):
    said = score(VLNET, *GOOD, "--format", "json").json()
    rows = [(row["rank"], row["name"]) for row in said["leaderboard"]]
    assert rows == [
        (1, "perfect"), (2, "team_a"), (2, "team_a_long"), (None, "popular"), (4, "short"),
        (5, "example_1"),
    ]  # fmt: skip


def test_one_rejected_submission_does_not_stop_the_others(score):
    ran = score(VLNET, SENT / "good/perfect.lists", SENT / "bad/too_long.lists")
    ran.assert_exit(1, out=["1.000", "1 file was rejected: too_long."], err="S402")


def test_metrics_and_truth_can_be_replaced(score):
    truth = VLNET / "examples/example-1-truth.csv"
    ran = score(
        VLNET, SENT / "good/example_1.lists", "--truth", truth, "-m", "MARp@5,10", "-m", "P@5",
        "--format", "json",
    )  # fmt: skip
    said = json.loads(ran.out)
    assert [m["id"] for m in said["measures"]] == ["MARp@5,10", "P@5"]
    assert said["submissions"][0]["values"]["MARp@5,10"]["mean"] == pytest.approx(0.65)
    assert "leaderboard.tie_break names 'nDCG@10', which -m leaves out" in ran.err


@pytest.mark.parametrize("lost", [(), ("nDCG@5", "P(rel=2)@10", "nothing")])
def test_what_replaces_the_measures_leaves_ties_to_any_name_of_them(challenge, score, lost):
    kept = ["P@10", "P_10", "NDCG@10", "ndcg_cut_10", "lexirecall", "DCG-RPP"]
    folder = challenge(
        f"truth: t.csv\nmetrics: [AP]\nleaderboard: {{tie_break: {json.dumps([*kept, *lost])}}}\n",
        **{"t.csv": "list,item,grade\na,b,1\n", "s.csv": "list,item,score\na,b,1\n"},
    )
    ran = score(folder, folder / "s.csv", "-m", "nDCG@10", "-m", "P@10").assert_exit(0)
    told = [line for line in ran.err.splitlines() if "leaves out" in line]
    assert [line.split("'")[1] for line in told] == list(lost)


def test_standard_input_names_and_equal_names(score, tmp_path):
    data = (SENT / "good/team_a_long.csv").read_bytes()
    said = score(VLNET, "-", "--format", "json", stdin=data).json()
    assert said["submissions"][0]["name"] == "stdin"
    said = score(VLNET, f"mine={GOOD[0]}", f"yours={GOOD[0]}", "--format", "json").json()
    assert [s["name"] for s in said["submissions"]][:2] == ["mine", "yours"]
    score(VLNET, GOOD[0], GOOD[0]).assert_exit(2, err="two submissions are called")


def test_output_goes_to_a_file_whole_or_not_at_all(score, tmp_path):
    target = tmp_path / "board.json"
    ran = score(VLNET, GOOD[0], "--format", "json", "-o", target)
    assert ran.out == ""
    assert json.loads(target.read_text())["scorer"]
    ran = score(VLNET, GOOD[0], "-o", tmp_path / "nowhere" / "board.txt")
    ran.assert_exit(2, err="cannot be written")
    assert [path.name for path in tmp_path.iterdir()] == ["board.json"]


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ([VLNET, GOOD[0], "-m", "\udcff"], "-m '\\udcff' is no measure"),
        (
            [VLNET, GOOD[0], "-m", "AUC@9223372036854775808"],
            "cut-off cannot be 9223372036854775808",
        ),
        ([VLNET, GOOD[0], "-m", "Judged@2147483648"], "cut-off cannot be 2147483648"),
        ([VLNET], "Missing argument"),
        ([VLNET, GOOD[0], "--format", "xml"], "xml"),
        ([VLNET, GOOD[0], "--precision", "99"], "17"),
        ([ROOT / "nowhere", GOOD[0]], "C101"),
        ([VLNET, GOOD[0], "-m", "nDGC@10"], "did you mean 'nDCG'?"),
        ([VLNET, GOOD[0], "-m", "P"], "P needs its cut-off, such as P@10"),
        ([VLNET, GOOD[0], "-m", "P@0"], "cut-off cannot be 0"),
        ([VLNET, GOOD[0], "-m", "nDCG(gian=exp2)@5"], "did you mean 'gain'?"),
        (["metrics", "nDGC"], "did you mean 'nDCG'?"),
        (["rule", "S3040"], "did you mean"),
    ],
)
def test_wrong_words_are_answered_with_what_is_possible(score, words, said):
    ran = score(*words).assert_exit(2, err=said)
    assert "Traceback" not in ran.err


def test_a_typo_in_the_challenge_is_answered_with_its_line_and_the_key_meant(challenge, score):
    folder = challenge("truth: truth.csv\nmetrcs: [P@2]\n", **{"s.csv": "list,item\nq1,a\n"})
    ran = score(folder, folder / "s.csv")
    ran.assert_exit(2, err=["challenge.yaml:2:", "did you mean 'metrics'"])


@pytest.mark.slow("scores the bundled challenges")
def test_nothing_of_the_terminal_leaks_into_a_pipe(installed):
    ran = installed(VLNET, GOOD[0], NO_COLOR="1", TERM="dumb")
    assert "\x1b" not in ran.out + ran.err


def test_debug_shows_where_an_error_came_from(score):
    assert "Traceback" in score(ROOT / "nowhere", GOOD[0], "--debug").err


def test_a_metrics_page_and_a_codes_page(score):
    assert "log2" in score("metrics", "ndcg").out
    assert "Järvelin" in score("metrics", "nDCG").out
    assert "S304" in score("rule", "s304").out
    assert "S304" in score("rule").out
    assert score("schema").json()["properties"]["metrics"]
    unknown = score("schema", "result")
    unknown.assert_exit(2, err="no result is called 'result' (results: report, findings, ")


@pytest.mark.parametrize("base", ["list,item\nq9,a\n", "\0", None])
def test_a_baseline_that_is_wrong_is_the_organizers_fault(base, score, challenge):
    yaml = "truth: truth.csv\nmetrics: [P@2]\nleaderboard: {baselines: [base.csv]}\n"
    files = {"good.csv": "list,item\nq1,a\nq2,a\n", "other.csv": "list,item\nq1,b\nq2,a\n"}
    folder = challenge(yaml, **files, **({} if base is None else {"base.csv": base}))
    ran = score(folder, folder / "good.csv", folder / "other.csv")
    ran.assert_exit(2, out="good", err="base.csv")


def test_tables_for_people_have_lists_by_their_numbers_and_files_as_the_truth(challenge, score):
    lists = ["u1", "u2", "u10", "u100"]
    rows = "".join(f"{name},a,1\n" for name in lists)
    folder = challenge(
        "truth: truth.csv\nmetrics: [P@1]\n",
        **{"truth.csv": f"list,item,grade\n{rows}", "s.csv": f"list,item,score\n{rows}"},
    )
    for form in ("table", "markdown", "html", "latex"):
        text = score(folder, folder / "s.csv", "--per-list", "--format", form).out
        places = [[*re.finditer(rf"\b{name}\b", text)][-1].start() for name in lists]
        assert places == sorted(places), (form, text)
    made = score(folder, folder / "s.csv", "--per-list", "--format", "json").json()
    assert list(made["submissions"][0]["values"]["P@1"]["per_list"]) == sorted(lists)


def test_a_truth_of_another_kind_is_told_once_with_its_count(score, tmp_path):
    rows = "".join(f"r{n},c{n % 3}\n" for n in range(50))
    for name in ("target", "prediction"):
        (tmp_path / f"{name}.csv").write_text(f"id,{name}\n{rows}")
    ran = score(tmp_path / "target.csv", tmp_path / "prediction.csv", "-m", "RMSE").assert_exit(2)
    assert ran.err.splitlines()[1] == "  and 49 more of T501, on lines 3, 4, 5, ..."


def test_without_a_file_that_can_be_opened_there_is_no_board(challenge, score):
    folder = challenge(
        "truth: truth.csv\nmetrics: [P@2]\nleaderboard: {baselines: [base.csv]}\n",
        **dict.fromkeys(["base.csv", "good.csv"], "list,item,score\nq1,a,1\nq2,a,1\n"),
    )
    ran = score(folder, folder / "nosuch.csv")
    assert (ran.code, ran.out) == (1, "")
    assert "error[S101] file not found" in ran.err
    ran = score(folder, folder / "nosuch.csv", folder / "good.csv")
    assert "good" in ran.out
