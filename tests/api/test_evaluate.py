"""Data of a Python session: every kind of it gives the numbers that files give."""

import json
import math
import random
import re
import shutil

import boards
import polars as pl
import pytest
from conftest import ROOT

import scorer
from scorer import ChallengeError, UsageError

TRUTH = {"q1": {"a": 2, "b": 0, "c": 1}, "q2": {"d": 1}, "q3": {"e": 3, "a": 1}}
RUN = {
    "q1": {"b": 3.5, "a": 1.25, "x": 0.1},
    "q2": {"d": 0.3333333333333333, "a": -1e-7},
    "q3": {"a": 7, "e": 7},
}
MEASURES = ["nDCG@10", "AP(rel=2)", "P@1"]


class Stream:
    """What any library's table is to us: something with an Arrow stream."""

    def __init__(self, frame):
        self.frame = frame

    def __arrow_c_stream__(self, requested_schema=None):
        return self.frame.__arrow_c_stream__(requested_schema)


class Pandas:
    """A table of pandas where pyarrow is not installed."""

    def __init__(self, frame):
        self.frame, self.columns = frame, frame.columns

    def __getitem__(self, name):
        return Cells(self.frame[name])

    def __arrow_c_stream__(self, requested_schema=None):
        raise ImportError("Import pyarrow failed")


class Cells:
    def __init__(self, column):
        self.column = column

    def tolist(self):
        return self.column.to_list()


def rows(nested):
    return [(name, item, value) for name, items in nested.items() for item, value in items.items()]


def frame(nested, value):
    return pl.DataFrame(rows(nested), ["list", "item", value], orient="row", strict=False)


def written(path, nested, value):
    lines = [f"{name},{item},{number!r}\n" for name, item, number in rows(nested)]
    path.write_text(f"list,item,{value}\n" + "".join(lines))
    return path


FORMS = {
    "dicts": lambda nested, value, path: nested,
    "rows": lambda nested, value, path: rows(nested),
    "an iterator": lambda nested, value, path: iter(rows(nested)),
    "polars": lambda nested, value, path: frame(nested, value),
    "a stream": lambda nested, value, path: Stream(frame(nested, value)),
    "pandas alone": lambda nested, value, path: Pandas(frame(nested, value)),
    "a path": lambda nested, value, path: written(path, nested, value),
    "a path's text": lambda nested, value, path: str(written(path, nested, value)),
}


def numbers(report):
    return {
        each.name: {
            key: (value.mean, value.per_list.tolist()) for key, value in each.values.items()
        }
        for each in report.submissions
    }


@pytest.fixture
def files(challenge, tmp_path):
    """The same as a challenge of files."""
    yaml = f"truth: truth.csv\nmetrics: {json.dumps(MEASURES)}\n"
    folder = challenge(yaml, **{"truth.csv": "x"})
    written(folder / "truth.csv", TRUTH, "grade")
    return scorer.score(folder, [written(tmp_path / "mine.csv", RUN, "score")])


@pytest.mark.slow("starts processes, or tries every form", beyond=2)
@pytest.mark.parametrize("of_truth", FORMS)
@pytest.mark.parametrize("of_run", FORMS)
def test_all_forms_give_the_same_numbers(files, tmp_path, of_truth, of_run):
    truth = FORMS[of_truth](TRUTH, "grade", tmp_path / "a.csv")
    run = FORMS[of_run](RUN, "score", tmp_path / "b.csv")
    assert numbers(scorer.evaluate(truth, {"mine": run}, MEASURES)) == numbers(files)


@pytest.mark.slow("starts processes, or tries every form")
def test_numbers_keep_every_bit():
    draw = random.Random(3)
    found = {f"{n}": draw.random() * 10 ** draw.randint(-9, 9) for n in range(500)}
    truth = {"u": found}
    run = {"u": {item: number + draw.random() for item, number in found.items()}}
    errors = [run["u"][item] - number for item, number in found.items()]
    exact = math.sqrt(math.fsum(e * e for e in errors) / 500)
    for each in (run, {"u": run["u"]}, frame(run, "prediction"), rows(run)):
        value = scorer.evaluate(truth, {"mine": each}, ["RMSE"]).mean("mine")
        assert value == pytest.approx(exact, rel=1e-14)
        assert value == scorer.evaluate(frame(truth, "rating"), {"mine": run}, "RMSE").mean("mine")


def test_a_list_ranks_by_its_order_and_a_set_is_a_truth_without_grades():
    report = scorer.evaluate(
        {"u": {"a", "b"}, "v": ["c"]}, {"mine": {"u": ["x", "a", "b"], "v": ("c",)}}, ["RR"]
    )
    assert report.per_list("mine") == {"u": 0.5, "v": 1.0}


def test_frames_whose_columns_are_called_otherwise():
    truth = pl.DataFrame({"userId": [1, 1, 2], "movieId": [10, 11, 12], "rating": [4.5, 3, 2.0]})
    run = pl.DataFrame({"userId": [1, 1, 2], "movieId": [10, 11, 12], "pred": [4, 3, 2]})
    columns = {"list": "userId", "item": "movieId", "prediction": "pred"}
    report = scorer.evaluate(truth, {"mine": run}, ["RMSE"], columns=columns, range=(0.5, 5))
    assert report.mean("mine") == pytest.approx(math.sqrt(0.25 / 3))
    with pytest.raises(UsageError, match="run 'mine' has no column 'prediction'"):
        scorer.evaluate(
            truth, {"mine": run}, ["RMSE"], columns={"list": "userId", "item": "movieId"}
        )


def test_preferences():
    truth = [("q", "a", "b"), ("q", "b", "c")]
    pairs = scorer.evaluate(truth, {"mine": truth[:1], "order": {"q": ["a", "b", "c"]}}, ["EDRC"])
    assert pairs.mean("order") == 1.0
    columns = ["list", "better", "worse"]
    of_frames = scorer.evaluate(
        pl.DataFrame(truth, columns, orient="row"),
        {"mine": pl.DataFrame(truth[:1], columns, orient="row")},
        ["EDRC"],
    )
    assert of_frames.mean("mine") == pairs.mean("mine") < 1


def test_a_bad_row_is_told_by_its_number():
    run = {"q1": {"a": 1, "b": math.nan}, "q2": {"d": 1}, "q3": {"e": 1}}
    report = scorer.evaluate(TRUTH, {"bad": run, "mine": RUN}, MEASURES)
    bad, mine = report.submissions
    assert (bad.valid, mine.valid) == (False, True)
    assert [str(problem) for problem in bad.findings] == [
        "bad:2: error[S502] score is 'nan'; every row needs a finite number"
    ]
    assert bad.path == "bad"
    with pytest.raises(UsageError, match=r"'bad' was rejected: bad:2: error\[S502\]"):
        report.mean("bad")


def test_rules_are_those_of_a_submission():
    run = {"q1": RUN["q1"], "q2": RUN["q2"]}
    assert not scorer.evaluate(TRUTH, {"mine": run}, MEASURES).submissions[0].valid
    report = scorer.evaluate(TRUTH, {"mine": run}, MEASURES, missing_list="zero", ties="expected")
    assert report.per_list("mine", "P@1") == {"q1": 0.0, "q2": 1.0, "q3": 0.0}
    report = scorer.evaluate(TRUTH, {"mine": RUN}, MEASURES, length={"max": 2})
    assert not report.submissions[0].valid


@pytest.mark.parametrize(
    ("truth", "runs", "measures", "rules", "error", "said"),
    [
        (TRUTH, RUN, MEASURES, {}, TypeError, r"runs are \{name: \{list: \{item: value\}\}\}"),
        (TRUTH, {"a": 3}, MEASURES, {}, TypeError, "run 'a' is an int; give a path"),
        (TRUTH, {"a": b"x"}, MEASURES, {}, TypeError, "run 'a' is a bytes"),
        (TRUTH, {"a": None}, MEASURES, {}, TypeError, "run 'a' is a NoneType"),
        (TRUTH, {3: RUN}, MEASURES, {}, TypeError, "3 is no name of a run"),
        (TRUTH, frame(RUN, "score"), MEASURES, {}, TypeError, "DataFrame is not understood"),
        (TRUTH, "x.csv", MEASURES, {}, TypeError, "'x.csv' is one submission; write a list"),
        (TRUTH, [RUN], MEASURES, {}, TypeError, "a submission in a list is a path, not dict"),
        (TRUTH, {"a": {"q1": {"b"}}}, MEASURES, {}, TypeError, "a set has no order"),
        (TRUTH, {"a": {"q1": {1.5: 1}}}, MEASURES, {}, TypeError, "1.5 is no id; ids are text"),
        (TRUTH, {"a": {"q1": {"b": "1"}}}, MEASURES, {}, TypeError, "'1' is not a number"),
        (TRUTH, {"a": [("q1", "b", 1, 2)]}, MEASURES, {}, UsageError, "row 1 has 4 values"),
        (TRUTH, {"a": ["q1 b 1"]}, MEASURES, {}, TypeError, "row 1 is a str"),
        (TRUTH, {"a": pl.Series([1])}, MEASURES, {}, UsageError, "no column 'list', 'item'"),
        (3, {"a": RUN}, MEASURES, {}, TypeError, "the truth is an int"),
        (TRUTH, {"a": RUN}, ["nDGC"], {}, UsageError, "did you mean 'nDCG'"),
        (TRUTH, {"a": RUN}, ["TopGrade"], {}, UsageError, "a metric of your own is given as"),
        (TRUTH, {"a": RUN}, ["P"], {}, UsageError, "P needs its cut-off"),
        (TRUTH, {"a": RUN}, [], {}, UsageError, "at least one measure is needed"),
        (TRUTH, {"a": RUN}, [3], {}, TypeError, "measures"),
        (TRUTH, {"a": RUN}, ["AP", "RMSE"], {}, UsageError, "one challenge has one kind"),
        (TRUTH, {"a": RUN}, MEASURES, {"ties": "x"}, UsageError, "ties: "),
        (TRUTH, {"a": RUN}, MEASURES, {"lenght": 3}, TypeError, "did you mean 'length'"),
        (TRUTH, {"a": RUN}, MEASURES, {"columns": {"itme": "x"}}, UsageError, "mean 'item'"),
        ("none.csv", {"a": RUN}, MEASURES, {}, ChallengeError, "none.csv: error.T101"),
        ([("q", "a", 1), ("q", "a", 2)], {"a": RUN}, MEASURES, {}, ChallengeError,
         "truth:2: error.T304. .* graded 1 and 2 .first on line 1"),
    ],
)  # fmt: skip
def test_what_is_not_understood_is_told(truth, runs, measures, rules, error, said):
    with pytest.raises(error, match=said):
        scorer.evaluate(truth, runs, measures, **rules)


def test_a_challenge_takes_data_and_paths_together(challenge, tmp_path):
    yaml = "truth: truth.csv\nmetrics: [AP]\nsubmission: {format: lists}\n"
    folder = challenge(yaml, **{"truth.csv": "list,item\nq,a\n", "b.lists": "q: x, a\n"})
    report = scorer.score(folder, {"data": {"q": ["a", "x"]}, "file": folder / "b.lists"})
    assert {each.name: each.values["AP"] for each in report.leaderboard} == {"data": 1, "file": 0.5}
    assert [each.path for each in report.submissions] == ["data", str(folder / "b.lists")]
    with pytest.raises(TypeError, match="one submission"):
        scorer.score(folder, "b.lists")
    with pytest.raises(TypeError, match="a truth needs measures"):
        scorer.score({"q": {"a": 1}}, {"data": {"q": ["a"]}})


def test_a_comparison_is_printed_without_preferences_that_were_not_asked_for():
    runs = {"a": {"q1": ["d1"], "q2": ["d4"]}, "b": {"q1": ["d2"], "q2": ["d4"]}}
    default, asked = (
        scorer.compare(TRUTH, runs, names, measures=["AP"], missing_list="zero")
        for names in (None, ["RPP"])
    )
    for form in ("table", "text", "markdown", "latex", "html"):
        assert "RPP" not in default.render(form)
        assert "RPP" in asked.render(form)
        assert "LexiRecall" not in asked.render(form)
    for form in ("json", "csv"):
        assert "RPP" in default.render(form)
    assert "RPP" not in default._repr_html_()
    assert "RPP" in asked._repr_html_()
    assert "<details><summary>Notes</summary><p>" in default._repr_html_()  # folded


def test_comparisons_and_explanations_are_frames_with_few_public_names(tmp_path):
    runs = {"a": {"q1": ["a", "x"], "q2": ["c"]}, "b": {"q1": ["x"], "q2": ["c"]}}
    compared = scorer.compare(TRUTH, runs, measures=["AP"], missing_list="zero")
    frame = compared.to_polars().filter(pl.col("is") == "measure")
    assert frame["p"].to_list() == [compared.p("a", "b")]
    pytest.importorskip("pandas")
    assert compared.to_pandas().shape == compared.to_polars().shape
    (tmp_path / "challenge.yaml").write_text("truth: truth.csv\nmetrics: [AP]\n")
    (tmp_path / "truth.csv").write_text("list,item\nq,a\n")
    (tmp_path / "mine.csv").write_text("list,item\nq,b\nq,a\n")
    explained = scorer.explain(tmp_path, tmp_path / "mine.csv", "q")
    assert explained.measures[0].value == 0.5
    assert explained.to_polars().filter(pl.col("text") == "counts as")["value"].to_list() == ["0.5"]
    assert "Not for publication" in explained._repr_html_()
    for result in (compared, explained):
        assert len([name for name in dir(result) if not name.startswith("_")]) <= 15


def test_compare_and_check_take_the_same(challenge):
    other = {name: list(items) for name, items in TRUTH.items()}
    runs = {"a": RUN, "b": other, "bad": {"q1": ["a", "a"]}}
    compared = scorer.compare(TRUTH, runs, measures=MEASURES, missing_list="zero")
    report = compared.report
    assert list(compared.names) == ["a", "b"]
    assert "a minus b" in str(compared)
    assert report.mean("b") == scorer.evaluate(TRUTH, {"b": other}, MEASURES).mean("b")
    checked = scorer.check(TRUTH, runs, measures=MEASURES)
    assert [each.findings.fatal for each in checked] == [False, False, True]
    assert "\nbad: would be rejected: 2 errors (S30" in str(checked)
    assert "\n  2: error[S304] item 'a' is given twice" in str(checked)
    for each in (report, compared, checked):
        assert len(repr(each)) < 2000
        assert each._repr_html_().startswith("<")
    with pytest.raises(TypeError, match="a truth needs measures"):
        scorer.compare(TRUTH, runs)
    with pytest.raises(TypeError, match="ties needs measures"):
        scorer.check("challenge.yaml", runs, ties="file")


def test_metrics_are_named_as_mlflow_takes_them():
    truth, run = ({f"{q}{n}": each for n in "12" for q, each in of.items()} for of in (TRUTH, RUN))
    report = scorer.evaluate(truth, {"mine": run, "a:b": run}, ["P@1", "AP(rel=2)", "AP"])
    low, high = report.interval("mine")
    assert report.metrics("mine") == {
        "P_at_1": report.mean("mine"),
        "P_at_1/low": low,
        "P_at_1/high": high,
        "AP_rel_2": report.mean("mine", "AP(rel=2)"),
        "AP": report.mean("mine", "AP"),
    }
    every = report.metrics()
    assert every["mine/AP"] == every["a_b/AP"] == report.mean("mine", "AP")
    assert len(every) == 10
    assert all(re.fullmatch(r"[/\w.\- ]+", name) for name in every)
    twice = scorer.evaluate(TRUTH, {"a:b": RUN, "a=b": RUN}, ["AP"]).metrics()
    assert {"a_b/AP", "a_b/AP_2"} <= {*twice}
    with pytest.raises(scorer.ScorerError, match="no submission is called 'nobody'"):
        report.metrics("nobody")


def test_of_three_lists_there_are_no_ends_of_intervals():
    report = scorer.evaluate(TRUTH, {"mine": RUN}, ["P@1"])
    assert report.metrics("mine") == {"P_at_1": report.mean("mine")}
    with pytest.raises(scorer.UsageError, match="no interval: 'mine' has fewer than 5 lists"):
        report.interval("mine")


def test_a_report_gives_its_numbers():
    report = scorer.evaluate(TRUTH, {"mine": RUN, "<b>": RUN}, MEASURES)
    assert report.mean("mine", "ndcg_cut_10") == report.mean("mine")
    assert report.per_list("mine", "P@1") == {"q1": 0.0, "q2": 1.0, "q3": 1.0}
    assert report.to_dict()["leaderboard"][0]["values"]["P@1"] == pytest.approx(2 / 3)
    assert report.to_dict(per_list=True)["submissions"][0]["values"]["P@1"]["per_list"]["q1"] == 0
    board = report.to_polars()
    assert board["name"].to_list() == ["<b>", "mine"]
    assert board["P@1"].to_list() == [report.mean("mine", "P@1")] * 2
    long = report.to_polars(per_list=True)
    assert long.filter(name="mine")["AP(rel=2)"].to_list() == [
        *report.per_list("mine", "AP(rel=2)").values()
    ]
    for word, kind in (("nobody", "submission"), ("mien", "submission")):
        with pytest.raises(scorer.ScorerError, match=f"no {kind} is called '{word}'"):
            report.mean(word)
    with pytest.raises(scorer.ScorerError, match="no measure here is called 'AP@3'"):
        report.mean("mine", "AP@3")


@pytest.mark.slow("starts processes, or tries every form")
def test_a_report_gives_its_text(tmp_path):
    runs = {"<script>alert(1)</script>": RUN} | {f"run {n}": RUN for n in range(200)}
    report = scorer.evaluate(TRUTH, runs, MEASURES, leaderboard={"tiers": False})
    assert str(report).splitlines()[1].startswith("rank")
    assert len(repr(report)) < 2000
    assert "<script>" not in report._repr_html_()
    for suffix, start in {
        "html": "<!", "json": "{", "csv": "rank", "md": "", "tex": "%", "txt": "evaluation",
    }.items():  # fmt: skip
        path = tmp_path / f"board.{suffix}"
        report.write(path)
        assert path.read_text(encoding="utf-8").lower().startswith(start)
    assert json.loads((tmp_path / "board.json").read_text()) == report.to_dict()
    with pytest.raises(UsageError, match=r"names no form \(.*csv, .*html"):
        report.write(tmp_path / "board.docx")
    assert not (tmp_path / "board.docx").exists()


def test_a_fingerprint_depends_on_the_data_alone():
    first, second, other = (
        boards.evaluate(truth, {"mine": RUN}, MEASURES).challenge.fingerprint
        for truth in (TRUTH, TRUTH, {**TRUTH, "q2": {"d": 2}})
    )
    assert first == second != other


def test_no_file_stays(tmp_path, monkeypatch):
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    scorer.evaluate(TRUTH, {"mine": RUN}, MEASURES)
    with pytest.raises(TypeError):
        scorer.evaluate(TRUTH, {"mine": RUN, "bad": {"q1": 3}}, MEASURES)
    assert not list(tmp_path.iterdir())


def test_a_list_without_items_is_a_list():
    truth = {"q1": {"a": 1}, "q2": {}}
    run = {"q1": ["a"], "q2": ["b"]}
    report = scorer.evaluate(truth, {"mine": run}, ["AP"])
    assert report.per_list("mine") == {"q1": 1.0, "q2": 0.0}
    assert scorer.evaluate(truth, {"mine": run}, ["AP"], undefined="skip").mean("mine") == 1.0


@pytest.mark.parametrize("run", [{"q1": {}}, {"q1": [], "q2": []}, {"q1": {}, "q9": {}}])
def test_of_a_run_of_lists_without_items_all_lists_are_missing(run):
    (strict,) = scorer.evaluate(TRUTH, {"mine": run}, MEASURES).submissions
    message = "3 of 3 lists are missing: 'q1', 'q2', 'q3'"
    assert [(p.code, p.severity, p.message) for p in strict.findings] == [
        ("S301", "error", message)
    ]
    report = scorer.evaluate(TRUTH, {"mine": run}, MEASURES, missing_list="zero")
    assert report.per_list("mine", "P@1") == {"q1": 0.0, "q2": 0.0, "q3": 0.0}
    assert [report.mean("mine", id) for id in MEASURES] == [0.0, 0.0, 0.0]
    (lenient,) = report.submissions
    assert [(p.code, p.severity) for p in lenient.findings] == [("S301", "warning")]


@pytest.mark.parametrize("run", [{}, [], pl.DataFrame({"list": [], "item": [], "score": []})])
def test_data_without_rows_is_refused_as_such(run):
    report = scorer.evaluate(TRUTH, {"mine": run}, MEASURES, missing_list="zero")
    (problem,) = report.submissions[0].findings
    assert str(problem) == "mine: error[S103] no rows; expected rows for 3 lists"


def test_a_notebook_shows_a_table():
    report = scorer.evaluate(TRUTH, {"mine": RUN, "bad": {"q1": {"a": math.nan}}}, MEASURES)
    html = report._repr_html_()
    assert html.startswith("<table>")
    assert "<th>nDCG@10</th>" in html
    assert "<td>mine</td>" in html
    assert "bad: not scored" in html


@pytest.mark.parametrize(
    ("truth", "run", "measure", "columns", "value"),
    [
        ({"1": "a", "2": "b"}, {"1": "a", "2": "a"}, "Accuracy", None, 0.5),
        ({1: 0, 2: 1}, {2: 1, 1: 1}, "Accuracy", None, 0.5),
        ({1: 0, 2: 1, 3: 0}, {1: 0.2, 2: 0.8, 3: 0.9}, "AUROC", None, 0.5),
        ({1: 0.5, 2: 1}, {1: 1, 2: 1}, "MAE", None, 0.25),
        ([(1, "a"), (2, "b")], [(1, "a"), (2, "a")], "Accuracy", None, 0.5),
        (pl.DataFrame({"id": [1, 2], "label": ["a", "b"]}),
         pl.DataFrame({"id": [2, 1], "label": ["b", "b"]}), "Accuracy", {"list": "id"}, 0.5),
        (pl.DataFrame({"list": [1, 2], "target": [1.5, 2]}),
         pl.DataFrame({"list": [1, 2], "prediction": [1.0, 2.0]}), "MAE", None, 0.25),
        (pl.DataFrame({"id": [1, 2], "label": ["a", "b"]}),
         pl.DataFrame({"id": [2, 1], "p": [0.2, 0.9]}), "AUROC",
         {"list": "id", "label": "label", "probability": "p"}, 0.0),
        (pl.DataFrame({"id": [1, 2], "label": ["a", "b"]}),
         pl.DataFrame({"id": [2, 1], "a": [0.2, 0.9], "b": [0.8, 0.1]}), "AUROC",
         {"list": "id", "label": "label", "probability": ["a", "b"]}, 1.0),
    ],
)  # fmt: skip
def test_a_table_is_a_value_for_each_id(truth, run, measure, columns, value):
    report = scorer.evaluate(truth, {"mine": run}, [measure], columns=columns)
    assert [str(problem) for scored in report.submissions for problem in scored.findings
            if problem.severity == "error"] == []  # fmt: skip
    assert report.mean("mine", measure) == value


@pytest.mark.parametrize(
    ("truth", "run", "measure", "error", "said"),
    [
        ({1: 0.5}, {1: 1}, "nDCG@10", TypeError, "not a dict of items"),
        ({1: "a"}, {1: None}, "Accuracy", TypeError, "None is no id"),
        ({1: 1.5}, {1: "x"}, "RMSE", TypeError, "'x' is not a number"),
        ([(1, "a")], [(1, "a", 2)], "Accuracy", scorer.UsageError, "expected (id, value)"),
    ],
)
def test_a_table_that_is_none_is_told(truth, run, measure, error, said):
    with pytest.raises(error) as told:
        scorer.evaluate(truth, {"mine": run}, [measure])
    assert said in str(told.value)


def test_a_folder_stands_for_its_files(tmp_path):
    challenge = ROOT / "challenges/course-2026"
    for name in ("aurora-1.csv", "boreas-1.csv"):
        shutil.copy(ROOT / "submissions_example/course-2026/good" / name, tmp_path)
    (tmp_path / "README.md").write_text("notes")
    names = [each.name for each in scorer.score(challenge, tmp_path).submissions]
    assert sorted(names) == ["aurora-1", "boreas-1", "popular"]
