"""Metrics of subtopics: a plain oracle for each, splits, and what the truth's table means."""

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


def test_a_truth_without_subtopics_has_one(score, tmp_path):
    (tmp_path / "truth.csv").write_text("list,item,grade\nq,a,1\nq,b,1\n")
    (tmp_path / "run.csv").write_text("list,item,rank\nq,a,1\nq,x,2\nq,b,3\n")
    (tmp_path / "challenge.yaml").write_text("truth: truth.csv\nmetrics: [AP_IA, AP, StRecall]\n")
    means = score(tmp_path, tmp_path / "run.csv", "--format", "json").means()
    assert means == {"AP_IA": pytest.approx(5 / 6), "AP": pytest.approx(5 / 6), "StRecall": 1.0}
