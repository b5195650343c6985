"""Boards of values without a challenge.yaml: files as they are, data of a session, boards again."""

import hashlib
import json
from pathlib import Path

import numpy as np
import polars as pl
import pytest

import scorer
from scorer.core.errors import UsageError
from scorer.prepare import bind
from scorer.prepare.bind import prepare

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
    assert {row.name: row.rank for row in report.standings} == {"a": 1, "b": 2}
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
        scorer.values(each, **FAST).to_dict(per_list=True)
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
        ({"a": {"x": "good"}}, "system 'a', case 'x': 'good' is not a number"),
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
    "holes.csv": "name,id,F1,time\na,x,1,\nb,x,0.5,\na,y,,3\nb,y,,4\na,z,,\nb,z,,\n",
}


@pytest.mark.slow("tests by permutation", beyond=1)
@pytest.mark.parametrize(
    ("words", "first", "means", "told"),
    [
        (["all.csv"], "a", {"dice": 0.75}, "systems in 'model', cases in 'case', values in 'dice'"),
        (["a.csv", "--lower", "seconds"], "a", {"dice": 0.75, "seconds": 2.0}, "cases in 'id'"),
        (["new=a.csv", "--value", "seconds"], "new", {"seconds": 2.0}, "higher is better"),
        (["long.csv"], "a", {"F1": 1.0, "time": 3.0}, "what is measured in 'metric'"),
        (["holes.csv"], "a", {"F1": 1.0, "time": 3.0}, "1 case is left out"),
        (["sums.csv", "--value", "hits/all"], "a", {"hits/all": 0.5}, "values in 'hits/all'"),
    ],
)
def test_files_as_they_are(score, tmp_path, monkeypatch, words, first, means, told):
    monkeypatch.chdir(tmp_path)
    for name, text in FILES.items():
        Path(name).write_text(text)
    ran = score("values", *words, "--format", "json")
    assert ran.code == 0, ran.err
    report = json.loads(ran.out)
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
    ],
)
def test_bad_files_are_told_where(score, tmp_path, monkeypatch, text, words, told):
    monkeypatch.chdir(tmp_path)
    Path("mine.csv").write_text(text)
    ran = score("values", "mine.csv", *words)
    assert ran.code in (1, 2)
    assert told in ran.err


CHALLENGES = Path(__file__).parents[2] / "challenges"


def board(report, measures):
    """All that a board says of some measures, to the bit."""
    return [
        (row.name, row.rank, row.interval, row.tier, [row.values[key] for key in measures])
        for row in report.standings
    ]


@pytest.mark.slow("scores bundled challenges twice")
@pytest.mark.parametrize("form", ["csv", "json"])
@pytest.mark.parametrize("name", ["vlnet-2011", "hivemall-graded", "diabetes"])
def test_a_board_is_the_same_when_its_values_are_read_back(name, form, tmp_path):
    challenge = scorer.load(CHALLENGES / name)
    files = [example.submission for example in challenge.examples if example.truth is None]
    rules = {"draws": 500, "seed": 7}
    leaderboard = challenge.leaderboard.model_copy(update={**rules, "baselines": ()})
    plain = [m.id for m in prepare(challenge).measures if m.of_lists and m.combination.plain]
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
    opened, read = [], bind.read_file
    monkeypatch.setattr(
        bind,
        "read_file",
        lambda path, *words: opened.append(path.name) or read(path, *words),
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
