"""Groups and folds without a value: because of a submission, and because of the truth."""

import json

import pytest
from tables import rows

YAML = """
truth: {file: truth.csv, columns: {list: id, target: number}, wide: {list: "*"}}
submission: {columns: {list: id}, wide: {list: "*"}}
metrics: [%s]
%s
"""
FOLDED = """
truth: {file: truth.csv, columns: {list: id, target: y}}
folds: {file: folds.csv, columns: {list: id, fold: fold}}
submission: {columns: {list: id, prediction: y}}
metrics: [%s]
%s
"""
MEAN = "{metric: Spearman, average: group}"
ERROR = "{metric: RMSLE, average: group}"
FORMULA = "{id: a, metric: Spearman, average: group}, {id: twice, score: 2 * a, primary: true}"
PLUGIN = "{metric: OddMean, average: group}"
ODD = """
import numpy as np
from scorer import Figure, Targets, metric

def mean_unless_negative(columns, weight):
    prediction = columns["prediction"]
    return float("nan") if (prediction < 0).any() else float(prediction.mean())

@metric("OddMean", title="Mean", source="own", range=(None, None), columns=("prediction",))
def odd(targets: Targets) -> Figure:
    return Figure(mean_unless_negative, {"prediction": targets.prediction}, targets.in_list)
"""


def wide(*hard):
    return "".join(["id,easy,hard\n", *(f"{n},{n},{value}\n" for n, value in enumerate(hard, 1))])


TRUTH, HONEST = wide(4, 1, 3, 2), wide(3, 1, 2, 4)


@pytest.fixture
def means(challenge, score):
    def run(yaml, *words, **files):
        texts = {f"{name}.csv": text for name, text in files.items() if name != "plugin"}
        plugin = {"plugin.py": files["plugin"]} if "plugin" in files else {}
        folder = challenge(yaml, **texts, **plugin)
        sent = [folder / f"{name}.csv" for name in ("bad", "honest")]
        ran = score(folder, *sent, "--format", "json", *words)
        report = json.loads(ran.out)
        primary = next(each["id"] for each in report["measures"] if each["primary"])
        return [
            [p["code"] for p in one["problems"] if p["severity"] == "error"]
            or one["values"][primary]["mean"]
            for one in sorted(report["submissions"], key=lambda one: one["name"])
        ]

    return run


@pytest.mark.slow("scores a challenge a row", beyond=4)
@pytest.mark.parametrize(
    ("metrics", "rules", "bad", "wanted"),
    rows(__file__, "a_column_without_a_value_does_not_leave_the_mean"),
)
def test_a_column_without_a_value_does_not_leave_the_mean(means, metrics, rules, bad, wanted):
    words = ["--allow-plugins"] if "plugins" in rules else []
    yaml = YAML % (metrics, rules)
    found = means(yaml, *words, truth=TRUTH, bad=bad, honest=HONEST, plugin=ODD)
    assert found == [each if not isinstance(each, float) else pytest.approx(each, abs=5e-5)
                     for each in wanted]  # fmt: skip


@pytest.mark.parametrize("rules", ["undefined: skip", "undefined: error"])
def test_a_column_of_which_the_truth_has_no_value_is_left_out(means, rules):
    found = means(YAML % (MEAN, rules), truth=wide(2, 2, 2, 2), bad=wide(0, 0, 0, 0), honest=HONEST)
    assert found == [1, 1]


@pytest.mark.parametrize(
    ("truth", "wanted"), [((1, 2, 3, 4, 5, 6), [None, 1]), ((1, 2, 3, 4, 4, 4), [1, 1])]
)
def test_a_fold_is_left_out_only_because_of_its_truth(means, truth, wanted):
    def column(values):
        return "".join(["id,y\n", *(f"{n},{value}\n" for n, value in enumerate(values))])

    folds = "".join(["id,fold\n", *(f"{n},{n // 3}\n" for n in range(6))])
    files = {"bad": column((1, 2, 3, 0, 0, 0)), "honest": column((1, 2, 3, 4, 5, 6))}
    yaml = FOLDED % ("Spearman", "undefined: skip")
    assert means(yaml, truth=column(truth), folds=folds, **files) == wanted


GRADES = "list,item,grade\nq1,a,3\nq1,b,2\nq1,c,1\nq2,a,1\nq2,b,2\nq2,c,3\nq3,a,1\nq4,a,0\n"
HONEST_RUN = "list,item,rank\n" + "".join(
    f"{name},{item},{rank}\n"
    for name, items in (("q1", "acb"), ("q2", "cab"), ("q3", "ab"), ("q4", "ab"))
    for rank, item in enumerate(items, 1)
)
FEATURES = "item,x\na,1\nb,0\nc,1\n"
RETURNED = "{metric: Own}"
TWO = "{id: t, metric: Tau}, {id: two, score: 2 * t, primary: true}"
OWN = """
from scorer import metric, Ranked

@metric("Own", title="Own", source="own")
def own(ranked: Ranked) -> float:
    return float("nan") if len(ranked.grades) == 1 else 0.5
"""
TAU = (1 / 3 + 1 / 3) / 2


@pytest.mark.slow("scores a challenge a row", beyond=4)
@pytest.mark.parametrize(
    ("metrics", "rules", "wanted"),
    [
        ("Tau", "undefined: zero", [1 / 3 / 4, 2 / 3 / 4]),  # a list without one is 0
        ("Tau", "undefined: skip", [None, TAU]),  # q3 and q4 cannot have one
        ("Tau", "undefined: worst", [(1 / 3 - 1) / 2, TAU]),
        (TWO, "undefined: skip", [None, 2 * TAU]),
        ("AP", "undefined: skip", [7 / 9, 1]),
        ("ILD@2", "undefined: skip", [None, 1 / 2]),
        ("ILD@2", "undefined: worst", [1 / 2, 1 / 2]),
        (RETURNED, "undefined: skip\nplugins: [plugin.py]", [None, 0.5]),
    ],
)  # fmt: skip
def test_a_list_without_a_value_does_not_leave_the_mean(means, metrics, rules, wanted):
    items = "items: {file: items.csv, columns: {item: item, features: [x]}}\n"
    yaml = f"truth: truth.csv\n{items}metrics: [{metrics}]\n{rules}\n"
    # One item in a list, so that nothing is ordered.
    bad = HONEST_RUN.replace("q2,a,2\nq2,b,3\n", "")
    words = ["--allow-plugins"] if "plugins" in rules else []
    sent = {"bad": bad, "honest": HONEST_RUN}
    found = means(yaml, *words, truth=GRADES, items=FEATURES, plugin=OWN, **sent)
    assert found == [each if each is None else pytest.approx(each) for each in wanted]
