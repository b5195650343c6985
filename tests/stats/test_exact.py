"""Sums and means that are rounded once."""

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from rounds import rounds

from scorer.stats.exact import exact_mean, exact_sum


@rounds(100)
@given(st.lists(st.floats(-1e300, 1e300), min_size=1, max_size=40), st.randoms())
def test_means_are_those_of_fractions_in_any_order(values, random):
    mean = float(sum(map(Fraction, values)) / len(values))
    random.shuffle(values)
    assert exact_mean(np.array(values)) == pytest.approx(mean, rel=1e-15, abs=1e-300)
    assert exact_sum(np.array(values)) == float(sum(map(Fraction, values)))


@pytest.mark.parametrize("value", [0.1, 0.4, 0.8, 1 / 3, -2.3, 0.0])
@pytest.mark.parametrize("times", [1, 3, 7, 49, 30_000])
def test_equal_values_are_their_own_mean(value, times):
    assert exact_mean(np.full(times, value)) == value


@pytest.mark.parametrize(
    ("values", "total"),
    [
        ([], 0.0),
        ([np.inf, 1.0], np.inf),
        ([np.inf, -np.inf], np.nan),
        ([1e308, 1e308], np.inf),
    ],
)
def test_sums_beyond_the_largest_number(values, total):
    np.testing.assert_equal(exact_sum(np.array(values)), total)
