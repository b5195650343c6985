"""Lists that separate nobody, go against the others, or have a suspect truth."""

from collections import Counter

import numpy as np
import pytest
from scipy.stats import pearsonr

from scorer.stats.items import agreed, below_usual, better_half, item_total, unseparated

NAN = np.nan


@pytest.mark.parametrize(
    ("column", "failed", "solved", "alike"),
    [
        ([0, 0, 0], True, False, False),
        ([0, NAN, 0], True, False, False),
        ([0, NAN, NAN], False, False, False),  # of one alone nothing is known
        ([1, 1, 1], False, True, False),
        ([0.3, 0.1 + 0.2, 0.3], False, False, True),
        ([0, 0, 0.1], False, False, False),
        ([NAN, NAN, NAN], False, False, False),
    ],
)
def test_lists_that_separate_nobody(column, failed, solved, alike):
    found = unseparated(np.array([column, [0, 1, 0.5]]).T[:, :1], 0.0, 1.0)
    assert [bool(each[0]) for each in found] == [failed, solved, alike]


def test_without_a_range_none_is_failed():
    found = unseparated(np.zeros((2, 1)), None, None)
    assert [bool(each[0]) for each in found] == [False, False, True]


def plain_item_total(values, at):
    """Pearson's correlation with the mean of the other lists, by scipy."""
    pairs = [
        (row[at], np.nanmean(np.delete(row, at)))
        for row in values
        if not np.isnan(row[at]) and not np.isnan(np.delete(row, at)).all()
    ]
    one, other = np.array(pairs).T
    return pearsonr(one, other, alternative="less")


def test_item_total_is_corrected():
    random = np.random.default_rng(3)
    values = random.random((9, 6)) + np.arange(9)[:, None] / 10
    values[:, 2] *= -1
    values[random.random((9, 6)) < 0.15] = NAN
    found = item_total(values)
    for at in range(6):
        wanted = plain_item_total(values, at)
        assert found.correlation[at] == pytest.approx(wanted.statistic)
        assert found.p[at] == pytest.approx(wanted.pvalue)
    assert found.correlation.argmin() == 2


def test_item_total_of_what_does_not_vary_is_unknown():
    found = item_total(np.array([[1.0, 0.1, NAN], [1.0, 0.2, NAN], [1.0, 0.9, NAN]]))
    assert np.isnan(found.correlation).tolist() == [True, True, True]  # nothing else varies
    assert np.isnan(item_total(np.ones((2, 4)) * [[1], [2]]).p).all()  # of two rows


@pytest.mark.parametrize(
    ("means", "rows"),
    [([0.1, 0.9], []), ([0.1, 0.9, 0.5], [1, 2]), ([0.5, 0.5, NAN, 0.7, 0.1], [3, 0, 1])],
)
def test_the_better_half(means, rows):
    assert better_half(np.array(means)).tolist() == rows


def test_how_far_all_good_ones_are_below_their_usual_value():
    values = np.array([[1, 1, 1, 0, 0.0], [1, 1, 1, 1, 0], [0, 1, 0, 1, 1]])
    away = below_usual(values, np.array([0, 1]))
    usual = [(row - row.mean()) / row.std() for row in values[:2]]
    assert away == pytest.approx(np.maximum(*usual))
    values[1, 4] = NAN
    assert np.isnan(below_usual(values, np.array([0, 1]))).tolist() == [False] * 4 + [True]
    assert np.isnan(below_usual(values, np.array([], dtype=int))).all()


def test_what_most_say_of_a_row():
    codes = np.random.default_rng(5).integers(-1, 3, (5, 60))
    said, share = agreed(codes)
    for at, column in enumerate(codes.T.tolist()):
        count = Counter(code for code in column if code >= 0)
        most = max(count.values(), default=0)
        assert share[at] == most / 5
        assert said[at] == next((c for c in column if count.get(c) == most > 0), -1)
