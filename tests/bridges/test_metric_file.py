"""Metric files for Kaggle: run as they are, beside `score` on the same random answers."""

import csv
import io
import math

import numpy as np
import pytest
import yaml

import scorer
from scorer.bridges.base import platforms
from scorer.bridges.export import subject
from scorer.bridges.metric_file import WRITTEN
from scorer.challenge.load import load
from scorer.core.errors import UsageError
from scorer.prepare.bind import prepare

pd = pytest.importorskip("pandas", reason="pandas is missing: pip install challenge-scorer[kaggle]")
SPLITS = {"public": 0.5, "private": "rest", "seed": 5}
IDS = [f"r{n:02}" for n in range(40)]
NUMBERS = ["RMSE", "MSE", "MAE", "MedAE", "MaxError", "MAPE", "SMAPE", "RMSPE", "R2", "Pearson",
           "Spearman", "RMSLE", "RMSLE(log=plain)"]  # fmt: skip
CLASSES = ["Accuracy", "HammingLoss", "BalancedAccuracy", "MCC", "Kappa", "Kappa(weights=linear)",
           "Kappa(weights=quadratic)"]  # fmt: skip
RATES = ["Precision", "Recall", "F1", "Jaccard", "FBeta(beta=2)"]
AVERAGES = ["macro", "micro", "weighted"]
LISTS = ["P@3",
         "P(denominator=returned)@5", "R@3", "R(denominator=capped)@2", "R(average=pooled)@4",
         "AP", "AP(denominator=capped)@3", "AP(denominator=hits)", "AP(denominator=returned)",
         "AP(rel=2)", "RR", "RR@2", "Success@2", "nDCG", "nDCG(gain=exp2)@5",
         "nDCG(discount=jarvelin)@5", "nDCG(ideal=uncut)@3", "nDCG(average=pooled)@5"]  # fmt: skip


def table(head, rows):
    out = io.StringIO()
    csv.writer(out, lineterminator="\n").writerows([head, *rows])
    return out.getvalue()


def classes(names, rng):
    true, sent = (rng.choice(names, len(IDS)) for _ in range(2))
    sent = np.where(rng.random(len(IDS)) < 0.5, true, sent)
    return table(["id", "true"], zip(IDS, true, strict=True)), table(
        ["id", "label"], zip(IDS, sent, strict=True)
    )


def likely(names, rng):
    true, shares = rng.choice(names, len(IDS)), rng.dirichlet([1] * len(names), len(IDS))
    shares = shares.round(2)  # with ties, and sums that are not 1
    columns = ["probability"] if len(names) == 2 else [f"p{n}" for n in names]
    rows = shares[:, -1:] if len(names) == 2 else shares
    sent = table(["id", *columns], ([n, *row] for n, row in zip(IDS, rows.tolist(), strict=True)))
    return table(["id", "true"], zip(IDS, true, strict=True)), sent


def ranked(rng):
    items = [f"i{n}" for n in range(12)]
    true = [(n, i, rng.integers(0, 4)) for n in IDS for i in rng.choice(items, 5, replace=False)]
    sent = {n: rng.permutation(items)[: rng.integers(1, 9)] for n in IDS}
    rows = [(n, item, rank) for n, found in sent.items() for rank, item in enumerate(found, 1)]
    there = table(["id", "item"], ((n, " ".join(found)) for n, found in sent.items()))
    return table(["id", "item", "grade"], true), table(["id", "item", "rank"], rows), there


def case(notation, how):
    """challenge.yaml, truth, submission here, submission there."""
    rng = np.random.default_rng(len(notation))
    said = {"truth": {"file": "truth.csv"}, "metrics": [notation], "splits": SPLITS}
    if how == "numbers":
        true, sent = rng.gamma(2, 3, (2, len(IDS))).round(3)
        true[::9] += 0 if "RMSLE" in notation else -true[::9]
        said["truth"]["columns"] = {"list": "id", "target": "true"}
        said["submission"] = {"columns": {"list": "id", "prediction": "value"}}
        files = (table(["id", head], zip(IDS, x.tolist(), strict=True))
                 for head, x in (("true", true), ("value", sent)))  # fmt: skip
        return said, *files, None
    if how == "lists":
        columns = {"list": "id", "item": "item"}
        said["submission"] = {"columns": columns}
        said["undefined"] = "zero" if "hits" in notation or "returned" in notation else "skip"
        said["truth"]["columns"] = columns | {"grade": "grade"}
        return said, *ranked(rng)
    names = {"two": ["no", "yes"], "three": ["1", "2", "3"]}[how.split()[0]]
    said["truth"]["columns"] = {"list": "id", "label": "true"}
    made = likely if "likely" in how else classes
    own = {"label": "label"}
    if "likely" in how:
        own = {"probability": {n: f"p{n}" for n in names} if len(names) > 2 else "probability"}
    said["submission"] = {"columns": {"list": "id", **own}}
    return said, *made(names, rng), None


CASES = [
    *((m, "lists") for m in LISTS),
    *((m, "numbers") for m in NUMBERS),
    *((m, f"{n} classes") for m in CLASSES for n in ("two", "three")),
    *((m, "two classes") for m in RATES),
    *((m[:-1] + f", average={a})" if m[-1] == ")" else f"{m}(average={a})", "three classes")
      for m in RATES for a in AVERAGES),
    *((m, f"{n} likely") for m in ("LogLoss", "Brier", "AUROC") for n in ("two", "three")),
    *((f"AUROC(average={a})", "three likely") for a in ("micro", "weighted")),
    ("AUROC(positive=no)", "two likely"),
]  # fmt: skip


def exported(said, truth, folder):
    folder.mkdir(exist_ok=True)
    (folder / "challenge.yaml").write_text(yaml.safe_dump(said))
    (folder / "truth.csv").write_text(truth)
    return platforms().get("kaggle").function(subject(prepare(load(folder)))).files


def run(files, sent, usage):
    """What Kaggle calls for one Usage."""
    space = {}
    exec(compile(files["metric.py"], "metric.py", "exec"), space)
    solution = pd.read_csv(io.BytesIO(files["solution.csv"]))
    inside = solution["Usage"] == usage
    sent = sent[~sent["id"].isin(solution["id"][~inside])] if "id" in sent else sent
    try:
        return space["score"](solution[inside].drop(columns="Usage"), sent, "id")
    except space["ParticipantVisibleError"] as error:
        return str(error)


def test_every_measure_of_the_template_has_a_case():
    tried = {notation.split("(")[0].split("@")[0] for notation, _ in CASES}
    assert tried == {name for names in WRITTEN.values() for name in names}


@pytest.mark.slow("scores random answers by each measure", beyond=3)
@pytest.mark.parametrize(("notation", "how"), CASES)
def test_a_file_gives_the_values_of_score(notation, how, tmp_path):
    said, truth, sent, there = case(notation, how)
    files = exported(said, truth, tmp_path)
    (tmp_path / "s.csv").write_text(sent)
    report = scorer.score(tmp_path, [tmp_path / "s.csv"], splits=["public", "private"]).to_dict()
    frame = pd.read_csv(io.StringIO(there or sent))
    frame = frame.sample(frac=1, random_state=1)  # Kaggle says nothing of their order
    for split in ("public", "private"):
        part = next(p for p in (report, *report["splits"]) if p["scope"]["split"] == split)
        (value,) = part["leaderboard"][0]["values"].values()
        found = run(files, frame, split.capitalize())
        assert math.isclose(found, value, rel_tol=1e-12, abs_tol=1e-12), (found, value)


BAD = {
    "a column is missing": (lambda f: f.drop(columns="value"), "there is no column 'value'"),
    "a row is missing": (lambda f: f[1:], "id 'r00' is missing"),
    "a row is given twice": (lambda f: pd.concat([f, f[:1]]), "id 'r00' is given twice"),
    "a row is unknown": (lambda f: f.replace("r00", "x"), "id 'x' is not asked for"),
    "no number": (lambda f: f.assign(value="a"), "'a' is no number"),
    "an empty cell": (lambda f: f.assign(value=np.nan), "'' is no number"),
    "infinity": (lambda f: f.assign(value=np.inf), "'inf' is no number"),
    "too much": (lambda f: f.assign(value=101.0), "the value 101 is not within 0 and 100"),
}


@pytest.mark.slow("exports a challenge for each file", beyond=1)
@pytest.mark.parametrize("name", BAD)
def test_a_bad_file_is_told_to_its_participant(name, tmp_path):
    said, truth, sent, _ = case("RMSE", "numbers")
    said["submission"]["range"] = [0, 100]
    del said["splits"]
    change, message = BAD[name]
    assert message in run(exported(said, truth, tmp_path), change(pd.read_csv(io.StringIO(sent))),
                          "Public")  # fmt: skip


@pytest.mark.slow("exports challenges", beyond=1)
@pytest.mark.parametrize(
    ("how", "cell", "message"),
    [
        ("three classes", "4", "r00: '4' is no class"),
        ("three classes", "", "r00: '' is no class"),
        ("lists", "i1 i2 i1", "item 'i1' is given twice in r00"),
        ("lists", "", "r00: there are no items"),
        ("lists", "i1 i2 i3 i4", "r00: 4 items, where 1 to 3 are wanted"),
    ],
)
def test_a_bad_cell_is_told(how, cell, message, tmp_path):
    said, truth, *_ = case("P@3" if how == "lists" else "Accuracy", how)
    del said["splits"]
    if how == "lists":
        said["submission"]["length"] = {"min": 1, "max": 3}
    files = exported(said, truth, tmp_path)
    frame = pd.read_csv(io.BytesIO(files["sample_submission.csv"]), dtype=str)
    frame.iloc[0, 1] = cell or np.nan
    assert message in run(files, frame, "Public")


@pytest.mark.slow("opens challenges", beyond=2)
@pytest.mark.parametrize(
    ("notation", "how", "change", "message"),
    [
        ("Bpref", "lists", {}, "no file is made for Bpref; there are P, R, AP"),
        ("ECE(bins=3)", "two likely", {}, "ECE(bins=3) cannot be computed"),
        ("Accuracy", "two likely", {}, "it is made of probabilities"),
        ("nDCG(gain={1: 3})", "lists", {}, "and a file knows linear or exp2"),
        ("AUROC(multi=ovo)", "three likely", {}, "multi is ovo"),
        (
            "AP(denominator=hits)",
            "lists",
            {"undefined": "skip"},
            "a submission may leave it undefined",
        ),
        ("P@3", "lists", {"undefined": "worst"}, "undefined is worst"),
        ("P@3", "lists", {"missing_list": "skip"}, "missing_list is skip"),
        ("P@3", "lists", {"ties": "expected"}, "ties is expected"),
        ("RMSE", "numbers", {"missing_list": "skip"}, "missing_list is skip"),
    ],
)
def test_what_cannot_be_exact_is_refused_with_the_reason(notation, how, change, message, tmp_path):
    said, truth, *_ = case(notation, how)
    if "{" in notation:
        said["metrics"] = [{"metric": "nDCG", "gain": {1: 3}}]
    (said if "undefined" in change else said["submission"]).update(change)
    with pytest.raises(UsageError, match="cannot be computed by numpy and pandas alone") as told:
        exported(said, truth, tmp_path)
    assert message in str(told.value)


@pytest.mark.slow("opens challenges", beyond=1)
@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("r00,", "NA,", "pandas cannot tell the id 'NA'"),
        ("yes", "007", "pandas reads the class '007' otherwise"),
        ("yes", "true", "pandas reads the class 'true' otherwise"),
    ],
)
def test_names_that_pandas_changes_are_refused(old, new, message, tmp_path):
    said, truth, *_ = case("Accuracy", "two classes")
    with pytest.raises(UsageError) as told:
        exported(said, truth.replace(old, new), tmp_path)
    assert message in str(told.value)


@pytest.mark.slow("runs a challenge with a metric file")
@pytest.mark.parametrize("notation", ["RMSE", "nDCG@5"])
def test_the_three_files_come_back_as_a_challenge(notation, score, tmp_path):
    said, truth, sent, there = case(notation, "numbers" if notation == "RMSE" else "lists")
    files = exported(said, truth, tmp_path / "own")
    bundle = tmp_path / "bundle"
    bundle.mkdir()
    for name in ("metric.py", "solution.csv", "sample_submission.csv"):
        (bundle / name).write_bytes(files[name])
    assert score("import", "kaggle", bundle, tmp_path / "made").code == 0
    made = yaml.safe_load((tmp_path / "made" / "challenge.yaml").read_text())
    assert made["metrics"][0]["better"] == ("lower" if notation == "RMSE" else "higher")
    assert score("lint", tmp_path / "made", "--allow-plugins").code == 0
    values = []
    for folder, text in ((tmp_path / "own", sent), (tmp_path / "made", there or sent)):
        (tmp_path / "s.csv").write_text(text)
        report = scorer.score(folder, [tmp_path / "s.csv"], allow_plugins=True).to_dict()
        values += report["leaderboard"][0]["values"].values()
    assert math.isclose(*values, rel_tol=1e-12)
    again = platforms().get("kaggle").function(subject(prepare(load(tmp_path / "made"), True)))
    assert again.files["metric.py"] == files["metric.py"]
    assert again.files["solution.csv"] == files["solution.csv"]
