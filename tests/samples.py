"""Made-up values of submissions, and what the tests of statistics ask of them."""

import numpy as np
from scipy import stats


def sample(submissions, lists, seed=0):
    """Values in steps of .05 with easy and hard lists, better submissions first."""
    rng = np.random.default_rng(seed)
    hardness = rng.uniform(0.2, 0.8, lists)
    level = np.linspace(0.15, 0, submissions)[:, None]
    return np.round(np.clip(hardness + level + rng.normal(0, 0.2, (submissions, lists)), 0, 1), 2)


def ends(made):
    return np.array([(interval.low, interval.high) for interval in made])


def within(found, times, rate):
    """Whether `found` of `times` is what a true `rate` gives, but once in ten thousand."""
    return stats.binomtest(int(found), times, rate).pvalue > 1e-4
