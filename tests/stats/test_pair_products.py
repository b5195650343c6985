"""Sums, norms and skews of very many pairs by matrix products are those of their differences."""

import numpy as np
import pytest

from scorer.stats.intervals import MEANS
from scorer.stats.pair_groups import PairGroup, pair_groups
from scorer.stats.pair_products import skews, sums_and_norms
from scorer.stats.units import LONG, unit_sums


def rows(kind):
    """(12, 200): values that are like another's in each way."""
    rng = np.random.default_rng(4)
    values = rng.normal(0.5, 0.2, (12, 200)) + rng.normal(0, 5, 200)
    values = {"normal": values, "skew": np.exp(values / 5), "shares": 1.0 * (values > 0)}[kind]
    values[1] = values[0]  # equal
    values[3] = values[2] + 0.25  # apart by the same everywhere
    values[5] = values[4] + 1e-14  # by noise
    values[7] = values[6] + 1e-3 * rng.normal(size=200)  # nearly
    return values / np.abs(values).max()


def group(values, control):
    """The one group of pairs of all rows, or of the first with all others."""
    return next(pair_groups(values, None, control, None, None, MEANS))


@pytest.mark.parametrize("control", [False, True])
@pytest.mark.parametrize("kind", ["normal", "skew", "shares"])
def test_products_are_of_the_differences(kind, control):
    part: PairGroup = group(rows(kind), control)
    held = part.observed(), part.skews()
    made = (
        sums_and_norms(part.first, part.second),
        skews(part.first, part.second, lambda each: group_skews(part, each)),
    )
    for one, other in zip((*held[0], held[1]), (*made[0], made[1]), strict=True):
        np.testing.assert_allclose(other, one, rtol=1e-9, atol=1e-11)


def group_skews(part, each):
    """Skews by the definition; 0 of differences that are all the same."""
    deviations = each - each.mean(axis=1, keepdims=True)
    spread = np.sqrt((deviations**2).sum(axis=1) / (part.units - 1))
    some = spread > 1e-9
    third = (deviations**3).mean(axis=1)
    return np.divide(third, spread**3, out=np.zeros(len(each)), where=some)


def test_equal_rows_have_no_norm():
    values = rows("normal")
    total, norm = sums_and_norms(values[:2], None)
    assert (total.tolist(), norm.tolist()) == ([0.0], [0.0])


def test_sums_of_very_many_lists_are_those_of_few():
    rng = np.random.default_rng(5)
    values, unit = rng.normal(size=(3, LONG)), rng.integers(40, size=LONG)
    sums = [np.bincount(unit, row / 7, minlength=40) for row in values]
    np.testing.assert_allclose(unit_sums(values, unit, 7.0), sums, rtol=1e-12)
