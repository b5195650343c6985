"""Whole-challenge figures under resampling: their sums or weights say what the figure says."""

from dataclasses import replace

import numpy as np
import pytest

from scorer.core.registry import discover
from scorer.metrics.base import Metric
from scorer.metrics.measure import measure
from scorer.metrics.statistic import Sums, Unbootstrappable, Weighted
from scorer.views.extras import Extras, NamedColumns
from scorer.views.pooled import Statistics
from scorer.views.rated import Rated
from scorer.views.returned import Returned

METRICS = discover("metric", "scorer.metrics", Metric)
FIGURES = sorted((each for each in METRICS if each.statistic is not None), key=lambda m: m.name)
# those of classes and numbers have views, and such laws, of their own
RESAMPLED = [
    each
    for each in FIGURES
    if each.view in (Rated, Returned) and not isinstance(each.statistic, Unbootstrappable)
]


def named(metrics):
    return pytest.mark.parametrize("metric", metrics, ids=lambda metric: metric.name)


def rated(seed):
    rng = np.random.default_rng(seed)
    view = Rated.of(
        *(
            (
                rng.integers(1, 6, size).tolist(),
                [(p, p - 1, p + 1) for p in rng.uniform(1, 5, size)],
            )
            for size in [0, *rng.integers(1, 6, 11)]
        )
    )
    columns = {name: rng.uniform(1, 5, 12) for name in ("scale", "weight")}
    return replace(view, extras=Extras(list=NamedColumns(columns, "list")))


def returned(seed):
    rng = np.random.default_rng(seed)
    lists = [(list("abcdefgh"[: rng.integers(0, 8)]), {}) for _ in range(12)]
    return Returned.of(*lists, users=dict.fromkeys("abcdefgh", 1))


def statistics(metric, seed):
    """What a metric gives of random lists, and its settled parameters."""
    made = measure(metric, metric.name)
    if "average" in made.params:
        made = measure(metric, f"{metric.name}(average=pooled)")
    view = rated(seed) if metric.view is Rated else returned(seed)
    return metric.values(view, **made.params), made


def repeated(found, times):
    """The statistics of lists that each stand there so many times."""
    rows = np.repeat(np.arange(found.in_list.size), times[found.in_list])
    return Statistics(np.zeros(rows.size, dtype=np.int64), found.rows[rows], int(times.sum()))


@named(FIGURES)
def test_every_figure_can_be_resampled_or_says_why_not(metric):
    statistic = metric.statistic
    assert isinstance(statistic, Sums | Weighted) or statistic.why


@pytest.mark.parametrize("seed", range(5))
@named(RESAMPLED)
def test_resampling_is_repeating_lists(metric, seed):
    found, made = statistics(metric, seed)
    statistic, params = made.metric.statistic, made.params
    rng = np.random.default_rng(seed)
    for times in (np.ones(12, dtype=np.int64), *rng.multinomial(12, np.ones(12) / 12, size=3)):
        wanted = statistic.figure(repeated(found, times), **params)
        if isinstance(made.metric.statistic, Sums):
            sums = times[None, :] @ found.sums()
            (value,) = made.metric.statistic.of_sums(sums, **params)
        else:
            value = made.metric.statistic.weighted(found, times.astype(np.float64), **params)
        assert value == pytest.approx(wanted, rel=1e-12, nan_ok=True)


@named(RESAMPLED)
def test_of_nothing_there_is_no_figure(metric):
    found, made = statistics(metric, 1)
    if isinstance(made.metric.statistic, Sums):
        nothing = np.zeros((2, found.rows.shape[1]))
        assert np.isnan(made.metric.statistic.of_sums(nothing, **made.params)).all()
    else:
        assert np.isnan(made.metric.statistic.weighted(found, np.zeros(12), **made.params))
