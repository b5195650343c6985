"""Rules of scores: ranges and ties that do nothing are refused; scores may be any numbers."""

import json

import pytest

CLASSES = "truth: {file: truth.csv, columns: {list: id, label: c}}\n"
LABELS = "id,c\n1,no\n2,yes\n3,no\n4,yes\n"


@pytest.fixture
def checked(challenge, score):
    def run(yaml, truth, sent, command="check"):
        folder = challenge(yaml, **{"truth.csv": truth, "sub.csv": sent})
        words = [folder, folder / "sub.csv", "--format", "json"]
        return score(*([command] if command else []), *words)

    return run


@pytest.mark.parametrize(
    ("columns", "metric", "why"),
    [
        ("{list: id, label: c}", "Accuracy", "no column of a submission has numbers"),
        ("{list: id, probability: p}", "AUROC", "probabilities lie in 0 to 1"),
    ],
)
def test_a_range_that_does_nothing_is_refused(checked, columns, metric, why):
    yaml = f"{CLASSES}submission: {{columns: {columns}, range: [-100, 100]}}\nmetrics: [{metric}]\n"
    ran = checked(yaml, LABELS, "id,c\n1,no\n")
    assert ran.code == 2
    assert f"submission.range: {why}" in ran.err


@pytest.mark.parametrize(("rule", "code"), [("file", 2), ("item-asc", 2), ("item-desc", 0)])
def test_a_rule_of_ties_that_does_nothing_is_refused(checked, rule, code):
    yaml = f"{CLASSES}submission: {{columns: {{list: id, label: c}}, ties: {rule}}}\n"
    ran = checked(yaml + "metrics: [Accuracy]\n", LABELS, "id,c\n1,no\n2,no\n3,no\n4,no\n")
    assert ran.code == code, ran
    assert ("submission.ties: no scores rank items here" in ran.err) == (code == 2)


@pytest.mark.parametrize("metric", ["AUROC", "AveragePrecision", "AUROC(positive=no)"])
def test_scores_are_any_numbers_whose_order_counts(checked, metric):
    def value(column, values):
        yaml = (
            f'{CLASSES}submission: {{columns: {{list: id, {column}: s}}}}\nmetrics: ["{metric}"]\n'
        )
        sent = "id,s\n" + "".join(f"{n},{v}\n" for n, v in enumerate(values, 1))
        (one,) = json.loads(checked(yaml, LABELS, sent, "").out)["submissions"]
        return one["values"][metric]["mean"]

    assert value("score", [-300, 20, 50.5, 1000]) == value("probability", [0.1, 0.4, 0.6, 0.9])


def test_scores_are_no_probabilities(checked):
    yaml = f"{CLASSES}submission: {{columns: {{list: id, score: s}}}}\nmetrics: [AUROC, LogLoss]\n"
    ran = checked(yaml, LABELS, "id,s\n1,2\n2,3\n3,4\n4,5\n", "")
    assert ran.code == 2
    assert "scores are no probabilities; AUROC and AveragePrecision" in ran.err
