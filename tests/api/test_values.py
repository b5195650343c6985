"""Boards of values without a challenge.yaml: files as they are, data of a session, boards again."""

import hashlib
import json
import re
from pathlib import Path

import numpy as np
import polars as pl
import pytest

import scorer
from scorer.core.errors import UsageError
from scorer.scoring import bind as binding
from scorer.scoring.bind import bind

pd = pytest.importorskip("pandas")

ROWS = {"a": {"x": 0.5, "y": 0.75, "z": 1.0}, "b": {"x": 0.25, "y": 0.5, "z": 0.5}}
TABLE = "model,case,dice\n" + "".join(
    f"{name},{case},{value}\n" for name, cases in ROWS.items() for case, value in cases.items()
)
FAST = {"leaderboard": {"draws": 100}}


def frame(values):
    return pd.DataFrame({"case": list(values), "dice": list(values.values())})


@pytest.mark.parametrize(
    "systems",
    [
        ROWS,
        {name: {case: {"dice": value} for case, value in of.items()} for name, of in ROWS.items()},
        {name: np.array(list(values.values())) for name, values in ROWS.items()},
        {name: list(values.values()) for name, values in ROWS.items()},
        {name: pd.Series(values) for name, values in ROWS.items()},
        {name: frame(values) for name, values in ROWS.items()},
        {name: pl.from_pandas(frame(values)) for name, values in ROWS.items()},
        pd.concat([frame(values).assign(model=name) for name, values in ROWS.items()]),
    ],
)
def test_data_of_a_session(systems):
    report = scorer.values(systems, **FAST)
    assert {row.name: row.rank for row in report.leaderboard} == {"a": 1, "b": 2}
    assert report.mean("a") == 0.75


@pytest.mark.parametrize(
    ("numbers", "cases"),
    [
        (np.linspace(0, 1, 12), [str(n) for n in range(12)]),
        (np.arange(12) > 5, [str(n) for n in range(12)]),
        (np.float32([0.1, 0.2, 0.7]), ["0", "1", "2"]),
        (pd.Series([0.5, -3.0, 1e9], index=["x/2", "x/10", "x/1"]), ["x/2", "x/10", "x/1"]),
    ],
)
def test_numbers_make_the_board_of_a_file(numbers, cases):
    """Numbers of the same cases are not written; as text they are, and read."""
    plain = np.asarray(numbers).astype(np.float64)
    systems = {"a": numbers, "b": dict(zip(cases, plain[::-1].tolist(), strict=True))}
    text = pd.DataFrame({"case": cases, "value": plain})
    other = pd.DataFrame({"case": cases, "value": plain[::-1]})
    boards = [
        scorer.values(each, title="a board", **FAST).to_dict(per_list=True)
        for each in (systems, {"a": text, "b": other})
    ]
    for board in boards:
        for submission in board["submissions"]:
            submission.pop("sha256", None), submission.pop("path")
    assert boards[0]["submissions"] == boards[1]["submissions"]
    assert boards[0]["leaderboard"] == boards[1]["leaderboard"]
    assert boards[0]["challenge"] == boards[1]["challenge"]


@pytest.mark.parametrize(
    ("systems", "code"),
    [
        ({"a": [0.5, 1.0], "b": [0.5, float("nan")]}, "S502"),
        ({"a": [0.5, 1.0], "b": [0.5, float("inf")]}, "S503"),
        ({"a": [0.5, 1.0], "b": [0.5]}, "S301"),
        ({"a": {"x": 1.0, "y": 2.0}, "b": {"x": 1.0, "z": 2.0}}, "S301"),
        ({"a": pd.Series([1.0, 2.0], index=["x", "x"])}, "S526"),
    ],
)
def test_numbers_that_are_wrong_are_told_as_of_a_file(systems, code):
    report = scorer.values(systems, **FAST)
    assert code in {p.code for each in report.submissions for p in each.findings}


@pytest.mark.parametrize(
    ("systems", "told"),
    [
        ({"a": 3}, "system 'a' is int"),
        ({"a": np.zeros((2, 2))}, "system 'a' has 2 dimensions"),
        ({"a": pd.DataFrame({"case": ["x"]})}, "has no column of numbers beside 'case'"),
        ({}, "no system is given"),
        (3, "int is not understood"),
    ],
)
def test_data_that_is_none(systems, told):
    with pytest.raises((TypeError, UsageError), match=told):
        scorer.values(systems)


def test_directions_are_said_or_those_of_metrics_of_that_name():
    rows = {"a": {"x": {"dice": 1.0, "seconds": 2.0, "RMSE": 1.0}}}
    report = scorer.values(rows, lower="seconds", **FAST)
    better = {m.id: m.metric.better for m in report.measures}
    assert better == {"dice": "higher", "seconds": "lower", "RMSE": "lower"}
    with pytest.raises(UsageError, match="no value is called 'time'"):
        scorer.values(rows, lower="time")


@pytest.mark.parametrize(
    ("name", "better"),
    [
        *((name, "lower") for name in ("loss", "error", "seconds", "distance", "perplexity")),
        *(
            (name, "lower")
            for name in ("val_loss", "evalLoss", "latency-ms", "errors/words", "WER")
        ),
        *((name, "higher") for name in ("dice", "tokens_per_second", "hits/seconds")),
        *((name, "higher") for name in ("neg_log_loss", "neg_mean_squared_error", "timely")),
        *((name, None) for name in ("error_reduction", "time_saved", "negative_likelihood_loss")),
    ],
)
def test_the_direction_is_known_by_the_name_or_asked_for(name, better):
    frame = pl.DataFrame({"model": ["a", "b"], "case": ["x", "x"], name: [1.0, 2.0]})
    if better is None:
        with pytest.raises(UsageError, match=f"--lower {name} or --higher {name}"):
            scorer.values(frame)
    else:
        (measure,) = scorer.values(frame).measures
        assert measure.metric.better == better
    for words in ({"lower": name}, {"higher": [name]}):
        (measure,) = scorer.values(frame, **words).measures
        assert measure.metric.better == next(iter(words))
    with pytest.raises(UsageError, match="is in both"):
        scorer.values(frame, lower=name, higher=name)


def test_the_first_line_says_what_columns_were_taken_for():
    frame = pl.DataFrame(
        {"seed": [1, 2] * 2, "model": list("aabb"), "case": ["x"] * 4, "loss": 1.0}
    )
    first = "the table: systems in 'model', runs in 'seed', cases in 'case', values in 'loss'; "
    first += "ranked by 'loss', lower is better · loss over 1 case"
    assert scorer.values(frame).render(width=200).splitlines()[0] == first
    assert scorer.values(frame, title="Mine").render().splitlines()[0] == "Mine · loss over 1 case"
    named = {"a": {"x": {"F1": 1.0, "seconds": 2}}}
    assert scorer.values(named).render(width=200).splitlines()[0] == (
        "ranked by 'F1', higher is better; lower is better of 'seconds' · F1 over 1 case"
    )


def test_a_nan_is_refused_where_another_system_has_a_value():
    rows = {**ROWS, "b": {**ROWS["b"], "x": float("nan")}}
    report = scorer.values(rows, **FAST)
    refused = next(each for each in report.submissions if each.name == "b")
    assert [p.code for p in refused.findings] == ["S502"]


FILES = {
    "all.csv": TABLE,
    "a.csv": "id,dice,seconds\nx,0.5,3\ny,1,1\n",
    "b.tsv": "id\tdice\tseconds\nx\t0.5\t1\ny\t0.5\t1\n",
    "long.csv": "name,id,metric,value\na,x,F1,1\nb,x,F1,0.5\na,y,time,3\nb,y,time,4\n",
    "sums.csv": "name,id,hits,all\na,x,1,2\na,y,0,0\nb,x,0,1\nb,y,1,1\n",
    "ids.csv": "index,model,id,case,n_tokens,ok\n0,a,5,x,9,True\n1,b,6,x,7,false\n",
    "words.csv": "run,topic,ndcg\nbm25,1,0.5\ndense,1,0.75\n",
    "seeds.csv": "model,seed,accuracy\na,1,0.5\na,2,0.75\nb,1,0.5\nb,2,0.25\n",
    "unnamed.csv": "model,case,F1,\na,x,1,7\nb,x,0.5,8\n",
    "holes.csv": "name,id,F1,time\na,x,1,\nb,x,0.5,\na,y,,3\nb,y,,4\na,z,,\nb,z,,\n",
}


@pytest.mark.slow("tests by permutation", beyond=1)
@pytest.mark.parametrize(
    ("words", "first", "means", "told"),
    [
        (["all.csv"], "a", {"dice": 0.75}, "systems in 'model', cases in 'case', values in 'dice'"),
        (["a.csv", "--lower", "seconds"], "a", {"dice": 0.75, "seconds": 2.0}, "cases in 'id'"),
        (["new=a.csv", "--value", "seconds"], "new", {"seconds": 2.0}, "lower is better"),
        (["long.csv"], "a", {"F1": 1.0, "time": 3.0}, "what is measured in 'metric'"),
        (["holes.csv"], "a", {"F1": 1.0, "time": 3.0}, "1 case is left out"),
        (["sums.csv", "--value", "hits/all"], "a", {"hits/all": 0.5}, "values in 'hits/all'"),
        (
            ["ids.csv", "--value", "ok"],
            "a",
            {"ok": 1.0},
            "values in 'ok', true and false of 'ok' are 1 and 0, 'index', 'id' not used; ranked by",
        ),
        (["ids.csv"], "a", {"n_tokens": 9.0, "ok": 1.0}, "'index', 'id' not used"),
        (["words.csv"], "dense", {"ndcg": 0.75}, "systems in 'run', cases in 'topic'"),
        (["seeds.csv"], "a", {"accuracy": 0.625}, "systems in 'model', cases in 'seed'"),
        (["unnamed.csv"], "a", {"F1": 1.0}, "a column without a name not used"),
    ],
)
def test_files_as_they_are(score, tmp_path, monkeypatch, words, first, means, told):
    monkeypatch.chdir(tmp_path)
    for name, text in FILES.items():
        Path(name).write_text(text)
    ran = score("values", *words, "--format", "json")
    report = ran.json()
    (found,) = [each for each in report["submissions"] if each["name"] == first]
    assert {key: value["mean"] for key, value in found["values"].items()} == means
    assert told in ran.err


@pytest.mark.parametrize(
    ("text", "words", "told"),
    [
        ("case,dice\nx,1\n", ["--value", "Dice"], "has no column 'Dice'; did you mean 'dice'?"),
        ("case,dice\nx,1\n", ["--lower", "dise"], "no value is called 'dise'"),
        ("name,text\na,b\n", [], "has no column of numbers beside 'text'"),
        ("dice,iou\n1.5,2.5\n", [], "no column of mine.csv names the cases"),
        ("case,dice\nx,1\nx,1\n", [], "mine.csv:3:1: error[S526] case 'x' is given twice"),
        ("case,dice\nx,1\ny,good\nz,2\n", [], "mine.csv:3:3: error[S501] dice 'good'"),
        ("case,dice\nx,1\ny,nan\nz,2\n", [], "mine.csv:3:3: error[S502] dice is 'nan'"),
        (",dice\nx,1\ny,2\n", [], "column 1 of mine.csv has no name; if it names the cases"),
        (",case,dice\n0,x,1\n1,y,2\n", [], "mine.csv:1:1: error[S203] unnamed first column"),
        ("case,ok\nx,pass\ny,fail\nz,pass\n", [], "write 1 and 0 for 'fail' and 'pass'"),
        ("case,n,score\nx,9,1\n", [], "which value ranks, 'n' or 'score'? add --value score"),
        (
            "case,loss\nx,1\n",
            ["--missing", "zero"],
            "error: missing_list: zero would be a perfect loss; write skip or error",
        ),
        ("", [], "mine.csv: error[S102] the file is empty (0 bytes)"),
        ("case,dice\n", [], "mine.csv: error[S103] the file has no rows"),
        ("<html>\n</html>\n", [], "mine.csv: error[S107] this is an HTML page, not a table"),
    ],
)
def test_bad_files_are_told_where(score, tmp_path, monkeypatch, text, words, told):
    monkeypatch.chdir(tmp_path)
    Path("mine.csv").write_text(text)
    ran = score("values", "mine.csv", *words)
    assert ran.code in (1, 2)
    assert told in ran.err


RUNS = [(system, seed, case) for system in "ab" for seed in (1, 2) for case in "xyz"]


def table_of_runs(column, rows=RUNS):
    """A table in which system b, whose seeds are greater, has the lower scores."""
    lines = [f"model,{column},case,score"]
    for system, run, case in rows:
        number = run + 5 * (system == "b")
        lines.append(f"{system},{number},{case},{0.9 - 0.4 * (system == 'b') - run / 20}")
    return "\n".join(lines) + "\n"


@pytest.mark.parametrize(
    "column", ["seed", "run", "fold", "epoch", "trial", "Run ID", "random_seed", "repetition"]
)
@pytest.mark.parametrize("blank", ["", "a,1,q,\na,2,q,\n"], ids=["clean", "with empty cells"])
def test_runs_are_known_by_their_name(score, tmp_path, monkeypatch, column, blank):
    monkeypatch.chdir(tmp_path)
    Path("several.csv").write_text(table_of_runs(column) + blank)
    ran = score("values", "several.csv", "--format", "json", "--per-list")
    assert ran.code == 0, ran
    assert f"systems in 'model', runs in '{column}', cases in 'case', values in 'score'" in ran.err
    a, b = json.loads(ran.out)["submissions"]
    assert [each["name"] for each in (a, b)] == ["a", "b"]
    assert a["values"]["score"]["mean"] == pytest.approx((0.85 + 0.8) / 2)
    assert list(a["values"]["score"]["runs"].values()) == pytest.approx([0.85, 0.8])
    Path("once.csv").write_text(table_of_runs(column, [row for row in RUNS if row[1] == 1]))
    ran = score("values", "once.csv", "--format", "json")
    assert f"values in 'score', '{column}' not used; ranked by 'score'" in ran.err
    means = {row["name"]: row["values"]["score"] for row in json.loads(ran.out)["leaderboard"]}
    assert means == {"a": pytest.approx(0.85), "b": pytest.approx(0.45)}


def test_folds_that_part_the_cases_are_no_runs(score, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    rows = "".join(f"{s},{n % 2},c{n},{n / 10}\n" for s in "ab" for n in range(6))
    Path("cv.csv").write_text(f"model,fold,case,score\n{rows}")
    ran = score("values", "cv.csv", "--format", "json")
    assert [each["name"] for each in ran.json()["submissions"]] == ["a", "b"]


def test_two_columns_of_runs_are_asked_for(score, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    rows = "".join(f"a,{n},{n + 10},x,{n / 10}\n" for n in range(4))
    Path("mine.csv").write_text(f"model,seed,epoch,case,score\n{rows}")
    ran = score("values", "mine.csv")
    ran.assert_exit(
        2,
        err="the runs of a system may be in 'seed' or in 'epoch'; add --run seed or --run epoch\n",
    )
    ran = score("values", "mine.csv", "--run", "epoch")
    ran.assert_exit(0, err="runs in 'epoch', cases in 'case', values in 'score', 'seed' not used")
    with pytest.raises(UsageError, match="--run seed"):
        scorer.values(pl.read_csv("mine.csv"))
    report = scorer.values(pl.read_csv("mine.csv"), columns={"run": "seed"})
    assert (report.mean("a"), len(report.submissions[0].runs)) == (pytest.approx(0.15), 4)


def test_files_of_one_seed_each_are_runs(score, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for seed in (1, 2):
        rows = [row for row in RUNS if row[1] == seed]
        Path(f"seed{seed}.csv").write_text(table_of_runs("seed", rows))
    ran = score("values", "seed1.csv", "seed2.csv", "--format", "json")
    means = {row["name"]: row["values"]["score"] for row in ran.json()["leaderboard"]}
    assert means == {"a": pytest.approx(0.825), "b": pytest.approx(0.425)}


FAULTS = {
    "nan": ("S502", "dice is 'nan'"),
    "inf": ("S503", "dice is 'inf'"),
    "good": ("S501", "dice 'good'"),
    "1,5": ("S504", "dice '1,5'"),
    "90 %": ("S501", "dice '90 %' is a percentage"),
}


@pytest.mark.parametrize("form", ["csv", "jsonl"])
@pytest.mark.parametrize("cell", FAULTS)
def test_a_faulty_system_of_a_table_is_refused_and_the_others_stand(
    score, tmp_path, monkeypatch, cell, form
):
    monkeypatch.chdir(tmp_path)
    rows = [(s, c, str(0.5 + n / 10)) for n, s in enumerate("abc") for c in "xy"]
    rows[3] = ("b", "y", cell)
    if form == "csv":
        lines = ["model,case,dice", *(f'{s},{c},"{v}"' for s, c, v in rows)]
    else:
        lines = [json.dumps(dict(zip(("model", "case", "dice"), row, strict=True))) for row in rows]
    Path(f"all.{form}").write_text("\n".join(lines) + "\n")
    ran = score("values", f"all.{form}", "--format", "json")
    code, message = FAULTS[cell]
    assert ran.code == 1
    assert f"all.{form}:{5 if form == 'csv' else 4}: error[{code}] {message}" in ran.err
    board = json.loads(ran.out)["leaderboard"]
    assert [(row["name"], row["values"]["dice"]) for row in board] == [("c", 0.7), ("a", 0.5)]


# A row that is cut short, or else wrong, and its problem. Others have an empty cell (`wide`).
BROKEN_ROWS = {
    "short": ("csv", "b,y", "S207", "2 fields"),
    "long": ("csv", "b,y,1,2,3", "S207", "5 fields"),
    "open quote": ("csv", 'b,"y,1', "S208", "the quote opened here"),
    "no key": ("jsonl", '{"model": "b", "case": "y"}', "S207", "'dice' is missing"),
    "cut off": ("jsonl", '{"model": "b", "case": "y",', "S207", "not JSON"),
}


@pytest.mark.parametrize("form", ["plain", "wide", "challenge"])
@pytest.mark.parametrize("row", BROKEN_ROWS)
def test_a_system_with_a_row_that_cannot_be_read_is_refused_and_the_others_stand(
    score, tmp_path, monkeypatch, row, form
):
    monkeypatch.chdir(tmp_path)
    suffix, broken, code, message = BROKEN_ROWS[row]
    names = ("model", "case", "dice", "note") if form == "wide" else ("model", "case", "dice")
    rows = [(s, c, str(0.5 + n / 10), "")[: len(names)] for n, s in enumerate("abc") for c in "xy"]
    # The case is there already, so that no value is missing without the broken row.
    if suffix == "csv":
        lines = [",".join(cells) for cells in [names, *rows]]
    else:
        lines = [json.dumps(dict(zip(names, cells, strict=True))) for cells in rows]
    at = 5 if suffix == "csv" else 4
    lines.insert(at - 1, broken)
    Path(f"all.{suffix}").write_text("\n".join(lines) + "\n")
    Path("c.yaml").write_text(
        "scorer: 1\nkind: values\nsubmission: {columns: {list: case, system: model, value: dice}}\n"
    )
    words = ["c.yaml"] if form == "challenge" else ["values", "--value", "dice"]
    ran = score(*words, f"all.{suffix}", "--format", "json")
    assert re.search(rf"all\.{suffix}:{at}(:\d+)?: error\[{code}\] {message}", ran.err), ran.err
    board = ran.json(1)["leaderboard"]
    assert [(row["name"], row["values"]["dice"]) for row in board] == [("c", 0.7), ("a", 0.5)]


def test_a_system_with_a_row_that_cannot_be_read_is_not_explained(score, tmp_path):
    (tmp_path / "all.csv").write_text("model,case,dice\na,x,1\na,y,1\nb,x,1\nb,y,1\nb,y\n")
    (tmp_path / "c.yaml").write_text(
        "scorer: 1\nkind: values\nsubmission: {columns: {list: case, system: model, value: dice}}\n"
    )
    ran = score("explain", tmp_path / "c.yaml", f"b={tmp_path / 'all.csv'}", "--list", "x")
    assert ran.code == 1, ran
    assert "all.csv:6: error[S207] 2 fields, expected 3" in ran.out + ran.err
    ran = score("explain", tmp_path / "c.yaml", f"a={tmp_path / 'all.csv'}", "--list", "x")
    assert ran.code == 0, ran


@pytest.mark.parametrize(
    ("header", "row"),
    [
        ("dice,model,case", "0,5,b,y"),  # the decimal comma shifts the names: b may be another one
        ("heat,model,case,dice", "0,a,b,y,1"),  # as one of a column that is not used may do
        ("model,case,dice", "d,y"),  # of no other row
        ("model,case,dice", '"b,y,1'),  # no name at all
    ],
)
def test_a_table_is_refused_where_a_row_that_cannot_be_read_may_be_of_any_system(
    score, tmp_path, header, row
):
    names = header.split(",")
    rows = [{"heat": "0.2", "model": m, "case": c, "dice": "1"} for m in "ab" for c in "xy"]
    lines = [",".join(cells[name] for name in names) for cells in rows]
    (tmp_path / "all.csv").write_text("\n".join([header, *lines, row, ""]))
    ran = score("values", tmp_path / "all.csv", "--value", "dice", "--format", "json")
    assert (ran.code, json.loads(ran.out)["leaderboard"]) == (1, [])
    assert re.search(r"all\.csv:(\n  )?6:", ran.err)


def test_an_entry_with_a_run_that_cannot_be_read_is_rejected(score, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    Path("lists.csv").write_text("list\nx\ny\n")
    Path("challenge.yaml").write_text(
        "scorer: 1\nkind: values\nlists: lists.csv\n"
        "submission: {columns: {list: case, run: seed, value: ok}}\n"
    )
    Path("entry.csv").write_text("case,seed,ok\nx,1,1\ny,1,0\nx,2,0\ny,2,1\ny,2\n")
    ran = score("add", ".", "entry.csv", "--team", "t")
    assert "entry.csv:6: error[S207] 2 fields, expected 3" in ran.err
    assert "entry 1 of t: rejected" in ran.out


def test_a_file_of_one_system_is_refused_for_a_row_that_is_cut_short(score, tmp_path):
    (tmp_path / "a.csv").write_text("case,dice,note\nx,0.5,\ny,1,\ny\n")
    (tmp_path / "b.csv").write_text("case,dice,note\nx,0.5,\ny,1,\n")
    ran = score("values", tmp_path / "a.csv", tmp_path / "b.csv", "--format", "json")
    ran.assert_exit(1, err="a.csv:4: error[S207] 1 fields, expected 3")
    assert [row["name"] for row in json.loads(ran.out)["leaderboard"]] == ["b"]


@pytest.mark.parametrize("order", [("good.csv", "bad.csv"), ("bad.csv", "good.csv")])
@pytest.mark.parametrize(
    ("bad", "code"),
    [
        ("", "S102"),
        ("case,dice\n", "S103"),
        ("<html></html>\n", "S107"),
        ("case,iou\nx,1\n", "S201"),
    ],
)
@pytest.mark.parametrize("good", ["case,dice\nx,0.5\n", "case,dice,n\nx,0.5,\n"])
def test_a_faulty_file_is_refused_and_the_others_stand(
    score, tmp_path, monkeypatch, order, bad, code, good
):
    monkeypatch.chdir(tmp_path)
    Path("good.csv").write_text(good)
    Path("bad.csv").write_text(bad)
    ran = score("values", *order, "--value", "dice", "--format", "json")
    ran.assert_exit(1, err=f"error[{code}]")
    (row,) = json.loads(ran.out)["leaderboard"]
    assert (row["name"], row["values"]) == ("good", {"dice": 0.5})


def test_problems_are_at_the_lines_of_the_table_though_it_has_empty_cells(
    score, tmp_path, monkeypatch
):
    monkeypatch.chdir(tmp_path)
    Path("all.csv").write_text(
        "model,case,dice,iou\na,x,,1\na,y,1,1\nb,x,,1\nb,y,good,1\nc,x,,1\nc,y,0.5,1\nc,y,1,1\n"
    )
    ran = score("values", "all.csv")
    assert ran.code == 1
    assert "all.csv:5: error[S501]" in ran.err
    assert (
        "\nall.csv:\n  8: error[S526] 'dice' of case 'y' is given twice (first on line 7)\n"
        in ran.err
    )


@pytest.mark.parametrize("form", ["csv", "jsonl", "parquet"])
def test_true_and_false_are_1_and_0(score, tmp_path, form):
    frame = pl.DataFrame(
        {"model": list("aabb"), "case": list("xyxy"), "ok": [True, False, True, True]}
    )
    path = tmp_path / f"all.{form}"
    {"csv": frame.write_csv, "jsonl": frame.write_ndjson, "parquet": frame.write_parquet}[form](
        path
    )
    ran = score("values", path, "--format", "json")
    ran.assert_exit(0, err="true and false of 'ok' are 1 and 0")
    means = {row["name"]: row["values"]["ok"] for row in json.loads(ran.out)["leaderboard"]}
    assert means == {"a": 0.5, "b": 1.0}
    yaml = (
        "scorer: 1\nkind: values\nsubmission: {columns: {list: case, system: model, value: ok}}\n"
    )
    (tmp_path / "c.yaml").write_text(yaml)
    ran = score(tmp_path / "c.yaml", path, "--format", "json")
    means = {row["name"]: row["values"]["ok"] for row in json.loads(ran.out)["leaderboard"]}
    assert means == {"a": 0.5, "b": 1.0}


CHALLENGES = Path(__file__).parents[2] / "challenges"


def board(report, measures):
    """All that a board says of some measures, to the bit."""
    return [
        (row.name, row.rank, row.interval, row.tier, [row.values[key] for key in measures])
        for row in report.leaderboard
    ]


@pytest.mark.slow("scores bundled challenges twice")
@pytest.mark.parametrize("form", ["csv", "json"])
@pytest.mark.parametrize("name", ["vlnet-2011", "hivemall-graded", "diabetes"])
def test_a_board_is_the_same_when_its_values_are_read_back(name, form, tmp_path):
    challenge = scorer.load(CHALLENGES / name)
    files = [example.submission for example in challenge.examples if example.truth is None]
    rules = {"draws": 500, "seed": 7}
    leaderboard = challenge.leaderboard.model_copy(update={**rules, "baselines": ()})
    plain = [m.id for m in bind(challenge).measures if m.of_lists and m.combination.plain]
    challenge = challenge.model_copy(update={"leaderboard": leaderboard}).with_metrics(plain)
    report = scorer.score(challenge, {f"s{n}": path for n, path in enumerate(files)})
    (tmp_path / f"board.{form}").write_text(report.render(form, per_list=True))
    again = scorer.values(
        tmp_path / f"board.{form}",
        values=plain,
        lower=[m.id for m in report.measures if m.metric.better == "lower"],
        leaderboard=rules,
    )
    assert plain
    assert board(again, plain) == board(report, plain)


def test_each_file_without_faults_is_read_once(tmp_path, monkeypatch):
    rows = {"a": "c1,1\nc2,0.5\n", "b": "c2,0.25\nc1,0\n", "c": "c1,x\nc2,1\n", "d": "c1,1\nc1,0\n"}
    files = []
    for name, text in rows.items():
        files.append(tmp_path / f"{name}.csv")
        files[-1].write_text(f"case,value\n{text}")
    opened, read = [], binding.read_file
    monkeypatch.setattr(
        binding, "read_file", lambda path, *words: opened.append(path.name) or read(path, *words)
    )
    first = scorer.values(files, missing_list="skip")
    assert opened == ["a.csv", "b.csv", "c.csv", "c.csv", "d.csv"]  # c for its lists alone, too
    assert (first.mean("a"), first.mean("b")) == (0.75, 0.125)
    told = {
        each.name: [(p.code, p.line, p.column) for p in each.findings] for each in first.submissions
    }
    assert told == {
        "a": [],
        "b": [],
        "c": [("S501", 2, 4)],
        "d": [("S301", None, None), ("S526", 3, 1)],
    }
    digest = hashlib.sha256(files[1].read_bytes()).hexdigest()
    assert next(each.sha256 for each in first.submissions if each.name == "b") == digest


def test_a_system_may_be_a_folder(tmp_path):
    for system, value in (("good", 1), ("bad", 0)):
        (tmp_path / system).mkdir()
        (tmp_path / system / "one.csv").write_text(f"case,value\nx,{value}\n")
        (tmp_path / system / "README.md").write_text("# values\n")
    report = scorer.values([tmp_path / "good", tmp_path / "bad"])
    assert [row.name for row in report.leaderboard] == ["good", "bad"]
