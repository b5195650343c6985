"""Aggregates of values: what they are by numpy, and what is written of them."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from rounds import rounds

from scorer.stats.aggregate import GroupAggregate, aggregate, aggregate_groups

VALUES = st.lists(st.floats(-10, 10), min_size=1, max_size=12)


@rounds(100)
@given(VALUES, st.floats(0, 1), st.data())
def test_a_quantile_is_numpys_of_values_as_often_as_their_weight(values, share, data):
    times = data.draw(st.lists(st.integers(1, 4), min_size=len(values), max_size=len(values)))
    how = aggregate(f"quantile({share:.17f})")
    plain, repeated = np.array(values), np.repeat(values, times)
    assert how.of(plain) == pytest.approx(np.quantile(plain, how.number), abs=1e-9)
    found = how.of(plain, np.array(times, dtype=float))
    assert found == pytest.approx(np.quantile(repeated, how.number), abs=1e-9)


@pytest.mark.parametrize(
    ("text", "values", "expected"),
    [
        ("stability(88, 0.5)", [0.5, 0.5, 0.5], 0.5),
        ("stability(88, 0.5)", [0.4, 0.5, 0.6], 0.5),  # a line that rises
        ("stability(2, 0.5)", [0.6, 0.5, 0.4], 0.5 - 0.2),
        ("stability(0, 1)", [1, 0, 1], 2 / 3 - np.std([1 / 3, -2 / 3, 1 / 3])),
        ("stability(2, 0)", [0.6, np.nan, 0.4], 0.5 - 0.2),  # places stay where one is missing
        ("stability(1, 1)", [0.6], np.nan),
        ("dispersion(1)", [0.9, np.nan, 0.5], 0.7 - 0.2),
        ("dispersion(0.5)", [0.5], 0.5),
        ("dispersion(1)", [], np.nan),
        ("quantile(0.9)", [], np.nan),
        ("quantile(0.5)", [3, np.nan, 1], 2),
    ],
)
def test_values(text, values, expected):
    found = aggregate(text).of(np.array(values, dtype=float))
    assert found == pytest.approx(expected, abs=1e-12, nan_ok=True)
    assert str(aggregate(text)) == text


def test_groups_count_in_the_order_of_their_names():
    figures, order = np.array([[0.4, 0.6, 0.5]]), np.array([1, 2, 0])
    how = GroupAggregate(aggregate("stability(2, 0.5)"), order=order)
    assert aggregate_groups(figures, np.ones((1, 3)), how)[0] == pytest.approx(0.5 - 0.2)


@pytest.mark.parametrize("values", [[0.4] * 9, [0.3, 0.5] * 50, [0.1] * 10])
def test_means_of_values_and_of_groups_are_exact(values):
    values, mean = np.array(values), {9: 0.4, 100: 0.4, 10: 0.1}[len(values)]
    for order in (values, values[::-1], np.sort(values)):
        how = GroupAggregate(aggregate("mean"))
        assert aggregate("mean").of(order) == mean
        assert aggregate_groups(order[None], np.ones((1, order.size)), how) == [mean]
