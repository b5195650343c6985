"""Answers row by row, as scikit-learn takes them; frames as named elsewhere; own functions."""

import re

import numpy as np
import polars as pl
import pytest

import scorer
from scorer.api.text import content_of
from scorer.core.errors import UnknownName, UsageError

pd = pytest.importorskip("pandas")

CLASSES = ["a", "b", "c"]
Y = [0, 1, 1, 0]
P = [0.1, 0.9, 0.4, 0.2]
WIDE = [[0.8, 0.1, 0.1], [0.1, 0.8, 0.1], [0.5, 0.3, 0.2], [0.1, 0.2, 0.7]]
LETTERS = ["a", "b", "b", "c"]


@pytest.mark.slow("scores arrays of every kind", beyond=8)
@pytest.mark.parametrize("of", [list, np.array, pd.Series, pl.Series, tuple])
@pytest.mark.parametrize(
    ("truth", "run", "measure", "value"),
    [
        (Y, [0, 1, 0, 0], "Accuracy", 3 / 4),
        (Y, [0, 1, 0, 0], "F1", 2 / 3),  # of the greater label
        (Y, P, "AUROC", 1.0),
        (Y, P, "Accuracy", 3 / 4),
        (Y, [0, 1, 0, 0], "AUROC", 3 / 4),  # a label is a whole probability
        (Y, [-3.0, 7.0, 2.0, -1.0], "AUROC", 1.0),  # decisions of any size
        (Y, P, "Brier", (0.1**2 + 0.1**2 + 0.6**2 + 0.2**2) / 4),
        (LETTERS, ["a", "b", "c", "c"], "Accuracy", 3 / 4),
        ([10, 9, 9, 2], [10, 9, 2, 2], "F1(average=macro)", (1 + 2 / 3 + 2 / 3) / 3),
        ([1.5, 2.5, 4.0, 0.0], [1.5, 2.0, 4.0, 1.0], "MAE", 1.5 / 4),
        ([True, False, True], [1, 0, 0], "Accuracy", 2 / 3),
        ([1.0, 0.0, 1.0], [1, 0, 0], "Accuracy", 2 / 3),
    ],
)
def test_values_are_those_of_the_rows(of, truth, run, measure, value):
    report = scorer.evaluate(of(truth), {"m": of(run)}, [measure])
    assert report.mean("m") == pytest.approx(value, rel=1e-12)


def test_columns_of_probabilities_are_in_the_order_of_the_sorted_classes():
    report = scorer.evaluate(LETTERS, {"wide": np.array(WIDE)}, ["Accuracy", "LogLoss"])
    assert report.mean("wide") == 3 / 4
    picked = -np.log([0.8, 0.8, 0.3, 0.7]).mean()
    assert report.mean("wide", "LogLoss") == pytest.approx(picked, rel=1e-12)
    turned = np.array(WIDE)[:, ::-1]
    named = scorer.evaluate(LETTERS, {"wide": turned}, ["Accuracy"], classes=["c", "b", "a"])
    assert named.mean("wide") == 3 / 4
    pair = np.array([[0.9, 0.1], [0.1, 0.9], [0.6, 0.4], [0.8, 0.2]])
    assert scorer.evaluate(Y, {"two": pair}, ["AUROC"]).mean("two") == 1.0


def test_labels_and_probabilities_stand_side_by_side():
    runs = {"lr": np.array([0, 1, 0, 0]), "rf": np.array(P)}
    report = scorer.evaluate(np.array(Y), runs, ["Accuracy", "AUROC"])
    assert report.mean("lr"), report.mean("rf", "AUROC") == (3 / 4, 1.0)
    compared = scorer.compare(np.array(Y), runs, measures=["Accuracy"])
    assert 0 < compared.p("lr", "rf") <= 1
    checked = scorer.check(Y, {"fine": [0, 1, 0, 0], "bad": ["x"] * 4}, measures=["Accuracy"])
    assert [each.findings.fatal for each in checked] == [False, True]


@pytest.mark.parametrize(
    ("truth", "run", "measure", "said"),
    [
        (Y, [0, 1], "Accuracy", "run 'm' has 2 rows, the truth 4"),
        (np.eye(3), np.eye(3), "Accuracy", "the truth has 2 dimensions"),
        (LETTERS, P, "LogLoss", "one number a row, and there are 3 classes"),
        (LETTERS, np.ones((4, 2)), "LogLoss", "2 columns, and there are 3 classes"),
        (LETTERS, ["a", "b", "z", "c"], "LogLoss", "'z' is no class of the truth's"),
        (Y, Y, "nDCG@10", "are of lists of items"),
        ([0.5, 1, 1, 0], Y, "Accuracy", "0.5, which is no class"),
        (pd.Series(Y, [3, 4, 5, 6]), pd.Series(Y, [7, 8, 9, 1]), "Accuracy", "other indexes"),
        (pd.Series(Y), pd.Series(Y, [3, 1, 2, 0]), "Accuracy", r"take run.loc\[truth.index\]"),
        (pd.Series(Y, [3, 1, 2, 0]), pd.Series(Y), "Accuracy", r"take run.loc\[truth.index\]"),
        (pd.Series(Y, [2, 3, 4, 5]), pd.Series(Y, [5, 2, 4, 3]), "Accuracy", "in other order"),
        (pd.Series(Y, list("abcd")), pd.Series(Y, list("badc")), "Accuracy", "in other order"),
        (pd.Series(Y, [1, 2, 3, 4]), pd.Series(Y, [5, 6, 7, 8]), "Accuracy", "other indexes"),
        (pd.Series(Y, [1, 1, 2, 3]), pd.Series(Y, [1, 2, 1, 3]), "Accuracy", "other indexes"),
        (pd.Series(Y), pd.DataFrame(WIDE, [3, 2, 1, 0])[[0, 1]], "LogLoss", "in other order"),
    ],
)
def test_what_does_not_fit_is_told(truth, run, measure, said):
    with pytest.raises(UsageError, match=said):
        scorer.evaluate(truth, {"m": run}, [measure])


@pytest.mark.parametrize(
    ("truth", "run"),
    [
        ([3, 0, 5, 7], [0, 1, 2, 3]),  # predictions of a part of a frame have new numbers
        ([0, 1, 2, 3], [3, 0, 5, 7]),
        (list("abcd"), [0, 1, 2, 3]),
        (list("badc"), list("badc")),
        ([1, 1, 2, 2], [1, 1, 2, 2]),
    ],
)
def test_rows_of_pandas_go_by_place_where_one_side_has_no_ids(truth, run):
    report = scorer.evaluate(pd.Series(Y, truth), {"m": pd.Series(P, run)}, ["AUROC"])
    assert report.mean("m") == 1.0


def test_a_rejected_run_says_why_in_text_and_notebook():
    report = scorer.evaluate(Y, {"fine": Y, "bad": [0, 1, 2, 0]}, ["Accuracy"])
    for text, who in (
        (str(report), "1 file was rejected: bad."),
        (report._repr_html_(), "bad: not scored, 1 error (S521)"),
    ):
        assert who in text
        assert "is no class of this challenge" in text


@pytest.mark.parametrize(
    ("truth", "run", "measure", "value"),
    [
        ({"id": [1, 2], "label": ["a", "b"]}, {"id": [1, 2], "label": ["a", "a"]}, "Accuracy", 0.5),
        ({"Id": [7, 8], "y": [0, 1]}, {"Id": [8, 7], "probability": [0.9, 0.2]}, "AUROC", 1.0),
        (
            {"userId": [1, 1], "movieId": [4, 5], "rating": [3.0, 4.0]},
            {"userId": [1, 1], "movieId": [4, 5], "prediction": [3.0, 2.0]},
            "RMSE",
            2**0.5,
        ),
        ({"id": [1, 2], "price": [3.0, 4.0]}, {"id": [1, 2], "price": [3.0, 3.0]}, "MAE", 0.5),
    ],
)
@pytest.mark.parametrize("of", [pd.DataFrame, pl.DataFrame])
def test_frames_are_taken_as_init_would_guess(of, truth, run, measure, value):
    assert scorer.evaluate(of(truth), {"m": of(run)}, [measure]).mean("m") == pytest.approx(value)


@scorer.metric("TopGrade", title="Best grade on top", source="a test", range=(0, None))
def topgrade(ranked: scorer.Ranked, *, k: scorer.Cutoff = 1) -> float:
    """The best grade among the first k items."""
    return max([0.0, *(grade for grade in ranked.grades[:k] if grade == grade)])


GRADES = pl.DataFrame({"query": ["q1", "q1", "q2"], "doc": ["a", "b", "c"], "grade": [2, 1, 1]})
SCORES = pl.DataFrame({"query": ["q1", "q2"], "doc": ["a", "c"], "score": [0.9, 0.7]})
ROLE_NAMES = {"query": "list", "doc": "item"}
TRUTHS = {
    "frame": GRADES,
    "frame named by role": GRADES.rename(ROLE_NAMES),
    "dict": {"q1": {"a": 2, "b": 1}, "q2": {"c": 1}},
    "rows": [("q1", "a", 2), ("q1", "b", 1), ("q2", "c", 1)],
}
RUNS = {
    "frame": SCORES,
    "frame named by role": SCORES.rename(ROLE_NAMES),
    "frame with other names": SCORES.rename({"query": "qid", "doc": "docno", "score": "sim"}),
    "dict": {"q1": {"a": 0.9}, "q2": {"c": 0.7}},
    "dict of lists": {"q1": ["a"], "q2": ["c"]},
    "rows": [("q1", "a", 0.9), ("q2", "c", 0.7)],
}


@pytest.mark.parametrize("truth", TRUTHS)
def test_truth_and_runs_are_read_each_by_itself(truth, tmp_path):
    # AP is 1/2 of q1, of whose two relevant items one is returned, and 1 of q2
    report = scorer.evaluate(TRUTHS[truth], RUNS, ["AP"])
    assert {name: report.mean(name) for name in RUNS} == dict.fromkeys(RUNS, 0.75)
    for name, run in RUNS.items():
        assert scorer.evaluate(TRUTHS[truth], {name: run}, ["AP"]).mean(name) == 0.75


def test_the_columns_of_a_truth_in_a_file_are_guessed_too(tmp_path):
    GRADES.write_csv(tmp_path / "truth.csv")
    report = scorer.evaluate(tmp_path / "truth.csv", RUNS, ["AP"])
    assert {name: report.mean(name) for name in RUNS} == dict.fromkeys(RUNS, 0.75)


CLASSES = pl.DataFrame({"PassengerId": [1, 2], "Survived": ["y", "n"]})


@pytest.mark.parametrize(
    "truth",
    [CLASSES, {"1": "y", "2": "n"}, [("1", "y"), ("2", "n")]],
    ids=["frame", "dict", "rows"],
)
def test_tables_are_read_each_by_itself(truth):
    right = {
        "same names": CLASSES,
        "other names": CLASSES.rename({"PassengerId": "id", "Survived": "label"}),
        "a dict": {"1": "y", "2": "n"},
    }
    wrong = {"half": {1: "y", 2: "y"}}
    report = scorer.evaluate(truth, right | wrong, ["Accuracy"])
    values = {name: report.mean(name) for name in right | wrong}
    assert values == {**dict.fromkeys(right, 1.0), "half": 0.5}


def test_rows_that_can_be_read_once_are_not_used_up_by_guessing():
    truth = iter([("q1", "a", 2), ("q1", "b", 1), ("q2", "c", 1)])
    assert scorer.evaluate(truth, {"m": SCORES.rename(ROLE_NAMES)}, ["AP"]).mean("m") == 0.75


def test_functions_are_measures_beside_names():
    truth, run = {"q1": {"a": 1, "b": 3}}, {"m": {"q1": ["a", "b"]}}
    report = scorer.evaluate(truth, run, [topgrade, {"metric": topgrade, "k": 2}, "AP"])
    assert [report.mean("m", each.id) for each in report.measures] == [1.0, 3.0, 1.0]
    assert scorer.evaluate(truth, run, topgrade).mean("m") == 1.0
    with pytest.raises(TypeError, match=r"@scorer.metric"):
        scorer.evaluate(truth, run, [len])


@pytest.fixture(scope="module")
def report():
    draw = np.random.default_rng(1)
    truth = draw.integers(0, 2, 60)
    runs = {f"m{n}": np.where(draw.random(60) < 0.1 * n, 1 - truth, truth) for n in (1, 3, 5)}
    return scorer.evaluate(truth, runs, ["Accuracy", "MCC"])


def test_intervals_and_p_values_of_any_measure(report):
    (row,) = (row for row in report.leaderboard if row.name == "m3")
    assert report.interval("m3") == row.interval
    low, high = report.interval("m3", "MCC")
    assert low < report.mean("m3", "MCC") < high
    certainty = content_of(report).certainty
    names = certainty.names
    assert report.p("m1", "m5") == certainty.p[names.index("m1"), names.index("m5")]
    assert report.p("m1", "m5", "MCC") == report.p("m5", "m1", "MCC") < 0.05
    with pytest.raises(UnknownName, match=r"did you mean|no submission"):
        report.p("m1", "m9")
    with pytest.raises(UnknownName, match="no measure here"):
        report.interval("m1", "AUROC")


@pytest.mark.slow("scores arrays of every kind")
def test_a_plot_is_the_picture_of_the_page(report):
    drawn = report.plot("MCC")
    assert re.findall(r">(m\d)</text>", drawn.svg()) == ["m1", "m3", "m5"]
    assert drawn.svg() == drawn._repr_svg_()
    assert len(repr(drawn)) < 100
    with pytest.raises(UnknownName, match="no measure here"):
        report.plot("AUROC")


def test_text_is_text_in_a_notebook(report, monkeypatch, tmp_path):
    monkeypatch.setattr("rich.console._is_jupyter", lambda: True)
    text = str(report)
    assert "Accuracy" in text
    report.write(tmp_path / "board.txt")
    assert (tmp_path / "board.txt").read_text().startswith(text[:20])


def test_every_result_shows_itself_in_a_notebook(tmp_path):
    from importlib.resources import files

    folder = files("scorer.challenge.templates") / "ranking"
    for name in ("challenge.yaml", "truth.csv", "submission.csv"):
        (tmp_path / name).write_text((folder / name).read_text())
    challenge = scorer.load(tmp_path)
    list_name = (tmp_path / "truth.csv").read_text().splitlines()[1].split(",")[0]
    shown = {
        "explanation": scorer.explain(challenge, tmp_path / "submission.csv", list_name),
        "lint": scorer.lint(challenge),
        "checked": scorer.check(challenge, [tmp_path / "submission.csv"]),
    }
    for result in shown.values():
        assert result._repr_html_().startswith("<")
        assert len(repr(result)) < 100


@pytest.mark.parametrize("of", [pd.DataFrame, pl.DataFrame])
def test_columns_that_are_called_as_classes_go_by_their_names(of):
    frame = of(dict(zip("cab", np.array(WIDE)[:, [2, 0, 1]].T, strict=True)))
    report = scorer.evaluate(LETTERS, {"named": frame}, ["Accuracy"])
    assert report.mean("named") == 3 / 4
    unnamed = of(dict(zip("xyz", np.array(WIDE).T, strict=True)))
    assert scorer.evaluate(LETTERS, {"m": unnamed}, ["Accuracy"]).mean("m") == 3 / 4
    strange = of(dict(zip("abd", np.array(WIDE).T, strict=True)))
    with pytest.raises(UsageError, match="'d' is no class of the truth's"):
        scorer.evaluate(LETTERS, {"m": strange}, ["Accuracy"])


def test_columns_by_number_are_classes_only_where_they_are_not_pandas_own():
    pair = np.array([P, P]).T
    pair[:, 0] = 1 - pair[:, 0]
    frame = pd.DataFrame(pair)
    turned = frame[[1, 0]]
    for truth, run in ((Y, frame), (Y, turned), ([y + 1 for y in Y], frame)):
        assert scorer.evaluate(truth, {"m": run}, ["AUROC"]).mean("m") == 1.0


@pytest.mark.parametrize("truth", [np.array([Y]).T, pd.DataFrame({"y": Y}), pl.DataFrame({"y": Y})])
def test_one_column_is_one_value_a_row(truth):
    assert scorer.evaluate(truth, {"m": Y}, ["Accuracy"]).mean("m") == 1.0


@pytest.mark.parametrize(
    ("truth", "run", "measure", "code"),
    [
        ([1.0, 2.0, 3.0], [1, None, 3], "RMSE", "S502"),
        ([1.0, 2.0, 3.0], pd.Series([1, pd.NA, 3], dtype="Int64"), "RMSE", "S502"),
        ([0, 1, 1], pd.Series([0.1, pd.NA, 0.9], dtype="Float64"), "AUROC", "S502"),
        (["a", "b", "b"], pd.Series(["a", pd.NA, "b"], dtype="string"), "Accuracy", "S522"),
    ],
)
def test_what_is_missing_is_told_by_its_row(truth, run, measure, code):
    report = scorer.evaluate(truth, {"m": run}, [measure])
    problems = list(report.submissions[0].findings)
    assert {(each.code, each.line) for each in problems} == {(code, 2)}


@pytest.mark.parametrize(
    ("measure", "said"),
    [
        ("accuracy_score", "scikit-learn's accuracy_score is 'Accuracy'"),
        ("mean_squared_error", "scikit-learn's mean_squared_error is 'MSE'"),
        ("Acuracy", "did you mean 'Accuracy'?"),
    ],
)
def test_names_of_scikit_learn_are_answered(measure, said):
    with pytest.raises(UsageError, match=said):
        scorer.evaluate(Y, {"m": Y}, [measure])


def test_a_function_of_scikit_learn_is_answered_by_its_name_here():
    def accuracy_score(true, predicted):
        return np.mean(true == predicted)

    with pytest.raises(TypeError, match="a function; scikit-learn's accuracy_score is 'Accuracy'"):
        scorer.evaluate(Y, {"m": Y}, [accuracy_score])


def test_decisions_are_no_answers_and_one_class_has_no_order():
    with pytest.raises(scorer.ChallengeError, match="scores are no probabilities"):
        scorer.evaluate(Y, {"m": [-3.0, 7.0, 2.0, -1.0]}, ["Accuracy"])
    with pytest.raises(UsageError, match="the truth has the one class '1'"):
        scorer.evaluate([1, 1, 1], {"m": [0.1, 0.2, 0.3]}, ["AUROC"])


def test_a_truth_of_another_kind_is_told_once_with_its_count():
    with pytest.raises(scorer.ChallengeError) as told:
        scorer.evaluate(["a", "b"] * 50, {"m": [1.0] * 100}, ["RMSE"])
    assert str(told.value).splitlines()[-1] == "and 97 more of T501"
    assert len(told.value.problems) == 100


def test_a_named_index_of_pandas_is_columns():
    truth = pd.DataFrame({"id": range(1, 5), "species": ["a", "b", "b", "a"]})
    run = truth.set_index("id")
    for columns in (None, {"list": "id", "label": "species"}):
        report = scorer.evaluate(truth, {"m": run[::-1]}, ["Accuracy"], columns=columns)
        assert report.mean("m") == 1.0
    assert scorer.evaluate(run, {"m": run[::-1]}, ["Accuracy"]).mean("m") == 1.0
    keys = ["query", "doc"]
    grades = pd.DataFrame({"query": ["q", "q"], "doc": ["a", "b"], "grade": [1, 0]})
    scores = pd.DataFrame({"query": ["q", "q"], "doc": ["a", "b"], "score": [0.9, 0.1]})
    report = scorer.evaluate(grades.set_index(keys), {"m": scores.set_index(keys)}, ["AP"])
    assert report.mean("m") == 1.0


def test_an_index_without_a_name_is_told():
    truth = pd.DataFrame({"id": [10, 11], "label": ["a", "b"]})
    run = truth.set_index("id").rename_axis(None).assign(other=1)
    with pytest.raises(UsageError, match=r"no column 'id' .*reset_index\(\)"):
        scorer.evaluate(truth, {"m": run}, ["Accuracy"], columns={"list": "id", "label": "label"})
