"""Metrics of subtopics: a plain oracle for each, splits, and what the truth's table means."""

import json
from math import log2, nan

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from oracles import divided
from variants import DIVERSE, METRICS, bound

from scorer.views.diverse import Diverse

LAWS = settings(derandomize=True, deadline=None, max_examples=25)
ITEMS, SUBTOPICS = "abcdef", "123"


@st.composite
def pairs(draw):
    """A submitted list, and the grades of items for subtopics."""
    grades = st.dictionaries(st.sampled_from(SUBTOPICS), st.sampled_from([-1, 0, 1, 2]), min_size=1)
    truth = draw(st.dictionaries(st.sampled_from(ITEMS), grades))
    return draw(st.lists(st.sampled_from(ITEMS), unique=True)), truth


def _relevant(truth, rel):
    return {
        item: [s for s, grade in grades.items() if grade >= rel] for item, grades in truth.items()
    }


def _gains(items, relevant, alpha):
    """What each item adds, its subtopics together."""
    seen, gains = dict.fromkeys(SUBTOPICS, 0), []
    for item in items:
        gains.append(sum((1 - alpha) ** seen[s] for s in relevant.get(item, ())))
        for s in relevant.get(item, ()):
            seen[s] += 1
    return gains


def _best(relevant, alpha):
    """The greedy order, equal gains by name downwards."""
    left, order = sorted(relevant, reverse=True), []
    while left:
        gains = [_gains([*order, item], relevant, alpha)[-1] for item in left]
        order.append(left.pop(gains.index(max(gains))))
    return order


def oracle(
    name, items, truth, k=None, rel=1, alpha=0.5, beta=0.5, normalize=True, judged_only=False
):
    if judged_only:
        kept = {item for item, grades in truth.items() if max(grades.values()) >= 0}
        items = [item for item in items if item in kept]
    relevant = _relevant(truth, rel)
    known = {s for mine in relevant.values() for s in mine}
    gains, ideal = _gains(items, relevant, alpha), _gains(_best(relevant, alpha), relevant, alpha)
    ranks = range(1, (len(items) if k is None else k) + 1)
    if not known:
        return nan
    match name:
        case "alpha_DCG" | "ERR_IA" | "alpha_nDCG" | "nERR_IA" | "nNRBP" | "NRBP":
            by = {"a": lambda i: log2(i + 1), "E": lambda i: i, "N": lambda i: beta ** (1 - i)}[
                name.lstrip("n")[0]
            ]

            def discounted(gains, k):
                return sum(gain / by(i) for i, gain in enumerate(gains[:k], start=1))

            if name == "NRBP":
                return discounted(gains, k) * (1 - (1 - alpha) * beta) / len(known)
            if name in ("alpha_DCG", "ERR_IA"):
                most = [len(known) * (1 - alpha) ** (i - 1) for i in ranks]
                return discounted(gains, k) / (discounted(most, k) if normalize else 1)
            return divided(discounted(gains, k), discounted(ideal, k))
        case "AP_IA":
            total = 0.0
            for s in known:
                found, mine = 0, 0.0
                for rank, item in enumerate(items, start=1):
                    if s in relevant.get(item, ()):
                        found += 1
                        mine += found / rank
                total += mine / sum(s in each for each in relevant.values())
            return total / len(known)
        case "P_IA":
            return sum(len(relevant.get(item, ())) for item in items[:k]) / k / len(known)
        case "StRecall":
            return len({s for item in items[:k] for s in relevant.get(item, ())}) / len(known)


def values(notation, *lists):
    made = bound(notation)
    return made.metric.function(Diverse.of(*lists), **made.params)


def test_every_metric_of_subtopics_is_here():
    known = {metric.name for metric in METRICS if metric.view is Diverse}
    assert known == {bound(n).metric.name for n in DIVERSE}


@pytest.mark.parametrize("notation", DIVERSE)
def test_values_are_the_oracles_in_range_and_of_any_split(notation):
    made = bound(notation)
    low, high = made.metric.range

    @LAWS
    @given(st.lists(pairs(), min_size=1, max_size=4))
    def holds(lists):
        found = values(notation, *lists)
        wanted = [oracle(made.metric.name, *pair, **made.params) for pair in lists]
        assert found == pytest.approx(wanted, rel=1e-12, abs=1e-12, nan_ok=True)
        known = found[~np.isnan(found)]
        assert (known >= low).all()
        assert high is None or (known <= high + 1e-12).all()
        alone = np.concatenate([values(notation, pair) for pair in lists])
        assert np.array_equal(found, alone, equal_nan=True)  # to the bit

    holds()


def test_nothing_at_all():
    for notation in DIVERSE:
        assert values(notation).shape == (0,)
        assert np.isnan(values(notation, (["a"], {}))).all()


QRELS = """\
101 1 d1 1
101 2 d1 1
101 1 d2 1
101 2 d3 0
101 3 d3 2
102 1 d1 0
"""
RUN = """\
101 Q0 d2 1 3.0 r
101 Q0 d1 2 2.0 r
101 Q0 d9 3 1.0 r
102 Q0 d1 1 1.0 r
"""


def test_diversity_qrels_on_the_command_line(score, tmp_path):
    (tmp_path / "qrels.txt").write_text(QRELS)
    (tmp_path / "run.txt").write_text(RUN)
    (tmp_path / "challenge.yaml").write_text(
        "truth: {file: qrels.txt, format: trec}\nsubmission: {format: trec}\n"
        "metrics: [alpha_nDCG@2, StRecall@1, AP]\nundefined: skip\n"
        "leaderboard: {intervals: false, tiers: false}\n"
    )
    ran = score(tmp_path / "challenge.yaml", tmp_path / "run.txt", "--format", "json", "--per-list")
    assert ran.code == 0, ran
    found = json.loads(ran.out)["submissions"][0]["values"]
    wanted = (1 + 1.5 / log2(3)) / (2 + 1 / log2(3))  # the best: d1, then d3
    assert found["alpha_nDCG@2"]["per_list"] == {"101": pytest.approx(wanted), "102": None}
    assert found["StRecall@1"]["per_list"] == {"101": pytest.approx(1 / 3), "102": None}
    assert found["AP"]["per_list"]["101"] == pytest.approx(2 / 3)  # an item counts once
    told = score("explain", tmp_path, tmp_path / "run.txt", "--list", "101", "-m", "alpha_nDCG@2")
    assert told.code == 0, told
    assert "alpha-DCG / that of the best order" in told.out
    lint = score("lint", tmp_path)
    assert "better than perfect" not in lint.out


def test_a_truth_without_subtopics_has_one(score, tmp_path):
    (tmp_path / "truth.csv").write_text("list,item,grade\nq,a,1\nq,b,1\n")
    (tmp_path / "run.csv").write_text("list,item,rank\nq,a,1\nq,x,2\nq,b,3\n")
    (tmp_path / "challenge.yaml").write_text("truth: truth.csv\nmetrics: [AP_IA, AP, StRecall]\n")
    ran = score(tmp_path, tmp_path / "run.csv", "--format", "json")
    means = {
        name: one["mean"] for name, one in json.loads(ran.out)["submissions"][0]["values"].items()
    }
    assert means == {"AP_IA": pytest.approx(5 / 6), "AP": pytest.approx(5 / 6), "StRecall": 1.0}
