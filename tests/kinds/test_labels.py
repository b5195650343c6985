"""Tables of classes and numbers, from files to a board."""

import json
import math

import pytest

from scorer.metrics.catalogue import metrics
from scorer.views.rows import Labelled, Targets

METRICS = [*metrics()]
TRUTH = "id,species\n1,setosa\n2,setosa\n3,rose\n4,rose\n5,rose\n"
HEAD = "truth: {file: truth.csv, columns: {list: id, label: species}}\n"
LABELS = HEAD + "submission: {columns: {list: id, label: species}}\n"
LIKELY = HEAD + "submission: {columns: {list: id, probability: [setosa, rose]}}\n"
NUMBERS = (
    "truth: {file: truth.csv, columns: {list: id, target: price}}\n"
    "submission: {columns: {list: id, prediction: price}}\n"
)
PRICES = "id,price\na,1\nb,2\nc,4\n"


def values(ran):
    (submission,) = json.loads(ran.out)["submissions"]
    return {name: value["mean"] for name, value in submission["values"].items()}


@pytest.fixture
def scored(challenge, score):
    """The values of one submission against a truth."""

    def run(yaml, truth, sent, *words, **files):
        folder = challenge(yaml, **{"truth.csv": truth, "sub.csv": sent, **files})
        ran = score(folder, folder / "sub.csv", "--format", "json", *words)
        assert ran.code == 0, ran
        return values(ran)

    return run


def test_rows_in_any_order(scored):
    sent = "id,species\n5,rose\n1,setosa\n4,setosa\n3,rose\n2,rose\n"
    found = scored(LABELS + "metrics: [Accuracy, F1, MCC]\n", TRUTH, sent)
    assert found == {
        "Accuracy": pytest.approx(3 / 5),
        "F1": pytest.approx(1 / 2),  # of setosa, the last of two classes
        "MCC": pytest.approx(1 / 6),
    }


@pytest.mark.parametrize("columns", ["[setosa, rose]", "{setosa: setosa, rose: rose}"])
def test_probabilities_of_each_class(scored, columns):
    yaml = LIKELY.replace("[setosa, rose]", columns)
    sent = "id,setosa,rose\n1,0.5,0.5\n2,1,0\n3,0.25,0.75\n4,0,1\n5,0.5,0.5\n"
    found = scored(yaml + "metrics: [LogLoss, AUROC, Accuracy]\n", TRUTH, sent)
    assert found["LogLoss"] == pytest.approx(-(2 * math.log(0.5) + math.log(0.75)) / 5)
    assert found["AUROC"] == pytest.approx(5.5 / 6)
    assert found["Accuracy"] == pytest.approx(4 / 5)  # the tied ones go to rose, the positive


@pytest.mark.parametrize(
    ("notation", "cost"), [("LogLoss", 36.0437), ("LogLoss(eps=1e-15)", 34.5388)]
)
def test_a_wrong_certainty_costs_what_eps_says(scored, notation, cost):
    sent = "id,setosa,rose\n1,0,1\n2,1,0\n3,0,1\n4,0,1\n5,0,1\n"
    (found,) = scored(f"{LIKELY}metrics: [{notation}]\n", TRUTH, sent).values()
    assert found == pytest.approx(cost / 5, abs=1e-4)


@pytest.mark.parametrize(
    ("columns", "area"), [("p", 0.75), ("{setosa: p}", 0.75), ("{rose: p}", 0.25)]
)
def test_one_column_is_the_positive_class(scored, columns, area):
    yaml = f"{HEAD}submission: {{columns: {{list: id, probability: {columns}}}}}\n"
    sent = "id,p\n1,0.9\n2,0.4\n3,0.4\n4,0.1\n5,0.5\n"
    found = scored(yaml + "metrics: [AUROC(positive=setosa)]\n", TRUTH, sent)
    assert found == {"AUROC(positive=setosa)": pytest.approx(area)}


def test_numbers(scored):
    found = scored(NUMBERS + "metrics: [RMSE, MAE, R2]\n", PRICES, "id,price\nc,4\na,2\nb,2\n")
    assert found["RMSE"] == pytest.approx(math.sqrt(1 / 3))
    assert found["MAE"] == pytest.approx(1 / 3)
    assert found["R2"] == pytest.approx(1 - 1 / (14 / 3))


def test_several_labels(scored):
    yaml = HEAD.replace("species}", 'species}, multilabel: ";"').replace(
        "truth: {file", "truth: {file"
    )
    truth = "id,species\n1,a;b\n2,\n3,c\n"
    sent = "id,species\n1,b; a\n2,c\n3,c\n"
    yaml += "submission: {columns: {list: id, label: species}}\n"
    found = scored(yaml + "metrics: [Accuracy, HammingLoss, F1(average=micro)]\n", truth, sent)
    assert found["Accuracy"] == pytest.approx(2 / 3)
    assert found["HammingLoss"] == pytest.approx(1 / 9)
    assert found["F1(average=micro)"] == pytest.approx(2 * 3 / (3 + 4))


def test_weights(scored):
    yaml = NUMBERS.replace("target: price", "target: price, weight: w")
    truth = "id,price,w\na,1,3\nb,2,1\nc,4,0\n"
    found = scored(yaml + "metrics: [MAE, RMSE]\n", truth, "id,price\na,2\nb,4\nc,400\n")
    assert found["MAE"] == pytest.approx((3 * 1 + 2) / 4)
    assert found["RMSE"] == pytest.approx(math.sqrt((3 * 1 + 4) / 4))


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


def test_probabilities_are_divided_by_their_sum(scored):
    sent = "id,setosa,rose\n1,1,3\n2,1,0\n3,0,1\n4,0,1\n5,0,0.5\n"
    sent = sent.replace("1,1,3", "1,0.2,0.6")
    found = scored(LIKELY + "metrics: [LogLoss]\n", TRUTH, sent)
    assert found["LogLoss"] == pytest.approx(-math.log(0.25) / 5, abs=1e-12)


@pytest.mark.slow("scores a challenge a row", beyond=4)
@pytest.mark.parametrize("metric", ["LogLoss", "Brier", "RCE", "ECE"])
@pytest.mark.parametrize("factor", [1.00099, 1.01, 0.99, 0.5])
def test_probabilities_times_a_number_gain_nothing(scored, metric, factor):
    def sent(factor):
        rows = [(0.4, 0.6), (0.7, 0.3), (0.2, 0.8), (0.5, 0.5), (0.9, 0.1)]
        return "id,setosa,rose\n" + "".join(
            f"{n},{a * factor:.9f},{b * factor:.9f}\n" for n, (a, b) in enumerate(rows, 1)
        )

    yaml = LIKELY + f"metrics: [{metric}]\n"
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
    assert values(ran) == {"RMSE": pytest.approx((math.sqrt(1 / 2) + 3) / 2)}


def test_a_row_that_is_left_out(challenge, score):
    sent = "id,species\n5,rose\n1,setosa\n4,setosa\n3,rose\n"  # without 2
    found = {}
    for rule in ("zero", "skip"):
        yaml = f"{LABELS.rstrip()[:-1]}, missing_list: {rule}}}\n"
        folder = challenge(
            yaml + "metrics: [Accuracy, Recall(average=macro), MCC]\n",
            **{"truth.csv": TRUTH, "sub.csv": sent},
        )
        ran = score(folder, folder / "sub.csv", "--format", "json")
        assert ran.code == 0, ran
        found[rule] = values(ran)
    assert found["zero"]["Accuracy"] == pytest.approx(3 / 5)
    assert found["skip"]["Accuracy"] == pytest.approx(3 / 4)
    assert found["zero"]["Recall(average=macro)"] == pytest.approx((1 / 2 + 2 / 3) / 2)
    assert found["skip"]["Recall(average=macro)"] == pytest.approx((1 + 2 / 3) / 2)


@pytest.mark.parametrize("metric", ["RMSE", "LogLoss", "R2"])
def test_zero_is_no_prediction(challenge, score, metric):
    yaml = (LIKELY if metric == "LogLoss" else NUMBERS).replace("list: id, p", "list: id, p")
    yaml = yaml.rstrip()[:-1] + ", missing_list: zero}\n" + f"metrics: [{metric}]\n"
    folder = challenge(yaml, **{"truth.csv": TRUTH if metric == "LogLoss" else PRICES})
    ran = score("lint", folder)
    assert ran.code == 2
    assert "error[C118] submission.missing_list: zero would" in ran.err


# One name, a metric for each kind


def test_the_kind_chooses_the_metric(challenge, score):
    ratings = "list,item,rating\nu,a,1\nu,b,2\nv,a,5\n"
    sent = "list,item,prediction\nu,a,1\nu,b,4\nv,a,5\n"
    folder = challenge("truth: truth.csv\nmetrics: [RMSE(average=lists)]\n",
                       **{"truth.csv": ratings, "sub.csv": sent})  # fmt: skip
    assert values(score(folder, folder / "sub.csv", "--format", "json")) == {
        "RMSE(average=lists)": pytest.approx(math.sqrt(2) / 2)
    }
    grades = "list,item,grade\nq,a,3\nq,b,2\nq,c,1\n"
    sent = "list,item,score\nq,b,3\nq,a,2\nq,c,1\n"
    folder = challenge("truth: truth.csv\nmetrics: [Spearman, Precision@1, F1@2]\n",
                       **{"truth.csv": grades, "sub.csv": sent})  # fmt: skip
    found = values(score(folder, folder / "sub.csv", "--format", "json"))
    assert found == {"Rho": pytest.approx(0.5), "P@1": 1.0, "F@2": pytest.approx(0.8)}


def test_a_header_shows_the_kind(challenge, score):
    folder = challenge("truth: truth.csv\nmetrics: [RMSE]\n",
                       **{"truth.csv": "list,target\na,1\nb,2\n",
                          "sub.csv": "list,prediction\na,1\nb,4\n"})  # fmt: skip
    assert values(score(folder, folder / "sub.csv", "--format", "json")) == {
        "RMSE": pytest.approx(math.sqrt(2))
    }


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
    ("yaml", "truth", "said"),
    [
        (LABELS + "metrics: [RMSE]\n", TRUTH, "T201] RMSE needs numbers, `target`"),
        (NUMBERS + "metrics: [Accuracy]\n", PRICES, "T201] Accuracy needs classes, `label`"),
        (LABELS + "metrics: [Accuracy]\n", TRUTH + "1,rose\n", "T806] id '1' stands twice"),
        (LABELS + "metrics: [Accuracy]\n", TRUTH + "6,\n", "T802] species is empty"),
        (
            LIKELY + "metrics: [LogLoss]\n",
            TRUTH + "6,elm\n",
            "T801] species 'elm' is not among the declared classes",
        ),
        (
            LIKELY.replace("[setosa, rose]", "p") + "metrics: [LogLoss]\n",
            TRUTH + "6,elm\n",
            "T808] a single column of probabilities needs two classes, not 3",
        ),
        (
            LIKELY.replace("[setosa, rose]", "{elm: p}") + "metrics: [LogLoss]\n",
            TRUTH,
            "T808] probability: 'elm' is not among 'rose', 'setosa'",
        ),
        (
            NUMBERS.replace("price}", "price, weight: w}", 1) + "metrics: [MAE]\n",
            "id,price,w\na,1,-1\nb,1,2\n",
            "T807] w -1 is below 0",
        ),
        (
            NUMBERS.replace("price}", "price, weight: w}", 1) + "metrics: [MAE]\n",
            "id,price,w\na,1,0\nb,1,0\n",
            "T807] every w is 0",
        ),
    ],
)
def test_truths_that_do_not_fit(challenge, score, yaml, truth, said):
    folder = challenge(yaml, **{"truth.csv": truth, "sub.csv": "id,species\n1,rose\n"})
    ran = score(folder, folder / "sub.csv")
    assert ran.code == 2, ran
    assert said in ran.err
    assert "Traceback" not in ran.err


def test_lists_without_a_row_in_the_truth(challenge, score):
    yaml = LABELS + "lists: {file: rows.csv, columns: {list: id}}\nmetrics: [Accuracy]\n"
    files = {"truth.csv": TRUTH, "rows.csv": "id\n1\n2\n3\n4\n5\n6\n", "sub.csv": TRUTH}
    folder = challenge(yaml, **files)
    ran = score(folder, folder / "sub.csv")
    assert ran.code == 2
    assert "T301] 1 of 6 id values have no row in the truth: '6'" in ran.err


def reads_further_columns(metric):
    defaults = {name: default for name, (_, default) in metric.own_parameters.items()}
    return metric.name == "QuantileScore" or bool(metric.needs(defaults))


@pytest.mark.slow("scores with every measure of the kind")
def test_a_board_with_every_measure_and_its_explanations(challenge, score):
    told = {}
    names = (
        "LogLoss Brier ECE AUROC AveragePrecision TopK@1 Accuracy F1 Precision Recall MCC Kappa "
    )
    names += (
        "Jaccard BalancedAccuracy HammingLoss FBeta(beta=2) RCE PRTrapezoids KL ProbabilisticF1"
    )
    measures = [*names.split(), "AUROC(max_fpr=0.5)"]
    sent = "id,setosa,rose\n1,0.5,0.5\n2,1,0\n3,0.25,0.75\n4,0,1\n5,0.6,0.4\n"
    folder = challenge(
        f"{LIKELY}metrics: {json.dumps(measures)}\n", **{"truth.csv": TRUTH, "sub.csv": sent}
    )
    for words in ((), ("--format", "html"), ("--per-list",)):
        ran = score(folder, folder / "sub.csv", *words)
        assert ran.code == 0, ran
    ran = score("explain", folder, folder / "sub.csv", "--list", "5")
    assert ran.code == 0, ran
    for measure in measures:
        ran = score("explain", folder, folder / "sub.csv", "--list", "5", "-m", measure)
        assert ran.code == 0, ran
        told[measure] = ran.out
    assert "This row is rose, predicted as setosa: one of the 1 in that cell" in told["F1"]
    assert "Of 2 pairs with rows of the other side 1 are in the right order" in told["AUROC"]
    ran = score("lint", folder)
    assert ran.code == 0, ran
    assert "majority" in ran.out
    assert "prior" in ran.out
    folder = challenge(
        NUMBERS + "metrics: [RMSE, MSE, MAE, R2, MedAE, MAPE, SMAPE, RMSLE, MaxError, Pearson, "
        "Spearman, ExplainedVariance, Pinball]\n",
        **{"truth.csv": PRICES, "sub.csv": "id,price\na,1\nb,3\nc,5\n"},
    )
    for words in ((folder, folder / "sub.csv"), ("lint", folder),
                  ("explain", folder, folder / "sub.csv", "--list", "b")):  # fmt: skip
        ran = score(*words)
        assert ran.code == 0, ran
    further = {each.name for each in METRICS if reads_further_columns(each)}  # as AngularError
    for metric in METRICS:
        if metric.view is Targets and metric.name not in further:
            ran = score("explain", folder, folder / "sub.csv", "--list", "b", "-m", metric.name)
            assert ran.code == 0, ran
            told[metric.name] = ran.out
    early = {"ERDE", "FLatency"}  # in tests/metrics/labels/test_early.py
    ours = {each.name for each in METRICS if each.view in (Labelled, Targets)} - early - further
    assert {name.split("(")[0].split("@")[0] for name in told} == ours  # each explains itself


@pytest.mark.parametrize(
    ("yaml", "truth"),
    [
        (LABELS + "metrics: [Accuracy]\n", TRUTH),
        (LIKELY + "metrics: [LogLoss, F1]\n", TRUTH),
        (LIKELY.replace("[setosa, rose]", "p") + "metrics: [AUROC]\n", TRUTH),
        (LIKELY.replace("[setosa, rose]", "{setosa: p}") + "metrics: [AUROC]\n", TRUTH),
        (LABELS.replace("species}}\n", 'species}, multilabel: ";"}\n', 1)
         + "metrics: [HammingLoss]\n", "id,species\n1,a;b\n2,\n3,c\n"),
        (NUMBERS + "metrics: [RMSE]\n", PRICES),
    ],
)  # fmt: skip
def test_a_kit_checks_what_the_challenge_scores(challenge, score, tmp_path, yaml, truth):
    from zipfile import ZipFile

    folder = challenge(yaml, **{"truth.csv": truth})
    kit = tmp_path / "kit.zip"
    ran = score("kit", folder, "-o", kit)
    assert ran.code == 0, ran
    with ZipFile(kit) as files:
        files.extract("sample_submission.csv", tmp_path)
        assert all("truth.csv" not in name for name in files.namelist())
    sample = tmp_path / "sample_submission.csv"
    for words in (("check", kit, sample), ("check", folder, sample), (folder, sample)):
        ran = score(*words)
        assert ran.code == 0, (ran, sample.read_text())
