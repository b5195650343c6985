"""Kaggle's own metrics as measures of a challenge."""

import json
import pickle

import numpy as np
import pytest

from scorer.challenge.load import load
from scorer.scoring.bind import bind
from scorer.views.values import Frames

pytest.importorskip("pandas", reason="pandas is missing: pip install challenge-scorer[kaggle]")

METRIC = '''
import pandas as pd


class ParticipantVisibleError(Exception):
    pass


def score(
    solution: pd.DataFrame, submission: pd.DataFrame, row_id_column_name: str, k: int = 1
) -> float:
    """Mean of k times the error."""
    assert list(solution[row_id_column_name]) == list(submission[row_id_column_name])
    del solution[row_id_column_name], submission[row_id_column_name]
    if (submission["price"] < 0).any():
        raise ParticipantVisibleError("prices are not below 0")
    return float((k * (solution["price"] - submission["price"]).abs()).mean())
'''
CLASSES = """
def score(solution, submission, row_id_column_name):
    right = solution["target"] == (submission["target"] > 0.5)
    return right.mean()
"""
YAML = (
    "truth: {file: truth.csv, columns: {list: id, target: price}}\n"
    "submission: {columns: {list: id, prediction: price}}\n"
    "metrics: [{kaggle: metric.py, k: 5, better: lower}, MAE]\n"
)
TRUTH, SENT = "id,price\na,1\nb,2\nc,4\n", "id,price\nc,4\na,2\nb,2\n"


@pytest.fixture
def kaggle(challenge, score):
    def run(*words, yaml=YAML, metric=METRIC, truth=TRUTH, sent=SENT):
        files = {"truth.csv": truth, "sub.csv": sent, "metric.py": metric}
        folder = challenge(yaml, **files)
        return score(folder, folder / "sub.csv", "--format", "json", *words)

    return run


def test_a_file_is_a_measure(kaggle):
    ran = kaggle("--allow-plugins")
    assert ran.means() == {"metric(k=5)": pytest.approx(5 / 3), "MAE": pytest.approx(1 / 3)}
    (first, _) = json.loads(ran.out)["measures"]
    assert first["better"] == "lower"
    assert first["aggregate"] == "pooled"
    assert first["params"]["k"] == 5


@pytest.mark.parametrize("link", [True, False])
def test_a_file_that_cannot_be_read_is_told_once(challenge, score, tmp_path, link):
    folder = challenge(YAML, **{"truth.csv": TRUTH, "metric.py": METRIC})
    (tmp_path / "elsewhere.csv").write_text(SENT)
    (tmp_path / "sent").mkdir()
    if link:
        (tmp_path / "sent" / "sub.csv").symlink_to(tmp_path / "elsewhere.csv")
    ran = score(folder, tmp_path / "sent" / "sub.csv", "--format", "json", "--allow-plugins")
    (submission,) = ran.json(1)["submissions"]
    assert [problem["code"] for problem in submission["problems"]] == ["S101"]


def test_classes_that_are_numbers_are_numbers(kaggle):
    yaml = (
        "truth: {file: truth.csv, columns: {list: id, label: target}}\n"
        "submission: {columns: {list: id, probability: target}}\n"
        "metrics: [{kaggle: metric.py, id: right}]\n"
    )
    truth, sent = "id,target\na,0\nb,1\nc,1\n", "id,target\na,0.1\nb,0.2\nc,0.9\n"
    ran = kaggle("--allow-plugins", yaml=yaml, metric=CLASSES, truth=truth, sent=sent)
    assert ran.means() == {"right": pytest.approx(2 / 3)}


def test_what_a_participant_may_see_is_theirs(kaggle):
    ran = kaggle("--allow-plugins", sent="id,price\na,1\nb,-2\nc,4\n")
    assert ran.code == 1, ran
    assert "error[S529] metric.py says: prices are not below 0" in ran.err


def test_what_fails_is_nobodys_fault(kaggle):
    for line in ("raise ValueError('oh')", "return float('nan')", "return 'x'"):
        broken = CLASSES.replace("return right.mean()", line).replace('["target"]', '["price"]')
        ran = kaggle("--allow-plugins", metric=broken, yaml=YAML.replace(" k: 5,", ""))
        assert ran.code == 4, ran
        assert "the metric 'metric.py' failed" in ran.err
        assert "Traceback" not in ran.err


@pytest.mark.parametrize(
    ("metric", "said"),
    [
        ("x = 1", "the metric 'metric.py' defines no function score"),
        ("def score(solution, submission): pass", "score takes solution, submission and row_id"),
        ("def score(a, b, c, **more): pass", "takes no * or **"),
        ("1 / 0", "cannot be loaded: ZeroDivisionError"),
    ],
)
def test_files_that_are_no_metric(kaggle, metric, said):
    ran = kaggle("--allow-plugins", metric=metric)
    assert ran.code == 4, ran
    assert said in ran.err


def test_it_is_code_that_must_be_allowed(kaggle):
    ran = kaggle()
    assert ran.code == 2
    assert "error[C116]" in ran.err
    assert "metric.py" in ran.err


def test_unknown_parameters_are_told(kaggle):
    ran = kaggle("--allow-plugins", yaml=YAML.replace("k: 5", "depth: 5"))
    assert ran.code == 2
    assert "C114" in ran.err
    assert "'depth'" in ran.err


def test_its_measure_pickles_with_its_file(challenge):
    folder = challenge(YAML, **{"truth.csv": TRUTH, "sub.csv": SENT, "metric.py": METRIC})
    measure, _ = bind(load(folder), allow_plugins=True).measures
    again = pickle.loads(pickle.dumps(measure))
    assert (again.name, again.params) == (measure.name, measure.params)
    view = Frames(("a", "b", "c"), np.ones(3, dtype=bool), TRUTH, SENT)
    assert [each.evaluate(view).pooled() for each in (measure, again)] == [pytest.approx(5 / 3)] * 2


SEEN = """
import pandas as pd


def score(solution, submission, row_id_column_name):
    '''How many cells differ.

    >>> row = pd.DataFrame({"id": ["a"], "text": ["x"]})
    >>> score(row, row, "id")
    0.0
    '''
    assert list(solution[row_id_column_name]) == list(submission[row_id_column_name])
    differ = solution.fillna("") != submission[solution.columns].fillna("")
    return float(differ.to_numpy().sum())
"""
WHOLE = (
    "truth: {file: truth.csv, columns: {list: id}}\n"
    "submission: {columns: {list: id}}\n"
    "metrics: [{kaggle: metric.py, better: lower}]\n"
)


@pytest.fixture
def whole(kaggle):
    """What a challenge of whole files says of a submission; rows apart from its metric."""

    def run(truth, sent, metric=SEEN, yaml=WHOLE, words=()):
        return kaggle("--allow-plugins", *words, yaml=yaml, metric=metric, truth=truth, sent=sent)

    return run


@pytest.mark.slow("opens a challenge a row", beyond=4)
@pytest.mark.parametrize(
    ("truth", "sent", "value"),
    [
        ("id,text\na,x\nb,\n", "id,text\nb,\na,x\n", 0),  # in any order
        ("id,text\na, x \nb,1 5 1 5\n", "id,text\na,x\nb,1 5 1 5\n", 1),  # blanks are kept
        ("id,p,q\na,1,0\nb,0,1\n", "id,q,p\nb,1,0\na,0,1.0\n", 0),  # several columns
        ("id,n\n007,1\n07,2\n", "id,n\n07,3\n007,1\n", 1),  # ids, which pandas makes 7 and 7
        ("id,n\na,1\nb,2\na,3\n", "id,n\na,1\na,3\nb,2\n", 0),  # several rows an id
        ('id,n\n"x, ""y""\nz",1\n', 'id,n\n"x, ""y""\nz",1\n', 0),
        ("id,n,Usage\na,1,Public\nb,2,Ignored\nc,3,Private\n", "id,n\na,1\nb,9\nc,0\n", 1),
        ("id,n\na,0.1\nb,1e-3\n", "id,n,more\na,0.10,x\nb,0.001,y\n", 0),  # further columns
    ],
)
def test_frames_have_every_column(whole, truth, sent, value):
    ran = whole(truth, sent)
    assert ran.means() == {"metric": value}
    assert "S205" not in ran.err + ran.out


@pytest.mark.parametrize(
    ("sent", "told"),
    [
        ("id,text\na,x\n", "S301] 1 of 2 lists is missing: 'b'"),
        ("id,text\na,x\nb,y\nc,z\n", "S302]"),
        ("name,text\na,x\nb,y\n", "S201] column 'id' is missing"),
        ("id,text\na,x\nb,y,z\n", "S207]"),
    ],
)
def test_files_that_do_not_fit_are_told(whole, sent, told):
    ran = whole("id,text\na,x\nb,y\n", sent)
    assert ran.code == 1, ran
    assert told in ran.err, ran


def test_other_formats_have_no_frames(kaggle, challenge, score, tmp_path):
    folder = challenge(WHOLE, **{"truth.csv": "id,n\na,1\n", "metric.py": SEEN})
    sent = tmp_path / "sub.jsonl"
    sent.write_text('{"id": "a", "n": 1}\n')
    ran = score(folder, sent, "--allow-plugins")
    ran.assert_exit(1, err="S107] Kaggle's metrics read CSV, with a header")


@pytest.mark.parametrize(
    ("key", "most", "why"),
    [
        ("", None, None),
        ("", 59, "30 runs of a Kaggle metric on 60 rows may take long"),
        ("resample: rows, ", 59, None),
        ("resample: none, ", None, "the challenge says resample: none"),
    ],
)
def test_intervals_are_of_rows_left_out(kaggle, monkeypatch, key, most, why):
    if most is not None:
        monkeypatch.setattr("scorer.scoring.kaggle.MAX_ROWS", most)
    rows = range(30)
    truth = "id,price\n" + "".join(f"r{n},{n}\n" for n in rows)
    sent = "id,price\n" + "".join(f"r{n},{n + n % 3}\n" for n in rows)
    yaml = WHOLE.replace("better", f"{key}better")
    ran = kaggle("--allow-plugins", yaml=yaml, truth=truth, sent=sent)
    assert ran.code == 0, ran
    report = json.loads(ran.out)
    (row,) = report["leaderboard"]
    interval = row["interval"]
    assert (interval is None) == (why is not None)
    if why is not None:
        assert why in json.dumps(report), report
    else:
        assert interval[0] < 1 < interval[1]  # of the mean of 0, 1, 2


def test_one_files_failure_leaves_the_others(challenge, score, tmp_path):
    folder = challenge(WHOLE, **{"truth.csv": "id,text\na,x\n", "metric.py": SEEN})
    files = {"good": "id,text\na,x\n", "bad": "id,other\na,x\n"}
    for name, text in files.items():
        (tmp_path / f"{name}.csv").write_text(text)
    paths = [tmp_path / f"{name}.csv" for name in files]
    ran = score(folder, *paths, "--format", "json", "--allow-plugins")
    ran.assert_exit(4, err="bad.csv: the metric 'metric.py' failed: KeyError")
    found = {each["name"]: each["valid"] for each in json.loads(ran.out)["submissions"]}
    assert found == {"good": True, "bad": False}


def test_lint_runs_the_examples_of_the_file(challenge, score):
    for metric, sound in ((SEEN, True), (SEEN.replace("    0.0", "    1.5"), False)):
        folder = challenge(WHOLE, **{"truth.csv": "id,text\na,x\nb,y\n", "metric.py": metric})
        ran = score("lint", folder, "--allow-plugins").assert_exit(0 if sound else 2)
        told = "metric.py: line 9: 'score(row, row, \"id\")' gave '0.0', not '1.5'"
        assert (told in ran.out) == (not sound), ran


def test_a_kit_checks_without_the_file(challenge, score, tmp_path):
    folder = challenge(WHOLE, **{"truth.csv": "id,secret\na,xyzzy\nb,y\n", "metric.py": SEEN})
    kit = tmp_path / "kit.zip"
    assert score("kit", folder, "-o", kit, "--allow-plugins").code == 0
    for text, code in (("id,secret\na,1\nb,2\n", 0), ("id,secret\na,1\n", 1)):
        sent = tmp_path / "sub.csv"
        sent.write_text(text)
        score("check", kit, sent).assert_exit(code)


EXACT = """
def score(solution, submission, row_id_column_name):
    return float((submission["price"] == 0.9385958677423489).mean())
"""


def test_numbers_are_those_that_the_file_has(kaggle):
    """With pandas 2, too, whose default reader takes the first for 0.9385958677423488."""
    yaml = YAML.replace("k: 5, ", "")
    sent = "id,price\na,0.9385958677423489\nb,0.9385958677423488\nc,1\n"
    ran = kaggle("--allow-plugins", yaml=yaml, metric=EXACT, sent=sent)
    assert ran.means()["metric"] == pytest.approx(1 / 3)


def test_a_further_column_of_the_truths_name_is_left_out(kaggle):
    """The submission's ids have another name than the truth's, which a further column has."""
    yaml = YAML.replace("submission: {columns: {list: id,", "submission: {columns: {list: key,")
    ran = kaggle("--allow-plugins", yaml=yaml, sent="key,price,id\nc,4,1\na,2,2\nb,2,3\n")
    assert ran.means() == {"metric(k=5)": pytest.approx(5 / 3), "MAE": pytest.approx(1 / 3)}


TWICE = (
    "truth: {file: truth.csv, columns: {list: id, target: price}}\n"
    "submission: {columns: {list: id, prediction: price}}\n"
    "metrics:\n"
    "- {kaggle: metric.py, id: a, better: lower}\n"
    "- {kaggle: metric.py, id: b, better: higher}\n"
)


def test_two_measures_of_one_file_do_not_share_settings(kaggle):
    ran = kaggle("--allow-plugins", yaml=TWICE).assert_exit(2)
    said = "challenge.yaml:5: error[C120] metrics[1]: metrics[0] has another better or resample"
    assert said in ran.err, ran
    named = TWICE.replace("id: b,", "id: b, metric: other, k: 2,")
    ran = kaggle("--allow-plugins", yaml=named)
    assert [measure["better"] for measure in json.loads(ran.out)["measures"]] == ["lower", "higher"]
    assert ran.means() == {"a": pytest.approx(1 / 3), "b": pytest.approx(2 / 3)}
    alike = TWICE.replace("id: b, better: higher", "id: b, better: lower, k: 2")
    assert kaggle("--allow-plugins", yaml=alike).means() == ran.means()
    broken = TWICE.replace("id: b,", "id: b, metric: 'other(',")
    kaggle("--allow-plugins", yaml=broken).assert_exit(2, err=":5: error[C114]")
