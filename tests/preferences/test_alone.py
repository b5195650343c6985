"""A group's interval is that of its lists alone, whatever the lists of other groups are."""

import sys

import numpy as np
import pytest
import yaml

METRICS = ["AUROC", "AveragePrecision", "Accuracy", "ECE", "Brier"]


def sample(seed, lists, shift):
    """Of each list its class, and the probability of class 1, which is `shift` higher."""
    rng = np.random.default_rng(seed)
    label = rng.integers(0, 2, lists)
    likely = np.clip(0.3 + 0.2 * label + rng.normal(0, 0.15, lists) + shift, 0, 1).round(4)
    return label, likely


@pytest.mark.slow("draws preferences of many groups", beyond=4)
@pytest.mark.parametrize("metric", METRICS)
@pytest.mark.parametrize("combined", ["group", "average"])
def test_as_if_there_were_no_others(challenge, score, metric, combined):
    groups = {"a": sample(1, 80, 0.0), "b": sample(2, 80, 0.4)}
    boards = []
    for mine in (groups, {"a": groups["a"]}):
        rows = [
            (f"{group}{n}", group, label, likely)
            for group, (labels, chances) in mine.items()
            for n, (label, likely) in enumerate(zip(labels, chances, strict=True))
        ]
        files = {
            "truth.csv": [("list", "label"), *((name, label) for name, _, label, _ in rows)],
            "lists.csv": [("list", "group"), *((name, group) for name, group, _, _ in rows)],
            "one.csv": [("list", "probability"), *((name, p) for name, _, _, p in rows)],
        }
        texts = {n: "".join(f"{a},{b}\n" for a, b in table) for n, table in files.items()}
        both = len(mine) > 1
        told = {"truth": "truth.csv", "lists": "lists.csv", "submission": {"columns": {}}}
        measure = {"metric": metric, "id": "value"}
        if combined == "group":
            measure["group"] = "a"
        elif both:
            # of group b nothing counts
            texts["lists.csv"] = texts["lists.csv"].replace("list,group", "list,group,weight")
            lines = texts["lists.csv"].splitlines()
            lines[1:] = [f"{line},{int(line[0] == 'a')}" for line in lines[1:]]
            texts["lists.csv"] = "\n".join(lines) + "\n"
            measure |= {"average": "group", "weights": "weight"}
        told["metrics"] = [measure]
        told["submission"]["columns"]["probability"] = "probability"
        folder = challenge(yaml.safe_dump(told), **texts)
        ran = score(folder, folder / "one.csv", "--format", "json")
        boards.append(ran.json()["leaderboard"][0])
    whole, alone = boards
    assert whole["values"]["value"] == pytest.approx(alone["values"]["value"], rel=1e-12)
    assert whole["interval"] == pytest.approx(alone["interval"], abs=0.035)


@pytest.mark.slow("draws preferences of many groups", beyond=1)
@pytest.mark.parametrize("metric", ["AP", "P(average=pooled)@2"])
def test_very_many_groups_are_drawn_as_wholes_or_not_at_all(challenge, score, metric, monkeypatch):
    rng = np.random.default_rng(3)
    lists = [f"q{n}" for n in range(60)]
    sent = {
        name: "".join(f"{q},{d},{rng.random():.6f}\n" for q in lists for d in "abcd")
        for name in ("one", "two")
    }
    texts = {f"{name}.csv": f"list,item,score\n{rows}" for name, rows in sent.items()}
    texts["truth.csv"] = "list,item\n" + "".join(f"{q},a\n{q},c\n" for q in lists)
    texts["lists.csv"] = "list,group\n" + "".join(f"{q},g{n % 20}\n" for n, q in enumerate(lists))
    found = {}
    for unit, most in (("list", 1 << 25), ("list", 1000), ("group", 1 << 25), ("group", 1000)):
        monkeypatch.setattr(sys.modules["scorer.leaderboard.figures"], "MOST_GROUPED", most)
        name, _, inside = metric.partition("(")
        measure = {"metric": name, "average": "group", "unit": unit}
        if inside:
            measure |= {"average": ["pooled", "group"], "k": 2}
        told = {"truth": "truth.csv", "lists": "lists.csv", "metrics": [measure]}
        folder = challenge(yaml.safe_dump(told), **texts)
        ran = score(folder, folder / "one.csv", folder / "two.csv", "--format", "json")
        found[unit, most] = ran.json()["leaderboard"]
    assert all(row["interval"] for row in found["list", 1 << 25])
    assert not any(row.get("interval") for row in found["list", 1000])
    assert found["group", 1000] == found["group", 1 << 25]
    assert all(row["interval"] for row in found["group", 1000])
    score(folder, folder / "one.csv", folder / "two.csv", "-m", "AP").assert_exit(0)
