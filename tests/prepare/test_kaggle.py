"""Kaggle's own metrics as measures of a challenge."""

import json
import pickle

import numpy as np
import pytest

from scorer.challenge.load import load
from scorer.prepare.bind import prepare
from scorer.views.pooled import Statistics

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
    pytest.importorskip(
        "pandas", reason="pandas is missing: pip install challenge-scorer[kaggle]"
    )  # which such files import

    def run(*words, yaml=YAML, metric=METRIC, truth=TRUTH, sent=SENT):
        files = {"truth.csv": truth, "sub.csv": sent, "metric.py": metric}
        folder = challenge(yaml, **files)
        return score(folder, folder / "sub.csv", "--format", "json", *words)

    return run


def measured(ran):
    (submission,) = json.loads(ran.out)["submissions"]
    return {name: value["mean"] for name, value in submission["values"].items()}


def test_a_file_is_a_measure(kaggle):
    ran = kaggle("--allow-plugins")
    assert ran.code == 0, ran
    assert measured(ran) == {"metric@5": pytest.approx(5 / 3), "MAE": pytest.approx(1 / 3)}
    (first, _) = json.loads(ran.out)["measures"]
    assert first["better"] == "lower"
    assert first["aggregate"] == "pooled"
    assert first["params"]["k"] == 5


def test_it_may_be_the_only_measure(kaggle):
    ran = kaggle("--allow-plugins", yaml=YAML.replace(", MAE", ""))
    assert ran.code == 0, ran
    assert measured(ran) == {"metric@5": pytest.approx(5 / 3)}


def test_classes_that_are_numbers_are_numbers(kaggle):
    yaml = (
        "truth: {file: truth.csv, columns: {list: id, label: target}}\n"
        "submission: {columns: {list: id, probability: target}}\n"
        "metrics: [{kaggle: metric.py, id: right}]\n"
    )
    truth, sent = "id,target\na,0\nb,1\nc,1\n", "id,target\na,0.1\nb,0.2\nc,0.9\n"
    ran = kaggle("--allow-plugins", yaml=yaml, metric=CLASSES, truth=truth, sent=sent)
    assert measured(ran) == {"right": pytest.approx(2 / 3)}


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
    pytest.importorskip("pandas", reason="pandas is missing: pip install challenge-scorer[kaggle]")
    folder = challenge(YAML, **{"truth.csv": TRUTH, "sub.csv": SENT, "metric.py": METRIC})
    measure, _ = prepare(load(folder), allow_plugins=True).measures
    again = pickle.loads(pickle.dumps(measure))
    assert (again.name, again.params) == (measure.name, measure.params)
    rows = np.array([[1.0, 1, 2], [2, 1, 2], [4, 1, 4]])
    statistics = Statistics(np.arange(3), rows, 3)
    values = [each.metric.statistic.figure(statistics, **each.params) for each in (measure, again)]
    assert values == [pytest.approx(5 / 3)] * 2
