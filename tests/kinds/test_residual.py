"""Residual collections: pairs that are taken out first. Ties at the mean of their ranks."""

import json

import numpy as np
import pytest
from lists import meet

from scorer.metrics.catalogue import metrics
from scorer.metrics.notation import parse, parse_measure

TRUTH = "list,item,grade\nq1,a,1\nq1,b,2\nq1,c,1\nq2,a,1\n"
RUN = "list,item,score\nq1,a,9\nq1,x,8\nq1,b,7\nq1,c,6\nq2,a,5\n"
SEEN = "list,item\nq1,a\nq1,x\nq3,z\nq2,b\n"
YAML = (
    "truth: truth.csv\nexclude: {file: seen.csv}\nmetrics: [RR, 'R@2', nDCG, StRecall, Novelty@1]\n"
)
YAML += "history: {file: history.csv}\n"
FILES = {
    "truth.csv": TRUTH,
    "seen.csv": SEEN,
    "run.csv": RUN,
    "history.csv": "list,item\nu,b\nu,c\n",
}


def lists_of(ran):
    assert ran.code == 0, ran
    values = json.loads(ran.out)["submissions"][0]["values"]
    return {name: each["per_list"] for name, each in values.items()}


def test_what_was_shown_before_counts_nowhere(challenge, score):
    folder = challenge(YAML, **FILES)
    words = (folder, folder / "run.csv", "--format", "json", "--per-list")
    found = lists_of(score(*words))
    left = "list,item,score\nq1,b,7\nq1,c,6\nq2,a,5\n"
    truth = "list,item,grade\nq1,b,2\nq1,c,1\nq2,a,1\n"
    files = FILES | {"truth.csv": truth, "run.csv": left}
    plain = challenge(YAML.replace("exclude: {file: seen.csv}\n", ""), **files)
    assert found == lists_of(score(plain, plain / "run.csv", "--format", "json", "--per-list"))
    assert found["RR"] == {"q1": 1.0, "q2": 1.0}
    assert found["R@2"] == {"q1": 1.0, "q2": 1.0}


@pytest.mark.slow("scores with every measure of the kind")
def test_explained_without_them(challenge, score):
    folder = challenge(YAML, **FILES)
    ran = score("explain", folder, folder / "run.csv", "--list", "q1", "-m", "nDCG")
    ran.assert_exit(0, out="all 2 ranks")
    assert score("lint", folder).code in (0, 1)


def test_a_list_that_is_taken_out_whole_is_not_missing(challenge, score):
    yaml = YAML.replace("metrics:", "submission: {missing_list: skip}\nmetrics:")
    files = FILES | {"run.csv": "list,item,score\nq1,a,9\nq1,x,1\nq2,a,1\n"}
    folder = challenge(yaml, **files)
    found = lists_of(score(folder, folder / "run.csv", "--format", "json", "--per-list"))
    assert found["RR"] == {"q1": 0.0, "q2": 1.0}


def test_of_a_file_in_any_order(challenge, score):
    lists = [f"q{n}" for n in range(40)]
    items = [f"d{n}" for n in range(30)]
    rng = np.random.default_rng(5)
    truth = [(q, i) for q in lists for i in rng.permutation(items)[:10]]
    run = [(q, i, int(rng.integers(9))) for i in items for q in lists]
    seen = {(q, i) for q in lists for i in rng.permutation(items)[:5]}

    def text(head, rows):
        return head + "".join(",".join(map(str, row)) + "\n" for row in rows)

    files = {
        "truth.csv": text("list,item\n", truth),
        "run.csv": text("list,item,score\n", run),
        "seen.csv": text("list,item\n", sorted(seen)),
    }
    yaml = "truth: truth.csv\nexclude: {file: seen.csv}\nmetrics: [AP, RR, nDCG@5]\n"
    folder = challenge(yaml, **files)
    found = lists_of(score(folder, folder / "run.csv", "--format", "json", "--per-list"))
    files["truth.csv"] = text("list,item\n", [row for row in truth if row not in seen])
    files["run.csv"] = text("list,item,score\n", [row for row in run if row[:2] not in seen])
    plain = challenge(yaml.replace("exclude: {file: seen.csv}\n", ""), **files)
    assert found == lists_of(score(plain, plain / "run.csv", "--format", "json", "--per-list"))


# Ties at the mean of their ranks


def value(notation, pair):
    made = parse_measure(metrics().get(parse(notation).name), notation)
    (found,) = made.values(meet([pair], "mean-rank"))
    return found


def test_a_tied_item_stands_at_the_mean_of_the_ranks():
    pair = (["x", ["a", "y", "z"], "b"], {"a": 1, "b": 1})  # a at (2 + 3 + 4) / 3, b at 5
    assert value("RR", pair) == pytest.approx(1 / 3)
    assert value("RR@2", pair) == 0
    assert value("Success@3", pair) == 1
    assert value("Success@2", pair) == 0
    assert value("P@3", pair) == pytest.approx(1 / 3)
    assert value("R@5", pair) == 1
    assert value("DCG", pair) == pytest.approx(1 / 2 + 1 / np.log2(6))
    assert value("RBP(p=0.5)", pair) == pytest.approx((0.5**2 + 0.5**4) / 2)
    even = ([["a", "y"], "b"], {"a": 1})
    assert value("RR", even) == pytest.approx(1 / 1.5)
    assert value("nDCG", even) == pytest.approx(1 / np.log2(2.5))


def test_without_ties_it_is_as_ever():
    lists = [(list("xaby"), {"a": 1, "b": 2, "c": 1}), (["b"], {"b": 1})]
    for notation in ("RR", "P@2", "R@2", "Success@1", "DCG", "nDCG@3", "RBP(p=0.8)", "Hits@1"):
        made = parse_measure(metrics().get(parse(notation).name), notation)
        values = [made.values(meet(lists, ties)) for ties in ("mean-rank", "item-desc")]
        assert np.array_equal(*values, equal_nan=True), notation


def test_mean_ranks_on_the_command_line(challenge, score):
    yaml = "truth: truth.csv\nsubmission: {ties: mean-rank}\nmetrics: [RR, Success@1, nDCG]\n"
    files = {"truth.csv": "list,item\nq,a\n", "run.csv": "list,item,score\nq,a,1\nq,b,1\nq,c,0\n"}
    folder = challenge(yaml, **files)
    found = lists_of(score(folder, folder / "run.csv", "--format", "json", "--per-list"))
    assert found["RR"] == {"q": pytest.approx(2 / 3)}
    assert found["Success@1"] == {"q": 0.0}
    for notation in found:
        score("explain", folder, folder / "run.csv", "--list", "q", "-m", notation).assert_exit(0)
    told = score("explain", folder, folder / "run.csv", "--list", "q", "-m", "RR")
    assert "1 / 1.5" in told.out
