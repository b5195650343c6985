"""Tables of classes and numbers, from files to a board."""

import json
import math

import pytest

TRUTH = "id,species\n1,setosa\n2,setosa\n3,rose\n4,rose\n5,rose\n"
HEAD = "truth: {file: truth.csv, columns: {list: id, label: species}}\n"
LABELS = HEAD + "submission: {columns: {list: id, label: species}}\n"
PROBABILITY = HEAD + "submission: {columns: {list: id, probability: [setosa, rose]}}\n"
NUMBERS = (
    "truth: {file: truth.csv, columns: {list: id, target: price}}\n"
    "submission: {columns: {list: id, prediction: price}}\n"
)
PRICES = "id,price\na,1\nb,2\nc,4\n"


@pytest.fixture
def scored(challenge, score):
    """The values of one submission against a truth."""

    def run(yaml, truth, sent, *words, **files):
        folder = challenge(yaml, **{"truth.csv": truth, "sub.csv": sent, **files})
        ran = score(folder, folder / "sub.csv", "--format", "json", *words).assert_exit(0)
        return ran.means()

    return run


@pytest.mark.parametrize(
    ("notation", "cost"), [("LogLoss", 36.0437), ("LogLoss(eps=1e-15)", 34.5388)]
)
def test_a_wrong_certainty_costs_what_eps_says(scored, notation, cost):
    sent = "id,setosa,rose\n1,0,1\n2,1,0\n3,0,1\n4,0,1\n5,0,1\n"
    (found,) = scored(f"{PROBABILITY}metrics: [{notation}]\n", TRUTH, sent).values()
    assert found == pytest.approx(cost / 5, abs=1e-4)


@pytest.mark.parametrize("metric", ["Accuracy", "LogLoss", "HammingLoss"])
def test_an_explanation_says_that_rows_have_weights(challenge, score, metric):
    yaml = (
        "truth: {file: truth.csv, columns: {list: id, label: species, weight: w}}\n"
        f"submission: {{columns: {{list: id, probability: [a, b]}}}}\nmetrics: [{metric}]\n"
    )
    folder = challenge(
        yaml, **{"truth.csv": "id,species,w\n1,a,3\n2,b,1\n", "s.csv": "id,a,b\n1,.8,.2\n2,.7,.3\n"}
    )
    ran = score("explain", folder, folder / "s.csv", "--list", "1")
    assert "the mean of the rows by weight" in ran.out, ran


@pytest.mark.slow("scores a challenge a row", beyond=4)
@pytest.mark.parametrize("metric", ["LogLoss", "Brier", "RCE", "ECE"])
@pytest.mark.parametrize("factor", [1.00099, 1.01, 0.99, 0.5])
def test_probabilities_times_a_number_gain_nothing(scored, metric, factor):
    def sent(factor):
        rows = [(0.4, 0.6), (0.7, 0.3), (0.2, 0.8), (0.5, 0.5), (0.9, 0.1)]
        return "id,setosa,rose\n" + "".join(
            f"{n},{a * factor:.9f},{b * factor:.9f}\n" for n, (a, b) in enumerate(rows, 1)
        )

    yaml = PROBABILITY + f"metrics: [{metric}]\n"
    honest, scaled = (scored(yaml, TRUTH, sent(each))[metric] for each in (1, factor))
    assert scaled == pytest.approx(honest, abs=1e-8)


def test_groups_and_folds(challenge, score):
    yaml = NUMBERS + "lists: {file: rows.csv, columns: {list: id, group: part}}\nmetrics: [RMSE]\n"
    rows = "id,part\na,x\nb,x\nc,y\n"
    sent = "id,price\na,2\nb,2\nc,7\n"
    folder = challenge(yaml, **{"truth.csv": PRICES, "sub.csv": sent, "rows.csv": rows})
    ran = score(folder, folder / "sub.csv", "--format", "json")
    (submission,) = json.loads(ran.out)["submissions"]
    groups = submission["values"]["RMSE"]["groups"]
    assert groups == {"x": pytest.approx(math.sqrt(1 / 2)), "y": 3.0}
    (folder / "folds.csv").write_text("id,fold\na,1\nb,1\nc,2\n")
    yaml = NUMBERS + "folds: {file: folds.csv, columns: {list: id}}\nmetrics: [RMSE]\n"
    (folder / "challenge.yaml").write_text(yaml)
    ran = score(folder, folder / "sub.csv", "--format", "json")
    assert ran.means() == {"RMSE": pytest.approx((math.sqrt(1 / 2) + 3) / 2)}


# One name, a metric for each kind


@pytest.mark.parametrize(
    ("name", "title", "pages"),
    [
        ("RMSE", "Root mean squared error", 1),
        ("IntervalCoverage", "Coverage of prediction intervals", 2),
    ],
)
def test_a_name_of_two_kinds_has_a_page_of_each_function(score, name, title, pages):
    out = score("metrics", name).out
    assert out.count(f"{name}: {title}") == pages
    assert "ratings" in out
    assert "labels" in out


# What does not fit


@pytest.mark.parametrize(
    ("yaml", "truth"),
    [
        (LABELS + "metrics: [Accuracy]\n", TRUTH),
        (PROBABILITY + "metrics: [LogLoss, F1]\n", TRUTH),
        (PROBABILITY.replace("[setosa, rose]", "p") + "metrics: [AUROC]\n", TRUTH),
        (PROBABILITY.replace("[setosa, rose]", "{setosa: p}") + "metrics: [AUROC]\n", TRUTH),
        (LABELS.replace("species}}\n", 'species}, multilabel: ";"}\n', 1)
         + "metrics: [HammingLoss]\n", "id,species\n1,a;b\n2,\n3,c\n"),
        (NUMBERS + "metrics: [RMSE]\n", PRICES),
    ],
)  # fmt: skip
def test_a_kit_checks_what_the_challenge_scores(challenge, score, tmp_path, yaml, truth):
    from zipfile import ZipFile

    folder = challenge(yaml, **{"truth.csv": truth})
    kit = tmp_path / "kit.zip"
    score("kit", folder, "-o", kit).assert_exit(0)
    with ZipFile(kit) as files:
        files.extract("sample_submission.csv", tmp_path)
        assert all("truth.csv" not in name for name in files.namelist())
    sample = tmp_path / "sample_submission.csv"
    for words in (("check", kit, sample), ("check", folder, sample), (folder, sample)):
        ran = score(*words)
        assert ran.code == 0, (ran, sample.read_text())
