"""Groups of lists that have numbers beside groups that have classes."""

import json
import zipfile

import numpy as np
import pytest
import yaml
from scipy.stats import pearsonr, spearmanr

SHARED = {"truth": "truth.csv", "lists": {"file": "lists.csv", "columns": {"group": "task"}}}
METRICS = [
    {"id": "all", "score": "(mcc + (f1 + accuracy)/2 + (pearson + spearman)/2) / 3"},
    {"id": "mcc", "metric": "MCC", "group": "cola"},
    {"id": "f1", "metric": "F1", "average": "macro", "group": "nli"},
    {"id": "accuracy", "metric": "Accuracy", "group": "nli"},
    {"id": "pearson", "metric": "Pearson", "group": "sts"},
    {"id": "spearman", "metric": "Spearman", "group": "sts"},
]
CLASSES = {"cola": ["0", "1"], "nli": ["no", "yes", "maybe"]}


def board(seed=5, lists=60):
    """The tasks' ids, and of a truth and two submissions their labels."""
    rng = np.random.default_rng(seed)
    tasks = {f"{task}-{n}": task for task in ("cola", "sts", "nli") for n in range(lists)}
    truth, one, two = {}, {}, {}
    for name, task in tasks.items():
        if task == "sts":
            truth[name] = f"{rng.uniform(0, 5):.6f}"
            for sent, spread in ((one, 0.8), (two, 2.0)):
                sent[name] = f"{float(truth[name]) + rng.normal(0, spread):.3f}"
            continue
        truth[name] = str(rng.choice(CLASSES[task]))
        for sent, skill in ((one, 0.8), (two, 0.5)):
            right = rng.random() < skill
            sent[name] = truth[name] if right else str(rng.choice(CLASSES[task]))
    return tasks, truth, one, two


def csv(labels):
    return "list,label\n" + "".join(f"{name},{label}\n" for name, label in labels.items())


@pytest.fixture
def made(challenge):
    tasks, truth, one, two = board()
    groups = "list,task\n" + "".join(f"{name},{task}\n" for name, task in tasks.items())

    def make(numbers="sts", metrics=METRICS, sent=one, **more):
        rules = {"numbers": numbers} if numbers else {}
        told = {**SHARED, "submission": rules | more.pop("submission", {}), "metrics": metrics}
        files = {"truth.csv": csv(more.pop("truth", truth)), "lists.csv": groups}
        files |= {"one.csv": csv(sent), "two.csv": csv(two)}
        return challenge(yaml.safe_dump(told | more), **files)

    return make, tasks, truth, (one, two)


def values(ran):
    found = json.loads(ran.out)["submissions"]
    return [{name: each["mean"] for name, each in one["values"].items()} for one in found]


def f1_of(name, pairs):
    """Of the pairs (truth, answer), the F1 of one class."""
    hits = sum(a == b == name for a, b in pairs)
    return 2 * hits / sum((a == name) + (b == name) for a, b in pairs)


def test_classes_and_numbers_make_one_score(made, score):
    make, tasks, truth, sent = made
    folder = make()
    ran = score(folder, folder / "one.csv", folder / "two.csv", "--format", "json").assert_exit(0)
    for found, mine in zip(values(ran), sent, strict=True):
        of = {
            task: [(truth[n], mine[n]) for n in tasks if tasks[n] == task]
            for task in ("cola", "sts", "nli")
        }
        sides = {task: tuple(zip(*rows, strict=True)) for task, rows in of.items()}
        numbers = tuple([float(v) for v in side] for side in sides["sts"])
        expected = {
            "mcc": pearsonr(*([int(v) for v in side] for side in sides["cola"]))[0],
            "f1": np.mean([f1_of(each, of["nli"]) for each in CLASSES["nli"]]),
            "accuracy": np.mean([a == b for a, b in of["nli"]]),
            "pearson": pearsonr(*numbers)[0],
            "spearman": spearmanr(*numbers)[0],
        }
        pairs = (("f1", "accuracy"), ("pearson", "spearman"))
        means = [expected["mcc"], *(np.mean([expected[k] for k in each]) for each in pairs)]
        assert found == pytest.approx(expected | {"all": np.mean(means)}, rel=1e-12)


@pytest.mark.slow("scores random challenges", beyond=1)
@pytest.mark.parametrize("metric", ["Pearson", "Spearman", "MAE", "RMSLE(log=plain)", "MedAE"])
def test_a_group_of_numbers_counts_as_if_it_were_alone(made, score, challenge, metric):
    make, tasks, truth, sent = made
    mine = [name for name, task in tasks.items() if task == "sts"]
    sent = [{name: f"{abs(float(one[name])) + 0.1:.3f}" for name in mine} for one in sent]
    whole = [{**one, **other} for one, other in zip(made[3], sent, strict=True)]
    texts = {"truth.csv": csv({n: truth[n] for n in mine}).replace("label", "target")}
    texts |= {
        f"{n}.csv": csv(s).replace("label", "prediction") for n, s in zip("ab", sent, strict=True)
    }
    alone = challenge(yaml.safe_dump({"truth": "truth.csv", "metrics": [metric]}), **texts)
    ran = score(alone, alone / "a.csv", alone / "b.csv", "--format", "json")
    expected = ran.json()["leaderboard"]
    folder = make(metrics=[{"metric": metric, "group": "sts"}])
    for name, one in zip("ab", whole, strict=True):
        (folder / f"{name}.csv").write_text(csv(one))
    ran = score(folder, folder / "a.csv", folder / "b.csv", "--format", "json")
    found = ran.json()["leaderboard"]
    key = next(iter(found[0]["values"]))
    for row, other in zip(found, expected, strict=True):
        assert row["name"] == other["name"]
        assert row["values"][key] == pytest.approx(next(iter(other["values"].values())), rel=1e-12)
        assert row["interval"] == pytest.approx(other["interval"], abs=0.05)


@pytest.mark.parametrize(
    ("label", "said"),
    [
        ("alike", "error[S501] label 'alike' is not a number in plain decimal notation"),
        ("3,5", "error[S504] label '3,5' has a decimal comma; write 3.5"),
        ("", "error[S506] label is empty; every row needs a number"),
        ("nan", "error[S502] label is 'nan'"),
        ("7", "error[S505] label 7 is outside 0 to 6"),
    ],
)
def test_what_is_no_number_is_told_at_its_line(made, score, label, said):
    make, tasks, _, (one, _) = made
    mine = {n: f"{min(max(float(v), 0), 6)}" if tasks[n] == "sts" else v for n, v in one.items()}
    name = "sts-4"
    folder = make(sent=mine | {name: f'"{label}"'}, submission={"range": [0, 6]})
    for words in ((folder,), ("check", folder)):
        ran = score(*words, folder / "one.csv").assert_exit(1)
        assert f"one.csv:{list(tasks).index(name) + 2}: {said}" in ran.told


def test_a_number_is_no_class_where_classes_are(made, score):
    make, tasks, truth, (one, _) = made
    name = "nli-7"
    folder = make(sent=one | {name: truth["sts-0"]})
    ran = score(folder, folder / "one.csv")
    ran.assert_exit(1, err=f"one.csv:{list(tasks).index(name) + 2}: error[S521]")


def test_numbers_where_the_truth_has_none_are_an_error(made, score):
    make, tasks, truth, _ = made
    folder = make(truth=truth | {"sts-3": "much"})
    ran = score(folder, folder / "one.csv")
    ran.assert_exit(2, err=f"truth.csv:{list(tasks).index('sts-3') + 2}: error[T501] label 'much'")


def test_a_measure_of_numbers_says_how_they_are_declared(made, score):
    folder = made[0](numbers=None, metrics=METRICS[1:])
    score(folder, folder / "one.csv").assert_exit(2, err="submission: {numbers: [GROUP]}")


@pytest.mark.parametrize("metric", ["RMSE", "RMSPE"])  # which are of ratings, too
def test_the_header_of_the_first_part_decides_that_rows_have_targets(challenge, score, metric):
    yaml = f"""
truth: {{file: truth.zip, parts: {{one: one.csv, two: two.csv}}, columns: {{list: id}}}}
submission: {{columns: {{list: id, prediction: y}}, parts: {{one: one.csv, two: two.csv}}}}
metrics: [{metric}]
"""
    folder = challenge(yaml)
    for name, text in {
        "truth.zip": "id,target\n1,2\n2,4\n",
        "sent.zip": "id,y\n1,2\n2,4\n",
    }.items():
        with zipfile.ZipFile(folder / name, "w") as archive:
            archive.writestr("one.csv", text)
            archive.writestr("two.csv", text)
    (submission,) = score(folder, folder / "sent.zip", "--format", "json").json()["submissions"]
    assert submission["values"][metric]["mean"] == 0.0
    assert submission["values"][metric]["lists"] == 4
