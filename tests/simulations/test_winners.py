"""What is taken from the value of a board's first: by the bootstrap, or by inference on winners.

Andrews, Kitagawa and McCloskey, "Inference on winners", Quarterly Journal of Economics 139, 2024.
Their estimates need the covariance of the submissions' means alone, which the lists give.
"""

import os

import numpy as np
import pytest
from scipy.special import log_ndtr
from scipy.stats import norm

from scorer.stats.bootstrap import resampled
from scorer.stats.ranks import optimism

TIMES = int(os.environ.get("SIMULATE", "1"))
LISTS = 100
WITHIN = 0.005  # a tenth of .05: how often the hybrid's joint intervals may miss

# Andrews, Kitagawa and McCloskey


def bounds(means, covariance, best):
    """Between which the value of the best makes it the best, the others' own parts as they are."""
    share = covariance[best] / covariance[best, best]
    own, room = means - share * means[best], 1 - share
    others = np.arange(means.size) != best
    with np.errstate(divide="ignore", invalid="ignore"):
        border = own / room
    low = border[others & (room > 1e-12)].max(initial=-np.inf)
    return low, border[others & (room < -1e-12)].min(initial=np.inf)


def share_below(value, low, high):
    """Of a standard normal variable between two bounds; in the tail that has its digits."""
    if low > 0:
        return 1 - share_below(-value, -high, -low)
    top = log_ndtr(high)
    parts = [np.exp(log_ndtr(end) - top) for end in (value, low)]
    return (parts[0] - parts[1]) / max(1 - parts[1], 1e-300)


def median_unbiased(value, error, low, high, within=np.inf):
    """The mean at which a value above the seen one is as likely as one below.

    Args:
        error: the standard error.
        low: the bounds between which it was selected.
        within: errors from the mean beyond which it cannot be, as the hybrid takes it.
    """
    ends = [value - min(within, 40) * error, value + min(within, 40) * error]
    for _ in range(60):
        mean = sum(ends) / 2
        least = max((low - mean) / error, -within)
        most = min((high - mean) / error, within)
        below = share_below((value - mean) / error, least, most) if least < most else 0.0
        ends[int(below < 0.5)] = mean
    return sum(ends) / 2


def joint_errors(values, rng, level=1 - WITHIN, draws=1000):
    """Of how many errors the joint intervals of all means are (of normal draws)."""
    centred = values - values.mean(axis=1, keepdims=True)
    drawn = centred @ rng.normal(size=(values.shape[1], draws))
    return np.quantile(np.abs(drawn / np.linalg.norm(centred, axis=1)[:, None]).max(axis=0), level)


def winner_estimates(values, rng):
    """The median-unbiased estimate of the value of the first, and the hybrid."""
    means, covariance = values.mean(axis=1), np.cov(values) / values.shape[1]
    best = means.argmax()
    seen = means[best], np.sqrt(covariance[best, best]), *bounds(means, covariance, best)
    return median_unbiased(*seen), median_unbiased(*seen, within=joint_errors(values, rng))


def test_of_two_equal_errors_the_median_is_known():
    """One variable above a bound: its median at the estimate is the value."""
    mean = median_unbiased(2.5, 1.0, 2.0, np.inf)
    above = norm.sf(2.0 - mean)
    assert norm.sf(2.5 - mean) == pytest.approx(above / 2)
    assert median_unbiased(2.5, 1.0, -np.inf, np.inf) == pytest.approx(2.5)
    assert 2.001 - 3 <= median_unbiased(2.001, 1.0, 2.0, np.inf, within=3) < 0


# As the board has it


def corrected(values):
    """The value of the first less by what the board says that it is too high."""
    drawn = resampled(values, 300, seed=1)
    return values.mean(axis=1).max() - optimism(drawn.mean(axis=1), drawn, "higher")


SCENES = {
    "equal": lambda k: (np.zeros(k), np.ones(k), 0.9),
    "spread as their errors": lambda k: (norm.ppf((np.arange(k) + 0.5) / k), np.ones(k), 0.9),
    "equal, errors of .5 to 2": lambda k: (np.zeros(k), np.linspace(0.5, 2, k), 0.9),
    "one best by 3 errors": lambda k: (3.0 * (np.arange(k) == 0), np.ones(k), 1.1),
    "one best by 6 errors": lambda k: (6.0 * (np.arange(k) == 0), np.ones(k), 1.5),
}  # of k submissions: means, spreads, and the most that the error may be beside the hybrid's


@pytest.mark.slow("simulates", beyond=1)
@pytest.mark.parametrize("submissions", [5, 20, 50])
@pytest.mark.parametrize("scene", SCENES)
def test_what_is_left_of_the_first(scene, submissions, winners):
    """Bias and root mean square error, in standard errors of a submission's mean."""
    means, spreads, most = SCENES[scene](submissions)
    off = []
    for seed in range(40 * TIMES):
        rng = np.random.default_rng([seed, submissions, 29])
        noise = rng.normal(size=(submissions, LISTS)) + 0.5 * rng.normal(size=LISTS)
        values = (means / np.sqrt(LISTS))[:, None] + spreads[:, None] * noise
        seen = values.mean(axis=1)
        made = (seen.max(), corrected(values), *winner_estimates(values, rng))
        off.append((np.array(made) - means[seen.argmax()] / np.sqrt(LISTS)) * np.sqrt(LISTS))
    winners(scene, submissions, np.array(off), most=most)
