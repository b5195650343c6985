"""Keys of challenge.yaml without an effect in a challenge's kind are refused at their lines."""

import pytest

from scorer.challenge.load import load
from scorer.core.errors import ChallengeError
from scorer.scoring.bind import bind, load_challenge

FILES = {
    "labels": "truth: {file: truth.csv, columns: {label: label}}\nmetrics: [Accuracy]\n",
    "grades": "truth: truth.csv\nmetrics: [P@1]\n",
    "values": "kind: values\nsubmission: {values: {dice: {}}}\n",
}


@pytest.mark.parametrize(
    ("kind", "written", "says"),
    [
        ("labels", "submission: {length: 3}", "submission.length: lists of items are long"),
        ("labels", "submission: {item_pattern: x}", "submission.item_pattern: items have ids"),
        (
            "labels",
            "submission: {ties: file}",
            "submission.ties: no scores rank items, and so none",
        ),
        ("labels", "submission: {ties: expected}", "submission.ties: no scores rank items, and"),
        ("labels", "submission: {ties: item-desc}", None),
        ("labels", "submission: {each: [x, y]}", "submission.each: this challenge has labels"),
        ("labels", "history: h.csv", "history: only items are new or old to a user"),
        ("labels", "likelihood: l.csv", "likelihood: preferences are likely"),
        ("labels", "exclude: e.csv", "exclude: items are taken out of ranked lists"),
        ("grades", "submission: {numbers: [a]}", "submission.numbers: numbers stand beside"),
        ("grades", "submission: {multilabel: ','}", "submission.multilabel: cells have several"),
        ("grades", "submission: {values: {dice: {}}}", "submission.values: other tools computed"),
        ("grades", "votes: {a: left}", "votes: only a challenge of kind votes has votes"),
        ("grades", "history: h.csv", None),
        ("values", "exclude: e.csv", "exclude: items are taken out of ranked lists, and this"),
    ],
)
def test_a_key_that_the_kind_does_not_use_is_refused(tmp_path, kind, written, says):
    (tmp_path / "truth.csv").write_text("list,item,label\nq,a,b\n")
    made = load(f"{FILES[kind]}{written}\n", tmp_path)
    if says is None:
        assert bind(made).kind.name == kind
        return
    with pytest.raises(ChallengeError) as caught:
        bind(made)
    [problem] = caught.value.problems
    assert (problem.code, problem.line) == ("C122", 3)
    assert problem.message.startswith(says)


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
