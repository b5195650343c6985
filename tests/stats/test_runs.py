"""Repeated runs: parts of the variance, intervals, tests and pass@k."""

import itertools

import numpy as np
import pytest
from scipy import stats

from scorer.stats.repeats import (
    RunsVariance,
    VariancePart,
    analyse_runs,
    paired_runs,
    pass_at,
    runs_interval,
    with_common_run_variance,
)


def table(runs, cases=12, of_runs=1.0, seed=1):
    rng = np.random.default_rng(seed)
    effects = rng.normal(size=cases) + of_runs * rng.normal(size=(runs, 1))
    return effects + rng.normal(size=(runs, cases))


def test_the_parts_are_those_of_an_analysis_of_variance():
    """Mean squares by hand, of a table of 2 runs and 3 cases."""
    values = np.array([[1.0, 2.0, 6.0], [3.0, 4.0, 5.0]])  # of runs 3, 4; of cases 2, 3, 5.5
    found = analyse_runs(values)
    cases, runs = 2 * (1.5**2 + 0.5**2 + 2**2) / 2, 3 * (0.5**2 + 0.5**2)
    rest = (2 * (0.5**2 + 0.5**2 + 1**2)) / 2
    assert found.mean.tolist() == [2, 3, 5.5]
    assert found.cases == (pytest.approx(cases / 6), 2)
    assert runs == rest
    assert found.runs == (pytest.approx(0), 1)  # runs vary no more than what is left says
    wider = analyse_runs(values + np.array([[0.0], [4.0]]))
    assert wider.runs.variance == pytest.approx((3 * 2 * 2.5**2 - rest) / 6)


def test_a_single_run_has_the_error_of_its_mean():
    values = table(1)
    found = analyse_runs(values)
    assert found.runs is None
    low, high = runs_interval(found, 0.95)
    expected = stats.t.interval(0.95, 11, values.mean(), stats.sem(values[0]))
    assert (low, high) == pytest.approx(expected)


def test_runs_that_are_the_same_add_nothing():
    same = np.tile(table(1), (4, 1))
    assert runs_interval(analyse_runs(same), 0.9) == pytest.approx(
        runs_interval(analyse_runs(same[:1]), 0.9)
    )
    assert runs_interval(analyse_runs(np.full((3, 5), 0.5)), 0.9) == (0.5, 0.5)


def test_runs_of_one_mean_that_is_rounded_are_not_drawn_apart():
    values = np.array([1.0] * 6 + [1 / 9] * 4)  # whose mean is rounded in another way than a sum
    system = analyse_runs(np.array([values, values]))
    assert system.runs == VariancePart(0.0, 1)


def test_clusters_of_cases():
    values = table(3)
    twice = np.repeat(values, 2, axis=1)
    clusters = np.repeat(np.arange(12), 2)
    assert analyse_runs(twice, clusters).cases == pytest.approx(analyse_runs(values).cases)
    assert analyse_runs(twice).cases.variance < analyse_runs(values).cases.variance


def test_quantiles_are_weighted_by_parts():
    few, many = stats.t.ppf(0.975, [2, 30])
    system = RunsVariance(np.zeros(31), VariancePart(3.0, 30), VariancePart(1.0, 2))
    assert runs_interval(system, 0.95)[1] == pytest.approx((few + 3 * many) / 4 * 2)


def test_pairs():
    systems = [analyse_runs(table(3, seed=1)), analyse_runs(table(3, seed=1)),
               analyse_runs(table(4, seed=2) + 9)]  # fmt: skip
    found = paired_runs(systems, 3, 12, own_level=0.95)
    assert found.pairs == 3
    assert found.p[0, 1] == 1
    assert found.lead[0].tolist() == [0, 0, -1]
    assert found.p[0, 2] < 0.05
    assert found.lists[0, 2] == 12
    for (one, other), level in itertools.product([(0, 2), (1, 2)], [found.margin]):
        width = level[one, other]
        assert 0 < width < found.joint_margin[one, other]
    control = paired_runs(systems, 3, 12, control=True)
    assert np.isnan(control.p[1, 2])
    none = paired_runs([], 3, 1)
    assert (none.pairs, np.isnan(none.p[0, 1])) == (0, True)


def test_a_p_is_where_an_interval_begins_to_hold_nothing():
    systems = [analyse_runs(table(3, of_runs=0.3, seed=n)) for n in (5, 6)]
    p = paired_runs(systems, 2, 12).p[0, 1]
    found = paired_runs(systems, 2, 12, own_level=1 - p)
    assert found.margin[0, 1] == pytest.approx(abs(found.difference[0, 1]), rel=1e-6)


def test_a_single_run_is_lent_what_the_others_vary_by():
    systems = [analyse_runs(table(n, seed=n)) for n in (3, 3, 1)]
    *known, single = with_common_run_variance(systems)
    assert known == systems[:2]
    of_one = systems[0].runs.variance * 3  # of a mean of one run instead of three
    assert single.runs == (pytest.approx(of_one), 4)
    assert with_common_run_variance(systems[2:])[0].runs == (0, 1)


def test_pass_at_is_the_share_of_choices_with_a_right_one():
    right = np.array([1, 0, 0, 1, 0])
    for k in range(1, 6):
        choices = [*itertools.combinations(right, k)]
        expected = np.mean([any(choice) for choice in choices])
        assert pass_at(np.array([2]), 5, k) == pytest.approx(expected)
    assert np.isnan(pass_at(np.array([2]), 5, 6)).all()
