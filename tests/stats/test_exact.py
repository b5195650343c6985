"""Sums and means that are rounded once."""

import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from rounds import rounds

from scorer.stats.units import exact_mean, exact_sum


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
    [([], 0.0), ([np.inf, 1.0], np.inf), ([np.inf, -np.inf], np.nan), ([1e308, 1e308], np.inf)],
)
def test_sums_beyond_the_largest_number(values, total):
    np.testing.assert_equal(exact_sum(np.array(values)), total)


@pytest.mark.parametrize("spread", [0, 3, 30, 200, 290])
@pytest.mark.parametrize("size", [1_999, 2_000, 70_001])
def test_sums_of_many_are_those_of_one_by_one(size, spread):
    rng = np.random.default_rng(size + spread)
    values = rng.normal(size=size) * 10.0 ** rng.uniform(-spread, spread, size)
    values[::7] = -values[::-1][::7] * (1 + 2**-40)
    total = math.fsum(values.tolist())
    assert exact_sum(values) == total
    assert exact_sum(values[::-1]) == total
    assert exact_sum(np.append(values, -total)) == math.fsum([*values.tolist(), -total])
    ones = (values > 0).astype(np.float64)
    assert exact_mean(ones) == ones.sum() / size
    if size == 2_000:
        assert exact_mean(values) == float(sum(map(Fraction, values.tolist())) / size)
