"""Boards of values without a challenge.yaml: files as they are, data of a session, boards again."""

import hashlib
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


def test_true_and_false_of_parquet_are_1_and_0(score, tmp_path):
    frame = pl.DataFrame({"model": list("aabb"), "case": list("xyxy"), "ok": [True, False] * 2})
    frame.write_parquet(tmp_path / "all.parquet")
    ran = score("values", tmp_path / "all.parquet", "--format", "json")
    ran.assert_exit(0, err="true and false of 'ok' are 1 and 0")
    assert [row["values"]["ok"] for row in ran.json()["leaderboard"]] == [0.5, 0.5]
