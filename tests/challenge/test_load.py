"""A challenge from data is the challenge of the file that says the same."""

from pathlib import Path

import numpy as np
import pytest

import scorer
from scorer.api.text import content_of
from scorer.challenge.load import load
from scorer.core.errors import ChallengeError

TEXT = """
id: c
title: 2011
truth: {file: truth.csv, columns: {grade: grade}}
submission: {length: {max: 3}, limits: {size: 1MiB}, missing_list: zero}
metrics: [nDCG@2, {metric: P, k: 1, primary: true}]
leaderboard: {seed: 3, intervals: false, tiers: {alpha: 0.1}, tie_break: [nDCG@2]}
"""
DATA = {
    "id": "c",
    "title": 2011,
    "truth": {"file": Path("truth.csv"), "columns": {"grade": "grade"}},
    "submission": {
        "length": {"max": np.int64(3)}, "limits": {"size": "1MiB"}, "missing_list": "zero",
    },
    "metrics": ("nDCG@2", {"metric": "P", "k": 1, "primary": True}),
    "leaderboard": {
        "seed": 3, "intervals": False, "tiers": {"alpha": np.float64(0.1)}, "tie_break": ["nDCG@2"],
    },
}  # fmt: skip


def test_a_path_a_text_and_a_mapping_say_the_same(challenge):
    folder = challenge(TEXT, **{"s.csv": "list,item\nq1,a\n"})
    of_file = load(folder)
    for source in (TEXT, DATA):
        made = load(source, folder)
        assert made.model_dump() == of_file.model_dump()
        assert (made.folder, made.files) == (of_file.folder, of_file.files)
        reports = [scorer.score(each, [folder / "s.csv"]) for each in (made, of_file)]
        assert reports[0].leaderboard == reports[1].leaderboard
        assert (
            content_of(reports[0]).challenge.fingerprint
            == content_of(reports[1]).challenge.fingerprint
        )
    assert load(str(folder)).path == load(folder / "challenge.yaml").path == of_file.path


@pytest.mark.parametrize(
    ("data", "code", "message"),
    [
        ({"metrics": ["P@1"]}, "C107", "'truth' is missing"),
        (DATA | {"metric": "P"}, "C105", "no key 'metric' here; did you mean 'metrics'?"),
        (DATA | {"truth": "../truth.csv"}, "C111", "leaves the challenge's folder"),
        (DATA | {"undefined": 3}, "C106", "undefined: '3' is not"),
        (DATA | {"description": b"x"}, "C106", "is bytes"),
        (DATA | {"title": {1, 2}}, "C106", "is set"),
        (DATA | {"scorer": 2}, "C119", "not '2'"),
        ({}, "C107", "'truth' is missing"),
        (DATA | {"metrics": []}, "C106", "at least one measure is needed"),
    ],
)
def test_what_is_wrong_with_data_is_told_without_a_line(challenge, data, code, message):
    with pytest.raises(ChallengeError) as caught:
        load(data, challenge())
    problems = caught.value.problems
    assert any(p.code == code and message in p.message for p in problems), problems
    assert {p.line for p in problems} == {None}


def test_a_text_keeps_its_lines(challenge):
    with pytest.raises(ChallengeError) as caught:
        load(TEXT + "nothing: 1\n", challenge())
    assert [(p.path, p.line, p.code) for p in caught.value.problems] == [
        ("challenge.yaml", 8, "C105")
    ]


def test_what_goes_round_is_refused(challenge):
    data = dict(DATA)
    data["description"] = data
    with pytest.raises(ChallengeError, match=r"C110.*nested more than 50 deep"):
        load(data, challenge())


def test_a_mapping_needs_a_folder():
    with pytest.raises(TypeError, match="needs folder="):
        load(DATA)
