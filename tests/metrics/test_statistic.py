"""What the rows of a pooled metric become, and the keywords that said it before."""

import numpy as np
import pytest

from scorer import Statistics, metric
from scorer.metrics.base import Metric
from scorer.metrics.statistic import Share, Sums, Unbootstrappable, Weighted
from scorer.views.rated import Rated

GIVEN = Statistics(np.array([0, 0, 2]), np.array([[1.0, 2.0], [2.0, 2.0], [6.0, 8.0]]), 3)


def largest(statistics, **_):
    return statistics.rows[:, 0].max()


def second(sums, **_):
    return sums[:, 1]


def counted(statistics, weights, **_):
    return (statistics.rows[:, 0] * weights[statistics.in_list]).sum()


@pytest.mark.parametrize(
    ("statistic", "value"),
    [
        (Share(), 9 / 12),
        (Share(np.sqrt), (9 / 12) ** 0.5),
        (Sums(second), 12.0),
        (Sums(second, exact=largest), 6.0),
        (Weighted(counted), 9.0),
        (Weighted(counted, smooth=False), 9.0),
        (Unbootstrappable(largest, "why"), 6.0),
    ],
)
def test_figure(statistic, value):
    assert statistic.figure(GIVEN) == value
    nothing = Statistics(np.empty(0, dtype=np.int64), np.empty((0, 2)), 0)
    if isinstance(statistic, Sums) and statistic.exact is not largest:
        assert statistic.of_sums(GIVEN.rows.sum(axis=0)[None])[0] == value
        assert np.nan_to_num(statistic.figure(nothing)) == 0


def test_of_some_lists_weights_still_go_by_the_number_of_the_list():
    assert Weighted(counted).figure(GIVEN.of(np.array([False, False, True]))) == 6


def test_terms_of_lists():
    assert Share().summed(GIVEN).tolist() == [[3, 4], [0, 0], [6, 8]]
    assert Sums(second, lambda statistics, **_: 2 * statistics.sums()).summed(GIVEN)[0, 1] == 8


def made(**keywords):
    @metric("Own", title="One's own", source="this test", aggregate="pooled", **keywords)
    def own(rated: Rated) -> Statistics:
        """A value of all ratings."""
        return rated.mean(rated.prediction)

    return own.__scorer__


def test_a_metric_of_lists_has_none():
    with_none = made()
    assert isinstance(with_none, Metric)
    assert with_none.statistic is None
