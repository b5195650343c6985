"""Conditions, and groups that overlap: their numbers by numpy and scikit-learn."""

import numpy as np
import polars as pl
import pytest
from boards import score

from scorer.api.kit import kit
from scorer.challenge.load import load
from scorer.core.errors import ChallengeError
from scorer.results.scorecard import Scorecard
from scorer.scoring.bind import bind
from scorer.scoring.open import open_challenge

metrics = pytest.importorskip("sklearn.metrics")
log_loss = metrics.log_loss
roc_auc_score = metrics.roc_auc_score

ROWS = 300


def made_data():
    rng = np.random.default_rng(5)
    label = (rng.random(ROWS) < 0.4).astype(int)
    likely = np.round(np.clip(label * 0.3 + rng.random(ROWS) * 0.7, 0.01, 0.99), 3)
    return pl.DataFrame(
        {
            "id": [f"r{n}" for n in range(ROWS)],
            "label": label,
            "male": (rng.random(ROWS) < 0.5).astype(int),
            "old": rng.choice(["True", "False"], ROWS),
            "part": rng.choice(["spine", "neck"], ROWS),
            "study": rng.integers(0, 40, ROWS),
            "week": rng.integers(9, 13, ROWS),
            "p": likely,
        }
    )


DATA = made_data()
PUBLIC = ("week",)


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    folder = tmp_path_factory.mktemp("where")
    DATA.drop("p", *PUBLIC).write_csv(folder / "truth.csv")
    DATA.select("id", *PUBLIC).write_csv(folder / "lists.csv")
    DATA.select("id", "p").write_csv(folder / "run.csv")
    DATA.select("id", p=1 - pl.col("p")).write_csv(folder / "wrong.csv")
    return folder


def challenge(folder, *metrics):
    truth = {"file": "truth.csv", "columns": {"list": "id", "extra": ["study"]}}
    fields = {
        "truth": truth,
        "lists": {"file": "lists.csv", "columns": {"list": "id"}},
        "submission": {"columns": {"list": "id", "probability": "p"}},
        "metrics": list(metrics),
        "leaderboard": {"draws": 200},
    }
    return load(fields, folder)


def auc(mask):
    rows = DATA.filter(pl.Series(mask))
    return roc_auc_score(rows["label"], rows["p"])


MALE, OLD, LABEL = DATA["male"] == 1, DATA["old"] == "True", DATA["label"] == 1
WEEKLY = [auc(DATA["week"] == week) for week in (9, 10, 11, 12)]
SLOPE, START = np.polyfit(range(4), WEEKLY, 1)


@pytest.mark.slow("scores a challenge a row", beyond=2)
@pytest.mark.parametrize(
    ("measure", "expected"),
    [
        ({"metric": "AUROC", "where": "male = 1"}, auc(MALE)),
        ({"metric": "AUROC", "where": "old = True and week > 9"}, auc(OLD & (DATA["week"] > 9))),
        (
            {"metric": "AUROC", "where": "male = 1 and label = 0 or male = 0 and label = 1"},
            auc(MALE != LABEL),
        ),
        ({"metric": "LogLoss", "where": "part in (spine) and not male = 1"},
         log_loss(*(DATA.filter((pl.col("part") == "spine") & (pl.col("male") == 0))[name]
                    for name in ("label", "p")))),
        (
            {"metric": "AUROC", "average": "week", "aggregate": "stability(88, 0.5)"},
            np.mean(WEEKLY) + 88 * min(0, SLOPE)
            - 0.5 * np.std(np.array(WEEKLY) - SLOPE * np.arange(4) - START),
        ),
        ({"metric": "AUROC", "average": "week", "aggregate": "quantile(0.25)"},
         np.quantile(WEEKLY, 0.25)),
    ],
)  # fmt: skip
def test_values(folder, measure, expected):
    report = score(challenge(folder, {"id": "m", **measure}), [folder / "run.csv"])
    (scored,) = report.submissions
    assert scored.values["m"].mean == pytest.approx(expected, rel=1e-12)


def test_what_it_is_true_of_is_kept_with_the_values(folder):
    """A condition goes with the scorecard, to the bit."""
    ready = open_challenge(
        bind(challenge(folder, {"id": "m", "metric": "AUROC", "where": "male = 1"}))
    )
    columns = ready.plan.columns
    card = Scorecard(ready.truth.lists, np.ones(ROWS, dtype=bool), {}, columns=columns)
    again = Scorecard.from_bytes(card.to_bytes()).columns
    assert np.array_equal(again.chosen("male = 1"), columns.chosen("male = 1"))
    assert columns.chosen("male = 1").sum() == MALE.sum()


def test_a_kit_has_no_measure_of_the_truths_columns(folder):
    ready = bind(
        challenge(folder, {"metric": "AUROC"}, {"id": "m", "metric": "AUROC", "where": "male = 1"})
    )
    packed = kit(ready)
    assert packed.omitted_measures == ("m",)


@pytest.mark.parametrize(
    ("measure", "message"),
    [
        (
            {"where": "mael = 1"},
            "metrics[0].where: neither the truth nor lists or items have a column",
        ),
        ({"where": "part > 3"}, "part holds 'neck', which is no number to compare"),
        ({"where": "male = 7"}, "true of no list: male = 7"),
        ({"each": ["male"]}, "AUROC has no parameter 'each'"),
        ({"any": "study"}, "AUROC has no parameter 'any'"),
    ],
)
def test_mistakes_are_told_at_their_key(folder, measure, message):
    with pytest.raises(ChallengeError) as caught:
        open_challenge(bind(challenge(folder, {"id": "m", "metric": "AUROC", **measure})))
    assert message in str(caught.value.problems[0])
