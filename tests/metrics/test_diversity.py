"""Metrics of subtopics: a plain oracle for each, splits, and what the truth's table means."""

from math import log2

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from rounds import rounds
from variants import DIVERSE, bound, described, oracle_params

from scorer.testing import diverse_view

LAWS = rounds(25)
ITEMS, SUBTOPICS = "abcdef", "123"


@st.composite
def pairs(draw):
    """A submitted list, and the grades of items for subtopics."""
    grades = st.dictionaries(st.sampled_from(SUBTOPICS), st.sampled_from([-1, 0, 1, 2]), min_size=1)
    truth = draw(st.dictionaries(st.sampled_from(ITEMS), grades))
    return draw(st.lists(st.sampled_from(ITEMS), unique=True)), truth


def values(notation, *lists):
    made = bound(notation)
    return made.values(diverse_view(*lists))


@pytest.mark.slow("tries every metric on random lists", beyond=1)
@pytest.mark.parametrize("notation", DIVERSE)
def test_values_are_the_oracles_in_range_and_of_any_split(notation):
    made = bound(notation)
    low, high = made.metric.range

    @LAWS
    @given(st.lists(pairs(), min_size=1, max_size=4))
    def holds(lists):
        found = values(notation, *lists)
        wanted = [described(made.metric).oracle(*pair, **oracle_params(made)) for pair in lists]
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


@pytest.mark.slow("scores random lists")
def test_diversity_qrels_on_the_command_line(score, tmp_path):
    (tmp_path / "qrels.txt").write_text(QRELS)
    (tmp_path / "run.txt").write_text(RUN)
    (tmp_path / "challenge.yaml").write_text(
        "truth: {file: qrels.txt, format: trec}\nsubmission: {format: trec}\n"
        "metrics: [alpha_nDCG@2, StRecall@1, AP]\nundefined: skip\n"
        "leaderboard: {intervals: false, tiers: false}\n"
    )
    ran = score(tmp_path / "challenge.yaml", tmp_path / "run.txt", "--format", "json", "--per-list")
    found = ran.json()["submissions"][0]["values"]
    wanted = (1 + 1.5 / log2(3)) / (2 + 1 / log2(3))  # the best: d1, then d3
    assert found["alpha_nDCG@2"]["per_list"] == {"101": pytest.approx(wanted), "102": None}
    assert found["StRecall@1"]["per_list"] == {"101": pytest.approx(1 / 3), "102": None}
    assert found["AP"]["per_list"]["101"] == pytest.approx(2 / 3)  # an item counts once
    told = score("explain", tmp_path, tmp_path / "run.txt", "--list", "101", "-m", "alpha_nDCG@2")
    told.assert_exit(0, out="sum of gains / gain of the best order")
    lint = score("lint", tmp_path)
    assert "better than perfect" not in lint.out


def test_a_truth_without_subtopics_has_one(score, tmp_path):
    (tmp_path / "truth.csv").write_text("list,item,grade\nq,a,1\nq,b,1\n")
    (tmp_path / "run.csv").write_text("list,item,rank\nq,a,1\nq,x,2\nq,b,3\n")
    (tmp_path / "challenge.yaml").write_text("truth: truth.csv\nmetrics: [AP_IA, AP, StRecall]\n")
    means = score(tmp_path, tmp_path / "run.csv", "--format", "json").means()
    assert means == {"AP_IA": pytest.approx(5 / 6), "AP": pytest.approx(5 / 6), "StRecall": 1.0}
