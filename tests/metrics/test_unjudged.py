"""The bounds that unjudged items leave, against the values of all their grades."""

from itertools import product

import numpy as np
import pytest

from scorer.kinds.base import Constants
from scorer.metrics.base import metrics
from scorer.metrics.measure import measure
from scorer.scoring.bounds import extremes
from scorer.scoring.evaluate import evaluate
from scorer.views.hits import Judged
from scorer.views.unjudged import Unjudged

MEASURES = (
    "P@3", "P(rel=2)@4", "P(denominator=returned)@6", "P(judged_only=true)@3",
    "R@3", "R(denominator=capped)@2", "R(rel=2)@3",
    "RBP(p=0.8)", "RBP(p=0.5, rel=2)", "ERR@4", "ERR", "ERR(max_grade=4)",
    "RR", "RR@2", "Success@3", "DCG@4", "DCG(gain=exp2, discount=jarvelin)",
    "AP", "AP@3", "AP(rel=2)", "AP(denominator=capped)@3", "AP(denominator=returned)",
    "AP(denominator=hits)@4", "AP(judged_only=true)",
    "nDCG", "nDCG@3", "nDCG(gain=exp2)@4", "nDCG(gain=exp2)", "nDCG(discount=jarvelin)@5",
    "nDCG(ideal=uncut)@3", "nDCG(ideal=returned)@4", "nDCG(ideal=reordered)@4",
    "nDCG(ideal=reordered)", "nDCG(judged_only=true)@3",
)  # fmt: skip

GRADES = (0.0, 1.0, 2.0, 3.0)
LISTS = 30


def made(rng):
    """A list, its truth, and the returned items that nobody judged."""
    items = [f"i{n}" for n in range(rng.integers(1, 8))]
    judged = rng.permutation(items)[max(len(items) - int(rng.integers(0, 5)), 0) :].tolist()
    judged = [i for i in items if i not in judged]
    truth = {i: float(rng.choice([-1, 0, 1, 2, 3])) for i in judged}
    truth |= {f"o{n}": float(rng.choice([0, 1, 1, 3])) for n in range(rng.integers(0, 4))}
    free = [i for i in items if truth.get(i, -1) < 0][:4]
    for item in items:  # at most four are free, as there are 4^4 grades of them
        if truth.get(item, -1) < 0 and item not in free:
            truth[item] = 0.0
    return items, truth, free


def named(lists):
    view = Judged.of(*lists)
    return Judged(view.hits, view.ideal, view.returned, [""] * len(lists))


@pytest.fixture(scope="module")
def drawn():
    """Lists with unjudged items, the same with each of their grades, and whose these are."""
    rng = np.random.default_rng(34)
    lists = [made(rng) for _ in range(LISTS)]
    complete = [
        (n, (items, truth | dict(zip(free, given, strict=True))))
        for n, (items, truth, free) in enumerate(lists)
        for given in product(GRADES, repeat=len(free))
    ]
    whose, every = zip(*complete, strict=True)
    return named([each[:2] for each in lists]), named(every), np.array(whose)


def settled(notation):
    bound = measure(metrics().get(notation.split("(")[0].split("@")[0]), notation)
    return bound.settled(Constants(max_grade=max(GRADES)))


@pytest.mark.parametrize("notation", MEASURES)
def test_no_grades_of_unjudged_items_pass_the_bounds_and_some_reach_them(notation, drawn):
    partly, complete, whose = drawn
    low, high = extremes(settled(notation), Unjudged.of(partly), np.array(GRADES))
    all_judged = settled(notation.replace("judged_only=true", "judged_only=false"))
    values = evaluate(all_judged, {Judged: complete})
    for ends, way in ((low, np.fmin), (high, np.fmax)):
        reached = np.full(LISTS, np.nan)
        way.at(reached, whose, values)
        # where no grades make any item relevant, a list has no value: neither low nor high
        undefined = np.isnan(ends)
        assert np.isin(np.flatnonzero(undefined), whose[np.isnan(values)]).all()
        np.testing.assert_allclose(ends[~undefined], reached[~undefined], atol=1e-12)
    assert (high > low).sum() > LISTS / 3
    assert np.isnan(high[~np.isin(np.arange(LISTS), whose[~np.isnan(values)])]).all()


def test_a_table_of_gains_that_may_fall_has_no_bounds(drawn):
    for notation in ("DCG(gain={1: 2, 2: 1})@3", "nDCG(gain={0: 1})@3"):
        assert extremes(settled(notation), Unjudged.of(drawn[0]), np.array(GRADES)) is None


def test_a_table_of_gains_that_falls_is_ordered_by_what_is_gained(drawn):
    bound = settled("nDCG(gain={1: 5, 2: 1, 3: 2})@3")
    _, high = extremes(bound, Unjudged.of(drawn[0]), np.array(GRADES))
    values = evaluate(bound, {Judged: drawn[1]})
    reached = np.full(LISTS, np.nan)
    np.fmax.at(reached, drawn[2], values)
    np.testing.assert_allclose(high, reached, atol=1e-12)
