"""The order of rows by score is the stable one, whatever the scores are."""

import numpy as np
import pytest

from scorer.metrics.labels.curves import order

CHANCE = np.random.default_rng(1)
SCORES = {
    "none": [],
    "one": [0.5],
    "distinct": CHANCE.random(1000),
    "tied": CHANCE.random(1000).round(1),
    "all equal": np.zeros(1000),
    "both zeros": [0.0, -0.0, 0.0, -1.0, -0.0],
    "not all are numbers": [0.5, np.nan, 0.1, np.nan, 0.5, 0.1],
    "infinite": [np.inf, -np.inf, np.inf, 0.0, -np.inf],
}


@pytest.mark.parametrize("name", SCORES)
def test_equal_scores_stay_in_the_order_of_the_rows(name):
    score = np.array(SCORES[name], dtype=np.float64)
    assert order(score).tolist() == np.argsort(score, kind="stable").tolist()
