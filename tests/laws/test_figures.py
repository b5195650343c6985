"""Values of all lists together under resampling: weights of lists are repeated lists."""

from dataclasses import replace

import numpy as np
import pytest
from variants import EVERY

from scorer.metrics.notation import parse_measure
from scorer.metrics.ratios import Figure, Ratio
from scorer.testing import ratings_view, returned_view
from scorer.views.columns import Extras, NamedColumns
from scorer.views.recommendations import Returned

LISTS = 12
# those of classes and numbers of tables have views, and such laws, of their own
POOLED = [
    metric
    for metric in EVERY
    if (metric.view is Returned or metric.kind == "ratings")
    and metric.pooling != "never"
    and all(default is not ... for _, default in metric.own_parameters.values())
]


def named(metrics):
    return pytest.mark.parametrize("metric", metrics, ids=lambda metric: metric.name)


def rated(seed, chosen=slice(None)):
    """Random lists of ratings, or some of them alone."""
    rng = np.random.default_rng(seed)
    sizes = [0, *rng.integers(1, 6, LISTS - 1)]
    lists = [(rng.integers(1, 6, n).tolist(), rng.uniform(1, 5, n).tolist()) for n in sizes]
    view = ratings_view(*lists[chosen])
    columns = {name: rng.uniform(1, 5, LISTS)[chosen] for name in ("scale", "weight")}
    is_chosen = np.isin(np.repeat(np.arange(LISTS), sizes), np.arange(LISTS)[chosen])
    rows = {
        name: rng.uniform(0.1, 1, sum(sizes))[is_chosen]
        for name in ("longitude", "zenith", "spread", "low", "high")
    }
    return replace(
        view,
        extras=Extras(
            list=NamedColumns(columns, "list"),
            truth=NamedColumns(rows, "truth"),
            submission=NamedColumns(rows, "submission"),
        ),
    )


def returned(seed):
    rng = np.random.default_rng(seed)
    lists = [(list("abcdefgh"[: rng.integers(0, 8)]), {}) for _ in range(LISTS)]
    return returned_view(*lists, users=dict.fromkeys("abcdefgh", 1))


def evaluate(metric, seed):
    view = returned(seed) if metric.view is Returned else rated(seed)
    return parse_measure(metric, metric.name).evaluate(view)


def repeat(result, times):
    """The result of lists that each stand there so many times."""
    if isinstance(result, Ratio):
        sides = np.broadcast_arrays(result.numerator, result.denominator)
        return Ratio(*(np.repeat(side, times) for side in sides), transform=result.transform)
    return result.subset_rows(np.repeat(np.arange(result.in_list.size), times[result.in_list]))


@pytest.mark.parametrize("seed", range(5))
@named(POOLED)
def test_resampling_is_repeating_lists(metric, seed):
    result = evaluate(metric, seed)
    if isinstance(result, Figure) and result.no_bootstrap:
        return
    rng = np.random.default_rng(seed)
    for times in (np.ones(12, dtype=np.int64), *rng.multinomial(12, np.ones(12) / 12, size=3)):
        wanted = repeat(result, times).pooled()
        weighted = result.pooled(times.astype(np.float64))
        assert weighted == pytest.approx(wanted, rel=1e-12, nan_ok=True)


@named([metric for metric in POOLED if metric.kind == "ratings"])
def test_a_value_of_some_lists_is_what_they_have_alone(metric):
    measure, some = parse_measure(metric, metric.name), slice(3, 9)
    lists = np.zeros(LISTS, dtype=bool)
    lists[some] = True
    alone = measure.evaluate(rated(1, some)).pooled()
    assert measure.evaluate(rated(1)).subset(lists).pooled() == pytest.approx(alone, nan_ok=True)


@named(POOLED)
def test_of_nothing_there_is_no_value(metric):
    assert np.isnan(evaluate(metric, 1).pooled(np.zeros(LISTS)))
