"""Truths with a column for each class: one label, several, or shares of each row."""

import numpy as np
import pytest

from scorer.api.kit import kit
from scorer.api.lint import lint
from scorer.api.score import score
from scorer.challenge.load import load
from scorer.core.errors import ChallengeError
from scorer.scoring.bind import bind
from scorer.scoring.open import open_challenge

metrics = pytest.importorskip("sklearn.metrics")
log_loss = metrics.log_loss
roc_auc_score = metrics.roc_auc_score

PROBABILITY = [[0.5, 0.3, 0.2], [0.1, 0.8, 0.1], [0.2, 0.2, 0.6], [0.3, 0.3, 0.4]]
ONE = [[1, 0, 0], [0, 1, 0], [0, 0, 1], [0, 1, 0]]
SEVERAL = [[1, 1, 0], [0, 1, 0], [0, 0, 1], [0, 0, 0]]
VOTES = [[3, 0, 0], [1, 2, 1], [0, 0, 9], [1, 1, 0]]
SHARES = np.array(VOTES) / np.sum(VOTES, axis=1, keepdims=True)
SOFT = float(-(SHARES * np.log(PROBABILITY)).sum(axis=1).mean())
WORDS = [[str(bool(cell)) for cell in row] for row in ONE]


def made(tmp_path, truth, metric="LogLoss", classes="[a, b, c]", answers=PROBABILITY, **rules):
    for name, rows in (("truth", truth), ("run", answers)):
        lines = [",".join(map(str, (f"r{n}", *row))) for n, row in enumerate(rows)]
        (tmp_path / f"{name}.csv").write_text("\n".join(["id,a,b,c", *lines]) + "\n")
    columns = {"list": "id", "probability": ["a", "b", "c"]}
    fields = {
        "truth": {"file": "truth.csv", "columns": columns, **rules},
        "submission": {"columns": columns},
        "metrics": [metric],
    }
    return load(fields, tmp_path)


def value(challenge):
    report = score(challenge, [challenge.folder / "run.csv"])
    return report.submissions[0].values[report.measures[0].id].mean


@pytest.mark.parametrize(
    ("truth", "metric", "expected"),
    [
        (ONE, "LogLoss", log_loss([0, 1, 2, 1], PROBABILITY)),
        (WORDS, "LogLoss", log_loss([0, 1, 2, 1], PROBABILITY)),
        ([[7 * cell for cell in row] for row in ONE], "Accuracy", 3 / 4),
        (VOTES, "LogLoss", SOFT),
        (SHARES.tolist(), "LogLoss", SOFT),
        (
            VOTES,
            "KL",
            SOFT
            + float(
                (SHARES * np.log(SHARES, where=SHARES > 0, out=np.zeros((4, 3)))).sum(axis=1).mean()
            ),
        ),
    ],
)
def test_values(tmp_path, truth, metric, expected):
    assert value(made(tmp_path, truth, metric)) == pytest.approx(expected, rel=1e-12)


def test_several_labels_of_a_row(tmp_path):
    challenge = made(tmp_path, SEVERAL, "AUROC", multilabel=",")
    assert value(challenge) == pytest.approx(roc_auc_score(SEVERAL, PROBABILITY, average="macro"))


def test_the_order_of_columns_is_nothing(tmp_path):
    challenge = made(tmp_path, VOTES)
    text = (tmp_path / "run.csv").read_text().splitlines()
    turned = [",".join(np.array(line.split(","))[[0, 3, 1, 2]]) for line in text]
    (tmp_path / "run.csv").write_text("\n".join(turned) + "\n")
    assert value(challenge) == pytest.approx(SOFT, rel=1e-12)


def test_a_single_column_is_a_label(tmp_path):
    challenge = {"truth": {"file": "t.csv", "columns": {"probability": "a"}}, "metrics": ["AUROC"]}
    with pytest.raises(ChallengeError, match="of a single one write label: COLUMN"):
        load(challenge, tmp_path)


def test_a_class_that_no_submission_may_name(tmp_path):
    challenge = made(tmp_path, ONE)
    rules = challenge.submission.model_copy(update={"probability": {"a": "a", "b": "b"}})
    with pytest.raises(ChallengeError, match="for 'c', which no submission may name"):
        open_challenge(bind(challenge.model_copy(update={"submission": rules})))


@pytest.mark.parametrize("truth", [ONE, VOTES])
def test_lint_and_kits_know_them(tmp_path, truth):
    challenge = made(tmp_path, truth)
    assert lint(challenge).sound
    ready = bind(challenge)
    packed = kit(ready)
    assert not packed.omitted_measures
    assert b"3,0,0" not in packed.data


def test_a_column_for_each_target_holds_probabilities(tmp_path):
    rng = np.random.default_rng(3)
    truth, likely = rng.integers(0, 2, (30, 2)), rng.random((30, 2)).round(3)
    for name, rows in (("truth", truth), ("run", likely)):
        lines = [",".join(map(str, (n, *row))) for n, row in enumerate(rows.tolist())]
        (tmp_path / f"{name}.csv").write_text("\n".join(["id,EC1,EC2", *lines]) + "\n")
    wide = {"wide": {"list": "EC*"}}
    challenge = load(
        {
            "truth": {"file": "truth.csv", "columns": {"list": "id", "label": "class"}, **wide},
            "submission": {"columns": {"list": "id"}, **wide},
            "metrics": [{"metric": "AUROC", "average": "group"}],
        },
        tmp_path,
    )
    assert value(challenge) == pytest.approx(roc_auc_score(truth, likely, average="macro"))


def test_true_and_false_are_weights(tmp_path):
    challenge = made(tmp_path, ONE)
    keep = ["keep", "True", "False", "true", "FALSE"]
    text = (tmp_path / "truth.csv").read_text().splitlines()
    lines = [f"{line},{flag}" for line, flag in zip(text, keep, strict=True)]
    (tmp_path / "truth.csv").write_text("\n".join(lines) + "\n")
    columns = {**challenge.truth.columns, "weight": "keep"}
    truth = challenge.truth.model_copy(update={"columns": columns})
    likely = [PROBABILITY[0], PROBABILITY[2]]
    expected = log_loss([0, 2], likely, labels=[0, 1, 2])
    assert value(challenge.model_copy(update={"truth": truth})) == pytest.approx(expected)
