"""Keys of challenge.yaml without an effect in a challenge's kind are refused at their lines."""

import pytest

from scorer.challenge.load import load
from scorer.core.errors import ChallengeError
from scorer.scoring.bind import bind, load_challenge


def test_a_rule_without_an_effect_may_be_written_as_it_is_anyway(tmp_path):
    (tmp_path / "truth.csv").write_text("list,label\nq,b\n")
    text = "truth: truth.csv\nmetrics: [Accuracy]\nsubmission: {ties: item-desc}\n"
    assert bind(load(text, tmp_path)).kind.name == "labels"


def test_keys_without_an_effect_are_told_beside_wrong_measures(tmp_path):
    (tmp_path / "truth.csv").write_text("list,label\nq,a\n")
    text = """\
truth: {file: truth.csv, columns: {label: label}}
metrics: [LogLoss, Accuracy(x=1), Acuracy]
submission:
  ties: expected
  length: 3
  item_pattern: x
"""
    with pytest.raises(ChallengeError) as caught:
        bind(load(text, tmp_path))
    assert [(each.line, each.code) for each in caught.value.problems] == [
        (2, "C113"), (2, "C114"), (4, "C122"), (5, "C122"), (6, "C122"),
    ]  # fmt: skip


def test_a_key_is_not_refused_for_a_kind_that_no_measure_shows(tmp_path):
    (tmp_path / "truth.csv").write_text("list,item\nq,a\n")
    text = "truth: truth.csv\nmetrics: [Acuracy]\nsubmission: {numbers: [a]}\n"
    with pytest.raises(ChallengeError) as caught:
        bind(load(text, tmp_path))
    assert [each.code for each in caught.value.problems] == ["C113"]


def test_unknown_metrics_are_told_with_other_faults(challenge):
    yaml = "truth: truth.csv\nmetrics: [nDGC@10, {metric: Acuracy}, AP]\nsubmision: {}\n"
    with pytest.raises(ChallengeError) as told:
        load_challenge(challenge(yaml))
    assert [(problem.code, problem.line) for problem in told.value.problems] == [
        ("C113", 2),
        ("C113", 2),
        ("C105", 3),
    ]
    assert "no metric is called 'nDGC'; did you mean 'nDCG'?" in str(told.value)


def test_metrics_of_plugins_are_not_taken_for_unknown_with_other_faults(challenge):
    yaml = "truth: truth.csv\nmetrics: [Own]\nplugins: [own.py]\nsubmision: {}\n"
    with pytest.raises(ChallengeError) as told:
        load_challenge(challenge(yaml, **{"own.py": ""}))
    assert [problem.code for problem in told.value.problems] == ["C105"]
