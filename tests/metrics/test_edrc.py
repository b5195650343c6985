"""EDRC against the paper's numbers, AP correlation, and the plainest possible code."""

from __future__ import annotations

import time
from fractions import Fraction
from itertools import combinations, permutations
from math import log2
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from rounds import rounds

import scorer
from scorer.core.errors import ChallengeError
from scorer.metrics.orders import edrc, tauap
from scorer.results.report import Scored
from scorer.testing import judged_view, preferred_view
from scorer.views.preferences import (
    Likelihood,
    PairLayout,
    Preferred,
    Ranking,
    StatedPairs,
    TruePreferences,
)

PRINTED = "A>C A>D A>E C>D B>D"
PREDICTION = "C>A C>B C>D A>E B>E D>E"
DIVISOR = {
    "linear": lambda r: r,
    "exp": lambda r: 2**r,
    "log": lambda r: log2(1 + r),
    "ap": lambda r: r - 1,
}


def below(pairs, item, seen=()):
    """All that is reached going down from `item`."""
    found = set()
    for better, worse in pairs:
        if better == item and worse not in seen:
            found |= {worse} | below(pairs, worse, (*seen, item))
    return found


def closure(items, pairs):
    return {(v, w) for v in items for w in below(pairs, v)}


def oracle(items, truth, said, discount="linear", closed=True, unknown=0.5, likely=None):
    """One list, as METRICS.md says it; None where nothing is below anything."""
    above = closure(items, truth)
    stated = closure(items, said) if closed else set(said)

    def rank(v):
        return 1 + max((rank(better) for better, worse in truth if worse == v), default=0)

    def chance(better, worse):
        if likely is None:
            return unknown
        return likely.get((better, worse), 1 - likely.get((worse, better), 0.5))

    z = total = 0.0
    for v in items:
        if rank(v) == 1:
            continue
        for w in items:
            if w == v or (v, w) in above:
                continue
            if (w, v) in above and (w, v) in stated:
                value = 1.0
            elif (w, v) in above and (v, w) in stated:
                value = 0.0
            elif (v, w) in stated and likely is not None:
                value = chance(v, w)
            else:
                value = chance(w, v)
            z += 1 / DIVISOR[discount](rank(v))
            total += value / DIVISOR[discount](rank(v))
    return 2 * total / z - 1 if z else None


@st.composite
def graphs(draw, items):
    """Preferences without a cycle."""
    order = draw(st.permutations(items))
    return [pair for pair in combinations(order, 2) if draw(st.booleans())]


@st.composite
def lists(draw, ranked):
    """How many items, a truth, a submission, probabilities.

    A ranked submission has a height for each item, equal ones too, None for
    what it leaves out.
    """
    items = list(range(draw(st.integers(0, 6))))
    heights = st.lists(st.none() | st.integers(0, 3), min_size=len(items), max_size=len(items))
    said = draw(heights if ranked else graphs(items))
    likely = {pair: draw(st.floats(0, 1)) for pair in draw(graphs(items))}
    return len(items), draw(graphs(items)), said, likely


def preferred(cases, ranked):
    """The view of those lists."""
    sizes = [size for size, *_ in cases]
    starts = (np.cumsum(sizes) - sizes).tolist()
    layout = PairLayout.of(
        np.repeat(np.arange(len(cases)), sizes), [str(n) for n in range(len(cases))]
    )

    def flat(side):
        rows = [
            (s + v, s + w) for s, case in zip(starts, cases, strict=True) for v, w in case[side]
        ]
        return StatedPairs(*np.array(rows, dtype=np.int64).reshape(-1, 2).T)

    likely = np.array([p for case in cases for p in case[3].values()], dtype=float)
    orders = TruePreferences.of(layout, flat(1), Likelihood(flat(3), likely))
    if not ranked:
        return Preferred(orders, flat(2))
    heights = [np.nan if h is None else h for case in cases for h in case[2]]
    return Preferred(orders, Ranking(np.array(heights, dtype=float)))


def stated(case, ranked):
    """The preferences that the submission of one list states."""
    if not ranked:
        return case[2]
    order = [(v, height) for v, height in enumerate(case[2]) if height is not None]
    return [(v, w) for (v, a), (w, b) in permutations(order, 2) if a > b]


@pytest.mark.slow("tries every metric on random lists", beyond=2)
@pytest.mark.parametrize("discount", DIVISOR)
@pytest.mark.parametrize("closed", [True, False])
@pytest.mark.parametrize("unknown", [0.5, 0.25, 1.0, "likelihood"])
@pytest.mark.parametrize("ranked", [True, False])
@rounds(12)
@given(data=st.data())
def test_all_lists_at_once_are_the_lists_one_by_one(discount, closed, unknown, ranked, data):
    cases = data.draw(st.lists(lists(ranked), min_size=1, max_size=5))
    found = edrc(preferred(cases, ranked), discount=discount, closure=closed, unknown=unknown)
    for value, case in zip(found, cases, strict=True):
        size, truth, _, likely = case
        chances = likely if unknown == "likelihood" else None
        said = stated(case, ranked)
        expected = oracle(range(size), truth, said, discount, closed, unknown, chances)
        assert value == pytest.approx(np.nan if expected is None else expected, nan_ok=True)


@pytest.mark.parametrize(
    ("truth", "submission", "expected"),
    [
        (PRINTED, PREDICTION, Fraction(2, 29)),  # C(E) = 2.5
        (f"{PRINTED} B>E", PREDICTION, Fraction(5, 29)),  # C(E) = 3, as the paper calculates
        ("a>b c>d", "a>b c>d", Fraction(1, 3)),
        ("a>b b>c a>c", "c>b b>a", -1),
        ("a>b b>c a>c", "a>b b>c", 1),
    ],
)
def test_numbers_of_the_paper(truth, submission, expected):
    assert edrc(preferred_view((truth, submission)))[0] == pytest.approx(float(expected), abs=1e-15)


@pytest.mark.parametrize(("truth", "score"), [(PRINTED, 2.5), (f"{PRINTED} B>E", 3)])
def test_the_score_of_item_e(truth, score):
    value = edrc(preferred_view((truth, PREDICTION)))[0]
    # 2 / (29/6) * (1/2 + 2.5/3 + C(E)/2) - 1
    assert 2 * ((value + 1) * 29 / 12 - 1 / 2 - 2.5 / 3) == pytest.approx(score)


def test_ranks_begin_at_one():
    """Were S's rank 2, as Algorithm 1 prints it, the discounts of a chain would be 1/3 and 1/4."""
    value = edrc(preferred_view(("a>b b>c a>c", "a>b")))[0]
    assert value == pytest.approx(2 * (1 / 2 + 1 / 3) / (1 / 2 + 2 / 3) - 1)


def test_complete_orders_are_ap_correlation_over_the_truth():
    truth = "abcde"
    chain = " ".join(f"{v}>{w}" for v, w in combinations(truth, 2))
    for order in permutations(truth):
        stated = " ".join(f"{v}>{w}" for v, w in combinations(order, 2))
        plain = sum(
            sum(order.index(w) < order.index(v) for w in truth[:place]) / place
            for place, v in enumerate(truth)
            if place
        )
        expected = 2 / (len(truth) - 1) * plain - 1
        value = edrc(preferred_view((chain, stated)), discount="ap")[0]
        assert value == pytest.approx(expected, abs=1e-14)
        judged = judged_view((order, {item: 5.0 - n for n, item in enumerate(truth)}))
        assert tauap(judged, over="truth").values()[0] == pytest.approx(expected, abs=1e-14)


@pytest.mark.slow("long and many lists")
def test_long_and_many_lists():
    random = np.random.default_rng(1)
    many = np.repeat(np.arange(1000), 20)
    layout = PairLayout.of(many, [str(n) for n in range(1000)])
    view = Preferred(
        TruePreferences.of(layout, Ranking(random.random(many.size))), Ranking(-many + 0.0)
    )
    begin = time.process_time()
    assert edrc(view) == pytest.approx(np.zeros(1000))  # all items tie: silence
    assert time.process_time() - begin < 2
    long = PairLayout.of(np.zeros(1000, dtype=np.int64), ["one"])
    chain = np.arange(999)
    view = Preferred(
        TruePreferences.of(long, StatedPairs(chain, chain + 1)), StatedPairs(chain, chain + 1)
    )
    for discount in DIVISOR:
        assert edrc(view, discount=discount)[0] == 1
    assert edrc(view, closure=False)[0] < 1


def test_an_item_nobody_compares_is_at_the_top():
    layout = PairLayout.of(np.zeros(3, dtype=np.int64), ["l"])
    truth = StatedPairs(np.array([0]), np.array([1]))  # the third stands alone
    view = Preferred(TruePreferences.of(layout, truth), truth)
    assert edrc(view, discount="ap")[0] == pytest.approx(2 * (1 + 0.5) / 2 - 1)


def scored(folder: Path, files: dict[str, str], submission: str) -> Scored:
    for name, text in files.items():
        (folder / name).write_text(text)
    (folder / "mine.csv").write_text(submission)
    return scorer.score(folder, [folder / "mine.csv"]).submissions[0]


GRADED = {
    "challenge.yaml": "truth: truth.csv\nmetrics: [EDRC, nDCG@3, TauAP]\n",
    "truth.csv": "list,item,grade\nl,a,3\nl,b,2\nl,c,1\n",
}


PROBABILITY = {
    "challenge.yaml": "truth: t.csv\nlikelihood: {file: p.csv, columns: {probability: p}}\n"
    "metrics: [{metric: EDRC, unknown: likelihood}]\n",
    "t.csv": "list,better,worse\nl,a,b\nl,c,d\n",
    "p.csv": "list,better,worse,p\nl,a,b,0.9\nl,d,a,0.2\nl,b,c,0.3\nl,x,y,1\nother,a,b,0\n",
}


def test_an_order_is_needed_where_a_metric_says_so(tmp_path):
    files = GRADED | {"truth.csv": "list,item,grade\nl,a,2\nl,b,2\nm,a,1\n"}
    with pytest.raises(ChallengeError, match="TauAP needs an order as truth: list 'l' grades"):
        scored(tmp_path, files, "list,item\nl,a\n")
    files["challenge.yaml"] = "truth: truth.csv\nmetrics: [EDRC, Tau]\n"
    assert scored(tmp_path, files, "list,item\nl,a\nm,a\n").valid


def test_likelihoods_belong_to_what_a_value_is_identified_by(tmp_path):
    found = []
    for chance in ("0.9", "0.8"):
        files = PROBABILITY | {"p.csv": PROBABILITY["p.csv"].replace("0.9", chance)}
        found.append(scored(tmp_path, files, "list,better,worse\nl,b,c\n"))
    one, other = (card.card.digests["truth"] for card in found)
    assert one != other
