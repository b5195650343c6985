"""Metrics of a challenge's own: what fails on one file is that file's, and answers are checked."""

import json

import pytest

YAML = """
truth: truth.csv
metrics: [Length]
plugins: [plugin.py]
"""
METRIC = """
import numpy as np
from scorer import Figure, Floats, Problem, SubmissionRejected, Texts, metric

def read(text):
    return int(text)

def wrong(text):
    return None if text.isdigit() else "write whole numbers"

def pool(columns, weight):
    @POOL@
    return float(columns["length"].sum())

@metric("Length", title="Length", source="own", range=(0, 9) @CHECK@)
def length(texts: Texts) -> @RETURNS@:
    \"\"\"How long.\"\"\"
    @BEGIN@
    return np.array([float(read(text or "0")) for text in texts.first()])
"""
TRUTH = "list,item\nq1,3\nq2,4\n"
GOOD, BAD, HUGE = (f"list,item\nq1,3\nq2,{text}\n" for text in ("4", "abc", "12"))


@pytest.fixture
def ran(challenge, score):
    def run(*words, check="", begin="", pool="", returns="Floats", yaml=YAML):
        plugin = METRIC.replace("@CHECK@", check).replace("@BEGIN@", begin)
        plugin = plugin.replace("@POOL@", pool).replace("@RETURNS@", returns)
        files = {"truth.csv": TRUTH, "good.csv": GOOD, "bad.csv": BAD, "huge.csv": HUGE}
        folder = challenge(yaml, **files, **{"plugin.py": plugin})
        sent = [folder / f"{name}.csv" for name in ("good", "bad", "huge")]
        command, *rest = words
        command = [] if command == "score" else [command]
        return score(*command, folder, *sent, "--allow-plugins", "--format", "json", *rest)

    return run


def told(ran):
    return {
        one["name"]: [p["code"] for p in one["problems"] if p["severity"] == "error"]
        for one in json.loads(ran.out)["submissions"]
    }


def test_a_failure_on_one_file_is_that_files(ran):
    ended = ran("score")
    assert ended.code == 4, ended
    assert told(ended) == {"good": [], "bad": ["S530"], "huge": ["S530"]}
    good = json.loads(ended.out)["submissions"][0]
    assert good["values"]["Length"]["mean"] == 3.5
    assert "invalid literal" in ended.err  # the cause, for the organizer
    assert "its range is 0 to 9" in ended.err
    assert "invalid literal" not in ended.out
    assert "its range" not in ended.out  # what participants are shown


def test_a_figure_that_fails_is_that_files_too(ran):
    begin = (
        "return Figure(pool, {'length': np.array([len(t) for t in texts.first()]) * 1.0}, "
        "np.arange(2))"
    )
    pool = "if columns['length'].sum() > 3: raise ArithmeticError('too long')"
    ended = ran("score", begin=begin, pool=pool, returns="Figure")
    assert told(ended) == {"good": [], "bad": ["S530"], "huge": []}
    assert ended.code == 4


def test_a_metric_may_refuse_a_file(ran):
    refusing = (
        "if 'abc' in texts.first(): raise SubmissionRejected(problems=[Problem('S529', 'no')])"
    )
    assert told(ran("score", begin=refusing)) == {"good": [], "bad": ["S529"], "huge": ["S530"]}


@pytest.mark.parametrize("command", ["check", "score"])
def test_answers_are_checked_before_anything_is_scored(ran, command):
    ended = ran(command, check=", check=wrong")
    assert told(ended)["bad"] == ["S531"]
    assert told(ended)["good"] == []
    bad = next(one for one in json.loads(ended.out)["submissions"] if one["name"] == "bad")
    assert [(p["line"], p["message"]) for p in bad["problems"]] == [
        (3, "'abc': write whole numbers")
    ]
